// SPDX-License-Identifier: MIT
/*
 * ONNX's NonMaxSuppression, and the loop of what runs for each box that it finds.
 *
 * How many boxes there are only the run knows. The graph's operator says it of each image and class;
 * loops go over as many of its results, and what they collect are the model's indices. A loop over
 * these rows follows, some in each iteration: all that the model makes of them, such as boxes, pieces
 * of images and a second stage, is in it, and an output of the model is collected of it
 * (onnx_leave_found()).
 *
 * What is read there and is made for all boxes, such as the table that a Gather takes from, is one row
 * for all rows of the loop.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MOST_BOXES 65536 /* of an image and a class: as many as the graph's operator gives */
#define MOST_FOUND (1u << 21) /* of all: there is room for so many rows */
#define BOXES_AT_ONCE 8 /* that an iteration of the loop behind has */

enum { BOXES, SCORES, MAX_OUTPUT, IOU_THRESHOLD, SCORE_THRESHOLD };
enum { MADE_INDICES, MADE_SCORES, MADE_COUNT, MADE };
#define IMAGE_AND_CLASS 2 /* numbers of a found box, beside its index */

bool onnx_finds_boxes(const Onnx__NodeProto *node)
{
	return (!node->domain || !*node->domain || !strcmp(node->domain, "ai.onnx")) &&
	       !strcmp(node->op_type, "NonMaxSuppression");
}

/* Reads boxes or scores: quantized to 8 bits or, in a model that computes in float, of float32. */
static int read_values(struct onnx_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, i);
	int err = 0;

	if (import->floats && value->kind == ONNX_PENDING) {
		err = onnx_float_tensor(import, i, out);
	} else {
		if (!(value->kind == ONNX_REAL && value->tensor.quant.type == NN_FLOAT32))
			value = onnx_real_input(import, i);
		if (!value)
			return onnx_failed(import);
		*out = value->tensor;
	}
	if (err)
		return err;
	if (out->rank != 3)
		return onnx_fail(import, -EINVAL, "its input %" PRIu32 " has %" PRIu32
				 " dimensions, not 3", i, out->rank);
	if (nn_is_rows(out->dims[0]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32 " has as many rows as a loop finds", i);
	if (out->quant.type == NN_FLOAT32)
		return 0;
	if (!nn_type_is_8bit(out->quant.type) || out->quant.scales)
		return import->floats ?
			       onnx_make_float(import, value, out) :
			       onnx_fail_float(import, "its input %" PRIu32 " is of %s, or has several "
					       "scales", i, nn_data_type_name(out->quant.type));
	return 0;
}

/* Reads a number; one that is absent is `otherwise`. */
static int read_threshold(struct onnx_import *import, uint32_t i, float otherwise,
			  const char *name, struct nn_attr *attr)
{
	const struct onnx_value *value = onnx_input(import, i);

	*attr = (struct nn_attr){ .name = name, .type = NN_ATTR_FLOAT, .f = otherwise };
	if (value->kind == ONNX_ABSENT)
		return 0;
	if (value->kind != ONNX_CONST || !nn_const_is_one(&value->constant, NN_ELEMENT_FLOAT))
		return onnx_fail(import, -EOPNOTSUPP, "its %s is no constant of one float", name);
	attr->f = nn_const_float(&value->constant, 0);
	return 0;
}

/* How many boxes of a class there may be: no more than there are. */
static int read_most(struct onnx_import *import, uint32_t boxes, struct nn_attr *attr)
{
	const struct onnx_value *value = onnx_input(import, MAX_OUTPUT);
	int64_t most = 0;

	if (value->kind != ONNX_ABSENT) {
		if (value->kind != ONNX_CONST ||
		    !nn_const_is_one(&value->constant, NN_ELEMENT_INT64))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its max_output_boxes_per_class is no constant of one int64");
		most = nn_const_int(&value->constant, 0);
	}
	if (most < 1)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its max_output_boxes_per_class is absent or below 1, so that it "
				 "finds nothing");
	*attr = (struct nn_attr){ .name = "max_output_size", .type = NN_ATTR_INT,
				  .i = most < boxes ? most : boxes };
	if (attr->i > MOST_BOXES)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it may find %" PRId64 " boxes of a class, and nnloop knows up to %d"
				 "\nexport the model with a max_output_boxes_per_class of %d or less",
				 attr->i, MOST_BOXES, MOST_BOXES);
	return 0;
}

static int check_shapes(struct onnx_import *import, const struct nn_build_tensor *boxes,
			const struct nn_build_tensor *scores)
{
	const uint32_t images = boxes->dims[0], classes = scores->dims[1];

	if (boxes->dims[2] != 4 || scores->dims[0] != images || scores->dims[2] != boxes->dims[1])
		return onnx_fail(import, -EINVAL,
				 "its boxes and scores are [%" PRIu32 ", %" PRIu32 ", %" PRIu32
				 "] and [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", images,
				 boxes->dims[1], boxes->dims[2], scores->dims[0], classes,
				 scores->dims[2]);
	return 0;
}

/* The graph's operator, of each class of each image: indices, how many there are. */
static int build_suppression(struct onnx_import *import, struct nn_build_tensor made[MADE])
{
	struct nn_build_tensor inputs[2];
	uint32_t dims[2];
	struct nn_attr attrs[5] = {
		[3] = { .name = "form", .type = NN_ATTR_STRING, .string = "onnx" },
		[4] = { .name = "centers", .type = NN_ATTR_INT,
			.i = onnx_attr_int(import->node, "center_point_box", 0) },
	};
	int err = read_values(import, BOXES, &inputs[BOXES]);

	if (!err)
		err = read_values(import, SCORES, &inputs[SCORES]);
	if (!err)
		err = check_shapes(import, &inputs[BOXES], &inputs[SCORES]);
	if (!err)
		err = read_most(import, inputs[BOXES].dims[1], &attrs[0]);
	if (!err)
		err = read_threshold(import, IOU_THRESHOLD, 0, "iou_threshold", &attrs[1]);
	if (!err)
		err = read_threshold(import, SCORE_THRESHOLD, -FLT_MAX, "score_threshold",
				     &attrs[2]);
	if (err)
		return err;
	dims[0] = inputs[SCORES].dims[0] * inputs[SCORES].dims[1];
	dims[1] = inputs[SCORES].dims[2];
	err = nn_build_layout(&import->builder, &inputs[BOXES], NN_LAYOUT_PLAIN, &inputs[BOXES]);
	if (!err)
		err = nn_build_whole_reshape(&import->builder, &inputs[SCORES], 2, dims,
					     &inputs[SCORES]);
	for (uint32_t i = 0; i < MADE && !err; i++)
		made[i] = (struct nn_build_tensor){
			.rank = i == MADE_COUNT ? 1 : 2,
			.dims = { dims[0], i == MADE_COUNT ? 0 : attrs[0].i },
			.quant = { .type = i == MADE_SCORES ? NN_FLOAT32 : NN_INT32 },
		};
	return err ? err : nn_build_outputs(&import->builder, "NonMaxSuppression", inputs, 2, attrs,
					    sizeof(attrs) / sizeof(*attrs), made, MADE);
}

/* The results for a class of an image: indices, how many count, and the number of the image and of the class. */
struct row {
	struct nn_build_tensor indices, count, owner;
};

/* The numbers of images and classes, [rows, 1, 2]; of a single one without the first dimension. */
static int build_owners(struct onnx_import *import, uint32_t images, uint32_t rows,
			struct nn_build_tensor *out)
{
	const bool is_single = rows == 1;
	struct owner {
		int32_t image, class;
	} *numbers = onnx_alloc(import, rows, sizeof(*numbers));

	*out = (struct nn_build_tensor){ .rank = 3 - is_single, .dims = { rows, 1 },
					 .quant.type = NN_INT32 };
	out->dims[out->rank - 1] = IMAGE_AND_CLASS;
	if (!numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows; i++)
		numbers[i] = (struct owner){ i / (rows / images), i % (rows / images) };
	return nn_build_fixed_const(&import->builder, out, numbers);
}

/* A loop over the classes of all images, if there are several: *out is what an iteration has. */
static int go_over_rows(struct onnx_import *import, uint32_t images,
			const struct nn_build_tensor made[MADE], struct row *out)
{
	const uint32_t rows = made[MADE_INDICES].dims[0], most = made[MADE_INDICES].dims[1];
	const uint32_t lists[3] = { rows, most, 1 }, counts[2] = { rows, 1 };
	const struct nn_attr attrs[] = {
		{ .name = "total", .type = NN_ATTR_INT, .i = rows },
		{ .name = "current", .type = NN_ATTR_INT, .i = 1 },
		{ .name = "squeeze", .type = NN_ATTR_INT, .i = 1 },
	};
	struct nn_build_tensor inputs[3], outputs[3];
	int err = build_owners(import, images, rows, &out->owner);

	if (err || rows == 1) {
		out->count = made[MADE_COUNT];
		return err ? err : nn_build_whole_reshape(&import->builder, &made[MADE_INDICES], 2,
							  lists + 1, &out->indices);
	}
	inputs[2] = out->owner;
	err = nn_build_whole_reshape(&import->builder, &made[MADE_INDICES], 3, lists, &inputs[0]);
	if (!err)
		err = nn_build_whole_reshape(&import->builder, &made[MADE_COUNT], 2, counts,
					     &inputs[1]);
	for (int i = 0; i < 3 && !err; i++) {
		outputs[i] = inputs[i];
		outputs[i].rank--;
		memmove(outputs[i].dims, inputs[i].dims + 1, outputs[i].rank * sizeof(*inputs->dims));
	}
	if (!err)
		err = nn_build_outputs(&import->builder, "CountLoop", inputs, 3, attrs, 3, outputs,
				       3);
	*out = (struct row){ outputs[0], outputs[1], outputs[2] };
	return err;
}

/* A loop over the indices, as many as count. Of the owner's only row it hands out that each time. */
static int count_rows(struct onnx_import *import, const struct row *row,
		      struct nn_build_tensor *found)
{
	const struct nn_attr attrs[] = {
		{ .name = "counted", .type = NN_ATTR_INT, .i = 1 },
		{ .name = "current", .type = NN_ATTR_INT, .i = 1 },
		{ .name = "most", .type = NN_ATTR_INT, .i = row->indices.dims[0] },
	};
	const struct nn_build_tensor inputs[3] = { row->count, row->owner, row->indices };
	struct nn_build_tensor parts[2] = { row->owner, row->indices };
	int err;

	parts[0].dims[0] = parts[1].dims[0] = NN_ROWS;
	err = nn_build_outputs(&import->builder, "CountLoop", inputs, 3, attrs, 3, parts, 2);
	return err ? err : nn_build_concat(&import->builder, parts, 2, 1, found);
}

static int build_collect(struct onnx_import *import, struct nn_build_tensor *value)
{
	const struct nn_build_tensor like = *value;
	struct nn_build_tensor plain;
	int err = nn_build_layout(&import->builder, &like, NN_LAYOUT_PLAIN, &plain);

	if (!err)
		err = nn_build_node(&import->builder, "Collect", &plain, 1, NULL, 0, &plain.quant,
				    value);
	value->rank = like.rank;
	memcpy(value->dims, like.dims, sizeof(like.dims));
	return err;
}

/* All that were found, as rows of int32. */
static int build_found(struct onnx_import *import, uint32_t images,
		       const struct nn_build_tensor made[MADE], struct nn_build_tensor *found)
{
	const uint32_t rows = made[MADE_INDICES].dims[0], most = made[MADE_INDICES].dims[1];
	struct row row;
	int err;

	if ((uint64_t)rows * most > MOST_FOUND)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it may find %" PRIu32 " boxes of each of %" PRIu32 " images or classes, "
				 "and nnloop knows %u in all\nexport the model with a smaller "
				 "max_output_boxes_per_class", most, rows, MOST_FOUND);
	err = go_over_rows(import, images, made, &row);
	if (!err)
		err = count_rows(import, &row, found);
	for (int i = 0; i < 1 + (rows > 1) && !err; i++)
		err = build_collect(import, found);
	return err;
}

/* The loop over them, of which what it hands out is the model's: int64. */
static int begin_loop(struct onnx_import *import, const struct nn_build_tensor *found)
{
	const struct nn_attr step = { .name = "step", .type = NN_ATTR_INT, .i = BOXES_AT_ONCE };
	const struct nn_quant wide = { .type = NN_INT64 };
	struct onnx_value value = { .kind = ONNX_STORED };
	struct nn_build_tensor rows = *found;
	int err = nn_build_outputs(&import->builder, "BatchLoop", found, 1, &step, 1, &rows, 1);

	if (!err)
		err = nn_build_unary(&import->builder, "Cast", &rows, NULL, 0, &wide,
				     &value.tensor);
	if (!err)
		err = onnx_define(import, 0, &value);
	return err ? err : onnx_begin_found(import);
}

int onnx_lower_non_max_suppression(struct onnx_import *import)
{
	struct nn_build_tensor made[MADE], found;
	int err;

	if (!import->controlled)
		return onnx_fail(import, -EOPNOTSUPP,
				 "nnloop has it in a model of fixed shapes, and an If of this one "
				 "depends on the number of rows" ONNX_FIX_SHAPES);
	if (import->control)
		return onnx_fail(import, -EOPNOTSUPP, "it is in the body of a Loop, Scan or If");
	err = build_suppression(import, made);
	if (!err)
		err = build_found(import, onnx_input(import, BOXES)->tensor.dims[0], made, &found);
	return err ? err : begin_loop(import, &found);
}

int onnx_leave_found(struct onnx_import *import, const struct onnx_value *value,
		     struct nn_build_tensor *tensor)
{
	const char *result = import->builder.result;
	int err;

	if (!value->cut || !value->cut->is_of_found || !nn_is_rows(tensor->dims[0]))
		return 0;
	import->builder.result = value->tensor.name;
	err = build_collect(import, tensor);
	import->builder.result = result;
	return err;
}
