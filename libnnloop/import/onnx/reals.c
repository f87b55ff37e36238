// SPDX-License-Identifier: MIT
/*
 * ONNX operators of a quantized tensor and a constant of reals that are not quantized, as
 * quantize_static() leaves the slopes of PRelu, or not with one scale.
 *
 * With each number of the constant the 256 elements that there are have 256 results, which are
 * computed here in float32 and rounded as the QuantizeLinear behind says. They are tables one
 * behind the other, a number's for each; an element is taken there by an index, which is what it is
 * stored as, and where the table of its number begins. Of a constant with many numbers, such as the
 * mask of an attention, those that are equal have one table.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define RESULTS 256
#define MOST_NUMBERS 4096 /* so that a small file cannot take much memory */

enum { INDICES = 2, NUMBERS, OPERANDS }; /* behind the two of the node */

typedef float (*two_fp)(float a, float b);

static two_fp find_function(const Onnx__NodeProto *node)
{
	const char *name = node->op_type;

	return nn_formula_find(strcmp(name, "PRelu") ? name : "prelu")->of_two;
}

static bool is_reals(const struct onnx_value *value)
{
	if (value->kind == ONNX_REAL_CONST)
		return value->tensor.quant.scales || !onnx_is_computed(value->tensor.quant.type);
	return value->kind == ONNX_CONST && value->constant.element == NN_ELEMENT_FLOAT;
}

bool onnx_has_reals(struct onnx_import *import)
{
	const struct onnx_value *a = onnx_input(import, 0), *b = onnx_input(import, 1);

	return import->node->n_input == 2 && ((is_reals(a) && !onnx_is_const(b)) ||
					      (is_reals(b) && !onnx_is_const(a)));
}

/* Computes the node's function of an element, by its stored byte, and a number of the constant. */
static float compute(const struct onnx_pending *pending, two_fp function, int byte, uint64_t number)
{
	bool first = onnx_is_const(pending->operands[0]);
	const struct nn_quant *quant = &pending->operands[first]->tensor.quant;
	float x = onnx_read_element(quant, byte);
	float real = nn_const_float(&pending->operands[NUMBERS]->constant, number);

	return first ? function(real, x) : function(x, real);
}

/* A number's table; `first` is the byte that comes first in it. */
static void fill_table(const struct onnx_pending *pending, uint64_t number, uint8_t first,
		       const struct nn_quant *quant, uint8_t table[RESULTS])
{
	two_fp function = find_function(pending->node);

	for (int i = 0; i < RESULTS; i++) {
		uint8_t byte = first + i;

		table[i] = onnx_quantize_real(compute(pending, function, byte, number), quant);
	}
}

/* Elements are in the order in which the indices are stored, whatever that is. */
static int take(struct onnx_import *import, const struct nn_build_tensor *indices,
		const struct nn_build_tensor *table, struct nn_build_tensor *out)
{
	const struct nn_take each = { .axis = 1 };
	struct nn_build_tensor stored = *indices;
	int err;

	stored.layout = NN_LAYOUT_PLAIN;
	err = nn_build_take(&import->builder, table, &stored, &each, out);
	if (err)
		return err;
	nn_build_keep_layout(out, indices);
	out->rank = indices->rank;
	memcpy(out->dims, indices->dims, sizeof(out->dims));
	return 0;
}

static int emit_tables(struct onnx_import *import, const struct onnx_pending *pending,
		       const struct nn_quant *quant, const char *activation,
		       struct nn_build_tensor *out)
{
	bool first = onnx_is_const(pending->operands[0]);
	const struct onnx_value *x = pending->operands[first];
	uint64_t count = pending->operands[NUMBERS]->constant.count;
	uint8_t least = x->tensor.quant.type == NN_INT8 ? (uint8_t)INT8_MIN : 0;
	uint8_t *tables = onnx_alloc(import, count, RESULTS);
	struct nn_const values = {
		.element = (enum nn_element)quant->type, .rank = 1, .dims = { count * RESULTS },
		.count = count * RESULTS, .data = tables
	};
	const struct nn_operand operand = {
		.constant = { .name = pending->operands[!first]->tensor.name, .values = &values,
			      .quant = quant }
	};
	struct nn_build_tensor table;
	int err;

	(void)activation;
	if (!tables)
		return -ENOMEM;
	if (!pending->operands[INDICES]) {
		fill_table(pending, 0, 0, quant, tables);
		return nn_build_table(&import->builder, &x->tensor, tables, quant, out);
	}
	for (uint64_t i = 0; i < count; i++)
		fill_table(pending, i, least, quant, tables + i * RESULTS);
	err = nn_build_row_constant(&import->builder, &operand, &table);
	return err ? err : take(import, &pending->operands[INDICES]->tensor, &table, out);
}

#define SLOTS (4 * MOST_NUMBERS) /* of a hash table */

/* The numbers that have tables, and which of them each of the constant's is. */
struct numbers {
	struct nn_const values;
	uint32_t *which; /* NULL: each is one of its own */
};

/* Finds the number of these bits among those that there are, or adds it; false: there are too many. */
static bool find_number(struct numbers *numbers, uint32_t *bits, uint32_t *slots, uint32_t number,
			uint32_t *which)
{
	uint32_t at = number * 2654435761u % SLOTS;

	while (slots[at] && bits[slots[at] - 1] != number)
		at = (at + 1) % SLOTS;
	if (!slots[at]) {
		if (numbers->values.count == MOST_NUMBERS)
			return false;
		bits[numbers->values.count++] = number;
		slots[at] = numbers->values.count;
	}
	*which = slots[at] - 1;
	return true;
}

/* Finds those of a constant; *fit: whether there are tables for so many. */
static int gather_numbers(struct onnx_import *import, const struct nn_const *all,
			  struct numbers *numbers, bool *fit)
{
	uint32_t *bits, *slots, number;

	*numbers = (struct numbers){ .values = *all };
	*fit = true;
	if (all->count && all->count <= MOST_NUMBERS)
		return 0;
	bits = onnx_alloc(import, MOST_NUMBERS, sizeof(*bits));
	slots = onnx_alloc(import, SLOTS, sizeof(*slots));
	numbers->which = onnx_alloc(import, all->count + 1, sizeof(*numbers->which));
	if (!bits || !slots || !numbers->which)
		return -ENOMEM;
	numbers->values = (struct nn_const){ .element = NN_ELEMENT_FLOAT, .rank = 1, .data = bits };
	for (uint64_t i = 0; i < all->count; i++) {
		memcpy(&number, (const uint8_t *)all->data + 4 * i, sizeof(number));
		*fit = find_number(numbers, bits, slots, number, &numbers->which[i]);
		if (!*fit)
			return 0;
	}
	numbers->values.dims[0] = numbers->values.count;
	return 0;
}

static int find_numbers(struct onnx_import *import, const struct onnx_value *reals,
			struct numbers *numbers)
{
	bool fit;
	int err = gather_numbers(import, &reals->constant, numbers, &fit);

	if (err)
		return err;
	if (!fit)
		return onnx_fail_float(import,
				       "its constant %s has %" PRIu64
				       " numbers that are not quantized with one scale, to 8 bits; "
				       "nnloop knows %d that differ",
				       onnx_quote(import, reals->tensor.name),
				       reals->constant.count, MOST_NUMBERS);
	if (!numbers->values.count)
		return onnx_fail(import, -EOPNOTSUPP, "its constant %s is empty",
				 onnx_quote(import, reals->tensor.name));
	return 0;
}

bool onnx_has_many_reals(struct onnx_import *import)
{
	const struct nn_formula *formula = onnx_find_function(import->node);
	const struct onnx_value *reals;
	struct numbers numbers;
	bool fit;

	if (!formula || formula->of_one || !onnx_has_reals(import))
		return false;
	reals = onnx_input(import, !onnx_is_const(onnx_input(import, 0)));
	return reals->constant.element == NN_ELEMENT_FLOAT &&
	       !gather_numbers(import, &reals->constant, &numbers, &fit) && !fit;
}

/* Where the tables of the constant's numbers begin, less the least that an element is stored as. */
static int make_begins(struct onnx_import *import, const struct nn_const *reals,
		       const uint32_t *which, int32_t least, struct nn_const *out)
{
	int32_t *begins = onnx_alloc(import, reals->count, sizeof(*begins));

	if (!begins)
		return -ENOMEM;
	for (uint64_t i = 0; i < reals->count; i++)
		begins[i] = (int32_t)(which ? which[i] : i) * RESULTS - least;
	*out = *reals;
	out->element = NN_ELEMENT_INT32;
	out->data = begins;
	return 0;
}

static int build_indices(struct onnx_import *import, const struct onnx_value *x,
			 const struct nn_const *reals, const uint32_t *which,
			 struct nn_build_tensor *out)
{
	const struct nn_attr attr = {
		.name = "function", .type = NN_ATTR_STRING, .string = "add"
	};
	struct nn_build_tensor cast;
	struct nn_const begins;
	const struct nn_operand operands[2] = {
		{ .tensor = &cast },
		{ .constant = { .name = "tables", .values = &begins, .quant = &nn_quant_int32 } },
	};
	int err = make_begins(import, reals, which,
			      x->tensor.quant.type == NN_INT8 ? INT8_MIN : 0, &begins);

	if (!err)
		err = nn_build_unary(&import->builder, "Cast", &x->tensor, NULL, 0, &nn_quant_int32,
				     &cast);
	return err ? err : nn_build_whole_broadcast(&import->builder, "Integers", operands, 2, &attr,
						    1, &nn_quant_int32, out);
}

/* Whether each result is a number. */
static int check_results(struct onnx_import *import, const struct onnx_pending *pending,
			 const struct onnx_value *reals)
{
	two_fp function = find_function(pending->node);

	for (uint64_t i = 0; i < reals->constant.count; i++) {
		for (int byte = 0; byte < RESULTS; byte++) {
			if (!isnan(compute(pending, function, byte, i)))
				continue;
			return onnx_fail(import, -EOPNOTSUPP,
					 "with element %" PRIu64
					 " of its constant %s its result is not a number (NaN)",
					 i, onnx_quote(import, reals->tensor.name));
		}
	}
	return 0;
}

/* Whether the constant is one number that leaves x its shape. */
static bool is_number(const struct onnx_value *reals, const struct onnx_value *x)
{
	return reals->constant.count == 1 && reals->constant.rank <= x->tensor.rank;
}

static int make_real(struct onnx_import *import, const struct onnx_pending *pending,
		     struct nn_build_tensor *out)
{
	return onnx_build_floats(import, pending->node, pending->operands, 2, out);
}

struct onnx_pending *onnx_new_of_reals(struct onnx_import *import)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_tables, OPERANDS);
	struct onnx_value *made = onnx_alloc(import, 3, sizeof(*made)), *indices = &made[1];
	bool first = onnx_is_const(onnx_input(import, 0));
	const struct onnx_value *x = onnx_real_input(import, first);
	struct numbers numbers;

	if (!pending || !made || !x)
		return NULL;
	made[0] = *onnx_input(import, !first);
	if (!nn_type_is_8bit(x->tensor.quant.type)) {
		onnx_fail(import, -EOPNOTSUPP, "its input %d is quantized to %s" ONNX_8_BITS, first,
			  nn_data_type_name(x->tensor.quant.type));
		return NULL;
	}
	if (onnx_read_floats(import, &made[0], "constant", &made[0].constant) ||
	    find_numbers(import, &made[0], &numbers))
		return NULL;
	made[2] = made[0];
	made[2].constant = numbers.values;
	pending->operands[first] = x;
	pending->operands[!first] = &made[0];
	pending->operands[NUMBERS] = &made[2];
	if (check_results(import, pending, &made[2]))
		return NULL;
	onnx_set_float(pending, NULL, make_real);
	indices->tensor = x->tensor;
	if (!is_number(&made[0], x)) {
		if (build_indices(import, x, &made[0].constant, numbers.which, &indices->tensor))
			return NULL;
		pending->operands[INDICES] = indices;
	}
	pending->rank = indices->tensor.rank;
	memcpy(pending->dims, indices->tensor.dims, sizeof(pending->dims));
	return pending;
}
