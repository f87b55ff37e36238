// SPDX-License-Identifier: MIT
/*
 * Windows over images (window.h): their attributes, padding, and the size of the output.
 */
#include "window.h"

#include <errno.h>
#include <string.h>

#include "check.h"

int nn_node_get_pair(struct nn_node *node, const char *name, uint32_t otherwise, uint32_t most,
		     uint32_t *h, uint32_t *w)
{
	int64_t values[2] = { otherwise, otherwise };

	nn_node_get_ints(node, name, 2, values);
	if (values[0] < 1 || values[0] > most || values[1] < 1 || values[1] > most)
		return nn_node_fail(node, -EINVAL, "%s must be 1 to %u in both directions", name,
				    most);
	*h = values[0];
	*w = values[1];
	return 0;
}

uint32_t nn_node_most_window(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_FLOAT32 ? NN_MAX_FLOAT_WINDOW : 255;
}

uint64_t nn_window_count(uint64_t size, uint64_t padding, uint64_t extent, uint64_t stride)
{
	return size + padding < extent ? 0 : (size + padding - extent) / stride + 1;
}

uint64_t nn_window_same_padding(uint64_t size, uint64_t extent, uint64_t stride)
{
	uint64_t windows = size / stride + (size % stride != 0);
	uint64_t needed = windows ? (windows - 1) * stride + extent : 0;

	return needed > size ? needed - size : 0;
}

/* TensorFlow's rule: the odd one at the end. */
static void pad_same(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t *before,
		     uint32_t *after)
{
	uint32_t padding = nn_window_same_padding(size, kernel, stride);

	*before = padding / 2;
	*after = padding - *before;
}

int nn_node_place_window(struct nn_node *node, struct nn_window_params *window, uint32_t *out_h,
			 uint32_t *out_w)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info;
	const struct nn_attr *padding = nn_node_get_attr(node, "padding");
	uint32_t kernel_h, kernel_w, bottom = 0, right = 0, most;
	int64_t pads[4] = { 0 };
	char text[NN_SHAPE_TEXT];
	int error;

	most = nn_node_most_window(node);
	error = nn_node_get_pair(node, "stride", 1, most, &window->stride_h, &window->stride_w);
	if (error)
		return error;
	error = nn_node_get_pair(node, "dilation", 1, 255, &window->dilation_h,
				 &window->dilation_w);
	if (error)
		return error;
	kernel_h = (window->kernel_h - 1) * window->dilation_h + 1;
	kernel_w = (window->kernel_w - 1) * window->dilation_w + 1;

	if (padding && padding->type == NN_ATTR_STRING) {
		if (!strcmp(padding->string, "same")) {
			pad_same(image->dims[1], kernel_h, window->stride_h, &window->pad_top,
				 &bottom);
			pad_same(image->dims[2], kernel_w, window->stride_w, &window->pad_left,
				 &right);
		} else if (strcmp(padding->string, "valid")) {
			return nn_node_fail(node, -EINVAL,
					    "padding is \"same\", \"valid\" or four numbers");
		}
	} else if (padding) {
		nn_node_get_ints(node, "padding", 4, pads);
		if (pads[0] < 0 || pads[0] >= kernel_h || pads[2] < 0 || pads[2] >= kernel_h ||
		    pads[1] < 0 || pads[1] >= kernel_w || pads[3] < 0 || pads[3] >= kernel_w)
			return nn_node_fail(
				node, -EINVAL,
				"padding must be at least 0 and smaller than the kernel");
		window->pad_top = pads[0];
		window->pad_left = pads[1];
		bottom = pads[2];
		right = pads[3];
	}

	*out_h = nn_window_count(image->dims[1], window->pad_top + bottom, kernel_h,
				 window->stride_h);
	*out_w = nn_window_count(image->dims[2], window->pad_left + right, kernel_w,
				 window->stride_w);
	if (!*out_h || !*out_w)
		return nn_node_fail(node, -EINVAL, "a kernel of %ux%u does not fit an image of %s",
				    kernel_h, kernel_w,
				    nn_info_format_shape(image, text, sizeof(text)));
	return 0;
}

int nn_node_need_any_image(struct nn_node *node)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info;
	char text[NN_SHAPE_TEXT];

	if (image->rank != 4)
		return nn_node_fail(node, -EINVAL, "needs images of rank 4 (NHWC), not %s",
				    nn_info_format_shape(image, text, sizeof(text)));
	return 0;
}

int nn_node_need_image(struct nn_node *node)
{
	int error = nn_node_need_any_image(node);

	return error ? error : nn_node_need_bytes(node, &node->inputs[0]->info, "input");
}

/* The most of scratch memory's 256 KB that dsp/hvx/common/strips.c takes for a strip. */
#define STRIP_BYTES	(192u << 10)

bool nn_window_can_move(const struct nn_node *node)
{
	return nn_info_row_bytes(&node->inputs[0]->info) +
		       nn_info_row_bytes(&node->outputs[0].info) <= STRIP_BYTES;
}
