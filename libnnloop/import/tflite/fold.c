// SPDX-License-Identifier: MIT
/*
 * Operators that a convolution does as well as itself, so that they take no nodes of their own: PAD
 * in front of it; and SPACE_TO_BATCH_ND in front with BATCH_TO_SPACE_ND behind it, which is how
 * converters write a dilated convolution, whose parts are convolved as items of a batch.
 *
 * PAD looks at what is behind it, and leaves the convolution a note. Blocks of pixels are a note at
 * their tensor, up to where they are put back.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

#define BATCH_TO_SPACE_ND 37

void tflite_count_readers(struct tflite_import *import)
{
	for (uint32_t i = 0; i < import->operator_count; i++) {
		const struct tflite_operator *operator = &import->operators[i];

		for (uint32_t k = 0; k < operator->input_count; k++) {
			if (operator->inputs[k] < 0)
				continue;
			import->tensors[operator->inputs[k]].readers++;
			import->tensors[operator->inputs[k]].reader = i;
		}
	}
	/* Whoever runs the model reads its outputs, as if by two operators. */
	for (uint32_t i = 0; i < import->output_count; i++)
		import->tensors[import->outputs[i]].readers += 2;
}

/* The one operator, behind `operator`, that reads its output, as its first input; NULL: there is
 * none that can run, or more. */
static struct tflite_operator *find_reader(struct tflite_import *import,
					   const struct tflite_operator *operator)
{
	const struct tflite_tensor *tensor = &import->tensors[operator->outputs[0]];
	struct tflite_operator *reader = &import->operators[tensor->reader];

	if (tensor->readers != 1 || reader <= operator || reader->is_refused || !reader->op ||
	    reader->inputs[0] != operator->outputs[0])
		return NULL;
	return reader;
}

/* Stride and dilation of a convolution that pads nothing itself. */
static bool read_window(const struct tflite_operator *operator, int64_t stride[2],
			int64_t dilation[2])
{
	bool is_conv = operator->op->lower == tflite_lower_conv;
	const int64_t *option = operator->option;
	int first = is_conv ? TFLITE_CONV_DILATION_W : TFLITE_DEPTHWISE_DILATION_W;

	if (!is_conv && operator->op->lower != tflite_lower_depthwise_conv)
		return false;
	stride[0] = option[TFLITE_CONV_STRIDE_H];
	stride[1] = option[TFLITE_CONV_STRIDE_W];
	dilation[0] = option[first + 1];
	dilation[1] = option[first];
	return option[TFLITE_CONV_PADDING] == TFLITE_PADDING_VALID;
}

/* ---- PAD ---- */

bool tflite_fold_pad(struct tflite_import *import, const struct nn_build_tensor *x,
		     const uint32_t *before, const uint32_t *after)
{
	struct tflite_operator *conv = find_reader(import, import->now);
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]], *weights;
	struct tflite_fold *fold;
	int64_t stride[2], dilation[2];

	if (!conv || !read_window(conv, stride, dilation) || conv->inputs[1] < 0 ||
	    x->rank != 4 || output->rank != 4 || before[3] || after[3] ||
	    !nn_type_is_8bit(x->quant.type) || !x->quant.scale)
		return false;
	weights = &import->tensors[conv->inputs[1]];
	fold = tflite_alloc(import, 1, sizeof(*fold));
	if (weights->rank != 4 || !fold)
		return false;
	/* Padding that does not fit is done by itself, and refused there where it is wrong. */
	for (int i = 0; i < 2; i++) {
		int64_t extent = dilation[i] * ((int64_t)weights->dims[1 + i] - 1) + 1;

		if (before[1 + i] >= extent || after[1 + i] >= extent ||
		    (!(output->open & 2u << i) && (uint64_t)x->dims[1 + i] + before[1 + i] +
							   after[1 + i] != output->dims[1 + i]))
			return false;
		fold->dilation[i] = dilation[i];
		fold->padding[i] = before[1 + i];
		fold->padding[2 + i] = after[1 + i];
	}
	if (x->dims[3] != output->dims[3])
		return false;
	fold->x = x;
	fold->output = conv->outputs[0];
	conv->fold = fold;
	return true;
}

/* ---- SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND ---- */

/*
 * A tensor of blocks: with blocks of r, item p of a convolution's batch is every r-th pixel from p
 * on, so that the convolution steps by r in the image, and each result is put back to where its
 * window began. Such a tensor is nothing in the graph. What it is made of, and what a convolution of
 * it makes, is here as an image.
 */
struct tflite_blocks {
	struct nn_build_tensor image; /* of four dimensions, of which a line has a height of 1 */
	bool is_line; /* it has three dimensions */
	bool is_result; /* a convolution made it */
	int64_t block[2];
	/* Top, left, bottom, right: what is to be padded, or of a result what need not be cropped. */
	int64_t padding[4];
};

/* A constant input of an operator. */
static bool read_ints(const struct tflite_import *import, const struct tflite_operator *operator,
		      uint32_t i, uint32_t count, int64_t *numbers)
{
	const struct tflite_tensor *tensor;

	if (operator->inputs[i] < 0)
		return false;
	tensor = &import->tensors[operator->inputs[i]];
	if (!tensor->is_constant || tensor->constant.count != count ||
	    (tensor->element != NN_ELEMENT_INT32 && tensor->element != NN_ELEMENT_INT64))
		return false;
	for (uint32_t k = 0; k < count; k++) {
		numbers[k] = nn_const_int(&tensor->constant, k);
		if (numbers[k] < 0 || numbers[k] > INT32_MAX)
			return false;
	}
	return true;
}

/* Reads blocks, and what is padded or cropped: of a line those of its one direction. */
static bool read_blocks(const struct tflite_import *import, const struct tflite_operator *operator,
			bool is_line, int64_t block[2], int64_t ends[4])
{
	uint32_t count = is_line ? 1 : 2, first = 2 - count;
	int64_t read[4];

	block[0] = 1;
	memset(ends, 0, 4 * sizeof(*ends));
	if (!read_ints(import, operator, 1, count, block + first) ||
	    !read_ints(import, operator, 2, 2 * count, read))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		ends[first + i] = read[2 * i];
		ends[2 + first + i] = read[2 * i + 1];
	}
	return true;
}

static int fail_blocks(struct tflite_import *import)
{
	return tflite_fail(import, -EOPNOTSUPP,
			   "it moves pixels to dimension 0, which is the batch; nnloop knows it "
			   "around a convolution that it dilates, with BATCH_TO_SPACE_ND behind it");
}

/* x as an image: with a dimension of 1 where a line has no height. */
static int build_image(struct tflite_import *import, const struct nn_build_tensor *x,
		       struct nn_build_tensor *image)
{
	const uint32_t dims[4] = { x->dims[0], 1, x->dims[1], x->dims[2] };

	*image = *x;
	return x->rank == 4 ? 0 : nn_build_reshape(&import->builder, x, 4, dims, image);
}

/* Output 0 is of the quantization of blocks, and real if input 0 is so, unless the operator says
 * otherwise. */
static int define_blocks(struct tflite_import *import, struct tflite_blocks *blocks)
{
	const char *name = import->now->op->name;
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	int err = 0;

	if (output->made || output->is_constant || output->blocks)
		return tflite_fail(import, -EINVAL, "tensor %s is made twice",
				   tflite_quote(import, output->name));
	output->is_real = output->element == NN_ELEMENT_FLOAT;
	if (!output->is_real)
		err = tflite_same_quant(import, 0, &blocks->image.quant);
	else if (strcmp(name, "DEQUANTIZE") &&
		 !import->tensors[import->now->inputs[0]].is_real)
		err = tflite_fail(import, -EINVAL, "it makes float32 of integers");
	output->blocks = blocks;
	return err;
}

int tflite_lower_space_to_batch(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_item_input(import, 0, true);
	struct tflite_blocks *blocks = tflite_alloc(import, 1, sizeof(*blocks));
	const struct tflite_tensor *input;
	int err;

	if (!x || !blocks)
		return tflite_failed(import);
	input = &import->tensors[import->now->inputs[0]];
	if (input->is_item || input->is_unrounded || input->reals || !x->quant.scale ||
	    (x->rank != 4 && x->rank != 3))
		return fail_blocks(import);
	blocks->is_line = x->rank == 3;
	if (!read_blocks(import, import->now, blocks->is_line, blocks->block, blocks->padding))
		return fail_blocks(import);
	err = build_image(import, x, &blocks->image);
	for (int i = 0; i < 2 && !err; i++) {
		int64_t block = blocks->block[i], size = blocks->image.dims[1 + i] +
							 blocks->padding[i] + blocks->padding[2 + i];

		if (block < 1 || block > NN_MAX_WINDOW || size % block)
			err = fail_blocks(import);
	}
	return err ? err : define_blocks(import, blocks);
}

/* Whether an operator makes the same blocks, with or without a height of 1. */
static bool passes_blocks(const char *name)
{
	return !strcmp(name, "EXPAND_DIMS") || !strcmp(name, "RESHAPE") ||
	       !strcmp(name, "SQUEEZE") || !strcmp(name, "QUANTIZE") || !strcmp(name, "DEQUANTIZE");
}

/* Whether what passes blocks on makes of lines those with a height of 1, or the other way around. */
static bool keeps_lines(const struct tflite_import *import)
{
	const struct tflite_tensor *input = &import->tensors[import->now->inputs[0]];
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	uint32_t in = input->rank - 2, out = output->rank - 2;

	if (input->rank < 3 || input->rank > 4 || output->rank < 3 || output->rank > 4)
		return false;
	return (input->rank == 3 || !input->blocks->is_line || input->dims[1] == 1) &&
	       (output->rank == 3 || !input->blocks->is_line || output->dims[1] == 1) &&
	       (input->blocks->is_line || input->rank == output->rank) &&
	       (input->dims[in] == output->dims[out] || (input->open | output->open) & 1u << in) &&
	       input->dims[in + 1] == output->dims[out + 1];
}

/* Finds what BATCH_TO_SPACE_ND behind a convolution crops, if nothing else reads what is between. */
static bool find_crops(struct tflite_import *import, const struct tflite_blocks *blocks,
		       int64_t crops[4])
{
	const struct tflite_operator *reader = find_reader(import, import->now);
	int64_t block[2];

	while (reader && passes_blocks(reader->op->name))
		reader = find_reader(import, reader);
	return reader && reader->op->code == BATCH_TO_SPACE_ND &&
	       read_blocks(import, reader, blocks->is_line, block, crops);
}

/* Convolves the image by steps. Rows that are cropped of the result are not padded. */
static int convolve(struct tflite_import *import, const struct tflite_blocks *blocks)
{
	struct tflite_operator *now = &import->operators[import->now - import->operators];
	struct tflite_fold *fold = tflite_alloc(import, 1, sizeof(*fold));
	struct tflite_blocks *result = tflite_alloc(import, 1, sizeof(*result));
	int64_t stride[2], dilation[2], crops[4];

	if (!fold || !result)
		return -ENOMEM;
	if (!read_window(now, stride, dilation) || stride[0] != 1 || stride[1] != 1 ||
	    dilation[0] != 1 || dilation[1] != 1)
		return fail_blocks(import);
	if (find_crops(import, blocks, crops)) {
		for (int i = 0; i < 4; i++)
			result->padding[i] = crops[i] < blocks->padding[i] ? crops[i] :
									     blocks->padding[i];
	}
	for (int i = 0; i < 4; i++)
		fold->padding[i] = blocks->padding[i] - result->padding[i];
	for (int i = 0; i < 2; i++)
		fold->dilation[i] = result->block[i] = blocks->block[i];
	result->is_line = blocks->is_line;
	result->is_result = true;
	fold->x = &blocks->image;
	fold->output = now->outputs[0];
	fold->blocks = result;
	now->fold = fold;
	return now->op->lower(import);
}

int tflite_finish_blocks(struct tflite_import *import, const struct nn_build_tensor *made)
{
	struct tflite_blocks *blocks = import->now->fold->blocks;

	blocks->image = *made;
	return define_blocks(import, blocks);
}

bool tflite_has_blocks(const struct tflite_import *import)
{
	for (uint32_t i = 0; i < import->now->input_count; i++) {
		if (tflite_has_input(import, i) && import->tensors[import->now->inputs[i]].blocks)
			return true;
	}
	return false;
}

/* Puts the pixels back: the result is an image already, but for what is cropped. */
static int put_back(struct tflite_import *import, const struct tflite_blocks *blocks)
{
	struct nn_build_tensor made = blocks->image;
	int64_t block[2], crops[4];
	int err = 0;

	if (!blocks->is_result || !read_blocks(import, import->now, blocks->is_line, block, crops) ||
	    block[0] != blocks->block[0] || block[1] != blocks->block[1])
		return fail_blocks(import);
	for (int i = 0; i < 2 && !err; i++) {
		int64_t begin = crops[i] - blocks->padding[i];
		int64_t left = made.dims[1 + i] - begin - (crops[2 + i] - blocks->padding[2 + i]);

		if (begin < 0 || left < 1 || left > made.dims[1 + i])
			return tflite_fail(import, -EINVAL, "it crops more than there is");
		err = nn_build_slice(&import->builder, &made, 1 + i, begin, left, &made);
	}
	if (!err && blocks->is_line) {
		const uint32_t dims[3] = { made.dims[0], made.dims[2], made.dims[3] };

		err = nn_build_reshape(&import->builder, &made, 3, dims, &made);
	}
	if (!err && import->tensors[import->now->outputs[0]].element != NN_ELEMENT_FLOAT)
		err = tflite_same_quant(import, 0, &made.quant);
	if (err)
		return err;
	err = tflite_define(import, 0, &made);
	import->tensors[import->now->outputs[0]].is_real =
		import->tensors[import->now->outputs[0]].element == NN_ELEMENT_FLOAT;
	return err;
}

int tflite_lower_blocks(struct tflite_import *import)
{
	struct tflite_blocks *blocks = NULL;

	if (tflite_has_input(import, 0))
		blocks = import->tensors[import->now->inputs[0]].blocks;
	if (!blocks)
		return fail_blocks(import);
	if (import->now->op->code == BATCH_TO_SPACE_ND)
		return put_back(import, blocks);
	if (passes_blocks(import->now->op->name) && keeps_lines(import))
		return define_blocks(import, blocks);
	return blocks->is_result || import->tensors[import->now->inputs[0]].rank != 4 ?
		       fail_blocks(import) :
		       convolve(import, blocks);
}

int tflite_lower_batch_to_space(struct tflite_import *import)
{
	return tflite_fail(import, -EOPNOTSUPP,
			   "it moves dimension 0, which is the batch; nnloop knows it behind a "
			   "convolution with SPACE_TO_BATCH_ND in front");
}
