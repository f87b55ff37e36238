// SPDX-License-Identifier: MIT
/*
 * Layers that make a single pixel (row.h).
 *
 * Each weight is loaded for one product, and a packet loads one vector of them, so that 128 MACs a
 * packet are the most. What costs beside that are results, so that there are few steps between sums
 * and bytes: the window is copied once, which aligns it and adds it up, then 128 outputs are made
 * at a time.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/weights.h"
#include "dsp/hvx/conv2d/row.h"
#include "dsp/hvx/common/fetch.h"
#include "dsp/hvx/common/fuse.h"
#include "dsp/hvx/common/requant.h"

#define FETCHED_AT_ONCE	(16u << 10)	/* bytes of weights that are asked for, at least */

/* The layer, and what all of its outputs have in common. */
struct row {
	const struct nn_call *call;
	const uint8_t *inputs;	/* the copy of the window */
	uint32_t outputs;
	uint32_t steps;		/* of 8 inputs */
	uint32_t block_bytes;	/* of the weights of 32 outputs */
	bool is_signed, is_raw;
	HVX_Vector less;	/* the weights' zero point times the sum of the window */
	struct finish finish;
};

bool conv2d_is_row(const struct nn_call *call, struct row_window *out)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_window_params *window = &call->op->window;
	uint32_t height = window->kernel_h, width = window->kernel_w;

	if (output->dims[0] != 1 || output->dims[1] != 1 || output->dims[2] != 1)
		return false;
	if (window->pad_top | window->pad_left || height > input->dims[1] ||
	    width > input->dims[2] || (height > 1 && window->dilation_h > 1) ||
	    (width > 1 && (window->dilation_w > 1 || input->pitch != input->dims[3])))
		return false;
	*out = (struct row_window){
		.rows = height,
		.bytes = width * input->dims[3],
		.pitch = input->dims[2] * input->pitch,
	};
	return true;
}

/* Inputs */

/* Copies the window to scratch memory, each row at a multiple of 8 bytes, with zeros behind it. */
static int copy_window(struct progress *progress, const struct row_window *window)
{
	const struct nn_call *call = progress->call;
	const uint8_t *from = call->input[0].data;
	uint8_t *to = call->scratch;

	for (uint32_t y = 0; y < window->rows; y++, from += window->pitch) {
		uint32_t left = window->bytes, last;
		int ret = progress_add(progress, 64 + 2 * memory_work(left) + left / 16);

		if (ret)
			return ret;
		for (uint32_t i = 0; left > VECTOR; i += VECTOR, left -= VECTOR)
			store(to + i, load(from + i));
		last = window->bytes - left;
		store(to + last, Q6_V_vmux_QVV(first_bytes(left), load_bytes(from + last, left),
					       Q6_V_vzero()));
		to += round_up(window->bytes, 8);
	}
	store(to, Q6_V_vzero());
	return 0;
}

/* Adds up the window's inputs in its copy: in all lanes the same. */
static HVX_Vector add_window(const struct row *row)
{
	const HVX_Vector *from = (const HVX_Vector *)row->inputs;
	HVX_Vector sum = Q6_V_vzero(), one = splat_b(1);
	int32_t vectors = (row->steps + VECTOR / 8 - 1) / (VECTOR / 8);

	if (row->is_signed)
		for (int32_t i = 0; i < vectors; i++)
			sum = Q6_Vw_vrmpyacc_VwVbVb(sum, *from++, one);
	else
		for (int32_t i = 0; i < vectors; i++)
			sum = Q6_Vuw_vrmpyacc_VuwVubVub(sum, *from++, one);
	for (uint32_t bytes = VECTOR / 2; bytes >= 4; bytes /= 2)
		sum = Q6_Vw_vadd_VwVw(sum, Q6_V_vror_VR(sum, bytes));
	return sum;
}

/*
 * Blocks of 32 outputs, one, two or four at a time: products, and what brings their sums to
 * products with scales of 16 bits of fraction, with a half and 4 / 2^16 more, as requant.h has it.
 * Eight bytes behind the inputs are loaded, too.
 */

/* Blocks: their layer, and where the constants of the first one are. */
struct blocks {
	const struct row *row;
	const uint8_t *weights;
	const HVX_Vector *bias, *multiplier, *shift, *greatest;
};

#define BEGIN(i) \
	"%[s" #i "].w = vsub(v31.w,%[less].w); v31.cur = vmem(%[bias]+#" #i ")"

#define PRODUCT(SUM, IN, i, r) \
	"%[s" #i "]." SUM " += vrmpy(v31.ub,r" #r "." IN "); v31.cur = vmem(%[w" #i "]++#1)"

/* The steps of a result. Of two with a multiplication none fit one packet. */
#define LIMIT(i)	"%[p" #i "] = vnot(%[g" #i "]); %[g" #i "].cur = vmem(%[greatest]+#" #i ")"
#define LEAST(i)	"%[p" #i "].w = vmax(%[p" #i "].w,%[s" #i "].w)"
#define MOST(i)		"%[g" #i "].w = vmin(%[p" #i "].w,%[g" #i "].w)"
#define SHIFT(i)	"%[g" #i "].w = vasl(%[g" #i "].w,v31.w); v31.cur = vmem(%[shift]+#" #i ")"
#define LOW(i)		"%[p" #i "].w = vmpye(%[g" #i "].w,v30.uh); v30.cur = vmem(%[by]+#" #i ")"
#define HIGH(i)		"%[p" #i "].w += vmpyo(%[g" #i "].w,v30.h):<<1:rnd:sat:shift"
#define MORE(i)		"%[p" #i "].w = vadd(%[p" #i "].w,%[more].w):sat"

#define BLOCK_1(SUM, IN) \
	asm volatile("{ " BEGIN(0) "; r1:0 = memd(%[in]++#8) }\n" \
		     "{ loop0(1f,%[steps]) }\n" \
		     "1:\n" \
		     "{ " PRODUCT(SUM, IN, 0, 0) " }\n" \
		     "{ " PRODUCT(SUM, IN, 0, 1) "; r1:0 = memd(%[in]++#8) }:endloop0\n" \
		     "{ " LIMIT(0) " }\n" \
		     "{ " LEAST(0) " }\n" \
		     "{ " MOST(0) " }\n" \
		     "{ " SHIFT(0) " }\n" \
		     "{ " LOW(0) " }\n" \
		     "{ " HIGH(0) " }\n" \
		     "{ " MORE(0) " }\n" \
		     : [s0] "=&v"(sum[0]), [p0] "=&v"(p0), [g0] "=&v"(g0), [in] "+r"(in), \
		       [w0] "+r"(w0) \
		     : [less] "v"(row->less), [more] "v"(more), [bias] "r"(blocks->bias), \
		       [by] "r"(blocks->multiplier), [shift] "r"(blocks->shift), \
		       [greatest] "r"(blocks->greatest), [steps] "r"(row->steps) \
		     : "v30", "v31", "r0", "r1", "lc0", "sa0", "memory")

#define BLOCK_4(SUM, IN) \
	asm volatile("{ " BEGIN(0) "; r1:0 = memd(%[in]++#8) }\n" \
		     "{ " BEGIN(1) "; loop0(1f,%[steps]) }\n" \
		     "{ " BEGIN(2) " }\n" \
		     "{ " BEGIN(3) " }\n" \
		     "1:\n" \
		     "{ " PRODUCT(SUM, IN, 0, 0) " }\n" \
		     "{ " PRODUCT(SUM, IN, 1, 0) " }\n" \
		     "{ " PRODUCT(SUM, IN, 2, 0) " }\n" \
		     "{ " PRODUCT(SUM, IN, 3, 0) " }\n" \
		     "{ " PRODUCT(SUM, IN, 0, 1) " }\n" \
		     "{ " PRODUCT(SUM, IN, 1, 1) " }\n" \
		     "{ " PRODUCT(SUM, IN, 2, 1) " }\n" \
		     "{ " PRODUCT(SUM, IN, 3, 1) "; r1:0 = memd(%[in]++#8) }:endloop0\n" \
		     "{ " LIMIT(0) " }\n" \
		     "{ " LIMIT(1) "; " LEAST(0) " }\n" \
		     "{ " LIMIT(2) "; " LEAST(1) "; " MOST(0) " }\n" \
		     "{ " SHIFT(0) "; " LEAST(2) "; " MOST(1) " }\n" \
		     "{ " LIMIT(3) "; " MOST(2) " }\n" \
		     "{ " LOW(0) "; " LEAST(3) " }\n" \
		     "{ " SHIFT(1) "; " HIGH(0) " }\n" \
		     "{ " LOW(1) "; " MORE(0) " }\n" \
		     "{ " SHIFT(2) "; " HIGH(1) " }\n" \
		     "{ " LOW(2) "; " MORE(1) " }\n" \
		     "{ " HIGH(2) "; " MOST(3) " }\n" \
		     "{ " SHIFT(3) "; " MORE(2) " }\n" \
		     "{ " LOW(3) " }\n" \
		     "{ " HIGH(3) " }\n" \
		     "{ " MORE(3) " }\n" \
		     : [s0] "=&v"(sum[0]), [s1] "=&v"(sum[1]), [s2] "=&v"(sum[2]), \
		       [s3] "=&v"(sum[3]), [p0] "=&v"(p0), [p1] "=&v"(p1), [p2] "=&v"(p2), \
		       [p3] "=&v"(p3), [g0] "=&v"(g0), [g1] "=&v"(g1), [g2] "=&v"(g2), \
		       [g3] "=&v"(g3), [in] "+r"(in), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2), \
		       [w3] "+r"(w3) \
		     : [less] "v"(row->less), [more] "v"(more), [bias] "r"(blocks->bias), \
		       [by] "r"(blocks->multiplier), [shift] "r"(blocks->shift), \
		       [greatest] "r"(blocks->greatest), [steps] "r"(row->steps) \
		     : "v30", "v31", "r0", "r1", "lc0", "sa0", "memory")

/* One block; its sums and products. */
static inline __attribute__((always_inline)) void
run_block(const struct blocks *blocks, HVX_Vector *sum, HVX_Vector *product)
{
	const struct row *row = blocks->row;
	const uint8_t *in = row->inputs, *w0 = blocks->weights;
	HVX_Vector more = splat_w(0x8004), p0, g0;

	if (row->is_signed)
		BLOCK_1("w", "b");
	else
		BLOCK_1("uw", "ub");
	product[0] = p0;
}

/* Four blocks. */
static inline __attribute__((always_inline)) void
run_blocks(const struct blocks *blocks, HVX_Vector *sum, HVX_Vector *product)
{
	const struct row *row = blocks->row;
	uint32_t step = row->block_bytes;
	const uint8_t *in = row->inputs, *w0 = blocks->weights;
	const uint8_t *w1 = w0 + step, *w2 = w1 + step, *w3 = w2 + step;
	HVX_Vector more = splat_w(0x8004), p0, p1, p2, p3, g0, g1, g2, g3;

	if (row->is_signed)
		BLOCK_4("w", "b");
	else
		BLOCK_4("uw", "ub");
	product[0] = p0;
	product[1] = p1;
	product[2] = p2;
	product[3] = p3;
}

/* Makes the results of `used` outputs from m on in the exact way; the others are anything. */
static __attribute__((noinline)) HVX_Vector finish_exactly(const struct row *row,
							   const HVX_Vector *sum, uint32_t m,
							   uint32_t used)
{
	struct requant requant[4];

	for (uint32_t b = 0; b < 4; b++)
		requant[b] = requant_lanes(&row->call->input[3],
					   m + min_u32(32 * b, used - 1) / 32 * 32);
	return requant_128(sum, requant, &row->finish);
}

static inline __attribute__((always_inline)) void
store_results(const struct row *row, const HVX_Vector *sum, const HVX_Vector *product, uint32_t m,
	      uint32_t used)
{
	HVX_Vector fraction, results;

	fraction = Q6_Vuh_vmin_VuhVuh(Q6_Vh_vpacke_VwVw(product[1], product[0]),
				      Q6_Vh_vpacke_VwVw(product[3], product[2]));
	if (__builtin_expect(requant_is_tie(fraction), 0))
		results = finish_exactly(row, sum, m, used);
	else
		results = finish_8bit(Q6_Vh_vpacko_VwVw(product[1], product[0]),
				      Q6_Vh_vpacko_VwVw(product[3], product[2]), &row->finish);
	if (used == VECTOR)
		store(row->call->output[0].data + m, results);
	else
		store_bytes(row->call->output[0].data + m, results, used);
}

/* Where the constants of the blocks from output m on are. Sums that are results have no scales. */
static inline struct blocks find_blocks(const struct row *row, uint32_t m)
{
	const struct nn_tensor *bias = &row->call->input[2];
	const struct nn_tensor *scales = row->is_raw ? bias : &row->call->input[3];
	uint32_t rows = row->is_raw ? 0 : scales->row_bytes;
	const uint8_t *first = scales->data + 4 * m;

	return (struct blocks){
		.row = row,
		.weights = row->call->input[1].data + m / 32 * row->block_bytes,
		.bias = (const HVX_Vector *)(bias->data + 4 * m),
		.multiplier = (const HVX_Vector *)(first + NN_SCALE_MULTIPLIER * rows),
		.shift = (const HVX_Vector *)(first + NN_SCALE_SHIFT * rows),
		.greatest = (const HVX_Vector *)(first + NN_SCALE_GREATEST * rows),
	};
}

static inline void skip_blocks(struct blocks *blocks, uint32_t count)
{
	blocks->weights += count * blocks->row->block_bytes;
	blocks->bias += count;
	blocks->multiplier += count;
	blocks->shift += count;
	blocks->greatest += count;
}

/* Makes `used` outputs, at most 128, the first of which is the blocks'. */
static inline __attribute__((always_inline)) void run_few(struct blocks *blocks, uint32_t m,
							  uint32_t used)
{
	HVX_Vector sum[4], product[4];

	run_block(blocks, &sum[0], &product[0]);
#pragma unroll
	for (uint32_t b = 1; b < 4; b++) {
		sum[b] = sum[b - 1];
		product[b] = product[b - 1];
		if (32 * b >= used)
			continue;
		skip_blocks(blocks, 1);
		run_block(blocks, &sum[b], &product[b]);
	}
	store_results(blocks->row, sum, product, m, used);
}

/* The same where the results are sums. */
static void run_raw(struct blocks *blocks, uint32_t m, uint32_t used)
{
	uint8_t *out = blocks->row->call->output[0].data + 4 * m;
	HVX_Vector sum[1], product[1];

	for (; used; used -= min_u32(used, 32), out += VECTOR) {
		run_block(blocks, sum, product);
		store_bytes(out, sum[0], 4 * min_u32(used, 32));
		skip_blocks(blocks, 1);
	}
}

/* Asks for the weights of `some` outputs from m on. */
static void fetch_weights(const struct row *row, uint32_t m, uint32_t some)
{
	if (m < row->outputs)
		fetch_ahead(row->call->input[1].data + m / 32 * row->block_bytes,
			    some / 32 * row->block_bytes);
}

static int run_outputs(const struct row *row, struct progress *progress)
{
	uint32_t some = VECTOR, fetched = VECTOR, outputs = row->outputs;
	uint32_t work = 8 * row->steps + memory_work(4 * row->block_bytes) + 400;
	struct blocks blocks = find_blocks(row, 0);

	while (some < outputs && some / 32 * row->block_bytes < FETCHED_AT_ONCE)
		some *= 2;
	for (uint32_t m = 0; m < outputs; m += VECTOR) {
		int ret = progress_add(progress, work);

		if (ret)
			return ret;
		if (m + VECTOR >= fetched) {
			fetch_weights(row, fetched, some);
			fetched += some;
		}
		if (row->is_raw) {
			run_raw(&blocks, m, min_u32(outputs - m, VECTOR));
		} else if (outputs - m >= VECTOR) {
			HVX_Vector sum[4], product[4];

			run_blocks(&blocks, sum, product);
			store_results(row, sum, product, m, VECTOR);
			skip_blocks(&blocks, 4);
		} else {
			run_few(&blocks, m, outputs - m);
		}
	}
	return 0;
}

bool conv2d_run_row(const struct nn_call *call, const struct row_window *window, int *ret)
{
	const struct nn_tensor *output = &call->output[0];
	struct row row = {
		.call = call,
		.inputs = call->scratch,
		.outputs = output->dims[output->rank - 1],
		.is_signed = call->input[0].type == NN_TYPE_INT8,
		.is_raw = output->type == NN_TYPE_INT32,
	};
	uint64_t length = window->rows * (uint64_t)round_up(window->bytes, 8);
	struct progress progress = { .call = call };
	struct fusion fusion;

	if (length + 3 * VECTOR > call->scratch_size / 4)
		return false;
	row.steps = length / 8;
	row.block_bytes = length * 32;
	*ret = copy_window(&progress, window);
	if (*ret)
		return true;
	row.less = Q6_Vw_vmpyi_VwRub(add_window(&row), four_bytes(call->input[1].zero_point));
	if (!row.is_raw)
		row.finish = finish_of(output->type == NN_TYPE_INT8, output->zero_point,
				       call->op->out_min, call->op->out_max);
	*ret = run_outputs(&row, &progress);
	if (!*ret && call->next && nn_fuse_settle(&fusion, call))
		*ret = nn_fuse_run(&fusion, &progress, output->data, output->data, output->bytes);
	return true;
}
