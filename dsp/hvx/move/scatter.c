// SPDX-License-Identifier: MIT
/*
 * SCATTER puts elements where indices that are computed say. nn_scatter_hvx() is its vector kernel,
 * in the table of kernels.c: runs of elements are merged with what is there, 128 bytes at a time,
 * one place after the other.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/move/places.h"

#define MOST_PLACES	4096u	/* that are found at a time */

/* Updates of a part. */
struct updates {
	uint8_t *part;
	const uint8_t *from;
	const uint32_t *place;
	uint32_t count;
	uint32_t safe;			/* to places below it 128 bytes can be stored */
	uint32_t run;			/* bytes of a place */
	const uint8_t *from_end;	/* of the updates, */
	const uint8_t *part_end;	/* and of the output */
	uint32_t form;
	uint8_t type;
};

static inline HVX_Vector combine(const struct updates *updates, HVX_Vector there, HVX_Vector v)
{
	bool least = updates->form == NN_SCATTER_MIN;

	if (updates->form == NN_SCATTER_PUT)
		return v;
	if (updates->form == NN_SCATTER_ADD) {
		switch (nn_type_size(updates->type)) {
		case 1:
			return Q6_Vb_vadd_VbVb(there, v);
		case 2:
			return Q6_Vh_vadd_VhVh(there, v);
		}
		return Q6_Vw_vadd_VwVw(there, v);
	}
	switch (updates->type) {
	case NN_TYPE_INT8:
		return least ? Q6_Vb_vmin_VbVb(there, v) : Q6_Vb_vmax_VbVb(there, v);
	case NN_TYPE_UINT8:
		return least ? Q6_Vub_vmin_VubVub(there, v) : Q6_Vub_vmax_VubVub(there, v);
	case NN_TYPE_INT16:
		return least ? Q6_Vh_vmin_VhVh(there, v) : Q6_Vh_vmax_VhVh(there, v);
	case NN_TYPE_UINT16:
		return least ? Q6_Vuh_vmin_VuhVuh(there, v) : Q6_Vuh_vmax_VuhVuh(there, v);
	}
	return least ? Q6_Vw_vmin_VwVw(there, v) : Q6_Vw_vmax_VwVw(there, v);
}

#define PUT_ELEMENTS(name, type) \
static void name(const struct updates *updates) \
{ \
	const type *from = (const type *)updates->from; \
	const uint32_t *place = updates->place; \
	type *part = (type *)updates->part; \
\
	for (uint32_t i = updates->count; i; i--, from++) { \
		uint32_t at = *place++; \
\
		if (at != NO_PLACE) \
			part[at] = *from; \
	} \
}

PUT_ELEMENTS(put_bytes, uint8_t)
PUT_ELEMENTS(put_halfwords, uint16_t)
PUT_ELEMENTS(put_words, uint32_t)
PUT_ELEMENTS(put_doublewords, uint64_t)

/* At most 128 bytes of a run. */
static inline void update_some(const struct updates *updates, uint8_t *to, const uint8_t *from,
			       uint32_t bytes, HVX_VectorPred own)
{
	if (__builtin_expect(from + VECTOR <= updates->from_end && to + VECTOR <= updates->part_end,
			     1)) {
		HVX_Vector there = load(to);

		store(to, Q6_V_vmux_QVV(own, combine(updates, there, load(from)), there));
	} else {
		store_bytes(to, combine(updates, load_bytes(to, bytes), load_bytes(from, bytes)),
			    bytes);
	}
}

/* Puts runs of which 128 bytes each can be loaded, and stored, in five packets. */
static void put_vectors(const struct updates *updates, uint32_t first, uint32_t count)
{
	const uint8_t *from = updates->from + first * updates->run;
	const uint32_t *place = updates->place + first;
	HVX_Vector v, there;
	uint8_t *to;

	asm volatile("{ m0 = %[run]; q0 = vsetq2(%[run]) }\n"
		     "{ loop0(1f, %[count]) }\n"
		     "1:\n"
		     "{ %[to] = memw(%[place]++#4) }\n"
		     "{ %[v] = vmemu(%[from]++m0); %[to] = add(%[part], mpyi(%[to], %[run])) }\n"
		     "{ %[there] = vmemu(%[to]+#0) }\n"
		     "{ %[v] = vmux(q0, %[v], %[there]) }\n"
		     "{ vmemu(%[to]+#0) = %[v] }:endloop0\n"
		     : [v] "=&v"(v), [there] "=&v"(there), [to] "=&r"(to), [from] "+&r"(from),
		       [place] "+&r"(place)
		     : [part] "r"(updates->part), [run] "r"(updates->run), [count] "r"(count)
		     : "m0", "q0", "lc0", "sa0", "memory");
}

static void update_short_runs(const struct updates *updates)
{
	const uint32_t run = updates->run, readable = updates->from_end - updates->from;
	const HVX_VectorPred own = first_bytes(run);
	uint32_t whole = updates->form == NN_SCATTER_PUT ? updates->count : 0, end;

	while (whole && (whole - 1) * run + VECTOR > readable)
		whole--;
	for (uint32_t i = 0; i < updates->count; i = end) {
		end = i;
		while (end < whole && updates->place[end] < updates->safe)
			end++;
		if (i < end) {
			put_vectors(updates, i, end - i);
			continue;
		}
		if (updates->place[i] != NO_PLACE)
			update_some(updates, updates->part + updates->place[i] * run,
				    updates->from + i * run, run, own);
		end++;
	}
}

static int update_long_runs(struct progress *progress, const struct updates *updates)
{
	const uint8_t *from = updates->from;

	for (uint32_t i = 0; i < updates->count; i++, from += updates->run) {
		uint8_t *to = updates->part + updates->place[i] * updates->run;

		for (uint32_t at = 0; at < updates->run; at += VECTOR) {
			uint32_t bytes = min_u32(updates->run - at, VECTOR);
			int ret = progress_add(progress, 32 + memory_work(2 * VECTOR));

			if (ret)
				return ret;
			if (updates->place[i] == NO_PLACE)
				break;
			update_some(updates, to + at, from + at, bytes, first_bytes(bytes));
		}
	}
	return 0;
}

static int update_part(struct progress *progress, const struct updates *updates)
{
	uint32_t size = nn_type_size(updates->type);

	if (updates->run > VECTOR)
		return update_long_runs(progress, updates);
	if (updates->form != NN_SCATTER_PUT || updates->run != size)
		update_short_runs(updates);
	else if (size == 1)
		put_bytes(updates);
	else if (size == 2)
		put_halfwords(updates);
	else if (size == 4)
		put_words(updates);
	else
		put_doublewords(updates);
	return 0;
}

/* Updates a row, to which the data was copied. */
static int update_row(struct progress *progress, uint8_t *to, const uint8_t *numbers,
		      const uint8_t *from)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *indices = &call->input[1], *output = &call->output[0];
	const struct nn_take_params *indexing = &call->op->scatter.indexing;
	const uint64_t part_out = output->row_bytes / indexing->parts;
	const uint64_t part_indices = indexing->each ? indices->row_bytes / indexing->parts : 0;
	const uint32_t count = count_indices(indexing, indices);
	const uint32_t number_bytes = indexing->depth * nn_type_size(indices->type);
	struct updates updates = {
		.from = from,
		.place = (const uint32_t *)call->scratch,
		.run = indexing->run * nn_type_size(output->type),
		.from_end = call->input[2].data + call->input[2].bytes,
		.part_end = output->data + output->bytes,
		.form = call->op->scatter.form,
		.type = output->type,
	};
	const uint32_t work = 64 + memory_work(2 * min_u32(updates.run, VECTOR)) +
			      stride_work(part_out) + indexing->depth * PLACE_WORK;
	const uint32_t most = min_u32(min_u32(call->scratch_size / VECTOR * 32, MOST_PLACES),
				      NN_TILE / work);

	if (part_out >= VECTOR && updates.run <= VECTOR)
		updates.safe = (uint32_t)(part_out - VECTOR) / updates.run + 1;
	for (uint32_t i = 0; i < indexing->parts; i++) {
		updates.part = to;
		for (uint32_t first = 0; first < count; first += updates.count) {
			int ret;

			updates.count = min_u32(count - first, most);
			ret = progress_add(progress, 2 * NN_PAGE_WORK + updates.count * work);
			if (ret)
				return ret;
			nn_find_places(indexing, indices->type,
				       numbers + (uint64_t)first * number_bytes, updates.count,
				       (uint32_t *)call->scratch);
			ret = update_part(progress, &updates);
			if (ret)
				return ret;
			updates.from += updates.count * updates.run;
		}
		to += part_out;
		numbers += part_indices;
	}
	return 0;
}

int nn_scatter_hvx(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };

	if (!nn_scatter_has_vectors(call))
		return nn_scatter_portable(call);
	for (uint32_t row = 0; row < output->dims[0]; row++) {
		uint8_t *to = output->data + row * output->row_bytes;
		int ret = progress_copy(&progress, to, find_row(&call->input[0], output, row),
					output->row_bytes);

		if (!ret)
			ret = update_row(&progress, to, find_row(&call->input[1], output, row),
					 find_row(&call->input[2], output, row));
		if (ret)
			return ret;
	}
	return 0;
}
