// SPDX-License-Identifier: MIT
/*
 * TABLE_INT16 on HVX. Bytes are looked up in 16 tables of 16 halfwords each, 128 at a time. Of
 * 65536 halfwords a vector has but a thousandth, and HVX of this generation takes elements one by
 * one only out of memory of its own, which has no room for so many. So the scalar unit loads them,
 * eight at a time.
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

/*
 * Eight elements are two loads of indices and eight of results, and a store or two; beside them are
 * 12 instructions that take halves apart and together, 14 if results are bytes. A packet has two of
 * each, so that six, or seven, are the least. The last
 * results of eight are stored when the next indices are taken apart.
 */
#define LOAD(r)		"r" #r " = memuh(%[table]+r" #r "<<#1)"
#define HALVES(low, high, pair) "r" #low " = zxth(r" #pair "); r" #high " = lsr(r" #pair ",#16)"
#define JOIN(to, high, low) "r" #to " = combine(r" #high ".l,r" #low ".l)"
#define FIRST(more)	"{ " HALVES(4, 5, 0) "; r3:2 = memd(%[from]++#8)" more " }"
#define LOOK_UP \
	"{ " HALVES(6, 7, 1) "; " LOAD(4) "; " LOAD(5) " }\n" \
	"{ " HALVES(8, 9, 2) "; " LOAD(6) "; " LOAD(7) " }\n" \
	"{ " HALVES(10, 11, 3) "; " LOAD(8) "; " LOAD(9) " }\n" \
	"{ " JOIN(12, 5, 4) "; " JOIN(13, 7, 6) "; " LOAD(10) "; " LOAD(11) " }\n"
#define JOIN_LAST	JOIN(14, 9, 8) "; " JOIN(15, 11, 10)
#define NARROW		"{ r12 = vtrunehb(r13:12); r13 = vtrunehb(r15:14) }\n"

#define TABLE_OPERANDS \
	: [from] "+r"(from), [to] "+r"(to) \
	: [table] "r"(table), [more] "r"(eights - 1) \
	: "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", \
	  "r14", "r15", "lc0", "sa0", "memory"

/* Looks up `eights` times eight, two times or more; all is aligned to 8 bytes. */
static void look_up_eights(const uint16_t *from, uint16_t *to, uint32_t eights,
			   const uint16_t *table)
{
	asm volatile("{ r1:0 = memd(%[from]++#8); loop0(1f,%[more]) }\n"
		     FIRST("") "\n"
		     "1:\n" LOOK_UP
		     "{ " JOIN_LAST "; r1:0 = memd(%[from]++#8); memd(%[to]++#8) = r13:12 }\n"
		     FIRST("; memd(%[to]++#8) = r15:14") ":endloop0\n" LOOK_UP
		     "{ " JOIN_LAST "; memd(%[to]++#8) = r13:12 }\n"
		     "{ memd(%[to]++#8) = r15:14 }\n" TABLE_OPERANDS);
}

/* The same, whose results are bytes. */
static void look_up_eight_bytes(const uint16_t *from, uint8_t *to, uint32_t eights,
				const uint16_t *table)
{
	asm volatile("{ r1:0 = memd(%[from]++#8); loop0(1f,%[more]) }\n"
		     FIRST("") "\n"
		     "1:\n" LOOK_UP
		     "{ " JOIN_LAST "; r1:0 = memd(%[from]++#8) }\n" NARROW
		     FIRST("; memd(%[to]++#8) = r13:12") ":endloop0\n" LOOK_UP
		     "{ " JOIN_LAST " }\n" NARROW
		     "{ memd(%[to]++#8) = r13:12 }\n" TABLE_OPERANDS);
}

static bool are_aligned(const void *from, const void *to)
{
	return ((uintptr_t)from | (uintptr_t)to) % 8 == 0;
}

static void look_up_wide(const uint16_t *from, uint16_t *to, uint32_t count, const uint16_t *table)
{
	uint32_t eights;

	/* To a multiple of 8 bytes, which the other operand is often at, too. */
	for (; count && (uintptr_t)to % 8; count--)
		*to++ = table[*from++];
	eights = count / 8;
	if (eights > 1 && are_aligned(from, to)) {
		look_up_eights(from, to, eights, table);
		from += 8 * eights;
		to += 8 * eights;
		count -= 8 * eights;
	}
	for (; count; count--)
		*to++ = table[*from++];
}

static void look_up_narrow(const uint16_t *from, uint8_t *to, uint32_t count,
			   const uint16_t *table)
{
	uint32_t eights = count / 8;

	if (eights > 1 && are_aligned(from, to)) {
		look_up_eight_bytes(from, to, eights, table);
		from += 8 * eights;
		to += 8 * eights;
		count -= 8 * eights;
	}
	for (; count; count--)
		*to++ = table[*from++];
}

int nn_table_int16_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	bool is_wide = !is_8bit(output), is_byte = is_8bit(input);
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
