// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL_FLOAT: means of windows that other frameworks compute in float32, here in integers,
 * and again in float32 where an integer cannot tell how the float rounds.
 * nn_average_pool_float_hvx() is its vector kernel, in the table of kernels.c. Windows are added up
 * as average.h has it, those of 2x2 with stride 2 by the assembly of average_2x2s2.h, but for
 * NN_AVERAGE_EXACT.
 */
#include "dsp/kernels/average_float.h"
#include "dsp/kernels/checks.h"
#include "dsp/hvx/pool/average.h"
#include "dsp/hvx/pool/average_float_row.h"
#include "dsp/hvx/pool/average_2x2s2.h"
#include "dsp/hvx/pool/average_2x2s2_low.h"
#include "dsp/hvx/pool/average_2x2s2_ties.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/strips.h"

#define TIE_WORK	24	/* for a mean of four that is computed as it is defined */
#define LOW_WORK	100	/* for a vector of means between equal scales */
#define ROUND		0x1.8p23f	/* added to a small number it leaves an integer in the */
#define ROUND_BITS	0x4b400000	/* last bits, and these */

/*
 * A call's windows of 2x2 that the assembly computes. Scratch memory has a list of means, and then
 * marks.
 */
struct average_2x2s2_float {
	struct plan_2x2s2 plan;
	struct average_ties ties;
	struct average_low low;
	bool is_low, is_signed;
	uint32_t most_rows;	/* for whose marks there is room */
};

#define PART_MOST	(AVERAGE_PART + 2)	/* vectors */
#define FEW_TIES	256			/* to which a part's are added */
#define TIES_LIST	round_up((FEW_TIES + PART_MOST * VECTOR + 1) * \
				 sizeof(struct average_tie), VECTOR)

/* The number of parts of a row's vectors. */
static uint32_t parts_of(uint32_t vectors)
{
	return (vectors - 2 - 1) / AVERAGE_PART + 1;
}

/*
 * Plans the windows of 2x2. In 2^-32 the factor is off by less than 1, the sum by less than 2^10,
 * which is nothing of a margin.
 */
static bool settle_plan(struct plan_2x2s2 *plan, const struct nn_call *call, uint32_t *most_rows)
{
	const struct nn_average_float_params *params = &call->op->average_float;
	const uint32_t channels = call->input[0].dims[3];
	uint32_t margin, bytes, vectors;
	float scale;

	if (params->order == NN_AVERAGE_EXACT || params->window.kernel_h != 2)
		return false;
	margin = nn_average_float_margin(params);
	scale = average_scale(params, 4);
	if (scale >= 1 || margin >= AVERAGE_MOST_MARGIN ||
	    !nn_average_2x2s2_settle(plan, call, (uint32_t)(scale * 0x1p32f),
				     (1u << 31) + ((uint64_t)margin << 16)))
		return false;
	/* Bytes behind a window's are the next window's, and get no marks. */
	bytes = plan->vectors ? VECTOR : min_u32(channels, VECTOR);
	vectors = plan->vectors ? plan->vectors : plan->most;
	plan->loop.tie = 2 * margin * 0x10001u;
	plan->loop.even = round_up(bytes, 2);
	plan->loop.odd = bytes / 2 * 2;
	plan->loop.marks = call->scratch + TIES_LIST;
	plan->end = pool_whole_rows(call);
	/* A row's last vectors reach into the next row. */
	if (plan->left)
		plan->end = pool_followed_rows(call, plan->end);
	if (call->scratch_size < TIES_LIST)
		return false;
	*most_rows = (call->scratch_size - TIES_LIST) / (parts_of(vectors) * 2 * VECTOR);
	return *most_rows;
}

static bool settle_2x2s2(struct average_2x2s2_float *means, const struct nn_call *call)
{
	const struct nn_average_float_params *params = &call->op->average_float;
	bool in_columns =
		params->order == NN_AVERAGE_COLUMNS || params->order == NN_AVERAGE_QUARTERS;
	bool zero_before = params->order == NN_AVERAGE_ZERO_POINT;
	const float divisor = 4 * params->scale_output;
	int32_t zero_point = call->output[0].zero_point;
	uint32_t most_rows;
	float inverse;

	if (!settle_plan(&means->plan, call, &most_rows))
		return false;
	inverse = 1 / divisor;
	means->most_rows = most_rows;
	means->is_signed = call->input[0].type == NN_TYPE_INT8;
	means->is_low = params->scale_input == params->scale_output && !zero_before &&
			nn_low_settle(&means->low.scale, params->scale_input);
	means->low.in_columns = in_columns;
	means->low.zero_in = call->input[0].zero_point + flip_of(&call->input[0]);
	means->low.zero_out = zero_point + flip_of(&call->output[0]);
	means->ties = (struct average_ties){
		.zero = call->input[0].zero_point,
		.scale = params->scale_input,
		.scale_third = in_columns ? params->scale_input : 0,
		.scale_last = in_columns ? 0 : params->scale_input,
		.divisor = divisor,
		.inverse = inverse,
		.rest = __builtin_HEXAGON_F2_sffms(1, inverse, divisor) * inverse,
		.zero_before = zero_before ? zero_point : 0,
		.round = ROUND,
		.zero_after = (zero_before ? 0 : zero_point) - ROUND_BITS,
		.min = call->op->out_min,
		.max = call->op->out_max,
	};
	return true;
}

/*
 * Sets the first window's elements, in the order of the additions: four sums of one element each
 * are two of columns.
 */
static void set_elements(struct average_2x2s2_float *means, const struct nn_call *call)
{
	const uint8_t *const *row = means->plan.loop.row;
	const uint8_t **element = means->ties.element;
	uint32_t channels = call->input[0].dims[3];
	bool in_columns = means->ties.scale_third != 0;

	element[0] = row[0];
	element[1] = in_columns ? row[1] : row[0] + channels;
	element[2] = in_columns ? row[0] + channels : row[1];
	element[3] = row[1] + channels;
}

/* Computes the means that are listed, up to `end`. */
static int make_listed(struct progress *progress, struct average_2x2s2_float *means,
		       struct average_tie *list, const struct average_tie *end)
{
	uint32_t count = end - list;
	int ret;

	if (!count)
		return 0;
	ret = progress_add(progress, count * TIE_WORK);
	if (ret)
		return ret;
	if (means->is_signed)
		nn_average_ties_s8(&means->ties, list, count);
	else
		nn_average_ties_u8(&means->ties, list, count);
	return 0;
}

/* Computes as they are defined those means of a run for `rows` rows that may be ties. */
static int make_ties(struct progress *progress, struct average_2x2s2_float *means, uint32_t rows)
{
	const struct nn_call *call = progress->call;
	struct average_tie *list = (struct average_tie *)call->scratch, *end = list;
	const struct average_loop *loop = &means->plan.loop;
	uint32_t channels = call->input[0].dims[3];
	uint32_t pitch = call->op->window.stride_h * call->input[0].dims[2] * channels;
	uint8_t *marks = loop->marks;

	set_elements(means, call);
	for (uint32_t y = 0; y < rows; y++) {
		uint8_t *to = loop->to + y * call->output[0].dims[2] * channels;
		uint32_t vectors = loop->rounds, offset = y * pitch;

		for (uint32_t i = 0; i < loop->parts; i++, marks += 2 * VECTOR) {
			if (end - list > FEW_TIES) {
				int ret = make_listed(progress, means, list, end);

				if (ret)
					return ret;
				end = list;
			}
			end = nn_average_ties_list(loop, marks, end, to, offset);
			to += vectors * loop->to_step;
			offset += vectors * loop->step;
			vectors = AVERAGE_PART;
		}
	}
	return make_listed(progress, means, list, end);
}

/* Computes the same means as nn_average_2x2s2_ties() and make_ties(), between equal scales. */
static int make_low(struct progress *progress, struct average_2x2s2_float *means, uint32_t rows)
{
	const struct nn_call *call = progress->call;
	struct average_tie *list = (struct average_tie *)call->scratch;
	struct average_loop *loop = &means->plan.loop;
	uint32_t vectors = loop->rounds + 2, offset = 0;
	uint8_t *to = loop->to;

	set_elements(means, call);
	for (uint32_t y = 0; y < rows; y++) {
		int ret = progress_add(progress, vectors * LOW_WORK);

		for (uint32_t i = 0; i < vectors && !ret; i++) {
			struct average_tie *end;

			i = nn_average_2x2s2_low(loop, &means->low, offset, to, i, vectors);
			if (i == vectors)
				break;
			end = nn_average_ties_list(loop, loop->marks, list, to + i * loop->to_step,
						   offset + i * loop->step);
			ret = make_listed(progress, means, list, end);
		}
		if (ret)
			return ret;
		to += vectors * loop->to_step + loop->to_next;
		offset += vectors * loop->step + loop->next;
	}
	return 0;
}

/* Computes the first windows of 2x2 of `rows` rows from y on, as many as the assembly makes. */
static __attribute__((noinline)) int average_2x2s2(struct progress *progress,
						   struct average_2x2s2_float *means,
						   const uint8_t *image, uint32_t y, uint32_t rows,
						   uint8_t *out)
{
	struct average_loop *loop = &means->plan.loop;

	for (uint32_t run = 0; run < means->plan.runs; run++) {
		int ret = progress_add(progress, rows * means->plan.work);

		if (ret)
			return ret;
		nn_average_2x2s2_run(&means->plan, progress->call, run, image, y, rows, out);
		loop->parts = parts_of(loop->rounds + 2);
		if (means->is_low) {
			ret = make_low(progress, means, rows);
		} else {
			loop->rounds -= (loop->parts - 1) * AVERAGE_PART;
			nn_average_2x2s2_ties(loop);
			ret = make_ties(progress, means, rows);
		}
		if (ret)
			return ret;
	}
	return 0;
}

static int run_dense(const struct nn_call *stated)
{
	struct laid_down down;
	const struct nn_call *call = lay_down(stated, &down);
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t columns = average_columns(call);
	struct progress progress = { .call = call };
	uint8_t *out = output->data;
	struct average_2x2s2_float means;
	struct float_rows float_rows;
	bool has_2x2s2;

	if (!columns || !nn_average_pool_float_has_vectors(call))
		return nn_average_pool_float_portable(call);
	has_2x2s2 = settle_2x2s2(&means, call);
	nn_average_float_begin(&float_rows, call);

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes;

		for (uint32_t y = 0, rows; y < output->dims[1]; y += rows) {
			uint32_t first = has_2x2s2 ? average_2x2s2_row(&means.plan, call, y) : 0;
			int ret;

			rows = 1;
			if (first) {
				rows = min_u32(average_2x2s2_rows(&means.plan, y), means.most_rows);
				ret = average_2x2s2(&progress, &means, image, y, rows, out);
				if (ret)
					return ret;
			}
			for (uint32_t i = 0; i < rows; i++) {
				ret = average_rest(nn_average_float_row, &progress, &float_rows, image,
						   y + i, first, columns, out);
				if (ret)
					return ret;
				out += output->dims[2] * output->dims[3];
			}
		}
	}
	return 0;
}

int nn_average_pool_float_hvx(const struct nn_call *call)
{
	return windows_are_dense(call) ? run_dense(call) : nn_strips_run(call, run_dense);
}
