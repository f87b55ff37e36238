// SPDX-License-Identifier: MIT
/*
 * Bilinear resizing: the strip's gathers, which are made once for all rows, and what they make of a
 * row of the image, blended between columns. resize_linear.c calls these.
 *
 *	row of the image	|p0 p1 p2 p3 ...|	128 bytes from gather.from on: a table
 *	left neighbours		|p0 p0 p1 p1 p2 ...|	looked up in it by 128 indices
 *	right neighbours	|p1 p1 p2 p2 p3 ...|	by others
 *
 * Where an output is larger than its image, and pixels are short, a vector has one gather for
 * either side. Where neighbours are further from each other there are more, each of which adds
 * what its table has.
 */
#include "dsp/hvx/move/resize_linear.h"

#define GATHER_WORK	16u
#define PIECE_WORK	48u
#define NOTHING		128u	/* an index that no table has */

/* A gather that is being made. */
struct open_gather {
	uint32_t from;
	bool is_open, is_first;
};

/* Adds a gather to the strip. Returns false if there is no room. */
static bool add_gather(struct resize_strip *strip, const struct open_gather *open, bool is_right,
		       HVX_Vector index, HVX_Vector places)
{
	struct resize_gather *gather = strip->gathers + strip->count;
	bool is_plain = !any_lane(Q6_Q_not_Q(Q6_Q_vcmp_eq_VbVb(index, places)));

	if (strip->count >= strip->most)
		return false;
	strip->count++;
	store(strip->indices - strip->count * VECTOR, index);
	gather->from = open->from;
	gather->to = strip->vectors * strip->layout.bytes + is_right * VECTOR +
		     (is_plain ? RESIZE_PLAIN : open->is_first ? RESIZE_FIRST : RESIZE_MORE);
	if (strip->farthest < gather->from)
		strip->farthest = gather->from;
	return true;
}

/* Tells whether a gather that is open has bytes `from` .. `from` + `bytes` - 1 of a row. */
static inline bool has_bytes(const struct open_gather *open, uint32_t from, uint32_t bytes)
{
	return open->is_open && from >= open->from && from + bytes <= open->from + VECTOR;
}

/* Each byte's own place. */
static inline HVX_Vector places_of_bytes(void)
{
	return Q6_Vb_vsub_VbVb(Q6_Vb_prefixsum_Q(Q6_Q_vsetq2_R(VECTOR)), splat_b(1));
}

/* Stores the weights of a vector: bytes of four planes, lowest first. */
static inline void store_weights(const struct resize_strip *strip, uint8_t *block,
				 HVX_Vector plane0, HVX_Vector plane1, HVX_Vector plane2,
				 HVX_Vector plane3)
{
	uint8_t *to = block + strip->layout.weights;

	if (strip->job->way == RESIZE_NEAREST)
		return;
	if (strip->job->way == RESIZE_COARSE) {
		store(to, plane0);
		store(to + VECTOR, plane1);
		return;
	}
	store(to, Q6_Vb_vshuffe_VbVb(plane1, plane0));
	store(to + VECTOR, Q6_Vb_vshuffo_VbVb(plane1, plane0));
	if (strip->job->way == RESIZE_FIXED)
		return;
	store(to + 2 * VECTOR, Q6_Vb_vshuffe_VbVb(plane3, plane2));
	store(to + 3 * VECTOR, Q6_Vb_vshuffo_VbVb(plane3, plane2));
}

/*
 * The four planes of a column's weights, in a word: both weights in a byte, that of far in two, or
 * its upper 11 and lower 15 bits of 26.
 */
static inline uint32_t planes_of(const struct resize_job *job, const struct resize_position *at)
{
	uint32_t far = at->far_weight;

	if (job->way == RESIZE_COARSE)
		return at->near_weight | far << 8;
	return job->way == RESIZE_FIXED ? far : far >> 15 | (far & 0x7fff) << 16;
}

/*
 * Makes the gathers and weights of the next vector, of which `bytes` are in the row. Returns false
 * if there is no room.
 */
static __attribute__((noinline)) bool add_vector(struct resize_strip *strip, uint32_t bytes)
{
	const struct resize_job *job = strip->job;
	uint32_t channels = job->channels, column = strip->column, channel = strip->channel;
	uint8_t *block = strip->blocks + strip->vectors * strip->layout.bytes;
	HVX_Vector places = places_of_bytes(), nothing = splat_b(NOTHING);
	HVX_Vector left = nothing, right = nothing, zero = Q6_V_vzero(), pieces = zero;
	HVX_Vector plane0 = zero, plane1 = zero, plane2 = zero, plane3 = zero;
	bool has_right = job->way != RESIZE_NEAREST;
	struct open_gather open[2] = { { .is_first = true }, { .is_first = true } };

	for (uint32_t lane = 0, piece = 0, part; lane < bytes; lane += part, piece++) {
		struct resize_position x = resize_position_of(job, false, column);
		uint32_t near = x.near * channels, far = x.far * channels;
		uint32_t planes = planes_of(job, &x), before = channels <= VECTOR / 2 ? channel : 0;
		HVX_VectorPred lanes;

		part = min_u32(channels - channel, bytes - lane);
		lanes = Q6_Q_and_QQn(Q6_Q_vsetq2_R(lane + part), Q6_Q_vsetq_R(lane));
		near += channel;
		far += channel;
		if (!has_bytes(&open[0], near, part)) {
			if (open[0].is_open && !add_gather(strip, &open[0], false, left, places))
				return false;
			open[0] = (struct open_gather){ near - before, true, !open[0].is_open };
			left = nothing;
		}
		if (has_right && !has_bytes(&open[1], far, part)) {
			if (open[1].is_open && !add_gather(strip, &open[1], true, right, places))
				return false;
			open[1] = (struct open_gather){ far - before, true, !open[1].is_open };
			right = nothing;
		}
		left = Q6_V_vmux_QVV(lanes, Q6_Vb_vadd_VbVb(places, splat_b(near - open[0].from -
									     lane)), left);
		right = Q6_V_vmux_QVV(lanes, Q6_Vb_vadd_VbVb(places, splat_b(far - open[1].from -
									      lane)), right);
		plane0 = Q6_V_vmux_QVV(lanes, splat_b(planes), plane0);
		plane1 = Q6_V_vmux_QVV(lanes, splat_b(planes >> 8), plane1);
		plane2 = Q6_V_vmux_QVV(lanes, splat_b(planes >> 16), plane2);
		plane3 = Q6_V_vmux_QVV(lanes, splat_b(planes >> 24), plane3);
		pieces = Q6_V_vmux_QVV(lanes, splat_b(piece), pieces);
		channel += part;
		if (channel == channels) {
			channel = 0;
			column++;
		}
	}
	if (!add_gather(strip, &open[0], false, left, places) ||
	    (has_right && !add_gather(strip, &open[1], true, right, places)))
		return false;
	store_weights(strip, block, plane0, plane1, plane2, plane3);
	if (job->in_float)
		store(block + strip->layout.piece, pieces);
	strip->column = column;
	strip->channel = channel;
	return true;
}

void resize_settle_room(struct resize_strip *strip, uint8_t *room)
{
	const struct nn_call *call = strip->job->call;
	uint32_t gathers = call->scratch_size / (VECTOR + sizeof(*strip->gathers));
	uint32_t bytes = round_up(gathers * sizeof(*strip->gathers), VECTOR);

	strip->blocks = room;
	strip->room = gathers;
	strip->indices = call->scratch + call->scratch_size / VECTOR * VECTOR - bytes;
	strip->gathers = (struct resize_gather *)strip->indices;
}

int resize_begin_strip(struct resize_strip *strip, struct progress *progress, uint32_t row_bytes)
{
	uint32_t work = (VECTOR / strip->job->channels + 3) * PIECE_WORK;
	uint32_t room = strip->indices > strip->blocks ? strip->indices - strip->blocks : 0;

	strip->vectors = strip->bytes = strip->count = strip->farthest = 0;
	strip->held[0] = strip->held[1] = -1;
	while (strip->begin + strip->bytes < row_bytes) {
		uint32_t bytes = min_u32(row_bytes - strip->begin - strip->bytes, VECTOR);
		uint32_t blocks = (strip->vectors + 1) * strip->layout.bytes, count = strip->count;
		int ret = progress_add(progress, work);

		if (ret)
			return ret;
		if (blocks >= room)
			break;
		strip->most = min_u32((room - blocks) / VECTOR, strip->room);
		if (!add_vector(strip, bytes)) {
			strip->count = count;
			break;
		}
		strip->vectors++;
		strip->bytes += bytes;
	}
	return 0;
}

/* Looks up bytes of a table of 128, which has the order that vlut32 takes; 0 for other indices. */
static inline HVX_Vector look_up(HVX_Vector indices, HVX_Vector table)
{
	HVX_Vector found = Q6_Vb_vlut32_VbVbI(indices, table, 0);

	found = Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 1);
	found = Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 2);
	return Q6_Vb_vlut32or_VbVbVbI(found, indices, table, 3);
}

/* Makes the neighbours of a row. Bytes are made unsigned. */
static inline __attribute__((always_inline)) void
gather_all(const struct resize_strip *strip, uint8_t *slots, const uint8_t *row,
	   const uint8_t *end, bool is_near_end)
{
	const struct resize_gather *gather = strip->gathers;
	const uint8_t *index = strip->indices;
	HVX_Vector flip = splat_b(strip->job->flip_in);

	for (uint32_t left = strip->count; left; left--, gather++) {
		const uint8_t *from = row + gather->from;
		uint32_t kind = gather->to & RESIZE_KINDS;
		uint8_t *to = slots + (gather->to - kind);
		HVX_Vector v;

		index -= VECTOR;
		if (is_near_end && end - from < VECTOR)
			v = load_bytes(from, end - from);
		else
			v = load(from);
		v = Q6_V_vxor_VV(v, flip);
		if (kind == RESIZE_PLAIN) {
			*(HVX_Vector *)to = v;
			continue;
		}
		v = look_up(*(const HVX_Vector *)index, Q6_Vb_vshuff_Vb(v));
		/* What no table has is nothing, so that others may be added. */
		if (kind == RESIZE_MORE)
			v = Q6_V_vor_VV(v, *(const HVX_Vector *)to);
		*(HVX_Vector *)to = v;
	}
}

static __attribute__((noinline)) void gather_at_end(const struct resize_strip *strip,
						    uint8_t *slots, const uint8_t *row,
						    const uint8_t *end)
{
	gather_all(strip, slots, row, end, true);
}

static __attribute__((noinline)) void gather_before_end(const struct resize_strip *strip,
							uint8_t *slots, const uint8_t *row)
{
	gather_all(strip, slots, row, row, false);
}

void resize_gather_row(const struct resize_strip *strip, uint32_t slot, const uint8_t *row,
		       const uint8_t *end)
{
	uint8_t *slots = strip->blocks + strip->layout.slot[slot];

	if ((uint32_t)(end - row) >= VECTOR && (uint32_t)(end - row) - VECTOR >= strip->farthest)
		gather_before_end(strip, slots, row);
	else
		gather_at_end(strip, slots, row, end);
}

/* ---- Blending between columns: two bytes of each element, in the order of its words. */

static __attribute__((noinline)) void blend_coarse(uint8_t *weights, uint8_t *slot, uint32_t pitch,
						   uint32_t vectors)
{
	for (; vectors; vectors--, weights += pitch, slot += pitch) {
		const HVX_Vector *weight = (const HVX_Vector *)weights;
		HVX_Vector *at = (HVX_Vector *)slot;
		HVX_VectorPair sum = Q6_Wh_vmpa_WubWub(Q6_W_vcombine_VV(at[1], at[0]),
						       Q6_W_vcombine_VV(weight[1], weight[0]));

		at[2] = Q6_V_lo_W(sum);
		at[3] = Q6_V_hi_W(sum);
	}
}

/* left * 2^11 + (right - left) * weight, of 64 elements. */
static inline HVX_VectorPair blend_fixed_half(HVX_Vector left, HVX_Vector difference,
					      HVX_Vector weight)
{
	HVX_VectorPair sum = Q6_Ww_vmpy_VhVh(left, splat_h(1 << RESIZE_FRACTION));

	return Q6_Ww_vmpyacc_WwVhVh(sum, difference, weight);
}

static __attribute__((noinline)) void blend_fixed(uint8_t *weights, uint8_t *slot, uint32_t pitch,
						  uint32_t vectors)
{
	for (; vectors; vectors--, weights += pitch, slot += pitch) {
		const HVX_Vector *weight = (const HVX_Vector *)weights;
		HVX_Vector *at = (HVX_Vector *)slot;
		HVX_VectorPair left = Q6_Wuh_vzxt_Vub(at[0]);
		HVX_VectorPair difference = Q6_Wh_vsub_VubVub(at[1], at[0]);
		HVX_VectorPair even, odd;

		even = blend_fixed_half(Q6_V_lo_W(left), Q6_V_lo_W(difference), weight[0]);
		odd = blend_fixed_half(Q6_V_hi_W(left), Q6_V_hi_W(difference), weight[1]);
		at[2] = Q6_V_lo_W(even);
		at[3] = Q6_V_hi_W(even);
		at[4] = Q6_V_lo_W(odd);
		at[5] = Q6_V_hi_W(odd);
	}
}

/* The same with 16 bits of fraction; weights have 11 bits in `high` and 15 below. */
static inline HVX_VectorPair blend_float_half(HVX_Vector left, HVX_Vector difference,
					      HVX_Vector high, HVX_Vector low)
{
	HVX_VectorPair sum = blend_fixed_half(left, difference, high);
	HVX_VectorPair rest = Q6_Ww_vmpy_VhVh(difference, low);
	HVX_Vector even = Q6_Vw_vasl_VwR(Q6_V_lo_W(sum), 5);
	HVX_Vector odd = Q6_Vw_vasl_VwR(Q6_V_hi_W(sum), 5);

	return Q6_W_vcombine_VV(Q6_Vw_vasracc_VwVwR(odd, Q6_V_hi_W(rest), 10),
				Q6_Vw_vasracc_VwVwR(even, Q6_V_lo_W(rest), 10));
}

static __attribute__((noinline)) void blend_float(uint8_t *weights, uint8_t *slot, uint32_t pitch,
						  uint32_t vectors, HVX_Vector zero)
{
	for (; vectors; vectors--, weights += pitch, slot += pitch) {
		const HVX_Vector *weight = (const HVX_Vector *)weights;
		HVX_Vector *at = (HVX_Vector *)slot;
		HVX_VectorPair left = Q6_Wh_vsub_VubVub(at[0], zero);
		HVX_VectorPair difference = Q6_Wh_vsub_VubVub(at[1], at[0]);
		HVX_VectorPair even, odd;

		even = blend_float_half(Q6_V_lo_W(left), Q6_V_lo_W(difference), weight[0],
					weight[2]);
		odd = blend_float_half(Q6_V_hi_W(left), Q6_V_hi_W(difference), weight[1],
				       weight[3]);
		at[2] = Q6_V_lo_W(even);
		at[3] = Q6_V_hi_W(even);
		at[4] = Q6_V_lo_W(odd);
		at[5] = Q6_V_hi_W(odd);
	}
}

void resize_take_row(const struct resize_strip *strip, uint32_t slot, const uint8_t *row,
		     const uint8_t *end)
{
	uint8_t *weights = strip->blocks + strip->layout.weights;
	uint8_t *slots = strip->blocks + strip->layout.slot[slot];
	uint32_t pitch = strip->layout.bytes, vectors = strip->vectors;

	resize_gather_row(strip, slot, row, end);
	switch (strip->job->way) {
	case RESIZE_COARSE:
		blend_coarse(weights, slots, pitch, vectors);
		break;
	case RESIZE_FIXED:
		blend_fixed(weights, slots, pitch, vectors);
		break;
	default:
		blend_float(weights, slots, pitch, vectors, splat_b(strip->job->zero_in));
		break;
	}
}
