// SPDX-License-Identifier: MIT
/*
 * Tensors that a file stores as sparse ones (SparsityParameters of the format's schema), made dense
 * where they are read. A tensor's dimensions, and behind them blocks of some of these, are levels in
 * an order of their own. A dense level has all of its indices; a sparse one (CSR) has, for each
 * element of the levels in front of it, a segment of a list of indices. The elements that are stored
 * are those of the last level; the others are 0.
 *
 * Nothing of that is trusted: segments follow one another, so that no element is visited twice, and
 * there are no more elements than are stored.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

#define MOST_LEVELS (2 * NN_MAX_RANK)
/* Elements of the dense tensor for one that is stored. */
#define MOST_ZEROS 256

enum sparsity_field { SPARSITY_ORDER, SPARSITY_BLOCKS, SPARSITY_LEVELS };
enum level_field {
	LEVEL_FORMAT,
	LEVEL_SIZE,
	LEVEL_SEGMENTS_TYPE,
	LEVEL_SEGMENTS,
	LEVEL_INDICES_TYPE,
	LEVEL_INDICES,
};

/* A vector of integers of 4, 2 or 1 bytes. */
struct list {
	const uint8_t *data;
	uint32_t count, width;
};

struct level {
	bool is_sparse;
	uint32_t size; /* of a dense one: how many indices it has */
	uint32_t dim, extent; /* which of the tensor's, and the bound of its indices here */
	bool is_block; /* the dimension's index is that of the block times extent, plus this one */
	struct list segments, indices;
};

struct sparse {
	struct level levels[MOST_LEVELS];
	uint32_t level_count;
	uint64_t strides[NN_MAX_RANK]; /* of the tensor's dimensions, in elements */
	uint32_t width; /* of an element, in bytes */
	const uint8_t *stored;
	uint64_t stored_count, used;
	uint8_t *dense;
	uint64_t at[NN_MAX_RANK]; /* the index that is visited */
};

static uint32_t list_get(const struct list *list, uint32_t i)
{
	uint32_t value = 0;

	for (uint32_t k = 0; k < list->width; k++)
		value |= (uint32_t)list->data[(uint64_t)i * list->width + k] << 8 * k;
	return value;
}

/* A vector of one of the format's three kinds. */
static struct list read_list(struct flatbuffer *file, const struct flatbuffer_table *level,
			     uint32_t type_field)
{
	static const uint32_t widths[] = { 0, 4, 2, 1 };
	int64_t type = flatbuffer_int(file, level, type_field, 1, 0);
	struct flatbuffer_table holder = flatbuffer_get_table(file, level, type_field + 1);
	struct flatbuffer_vector vector;
	struct list list = { 0 };

	if (type < 1 || type > 3)
		return list;
	list.width = widths[type];
	vector = flatbuffer_get_vector(file, &holder, 0, list.width);
	list.data = flatbuffer_elements(file, &vector);
	list.count = list.data ? vector.count : 0;
	return list;
}

static int fail(struct tflite_import *import, const struct tflite_tensor *tensor)
{
	if (import->buffer.wrong)
		return tflite_check_encoding(import);
	return tflite_fail(import, -EINVAL, "tensor %s is sparse in a way that makes no sense",
			   tflite_quote(import, tensor->name));
}

/* Whether segments follow one another and take all indices, for so many elements in front. */
static bool is_in_order(const struct level *level, uint64_t elements)
{
	if (level->segments.count != elements + 1 || list_get(&level->segments, 0))
		return false;
	for (uint32_t i = 1; i < level->segments.count; i++) {
		if (list_get(&level->segments, i) < list_get(&level->segments, i - 1))
			return false;
	}
	return list_get(&level->segments, level->segments.count - 1) == level->indices.count;
}

/* Reads the level, of `elements` elements of those in front; sets how many it has itself. */
static bool read_level(struct tflite_import *import, const struct flatbuffer_table *table,
		       struct level *level, uint64_t *elements)
{
	struct flatbuffer *file = &import->buffer;

	level->is_sparse = flatbuffer_int(file, table, LEVEL_FORMAT, 1, 0) == 1;
	if (!level->is_sparse) {
		level->size = flatbuffer_int(file, table, LEVEL_SIZE, 4, 0);
		*elements *= level->size;
		return level->size == level->extent && *elements <= INT32_MAX;
	}
	level->segments = read_list(file, table, LEVEL_SEGMENTS_TYPE);
	level->indices = read_list(file, table, LEVEL_INDICES_TYPE);
	if (!is_in_order(level, *elements))
		return false;
	for (uint32_t i = 0; i < level->indices.count; i++) {
		if (list_get(&level->indices, i) >= level->extent)
			return false;
	}
	*elements = level->indices.count;
	return true;
}

/*
 * Finds which dimension each level is of. Blocks are levels behind all dimensions, and as large as
 * their level says; a dimension then counts blocks.
 */
static bool place_levels(struct tflite_import *import, const struct tflite_tensor *tensor,
			 const struct flatbuffer_table *sparsity,
			 const struct flatbuffer_vector *tables, struct sparse *sparse)
{
	struct flatbuffer *file = &import->buffer;
	const struct flatbuffer_vector order = flatbuffer_get_vector(file, sparsity, SPARSITY_ORDER, 4);
	const struct flatbuffer_vector map = flatbuffer_get_vector(file, sparsity, SPARSITY_BLOCKS, 4);
	const struct list orders = { flatbuffer_elements(file, &order), order.count, 4 };
	const struct list maps = { flatbuffer_elements(file, &map), map.count, 4 };
	uint32_t extents[NN_MAX_RANK], seen = 0;

	memcpy(extents, tensor->dims, sizeof(extents));
	if (!orders.data || orders.count != sparse->level_count ||
	    maps.count != sparse->level_count - tensor->rank || (maps.count && !maps.data))
		return false;
	for (uint32_t i = tensor->rank; i < sparse->level_count; i++) {
		struct flatbuffer_table table = flatbuffer_table_at(file, tables, i);
		struct level *level = &sparse->levels[i];
		uint32_t block = list_get(&orders, i) - tensor->rank;

		level->is_block = true;
		level->extent = flatbuffer_int(file, &table, LEVEL_SIZE, 4, 0);
		level->dim = block < maps.count ? list_get(&maps, block) : NN_MAX_RANK;
		if (level->dim >= tensor->rank || !level->extent ||
		    extents[level->dim] != tensor->dims[level->dim] ||
		    extents[level->dim] % level->extent)
			return false;
		extents[level->dim] /= level->extent;
	}
	for (uint32_t i = 0; i < tensor->rank; i++) {
		struct level *level = &sparse->levels[i];

		level->dim = list_get(&orders, i);
		if (level->dim >= tensor->rank || seen >> level->dim & 1)
			return false;
		seen |= 1u << level->dim;
		level->extent = extents[level->dim];
	}
	return true;
}

/* Visits what element number `element` of the level in front has; false: more than is stored. */
static bool visit(struct sparse *sparse, uint32_t depth, uint64_t element)
{
	const struct level *level = &sparse->levels[depth];
	uint64_t begin = element * level->size, end = begin + level->size, before;

	if (depth == sparse->level_count) {
		uint64_t to = 0;

		if (sparse->used == sparse->stored_count)
			return false;
		for (uint32_t i = 0; i < NN_MAX_RANK; i++)
			to += sparse->at[i] * sparse->strides[i];
		memcpy(sparse->dense + to * sparse->width,
		       sparse->stored + sparse->used++ * sparse->width, sparse->width);
		return true;
	}
	if (level->is_sparse) {
		begin = list_get(&level->segments, element);
		end = list_get(&level->segments, element + 1);
	}
	before = sparse->at[level->dim];
	for (uint64_t i = begin; i < end; i++) {
		uint64_t index = level->is_sparse ? list_get(&level->indices, i) : i - begin;

		sparse->at[level->dim] = (level->is_block ? before * level->extent : 0) + index;
		if (!visit(sparse, depth + 1, i))
			return false;
	}
	sparse->at[level->dim] = before;
	return true;
}

int tflite_read_sparse(struct tflite_import *import, const struct flatbuffer_table *sparsity,
		       const struct tflite_tensor *tensor, uint32_t width, const void **elements,
		       uint64_t *size)
{
	struct flatbuffer_vector tables =
		flatbuffer_get_tables(&import->buffer, sparsity, SPARSITY_LEVELS);
	struct sparse sparse = { .width = width, .stored = *elements, .stored_count = *size / width };
	uint64_t count = 1, visited = 1;

	sparse.level_count = tables.count;
	for (uint32_t i = tensor->rank; i-- > 0 && count <= INT32_MAX;) {
		sparse.strides[i] = count;
		count *= tensor->dims[i];
	}
	if (tables.count < tensor->rank || tables.count >= MOST_LEVELS || *size % width ||
	    count > INT32_MAX || count > sparse.stored_count * MOST_ZEROS ||
	    !place_levels(import, tensor, sparsity, &tables, &sparse))
		return fail(import, tensor);
	for (uint32_t i = 0; i < sparse.level_count; i++) {
		struct flatbuffer_table table = flatbuffer_table_at(&import->buffer, &tables, i);

		if (!read_level(import, &table, &sparse.levels[i], &visited))
			return fail(import, tensor);
	}
	if (visited != sparse.stored_count)
		return fail(import, tensor);
	sparse.dense = tflite_alloc(import, count, width);
	if (!sparse.dense)
		return -ENOMEM;
	if (!visit(&sparse, 0, 0))
		return fail(import, tensor);
	*elements = sparse.dense;
	*size = count * width;
	return 0;
}
