// SPDX-License-Identifier: MIT
/*
 * ONNX's Einsum: of one operand a Transpose, of two a MatMul of their dimensions in the order that
 * it needs: those that both have and that stay, one operand's own, and those that are summed.
 *
 * A letter stands for a dimension. Those of an ellipsis are digits here, the last of them '7'.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define DIGITS 8

/* Letters in an order; sizes of all letters are in struct equation. */
struct term {
	uint32_t count;
	uint8_t letters[NN_MAX_RANK];
};

struct equation {
	uint32_t operands;
	struct term terms[2], out;
	uint32_t sizes[256];
	uint8_t lead; /* the letter of the caller's rows; 0: there is none */
};

/* The letters by what they are: of both and kept, of one operand, summed. */
struct roles {
	struct term both, own[2], summed;
};

static bool has(const struct term *term, uint8_t letter)
{
	return memchr(term->letters, letter, term->count) != NULL;
}

static int add(struct onnx_import *import, struct term *term, uint8_t letter)
{
	if (term->count == NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP, "it has more than %d dimensions",
				 NN_MAX_RANK);
	term->letters[term->count++] = letter;
	return 0;
}

/* ---- The equation ---- */

/* Letters up to one of `ends`; an ellipsis is so many digits. */
static int read_term(struct onnx_import *import, const char **text, const char *ends,
		     uint32_t ellipsis, struct term *term)
{
	for (; **text && !strchr(ends, **text); ++*text) {
		const char c = **text;
		int err = 0;

		if (c == ' ')
			continue;
		if (c == '.' && !strncmp(*text, "...", 3)) {
			for (uint32_t i = DIGITS - ellipsis; i < DIGITS && !err; i++)
				err = add(import, term, '0' + i);
			*text += 2;
		} else if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) {
			return onnx_fail(import, -EINVAL, "its equation has a '%c'", c);
		} else if (has(term, c)) {
			return onnx_fail(import, -EOPNOTSUPP,
					 "its equation has %c twice in one operand, which is a "
					 "diagonal", c);
		} else {
			err = add(import, term, c);
		}
		if (err)
			return err;
	}
	return 0;
}

/* How many dimensions an operand's ellipsis stands for, of which the equation says the others. */
static int count_ellipsis(struct onnx_import *import, const char *text, uint32_t rank,
			  uint32_t *count)
{
	uint32_t letters = 0;

	for (; *text && *text != ',' && *text != '-'; text++)
		letters += *text != ' ' && *text != '.';
	*count = rank >= letters ? rank - letters : 0;
	return *count > DIGITS ? onnx_fail(import, -EOPNOTSUPP, "its operand has %" PRIu32
					   " dimensions", rank) : 0;
}

/* Without an arrow: what is there once, the ellipsis first, in alphabetical order. */
static int find_output(struct onnx_import *import, struct equation *equation)
{
	for (int c = '0'; c <= 'z'; c++) {
		bool first = has(&equation->terms[0], c);
		bool second = equation->operands > 1 && has(&equation->terms[1], c);
		bool is_digit = c < '0' + DIGITS;
		int err = 0;

		if ((is_digit && (first || second)) || first != second)
			err = add(import, &equation->out, c);
		if (err)
			return err;
	}
	return 0;
}

static int read_sizes(struct onnx_import *import, struct equation *equation, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);
	const struct term *term = &equation->terms[i];

	if (term->count != value->tensor.rank)
		return onnx_fail(import, -EINVAL,
				 "its equation has %" PRIu32 " dimensions for operand %" PRIu32
				 ", which has %" PRIu32, term->count, i, value->tensor.rank);
	for (uint32_t k = 0; k < term->count; k++) {
		uint32_t *size = &equation->sizes[term->letters[k]], dim = value->tensor.dims[k];

		if ((i && has(&equation->terms[0], term->letters[k]) && *size != dim))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its operands have different sizes of '%c'",
					 term->letters[k]);
		*size = dim;
	}
	if (!onnx_is_const(value) && term->count && nn_is_rows(value->tensor.dims[0]))
		equation->lead = term->letters[0];
	return 0;
}

static int read_equation(struct onnx_import *import, struct equation *equation)
{
	const char *text = onnx_attr_string(import, "equation", "");
	uint32_t most = 0, ellipsis;
	int err = 0;

	equation->operands = import->node->n_input;
	for (uint32_t i = 0; i < equation->operands && !err; i++) {
		err = count_ellipsis(import, text, onnx_input(import, i)->tensor.rank, &ellipsis);
		if (!err)
			err = read_term(import, &text, ",-", ellipsis, &equation->terms[i]);
		most = ellipsis > most ? ellipsis : most;
		if (!err && i + 1 < equation->operands && *text++ != ',')
			err = onnx_fail(import, -EINVAL, "its equation is for fewer operands");
		if (!err)
			err = read_sizes(import, equation, i);
	}
	if (err)
		return err;
	if (!*text)
		return find_output(import, equation);
	if (strncmp(text, "->", 2))
		return onnx_fail(import, -EINVAL, "its equation is for more operands");
	text += 2;
	err = read_term(import, &text, "", most, &equation->out);
	for (uint32_t i = 0; i < equation->out.count && !err; i++) {
		if (!equation->sizes[equation->out.letters[i]] &&
		    equation->out.letters[i] != equation->lead)
			err = onnx_fail(import, -EINVAL, "its output has '%c', and no operand has",
					equation->out.letters[i]);
	}
	return err;
}

/* ---- One operand ---- */

static int find_perm(struct onnx_import *import, const struct term *from, const struct term *to,
		     uint32_t *perm)
{
	if (from->count != to->count)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it sums along dimensions of one operand\n"
				 "export that as a ReduceSum");
	for (uint32_t i = 0; i < to->count; i++) {
		const uint8_t *at = memchr(from->letters, to->letters[i], from->count);

		if (!at)
			return onnx_fail(import, -EOPNOTSUPP, "it makes '%c' of none",
					 to->letters[i]);
		perm[i] = at - from->letters;
	}
	return 0;
}

static int lower_one(struct onnx_import *import, const struct equation *equation)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	struct onnx_value value;
	uint32_t perm[NN_MAX_RANK];
	int err = x ? find_perm(import, &equation->terms[0], &equation->out, perm) :
		      onnx_failed(import);

	if (err)
		return err;
	value = *x;
	err = nn_build_transpose(&import->builder, &x->tensor, perm, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- Two ---- */

static int find_roles(struct onnx_import *import, const struct equation *equation,
		      struct roles *roles)
{
	for (uint32_t i = 0; i < 2; i++) {
		const struct term *term = &equation->terms[i], *other = &equation->terms[!i];

		for (uint32_t k = 0; k < term->count; k++) {
			uint8_t letter = term->letters[k];
			bool in_other = has(other, letter), kept = has(&equation->out, letter);
			int err = 0;

			if (letter == equation->lead && kept)
				continue;
			if (letter == equation->lead || (!in_other && !kept))
				return onnx_fail(import, -EOPNOTSUPP,
						 "it sums along '%c', which is the batch, or of "
						 "one operand only", letter);
			if (!in_other)
				err = add(import, &roles->own[i], letter);
			else if (!i)
				err = add(import, kept ? &roles->both : &roles->summed, letter);
			if (err)
				return err;
		}
	}
	return 0;
}

static int append(struct onnx_import *import, struct term *term, const struct term *more)
{
	int err = 0;

	for (uint32_t i = 0; i < more->count && !err; i++)
		err = add(import, term, more->letters[i]);
	return err;
}

static uint32_t multiply(const struct equation *equation, const struct term *term)
{
	uint32_t size = 1;

	for (uint32_t i = 0; i < term->count; i++)
		size *= equation->sizes[term->letters[i]];
	return size;
}

/* Scales of a constant's dimension stay where that is all of the matrix's columns. */
static int move_scales(struct onnx_import *import, const struct equation *equation,
		       const struct roles *roles, uint32_t i, struct nn_quant *quant)
{
	uint8_t letter = equation->terms[i].letters[quant->axis];

	if (!quant->scales)
		return 0;
	if (i != 1 || roles->own[1].count != 1 || roles->own[1].letters[0] != letter)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its constant has one scale per index of '%c'\n"
				 "quantize it per tensor", letter);
	quant->axis = 3;
	return 0;
}

/* Operand i as matrices: batch, what both have, rows, columns. */
static const struct onnx_value *build_matrices(struct onnx_import *import,
					       const struct equation *equation,
					       const struct roles *roles, uint32_t i)
{
	const struct onnx_value *x = onnx_operand_input(import, i);
	struct onnx_value *made = x ? onnx_alloc(import, 1, sizeof(*made)) : NULL;
	const bool has_lead = equation->lead && has(&equation->terms[i], equation->lead);
	const struct term *parts[3] = { &roles->both, i ? &roles->summed : &roles->own[0],
					i ? &roles->own[1] : &roles->summed };
	uint32_t perm[NN_MAX_RANK], dims[4] = { 1 };
	struct term order = { 0 };
	int err = 0;

	if (!made)
		return NULL;
	*made = *x;
	if (has_lead)
		err = add(import, &order, equation->lead);
	for (uint32_t k = 0; k < 3 && !err; k++) {
		err = append(import, &order, parts[k]);
		dims[1 + k] = multiply(equation, parts[k]);
	}
	if (!err)
		err = find_perm(import, &equation->terms[i], &order, perm);
	if (err)
		return NULL;
	if (onnx_is_const(x)) {
		if (has_lead) {
			onnx_fail(import, -EOPNOTSUPP,
				  "its constant has '%c', which is the batch" ONNX_KEEP_BATCH,
				  equation->lead);
			return NULL;
		}
		if (nn_const_transpose(&import->builder, &x->constant, perm, &made->constant) ||
		    move_scales(import, equation, roles, i, &made->tensor.quant))
			return NULL;
		nn_const_reshape(&made->constant, 4, dims);
		made->tensor.rank = 4;
		memcpy(made->tensor.dims, dims, sizeof(dims));
		return made;
	}
	dims[0] = has_lead ? x->tensor.dims[0] : 1;
	err = nn_build_transpose(&import->builder, &x->tensor, perm, &made->tensor);
	if (!err)
		err = nn_build_reshape(&import->builder, &made->tensor, 4, dims, &made->tensor);
	return err ? NULL : made;
}

/* The product's dimensions as letters, in the order of the output: attr has where each was. */
static int emit_einsum(struct onnx_import *import, const struct onnx_pending *pending,
		       const struct nn_quant *quant, const char *activation,
		       struct nn_build_tensor *out)
{
	uint32_t perm[NN_MAX_RANK], dims[NN_MAX_RANK];
	int err = pending->inner->emit(import, pending->inner, quant, activation, out);

	for (uint32_t i = 0; i < pending->rank; i++) {
		perm[i] = pending->attr.ints[i];
		dims[perm[i]] = pending->dims[i];
	}
	if (!err)
		err = nn_build_reshape(&import->builder, out, pending->rank, dims, out);
	return err ? err : nn_build_transpose(&import->builder, out, perm, out);
}

static int lower_two(struct onnx_import *import, const struct equation *equation)
{
	int64_t *where = onnx_alloc(import, NN_MAX_RANK, sizeof(*where));
	const struct onnx_value *left, *right;
	struct onnx_pending *inner, *pending;
	uint32_t perm[NN_MAX_RANK];
	struct term made = { 0 };
	struct roles roles = { 0 };
	int err = where ? find_roles(import, equation, &roles) : -ENOMEM;

	if (!err && equation->lead)
		err = add(import, &made, equation->lead);
	if (!err)
		err = append(import, &made, &roles.both);
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = append(import, &made, &roles.own[i]);
	if (!err)
		err = find_perm(import, &made, &equation->out, perm);
	if (!err && !equation->out.count)
		err = onnx_fail(import, -EOPNOTSUPP, "it makes a tensor without dimensions");
	if (err)
		return err;
	left = build_matrices(import, equation, &roles, 0);
	right = left ? build_matrices(import, equation, &roles, 1) : NULL;
	inner = right ? onnx_new_matmul(import, left, right) : NULL;
	pending = inner ? onnx_new_pending(import, emit_einsum, inner->operand_count) : NULL;
	if (!pending)
		return onnx_failed(import);
	memcpy(pending->operands, inner->operands,
	       inner->operand_count * sizeof(*inner->operands));
	pending->inner = inner;
	pending->takes_activation = inner->takes_activation;
	pending->rank = equation->out.count;
	for (uint32_t i = 0; i < pending->rank; i++) {
		where[i] = perm[i];
		pending->dims[i] = equation->sizes[equation->out.letters[i]];
	}
	pending->attr = (struct nn_attr){ .name = "perm", .type = NN_ATTR_INTS, .ints = where,
					  .count = pending->rank };
	return onnx_define_pending(import, pending);
}

int onnx_lower_einsum(struct onnx_import *import)
{
	struct equation *equation = onnx_alloc(import, 1, sizeof(*equation));
	int err;

	if (!equation)
		return -ENOMEM;
	if (import->node->n_input > 2)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it multiplies %zu operands; nnloop knows one or two\n"
				 "write it as several, with QuantizeLinear and DequantizeLinear in "
				 "between", import->node->n_input);
	err = read_equation(import, equation);
	if (err)
		return err;
	return equation->operands == 1 ? lower_one(import, equation) :
					 lower_two(import, equation);
}
