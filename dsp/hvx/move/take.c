// SPDX-License-Identifier: MIT
/*
 * TAKE takes elements whose indices are computed: rows of embeddings, boxes that have been chosen,
 * channels. nn_take_hvx() is its vector kernel, in the table of kernels.c.
 *
 * Runs of elements are loaded and stored as vectors, the next one over what the one before has too
 * much; single elements are moved as such. Where the same elements of many parts are taken, as of
 * each pixel some channels, parts are units (units.h), all of which are made in the same way.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/move/fill.h"
#include "dsp/hvx/move/places.h"
#include "dsp/hvx/move/units.h"

#define MOST_PLACES	4096u		/* that are found at a time */
#define FEW_PARTS	2048u		/* bytes of a unit's parts for which it is not worth it */
#define SOURCES		(VECTOR * sizeof(int32_t))

/* A part, or what follows of one. */
struct part {
	const uint8_t *data;
	uint8_t *to;
	const uint32_t *place;
	uint32_t count;
	uint32_t greatest;		/* of the places, as nn_find_places() says */
	uint32_t safe;			/* from places below it 128 bytes can be loaded */
	uint32_t run;			/* bytes of a place */
	const uint8_t *from_end;	/* of the data, */
	const uint8_t *to_end;		/* and of the output */
	bool is_last;			/* what is behind each run has been made */
};

#define TAKE_ELEMENTS(name, type) \
static void name(const struct part *part, type otherwise) \
{ \
	const type *from = (const type *)part->data; \
	const uint32_t *place = part->place; \
	type *to = (type *)part->to; \
\
	for (uint32_t i = part->count; i; i--) { \
		uint32_t at = *place++; \
\
		*to++ = at == NO_PLACE ? otherwise : from[at]; \
	} \
}

TAKE_ELEMENTS(take_bytes, uint8_t)
TAKE_ELEMENTS(take_halfwords, uint16_t)
TAKE_ELEMENTS(take_words, uint32_t)
TAKE_ELEMENTS(take_doublewords, uint64_t)

/*
 * Takes the first `count` runs, of which 128 bytes each are loaded and stored, in three packets. A
 * place that is not below the end of those that are safe is taken for the last one of them. Two
 * places more are read, and not used.
 */
static void take_vectors(const struct part *part, uint32_t count, uint32_t safe)
{
	const uint32_t *place = part->place;
	const uint8_t *at = part->data;
	uint8_t *to = part->to;
	HVX_Vector v;
	uint32_t next, after;

	asm volatile("{ m0 = %[run]; %[next] = memw(%[place]++#4) }\n"
		     "{ loop0(1f, %[count]); %[next] = minu(%[next], %[last]) }\n"
		     "{ %[at] += mpyi(%[next], %[run]); %[next] = memw(%[place]++#4) }\n"
		     "{ %[next] = minu(%[next], %[last]); %[after] = memw(%[place]++#4) }\n"
		     "1:\n"
		     "{ %[v] = vmemu(%[at]+#0); %[next] = add(%[data], mpyi(%[next], %[run])) }\n"
		     "{ vmemu(%[to]++m0) = %[v]; %[at] = %[next] }\n"
		     "{ %[next] = minu(%[after], %[last]); "
		     "%[after] = memw(%[place]++#4) }:endloop0\n"
		     : [v] "=&v"(v), [next] "=&r"(next), [after] "=&r"(after), [at] "+&r"(at),
		       [to] "+&r"(to), [place] "+&r"(place)
		     : [data] "r"(part->data), [run] "r"(part->run), [count] "r"(count),
		       [last] "r"(safe - 1)
		     : "m0", "lc0", "sa0", "memory");
}

/* Takes a run alone, of at most 128 bytes. */
static void take_run(const struct part *part, uint32_t i, HVX_Vector otherwise)
{
	uint32_t place = part->place[i], run = part->run;

	store_bytes(part->to + i * run,
		    place == NO_PLACE ? otherwise : load_bytes(part->data + place * run, run), run);
}

/* Takes those of the first `count` runs that are not safe, once more. */
static void take_others(const struct part *part, uint32_t count, uint32_t safe,
			HVX_Vector otherwise)
{
	const HVX_Vector *place = (const HVX_Vector *)part->place;
	const HVX_Vector last = splat_w(safe - 1);

	for (uint32_t first = 0; first < count; first += 32, place++) {
		if (!any_lane(Q6_Q_vcmp_gt_VuwVuw(*place, last)))
			continue;
		for (uint32_t i = first; i < min_u32(first + 32, count); i++) {
			if (part->place[i] >= safe)
				take_run(part, i, otherwise);
		}
	}
}

/* Runs of at most 128 bytes. */
static void take_short_runs(const struct part *part, HVX_Vector otherwise)
{
	const uint32_t run = part->run, readable = part->from_end - part->data;
	const uint32_t writable = part->to_end - part->to;
	uint32_t whole = part->is_last ? 0 : part->count, safe = part->safe;

	/* So many have room for a vector, in what is made later. */
	while (whole && (whole - 1) * run + VECTOR > writable)
		whole--;
	if (part->greatest != NO_PLACE && part->greatest * run + VECTOR <= readable)
		safe = part->greatest + 1;
	if (!safe)
		whole = 0;
	if (whole) {
		take_vectors(part, whole, safe);
		if (safe != part->greatest + 1)
			take_others(part, whole, safe, otherwise);
	}
	for (uint32_t i = whole; i < part->count; i++)
		take_run(part, i, otherwise);
}

static int take_long_runs(struct progress *progress, const struct part *part, HVX_Vector otherwise)
{
	uint8_t *to = part->to;

	for (uint32_t i = 0; i < part->count; i++, to += part->run) {
		uint32_t place = part->place[i];
		int ret = progress_add(progress, 32 + part->run / 64 + memory_work(2 * part->run) +
						 2 * NN_PAGE_WORK);

		if (!ret && place == NO_PLACE)
			ret = nn_fill_bytes(progress, to, part->run, otherwise);
		else if (!ret)
			copy_run(to, part->data + place * part->run, part->run);
		if (ret)
			return ret;
	}
	return 0;
}

/* Takes what there is of a part. */
static int take_part(struct progress *progress, const struct part *part)
{
	const struct nn_tensor *output = &progress->call->output[0];
	const int64_t otherwise = output->zero_point;
	uint32_t size = nn_type_size(output->type);
	HVX_Vector vector = nn_fill_vector(size, otherwise);

	if (part->run > VECTOR)
		return take_long_runs(progress, part, vector);
	if (part->run == 1 && size == 1)
		take_bytes(part, otherwise);
	else if (part->run == 2 && size == 2)
		take_halfwords(part, otherwise);
	else if (part->run == 4 && size == 4)
		take_words(part, otherwise);
	else if (part->run == 8 && size == 8)
		take_doublewords(part, otherwise);
	else
		take_short_runs(part, vector);
	return 0;
}

/* ---- The same of many parts ---- */

/* All parts of a row of which the same places are taken. */
struct parts {
	const uint8_t *data;
	uint8_t *to;
	uint64_t part_in, part_out;	/* bytes of a part */
	const uint32_t *place;
	uint32_t count, taken, run;
	uint8_t *scratch;		/* for sources and units */
	uint32_t scratch_size;
};

/* Takes places `first` to `first` + `taken` - 1 of all parts by units, if these are good. */
static bool take_units(struct progress *progress, const struct parts *parts, uint32_t first,
		       uint32_t taken, int *ret)
{
	const uint32_t bytes = taken * parts->run;
	struct loops loops = {
		.rank = 1,
		.block = bytes,
		.loop = { { parts->count, parts->part_in, parts->part_out } },
	};
	struct units units = { .part = 1 };
	int32_t *source = (int32_t *)parts->scratch;

	if (bytes == parts->part_out && 2 * bytes <= VECTOR)
		units.part = min_u32(VECTOR / bytes, parts->count);
	units.bytes = units.part * bytes;
	for (uint32_t part = 0; part < units.part; part++) {
		for (uint32_t i = 0; i < taken; i++) {
			uint32_t at = part * parts->part_in + parts->place[first + i] * parts->run;

			for (uint32_t k = 0; k < parts->run; k++)
				*source++ = at + k;
		}
	}
	if (!nn_units_settle_sources(parts->scratch + SOURCES, parts->scratch_size - SOURCES,
				     (const HVX_Vector *)parts->scratch, &units))
		return false;
	*ret = nn_units_run(progress, &loops, &units, parts->to + (uint64_t)first * parts->run,
			    parts->data);
	return true;
}

/* Takes all parts of a row, as many places of each at a time as a unit can have. */
static int take_parts(struct progress *progress, const struct parts *parts)
{
	const struct nn_call *call = progress->call;
	uint32_t most = VECTOR / parts->run, taken;

	for (uint32_t first = 0; first < parts->taken; first += taken) {
		struct part part = {
			.data = parts->data,
			.place = parts->place + first,
			.greatest = NO_PLACE,
			.run = parts->run,
			.from_end = call->input[0].data + call->input[0].bytes,
			.to_end = call->output[0].data + call->output[0].bytes,
			.is_last = true,
		};
		int ret = 0;

		taken = min_u32(parts->taken - first, most);
		if (take_units(progress, parts, first, taken, &ret)) {
			if (ret)
				return ret;
			continue;
		}
		part.to = parts->to + first * parts->run;
		part.count = taken;
		for (uint32_t i = 0; i < parts->count && !ret; i++) {
			ret = progress_add(progress, 64 + 32 * taken + 2 * NN_PAGE_WORK);
			if (!ret)
				ret = take_part(progress, &part);
			part.data += parts->part_in;
			part.to += parts->part_out;
		}
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Tells whether all parts of a row may be taken together: there are many, of which one does not
 * reach too far, and few places.
 */
static bool are_parts_many(const struct parts *parts, uint32_t found)
{
	return parts->taken <= found && parts->run <= VECTOR / 2 &&
	       parts->part_in < (1u << 20) && parts->count >= 8 &&
	       (uint64_t)parts->count * parts->taken * parts->run >= FEW_PARTS &&
	       parts->scratch_size > 2 * SOURCES;
}

int nn_take_hvx(const struct nn_call *call)
{
	const struct nn_tensor *data = &call->input[0], *indices = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	const struct nn_take_params *params = &call->op->take;
	const uint32_t size = nn_type_size(output->type);
	const uint64_t part_indices = params->each ? indices->row_bytes / params->parts : 0;
	const uint32_t taken = count_indices(params, indices);
	const uint32_t number_bytes = params->depth * nn_type_size(indices->type);
	/* A quarter of the scratch memory, for vectors of places. */
	const uint32_t most = min_u32(call->scratch_size / 4 / VECTOR * 32, MOST_PLACES);
	uint32_t *place = (uint32_t *)call->scratch;
	struct progress progress = { .call = call };
	struct part part = {
		.from_end = data->data + data->bytes,
		.to_end = output->data + output->bytes,
		.place = place,
		.run = params->run * size,
	};
	struct parts parts = {
		.part_in = data->row_bytes / params->parts,
		.part_out = output->row_bytes / params->parts,
		.place = place,
		.count = params->parts,
		.taken = taken,
		.run = part.run,
		.scratch = call->scratch + 4 * most,
		.scratch_size = call->scratch_size - 4 * most,
	};
	uint32_t place_work = 32 + memory_work(2 * min_u32(part.run, NN_TILE)) +
			      stride_work(parts.part_in);
	uint32_t some = min_u32(most, NN_TILE / (place_work + params->depth * PLACE_WORK));
	bool are_many = !params->each && are_parts_many(&parts, some);
	uint32_t found = UINT32_MAX;	/* the first of the places that there are */

	if (parts.part_in >= VECTOR && part.run <= VECTOR)
		part.safe = (uint32_t)(parts.part_in - VECTOR) / part.run + 1;
	part.to = output->data;
	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const uint8_t *numbers = find_row(indices, output, row);

		part.data = find_row(data, output, row);
		found = UINT32_MAX;
		for (uint32_t i = 0; i < params->parts; i++) {
			for (uint32_t first = 0; first < taken; first += part.count) {
				int ret;

				part.count = min_u32(taken - first, some);
				ret = progress_add(&progress, 2 * NN_PAGE_WORK +
						   part.count * (place_work +
								 params->depth * PLACE_WORK));
				if (ret)
					return ret;
				if (params->each || found != first)
					part.greatest = nn_find_places(
						params, indices->type,
						numbers + (uint64_t)first * number_bytes,
						part.count, place);
				found = first;
				if (!i && are_many && part.greatest != NO_PLACE) {
					parts.data = part.data;
					parts.to = part.to;
					ret = take_parts(&progress, &parts);
					if (ret)
						return ret;
					part.to += output->row_bytes;
					goto next_row;
				}
				ret = take_part(&progress, &part);
				if (ret)
					return ret;
				part.to += part.count * part.run;
			}
			part.data += parts.part_in;
			numbers += part_indices;
		}
next_row:
		;
	}
	return 0;
}
