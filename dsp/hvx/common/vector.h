/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of HVX vectors (128 bytes) that keep within an operand. All vector kernels use
 * them.
 *
 * A load of the aligned vector around a valid byte cannot leave that byte's page, so loads may read
 * such neighbours; stores may not write them.
 */
#ifndef NN_VECTOR_H
#define NN_VECTOR_H

#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
#include <stdbool.h>
#include <stdint.h>

#define VECTOR	128

typedef HVX_Vector HVX_Unaligned __attribute__((aligned(1), may_alias));

#define splat_w(x)	Q6_V_vsplat_R(x)
#define splat_h(x)	Q6_V_vsplat_R(((x) & 0xffff) * 0x10001)
#define splat_b(x)	Q6_V_vsplat_R(((x) & 0xff) * 0x1010101)

/* A byte four times, from which assembly makes a vector of it. */
static inline uint32_t four_bytes(int32_t value)
{
	return (value & 0xff) * 0x1010101u;
}

/* Loads from any address; all 128 bytes must be readable. */
static inline HVX_Vector load(const void *p)
{
	return *(const HVX_Unaligned *)p;
}

static inline void store(void *p, HVX_Vector v)
{
	*(HVX_Unaligned *)p = v;
}

/*
 * Copies `count` (1 or more) vectors, which begin every `to_pitch` and `from_pitch` bytes, in two
 * packets each: a store that is not aligned has a packet for itself. One vector more is loaded.
 */
static inline void copy_vectors(uint8_t *to, uint32_t to_pitch, const uint8_t *from,
				uint32_t from_pitch, uint32_t count)
{
	HVX_Vector v;

	asm volatile("{ m0 = %[from_pitch] }\n"
		     "{ m1 = %[to_pitch] }\n"
		     "{ %[v] = vmemu(%[from]++m0); loop0(1f,%[count]) }\n"
		     "1:\n"
		     "{ vmemu(%[to]++m1) = %[v] }\n"
		     "{ %[v] = vmemu(%[from]++m0) }:endloop0\n"
		     : [v] "=&v"(v), [to] "+r"(to), [from] "+r"(from)
		     : [from_pitch] "r"(from_pitch), [to_pitch] "r"(to_pitch), [count] "r"(count)
		     : "m0", "m1", "lc0", "sa0", "memory");
}

/* Loads the first n (1 .. 128) bytes at p; the others are anything. */
static inline HVX_Vector load_bytes(const void *p, uint32_t n)
{
	const HVX_Vector *aligned = (const HVX_Vector *)((uintptr_t)p & -VECTOR);
	HVX_Vector low = aligned[0], high = low;

	if (((uintptr_t)p & (VECTOR - 1)) + n > VECTOR)
		high = aligned[1];
	return Q6_V_valign_VVR(high, low, (uintptr_t)p);
}

/* The predicate that has the first n (1 .. 128) bytes. */
static inline HVX_VectorPred first_bytes(uint32_t n)
{
	return Q6_Q_vsetq2_R(n);
}

/* Tells whether there is any lane. The prefix sum's last byte is how many: at most 128. */
static inline bool any_lane(HVX_VectorPred lanes)
{
	return (uint32_t)Q6_R_vextract_VR(Q6_Vb_prefixsum_Q(lanes), VECTOR - 4) >> 24;
}

/* Store the first n (1 .. 128) bytes at p. */
static inline void store_bytes(void *p, HVX_Vector v, uint32_t n)
{
	HVX_Vector *aligned = (HVX_Vector *)((uintptr_t)p & -VECTOR);
	uint32_t offset = (uintptr_t)p & (VECTOR - 1), end = offset + n;
	HVX_VectorPred before = Q6_Q_vsetq_R(offset);

	v = Q6_V_vror_VR(v, -offset);
	if (end <= VECTOR) {
		Q6_vmem_QRIV(Q6_Q_and_QQn(first_bytes(end), before), aligned, v);
	} else {
		Q6_vmem_QnRIV(before, aligned, v);
		Q6_vmem_QRIV(first_bytes(end - VECTOR), aligned + 1, v);
	}
}

#endif
