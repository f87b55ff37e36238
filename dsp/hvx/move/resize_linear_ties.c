// SPDX-License-Identifier: MIT
/*
 * Bilinear resizing in float32: elements whose integers are near a half (resize_linear_rows.c) are
 * made again as dsp/kernels/resize_linear.c defines them. resize_linear.c calls this.
 *
 * Where sums have 8 bits of fraction and these are a half, float32's roundings decide. Of random
 * data that is an element of 16 where an image is doubled, so these have tables: of elements as
 * real numbers, and of the products of a row's weights with those of columns, which are few. They
 * are listed first, so that assembly makes them one behind the other. Where weights are sixteenths,
 * vectors make most of them (resize_linear_low.c).
 */
#include "dsp/hvx/move/resize_linear.h"
#include "dsp/hvx/common/float32.h"
#include "dsp/hvx/common/lanes.h"

#define TIE_WORK	16u
#define NEAR_WORK	64u
#define VECTOR_WORK	40u
#define LOW_WORK	1000u
#define LOW_VECTOR_WORK	200u

/* The numbers that all elements have in common. */
struct finish {
	float scale, inverse;	/* the output's, and nearly 1 / that */
	int32_t zero, min, max;	/* of results as unsigned bytes */
	uint32_t flip;
};

static struct finish finish_of(const struct resize_job *job)
{
	return (struct finish){
		.scale = job->call->op->resize_linear.scale_output,
		.inverse = job->inverse,
		.zero = job->zero_out,
		.min = job->min,
		.max = job->max,
		.flip = job->flip_out,
	};
}

static inline uint32_t finish_sum(const struct finish *finish, float sum)
{
	int32_t whole = round_float(divide_fused(sum, finish->scale, finish->inverse));

	return clamp_int(whole + finish->zero, finish->min, finish->max) ^ finish->flip;
}

/* ---- Halves, of RESIZE_COARSE */

void resize_empty_tables(struct resize_tables *tables)
{
	tables->has_real = tables->has_low = false;
	tables->latest = 0;
	for (uint32_t i = 0; i < 2; i++)
		tables->near[i] = tables->far[i] = -1;
}

static void make_reals(const struct resize_job *job)
{
	float scale = job->call->op->resize_linear.scale_input;

	for (uint32_t i = 0; i < 256; i++)
		job->tables->real[i] = (float)((int32_t)i - job->zero_in) * scale;
	job->tables->has_real = true;
}

/*
 * Makes the products of a row's weights with those of each column that there can be: two rows' are
 * kept, which are all where an image is doubled.
 */
static void make_products(const struct resize_job *job, float near, float far)
{
	struct resize_tables *tables = job->tables;
	uint32_t one = 1 << job->column_bits, k = tables->latest;
	float unit;

	if (tables->near[k] == near && tables->far[k] == far)
		return;
	tables->latest = k = !k;
	if (tables->near[k] == near && tables->far[k] == far)
		return;
	tables->near[k] = near;
	tables->far[k] = far;
	unit = 1.0f / (float)(int32_t)one;
	for (uint32_t i = 0; i <= one; i++) {
		float right = (float)(int32_t)i * unit, left = 1 - right;

		tables->product[k][i][0] = left * near;
		tables->product[k][i][1] = right * near;
		tables->product[k][i][2] = left * far;
		tables->product[k][i][3] = right * far;
	}
}

/* Where neighbours of a row are in a strip's blocks, and the row. */
struct places {
	const uint8_t *top, *bottom;
	uint8_t *to;
};

/* Makes the elements of the list, which has `count` of them. */
static int make_list(const struct resize_job *job, struct progress *progress,
		     struct resize_halves *halves, uint32_t count)
{
	struct resize_tie *list = job->tables->list;
	int ret = progress_add(progress, VECTOR_WORK + count * TIE_WORK);

	if (ret || !count)
		return ret;
	if (!job->tables->has_real)
		make_reals(job);
	list[0] = list[1];
	list[count + 1] = list[count];
	halves->count = count;
	nn_resize_halves(halves);
	return 0;
}

/*
 * Lists the elements from `from` on, in the output from `to` on, of which one of 64 bits is set: in
 * three packets each.
 */
static inline struct resize_tie *list_bits(struct resize_tie *next, const uint8_t *lanes,
					   uint32_t from, uint32_t to)
{
	uint32_t low = *(const uint32_t *)lanes, high = *(const uint32_t *)(lanes + LANES_WORD);
	uint64_t bits = (uint64_t)high << 32 | low, rest;
	uint32_t count = __builtin_popcountll(bits), place, place_to;

	if (!count)
		return next;
	asm volatile("{ loop0(1f,%[count]) }\n"
		     "1:\n"
		     "{ %[place] = ct0(%[bits]); %[rest] = add(%[bits],%[minus]) }\n"
		     "{ %[bits] = and(%[bits],%[rest]); %[place_to] = add(%[place],%[to]); "
		     "%[place] = add(%[place],%[from]) }\n"
		     "{ memw(%[next]+#0) = %[place]; memw(%[next]+#4) = %[place_to]; "
		     "%[next] = add(%[next],#8) }:endloop0\n"
		     : [next] "+r"(next), [bits] "+r"(bits), [place] "=&r"(place),
		       [rest] "=&r"(rest), [place_to] "=&r"(place_to)
		     : [from] "r"(from), [to] "r"(to), [count] "r"(count), [minus] "r"(~0ull)
		     : "lc0", "sa0", "memory");
	return next;
}

/* Makes bytes behind a row's last one no 0. Returns how many the last vector has. */
static uint32_t mark_last(const struct resize_strip *strip)
{
	uint32_t before = strip->vectors - 1, last = strip->bytes - before * VECTOR;
	HVX_Vector *end = (HVX_Vector *)(strip->blocks + strip->layout.near +
					 before * strip->layout.bytes);

	*end = Q6_V_vmux_QVV(first_bytes(last), *end, splat_w(-1));
	return last;
}

/* Stores the bits of bytes that are 0. */
static __attribute__((noinline)) void find_zeros(uint8_t *near, uint32_t pitch, uint32_t vectors)
{
	for (; vectors; vectors--, near += pitch)
		store_lanes(near, Q6_Q_vcmp_eq_VbVb(*(HVX_Vector *)near, Q6_V_vzero()));
}

/* Can elements of a row be made by vectors? */
static bool is_low(const struct resize_job *job, const struct resize_position *row)
{
	struct resize_tables *tables = job->tables;

	if (!tables->has_low) {
		tables->is_low = nn_low_settle(&tables->low,
					       job->call->op->resize_linear.scale_input);
		tables->has_low = true;
	}
	return tables->is_low && job->column_bits <= 4 &&
	       (row->near_weight | row->far_weight) % 16 == 0;
}

/* Finds what is half an integer in vectors from `begin` to `end`, and makes it. */
static int make_all(const struct resize_strip *strip, struct progress *progress,
		    struct resize_halves *halves, uint32_t begin, uint32_t end)
{
	const struct resize_job *job = strip->job;
	struct resize_tie *list = job->tables->list + 1, *next = list;
	uint32_t pitch = strip->layout.bytes, from = begin * pitch, to = begin * VECTOR;
	uint8_t *near = strip->blocks + strip->layout.near + from;

	find_zeros(near, pitch, end - begin);
	for (; begin < end; begin++, near += pitch, from += pitch, to += VECTOR) {
		next = list_bits(next, near, from, to);
		next = list_bits(next, near + VECTOR / 2, from + VECTOR / 2, to + VECTOR / 2);
		if (next - list > RESIZE_LIST - VECTOR) {
			int ret = make_list(job, progress, halves, next - list);

			if (ret)
				return ret;
			next = list;
		}
	}
	return make_list(job, progress, halves, next - list);
}

/* Makes the same by vectors, where these can. */
static int make_low(const struct resize_strip *strip, struct progress *progress,
		    struct resize_halves *halves, const struct resize_position *row, uint32_t last)
{
	const struct resize_job *job = strip->job;
	struct resize_tie *list = job->tables->list + 1, *next = list;
	bool are_few = job->are_odd && row->near_weight / 16 % 2;
	struct resize_ties ties = {
		.top = halves->top,
		.bottom = halves->bottom,
		.weight = strip->blocks + strip->layout.weights,
		.near = strip->blocks + strip->layout.near,
		.to = halves->to,
		.pitch = strip->layout.bytes,
	};

	for (; ties.begin < strip->vectors; ties.begin = ties.end) {
		uint32_t count = min_u32(strip->vectors - ties.begin,
					 are_few ? RESIZE_FEW : RESIZE_MANY);
		struct resize_tie *end;
		int ret = progress_add(progress, LOW_WORK + count * LOW_VECTOR_WORK);

		ties.end = ties.begin + count;
		ties.last = ties.end == strip->vectors ? last : VECTOR;
		if (!ret && next - list > RESIZE_LIST - 2 * VECTOR) {
			ret = make_list(job, progress, halves, next - list);
			next = list;
		}
		if (ret)
			return ret;
		end = resize_make_ties(job, row, &ties, are_few, next);
		if (end) {
			next = end;
			continue;
		}
		ret = make_list(job, progress, halves, next - list);
		next = list;
		if (!ret)
			ret = make_all(strip, progress, halves, ties.begin, ties.end);
		if (ret)
			return ret;
	}
	return make_list(job, progress, halves, next - list);
}

static int settle_halves(const struct resize_strip *strip, struct progress *progress,
			 const struct places *places, const struct resize_position *row)
{
	const struct resize_job *job = strip->job;
	const struct nn_call *call = job->call;
	struct resize_halves halves = {
		.top = places->top,
		.top_right = places->top + VECTOR,
		.bottom = places->bottom,
		.bottom_right = places->bottom + VECTOR,
		/* That of the far column. */
		.weight = strip->blocks + strip->layout.weights + VECTOR,
		.to = places->to,
		.real = job->tables->real,
		.product = job->tables->product[job->tables->latest],
		.list = job->tables->list + 1,
		.scale = call->op->resize_linear.scale_output,
		.inverse = job->inverse,
		.magic = 0x1.8p23f,
		.zero = call->output[0].zero_point - 0x4b400000,
		.min = call->op->out_min,
		.max = call->op->out_max,
	};
	uint32_t last = mark_last(strip);

	if (is_low(job, row))
		return make_low(strip, progress, &halves, row, last);
	return make_all(strip, progress, &halves, 0, strip->vectors);
}

/* ---- Elements within the margin, of RESIZE_FLOAT */

/* The numbers of a row, and of a vector in it. */
struct vector {
	const float *columns;	/* weights of the vector's first column */
	const uint8_t *top, *bottom, *piece;	/* of the vector: neighbours, left and right */
	float near, far, scale;	/* weights of the rows, and the input's scale */
	int32_t zero;
	uint8_t *to;
};

static inline float real_of(const struct vector *vector, uint32_t byte)
{
	return (float)((int32_t)byte - vector->zero) * vector->scale;
}

/* Makes element i of the vector. */
static void settle(const struct vector *vector, const struct finish *finish, uint32_t i)
{
	const float *column = vector->columns + 2 * vector->piece[i];
	float sum = column[0] * vector->near * real_of(vector, vector->top[i]) +
		    column[1] * vector->near * real_of(vector, vector->top[VECTOR + i]) +
		    column[0] * vector->far * real_of(vector, vector->bottom[i]) +
		    column[1] * vector->far * real_of(vector, vector->bottom[VECTOR + i]);

	vector->to[i] = finish_sum(finish, sum);
}

/*
 * Finds the first vector from `i` on that has two elements of which one is within the margin, and
 * stores bytes that are not 0 for these. Returns its number, or `vectors`.
 */
static __attribute__((noinline)) uint32_t find_near(uint8_t *near, uint32_t pitch, uint32_t i,
						    uint32_t vectors, uint32_t margin)
{
	HVX_Vector limit = splat_h(2 * margin + 1);

	for (near += i * pitch; i < vectors; i++, near += pitch) {
		HVX_VectorPred is_near = Q6_Q_vcmp_gt_VuhVuh(limit, *(HVX_Vector *)near);

		if (any_lane(is_near)) {
			*(HVX_Vector *)near = Q6_V_vand_QR(is_near, 0x01010101);
			break;
		}
	}
	return i;
}

static int settle_near(const struct resize_strip *strip, struct progress *progress,
		       const struct places *places, const float *row)
{
	const struct resize_job *job = strip->job;
	const struct finish finish = finish_of(job);
	const float *columns = (const float *)job->call->input[4].data;
	uint32_t pitch = strip->layout.bytes, vectors = strip->vectors, i = 0;
	uint8_t *near = strip->blocks + strip->layout.near;
	struct vector vector = {
		.near = row[0],
		.far = row[1],
		.scale = job->call->op->resize_linear.scale_input,
		.zero = job->zero_in,
	};

	while ((i = find_near(near, pitch, i, vectors, job->margin)) < vectors) {
		int32_t bytes = min_u32(strip->bytes - i * VECTOR, VECTOR);
		int ret = progress_add(progress, VECTOR * NEAR_WORK);

		if (ret)
			return ret;
		vector.columns = columns + (strip->begin + i * VECTOR) / job->channels * 2;
		vector.top = places->top + i * pitch;
		vector.bottom = places->bottom + i * pitch;
		vector.piece = strip->blocks + strip->layout.piece + i * pitch;
		vector.to = places->to + i * VECTOR;
		for (int32_t k = -1; (k = next_set(near + i * pitch, k)) >= 0 && k < bytes;)
			settle(&vector, &finish, k);
		i++;
	}
	return 0;
}

int resize_settle_ties(const struct resize_strip *strip, struct progress *progress, uint32_t y,
		       const uint32_t slot[2], uint8_t *to)
{
	const struct resize_job *job = strip->job;
	const struct resize_layout *layout = &strip->layout;
	const float *row = (const float *)job->call->input[3].data + 2 * y;
	struct places places = {
		.top = strip->blocks + layout->slot[slot[0]],
		.bottom = strip->blocks + layout->slot[slot[1]],
		.to = to,
	};
	struct resize_position at;

	if (job->way != RESIZE_COARSE)
		return settle_near(strip, progress, &places, row);
	make_products(job, row[0], row[1]);
	at = resize_position_of(job, true, y);
	return settle_halves(strip, progress, &places, &at);
}
