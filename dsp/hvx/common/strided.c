// SPDX-License-Identifier: MIT
/*
 * Strided pixels (strided.h) are copied by the loops of dsp/hvx/move/copy_loops.S: by whole
 * vectors, by masks within vectors, or pixel by pixel, whichever is quickest for their size and
 * pitch.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/move/copy_loops.h"
#include "dsp/hvx/common/strided.h"
#include "dsp/hvx/common/vector.h"

/*
 * Pixels of which one begins every `step` bytes begin at 2^period_bits() places of an aligned
 * vector in turn: each place has its pixel after as many.
 */
static uint32_t period_bits(uint32_t step)
{
	return 7 - (uint32_t)__builtin_ctz(step | VECTOR);
}

/* Tells whether each pixel lies within an aligned vector, wherever in it. */
static bool lie_within(const uint8_t *first, uint32_t step, uint32_t bytes)
{
	uint32_t part = VECTOR >> period_bits(step);

	return ((uintptr_t)first & (part - 1)) + bytes <= part;
}

/*
 * Copies pixels that lie within vectors. Those that begin at the same place of the output's vectors
 * have one mask.
 */
static void copy_within(uint8_t *to, uint32_t to_step, const uint8_t *from, uint32_t from_step,
			uint32_t bytes, uint32_t count)
{
	uint32_t bits = period_bits(to_step), period = 1u << bits;

	for (uint32_t i = 0; i < min_u32(period, count); i++)
		nn_copy_within(to + i * to_step, from + i * from_step, to_step << bits,
			       from_step << bits, bytes, (count - i + period - 1) >> bits);
}

/* Copies pixels of 128 bytes at least. The last vector ends where the pixel does. */
static void copy_wide(uint8_t *to, uint32_t to_step, const uint8_t *from, uint32_t from_step,
		      uint32_t bytes, uint32_t count)
{
	bool is_aligned = ((uintptr_t)to | (uintptr_t)from | to_step | from_step) % VECTOR == 0;

	for (uint32_t at = 0; at < bytes; at += VECTOR) {
		uint32_t first = min_u32(at, bytes - VECTOR);

		if (is_aligned && first == at)
			nn_copy_aligned_steps(to + at, from + at, to_step, from_step, count);
		else
			nn_copy_steps(to + first, from + first, to_step, from_step, count);
	}
}

void nn_gather_pixels(uint8_t *to, const uint8_t *from, uint32_t pitch, uint32_t bytes,
		      uint32_t count)
{
	uint32_t whole = 0;

	if (bytes >= VECTOR) {
		copy_wide(to, bytes, from, pitch, bytes, count);
		return;
	}
	if (lie_within(to, bytes, bytes) && lie_within(from, pitch, bytes)) {
		copy_within(to, bytes, from, pitch, bytes, count);
		return;
	}
	/* Bytes that are stored too much, behind a pixel, are overwritten by the next pixel. */
	if ((uint64_t)(count - 1) * pitch + bytes >= VECTOR)
		whole = ((uint64_t)(count - 1) * pitch + bytes - VECTOR) / pitch + 1;
	if (whole)
		nn_copy_steps(to, from, bytes, pitch, whole);
	for (uint32_t i = whole; i < count; i++)
		store(to + i * bytes, load_bytes(from + (uint64_t)i * pitch, bytes));
}

/*
 * Scatters pixels that go to every other place as whole vectors, where vectors have pairs of them.
 * Returns how many. Of 64 bytes that is no quicker.
 */
static uint32_t scatter_pairs(uint8_t *to, uint32_t pitch, const uint8_t *from, uint32_t from_pitch,
			      uint32_t bytes, uint32_t count)
{
	uint32_t vectors = count * bytes / VECTOR, offset = (uintptr_t)to % VECTOR;

	if (from_pitch != bytes || pitch != 2 * bytes || bytes >= VECTOR / 2 ||
	    bytes & (bytes - 1) || (uintptr_t)from % VECTOR || (offset && offset != bytes) ||
	    !vectors)
		return 0;
	nn_copy_shuffled(to - offset, from, bytes, offset != 0, vectors);
	return vectors * (VECTOR / bytes);
}

void nn_scatter_pixels(uint8_t *to, uint32_t pitch, const uint8_t *from, uint32_t from_pitch,
		       uint32_t bytes, uint32_t count)
{
	uint32_t done;

	if (bytes >= VECTOR) {
		copy_wide(to, pitch, from, from_pitch, bytes, count);
		return;
	}
	done = scatter_pairs(to, pitch, from, from_pitch, bytes, count);
	to += done * pitch;
	from += done * from_pitch;
	count -= done;
	if (!count)
		return;
	if (lie_within(from, from_pitch, bytes) && lie_within(to, pitch, bytes)) {
		copy_within(to, pitch, from, from_pitch, bytes, count);
		return;
	}
	for (uint32_t i = 0; i < count; i++, to += pitch, from += from_pitch)
		store_bytes(to, load(from), bytes);
}
