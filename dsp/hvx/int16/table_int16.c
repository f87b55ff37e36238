// SPDX-License-Identifier: MIT
/*
 * TABLE_INT16 on HVX. Bytes are looked up in 16 tables of 16 halfwords each, 128 at a time. Of
 * 65536 halfwords a vector has but a thousandth, and HVX of this generation takes elements one by
 * one only out of memory of its own, which has no room for so many. So the scalar unit loads them,
 * four at a time.
 */
#include <hexagon_protos.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/common/vector.h"

#define WORK		48u	/* for 128 elements that are bytes, */
#define WIDE_WORK	(128 * (3 + NN_PAGE_WORK / 64))	/* and for as many others */
#define PART		4096u	/* elements between two looks at progress */

/* Bytes */

/*
 * Tables of 16, of which vlut16 has two in the lower halves of words and two in the upper ones:
 * what 64 halfwords in their order become when their halves take turns.
 */
struct tables {
	HVX_Vector of_64[4];
};

static inline __attribute__((always_inline)) HVX_VectorPair
look_up_128(HVX_Vector v, const struct tables *tables)
{
	HVX_VectorPair found = Q6_Wh_vlut16_VbVhR(v, tables->of_64[0], 0);

#pragma unroll
	for (uint32_t i = 1; i < 16; i++)
		found = Q6_Wh_vlut16or_WhVbVhR(found, v, tables->of_64[i / 4], i);
	return found;
}

static inline __attribute__((always_inline)) void
look_up_bytes(const uint8_t *from, uint8_t *to, uint32_t count, const struct tables *tables,
	      bool is_wide)
{
	HVX_VectorPair found;

	for (; count >= 128; count -= 128, from += 128, to += is_wide ? 256 : 128) {
		found = look_up_128(load(from), tables);
		if (is_wide) {
			found = Q6_W_vshuff_VVR(Q6_V_hi_W(found), Q6_V_lo_W(found), -2);
			store(to, Q6_V_lo_W(found));
			store(to + VECTOR, Q6_V_hi_W(found));
		} else {
			store(to, Q6_Vb_vshuffe_VbVb(Q6_V_hi_W(found), Q6_V_lo_W(found)));
		}
	}
	if (!count)
		return;
	found = look_up_128(load_bytes(from, count), tables);
	if (!is_wide) {
		store_bytes(to, Q6_Vb_vshuffe_VbVb(Q6_V_hi_W(found), Q6_V_lo_W(found)), count);
		return;
	}
	found = Q6_W_vshuff_VVR(Q6_V_hi_W(found), Q6_V_lo_W(found), -2);
	store_bytes(to, Q6_V_lo_W(found), min_u32(2 * count, VECTOR));
	if (count > 64)
		store_bytes(to + VECTOR, Q6_V_hi_W(found), 2 * (count - 64));
}

static void run_bytes(const struct nn_call *call, const uint8_t *from, uint8_t *to, uint32_t count,
		      bool is_wide)
{
	const uint8_t *table = call->input[1].data;
	struct tables tables;

#pragma unroll
	for (uint32_t i = 0; i < 4; i++)
		tables.of_64[i] = Q6_Vh_vshuff_Vh(load(table + i * VECTOR));
	if (is_wide)
		look_up_bytes(from, to, count, &tables, true);
	else
		look_up_bytes(from, to, count, &tables, false);
}

/* Halfwords */

static inline uint32_t look_up_two(uint32_t two, const uint16_t *table)
{
	return Q6_R_combine_RlRl(table[two >> 16], table[two & 0xffff]);
}

/* Four at a time where they are aligned. */
static void look_up_wide(const uint16_t *from, uint16_t *to, uint32_t count, const uint16_t *table)
{
	if (((uintptr_t)from | (uintptr_t)to) % 8 == 0) {
		for (; count >= 8; count -= 8, from += 8, to += 8) {
			uint64_t four = ((const uint64_t *)from)[0];
			uint64_t more = ((const uint64_t *)from)[1];

			((uint64_t *)to)[0] = Q6_P_combine_RR(look_up_two(four >> 32, table),
							      look_up_two(four, table));
			((uint64_t *)to)[1] = Q6_P_combine_RR(look_up_two(more >> 32, table),
							      look_up_two(more, table));
		}
	}
	for (; count; count--)
		*to++ = table[*from++];
}

static void look_up_narrow(const uint16_t *from, uint8_t *to, uint32_t count,
			   const uint16_t *table)
{
	for (; count; count--)
		*to++ = table[*from++];
}

int nn_table_int16_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	bool is_wide = output->type == NN_TYPE_INT16, is_byte = is_8bit(input);
	uint32_t size_in = is_byte ? 1 : 2, size_out = is_wide ? 2 : 1;
	uint64_t count = output->bytes / size_out;
	const uint16_t *table = (const uint16_t *)call->input[1].data;
	struct progress progress = { .call = call };
	const uint8_t *from = input->data;
	uint8_t *to = output->data;

	while (count) {
		uint32_t now = count < PART ? count : PART;
		int ret = progress_add(&progress, (now / 128 + 1) * (is_byte ? WORK : WIDE_WORK) +
						  memory_work(now * (size_in + size_out)));

		if (ret)
			return ret;
		if (is_byte)
			run_bytes(call, from, to, now, is_wide);
		else if (is_wide)
			look_up_wide((const uint16_t *)from, (uint16_t *)to, now, table);
		else
			look_up_narrow((const uint16_t *)from, to, now, table);
		from += now * size_in;
		to += now * size_out;
		count -= now;
	}
	return 0;
}
