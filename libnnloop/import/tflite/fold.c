// SPDX-License-Identifier: MIT
/*
 * Operators that a convolution does as well as itself, so that they take no nodes of their own: PAD
 * in front of it; and SPACE_TO_BATCH_ND in front with BATCH_TO_SPACE_ND behind it, which is how
 * converters write a dilated convolution, whose parts are convolved as items of a batch.
 *
 * The operator in front looks at those behind it, and leaves the convolution a note.
 */
#include <errno.h>
#include <inttypes.h>

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

/*
 * With blocks of r, item p of a convolution's batch is every r-th pixel from p on, so that the
 * convolution steps by r in the image, and each result is put back to where its window began.
 */
static bool fold_blocks(struct tflite_import *import, const struct nn_build_tensor *x)
{
	const struct tflite_operator *now = import->now;
	struct tflite_operator *conv = find_reader(import, now), *back;
	struct tflite_fold *fold = tflite_alloc(import, 1, sizeof(*fold));
	int64_t block[2], paddings[4], back_block[2], crops[4], stride[2], dilation[2];

	back = conv ? find_reader(import, conv) : NULL;
	if (!fold || !back || back->op->code != BATCH_TO_SPACE_ND || x->rank != 4 ||
	    !read_window(conv, stride, dilation) || !read_ints(import, now, 1, 2, block) ||
	    !read_ints(import, now, 2, 4, paddings) || !read_ints(import, back, 1, 2, back_block) ||
	    !read_ints(import, back, 2, 4, crops))
		return false;
	for (int i = 0; i < 2; i++) {
		int64_t size = x->dims[1 + i] + paddings[2 * i] + paddings[2 * i + 1];

		if (stride[i] != 1 || dilation[i] != 1 || block[i] < 1 ||
		    block[i] > NN_MAX_WINDOW || block[i] != back_block[i] || size % block[i])
			return false;
		/* Rows that are cropped of the result were not to be padded. */
		fold->dilation[i] = block[i];
		fold->padding[i] = paddings[2 * i] - crops[2 * i];
		fold->padding[2 + i] = paddings[2 * i + 1] - crops[2 * i + 1];
		if (fold->padding[i] < 0 || fold->padding[2 + i] < 0)
			return false;
	}
	fold->x = x;
	fold->output = back->outputs[0];
	conv->fold = fold;
	back->is_folded = true;
	return true;
}

int tflite_lower_space_to_batch(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_8bit_input(import, 0);

	if (!x)
		return tflite_failed(import);
	if (!fold_blocks(import, x))
		return tflite_fail(import, -EOPNOTSUPP,
				   "it moves pixels to dimension 0, which is the batch; nnloop knows it "
				   "around a convolution that it dilates, with BATCH_TO_SPACE_ND behind it");
	return tflite_same_quant(import, 0, &x->quant);
}

/* The convolution has made its output: as the file says that its own is quantized. */
int tflite_lower_batch_to_space(struct tflite_import *import)
{
	if (!import->now->is_folded)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it moves dimension 0, which is the batch; nnloop knows it behind a "
				   "convolution with SPACE_TO_BATCH_ND in front");
	return tflite_same_quant(import, 0, &import->tensors[import->now->outputs[0]].made->quant);
}
