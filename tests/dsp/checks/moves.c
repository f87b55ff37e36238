// SPDX-License-Identifier: MIT
/*
 * Checks of operators that move elements or look them up (check-test.h).
 */
#include "../check-test.h"

#define ROI_ALIGN	{ .spatial_scale = 1, .scale_input = 1, .scale_boxes = 1, .scale_output = 1 }

static const struct right_call calls[] = {
	{ "table", { .opcode = NN_OPCODE_TABLE },
	  { INT8(2, 5, 3), PACKED(NN_TYPE_UINT8, 256), [OUTPUT] = INT8(2, 5, 3) },
	  "in0.type=2 out.type=2" },
	{ "transpose", { .opcode = NN_OPCODE_TRANSPOSE, .transpose = { { 0, 3, 1, 2 } } },
	  { INT8(2, 3, 4, 5), [OUTPUT] = INT8(2, 5, 3, 4) },
	  "" },
	{ "fill", { .opcode = NN_OPCODE_FILL, .fill = { 255 } },
	  { [OUTPUT] = INT8(2, 3, 4) },
	  "out.type=2 out.type=3 out.type=4 out.type=5 out.type=6 out.type=7 out.type=9 out.dim0 out.dim1 out.dim2 out.rank out.level" },
	{ "table_int16", { .opcode = NN_OPCODE_TABLE_INT16 },
	  { INT16(2, 5, 3), PACKED(NN_TYPE_INT16, 65536), [OUTPUT] = INT8(2, 5, 3) },
	  "in0.type=4 out.type=2 out.type=3 out.type=4" },
	{ "table_int16 of bytes", { .opcode = NN_OPCODE_TABLE_INT16 },
	  { INT8(2, 5, 3), PACKED(NN_TYPE_INT16, 256), [OUTPUT] = INT16(2, 5, 3) },
	  "in0.type=2 out.type=1 out.type=2" },
	{ "fill of 16 bits", { .opcode = NN_OPCODE_FILL, .fill = { 65535 } },
	  { [OUTPUT] = INT16(2, 3, 4) },
	  "out.type=4 out.type=5 out.type=6 out.type=9 out.dim0 out.dim1 out.dim2 out.rank out.level" },
	{ "copy", { .opcode = NN_OPCODE_COPY, .copy = { 3, 2, 5, 4, 5, 4 } },
	  { INT8(2, 15), [OUTPUT] = INT8(2, 15) },
	  "in0.type=2 in0.type=3 in0.type=4 in0.type=5 in0.type=6 in0.type=7 in0.type=8 in0.type=9 in0.type=10 in0.dim1 in0.rank "
	  "out.type=2 out.type=3 out.type=4 out.type=5 out.type=6 out.type=7 out.type=8 out.type=9 out.type=10 out.dim1 out.rank" },
	/* A row of 2^32 bytes. */
	{ "copy in long rows", { .opcode = NN_OPCODE_COPY, .copy = { 1, 1, 0, 0, 0, 0 } },
	  { ROWS(1, 1, 65536, 65536), [OUTPUT] = ROWS(1, 1, 65536, 65536) },
	  "in0.type=2 in0.type=3 in0.type=4 in0.type=5 in0.type=6 in0.type=7 in0.type=8 in0.type=9 in0.type=10 in0.dim0 in0.dim1 in0.dim2 in0.rank "
	  "out.type=2 out.type=3 out.type=4 out.type=5 out.type=6 out.type=7 out.type=8 out.type=9 out.type=10 out.dim0 out.dim1 out.dim2 out.rank" },
	/* Counts, offsets of input and output, strides of these. */
	{ "move", { .opcode = NN_OPCODE_MOVE,
	  .move = { { 1, 1, 1, 1, 2, 3 }, 3, 4, { 0, 0, 0, 0, 8, -1 }, { 0, 0, 0, 0, 5, 2 } } },
	  { INT8(2, 15), [OUTPUT] = INT8(2, 15) }, "in0.dim1 out.dim1 in0.rank out.rank" },
	{ "move to the end of a long row", { .opcode = NN_OPCODE_MOVE,
	    .move = { { 1, 1, 1, 1, 1, 65536 }, 0, 0, { [5] = 65537 }, { [5] = 65537 } } },
	  { ROWS(1, 1, 65536, 65536), [OUTPUT] = ROWS(1, 1, 65536, 65536) },
	  "in0.dim0 in0.dim1 in0.dim2 in0.rank out.dim0 out.dim1 out.dim2 out.rank" },
	{ "move from the end of a long row", { .opcode = NN_OPCODE_MOVE,
	    .move = { { 1, 1, 1, 1, 1, 65536 }, UINT32_MAX, UINT32_MAX, { [5] = -65537 }, { [5] = -65537 } } },
	  { ROWS(1, 1, 65536, 65536), [OUTPUT] = ROWS(1, 1, 65536, 65536) },
	  "in0.dim0 in0.dim1 in0.dim2 in0.rank out.dim0 out.dim1 out.dim2 out.rank" },
	{ "rotate_rows", { .opcode = NN_OPCODE_ROTATE_ROWS },
	  { ROWS(1, 4, 3), [OUTPUT] = ROWS(2, 8, 3) },
	  "in0.dim0 in0.rank out.dim0 out.rank out.level" },
	{ "row_numbers", { .opcode = NN_OPCODE_ROW_NUMBERS },
	  { ROWS(1, 4, 3), [OUTPUT] = { NN_TYPE_INT32, 2, false, { 8 } } },
	  "in0.type=2 in0.type=3 in0.type=4 in0.type=5 in0.type=6 in0.type=7 in0.type=8 in0.type=9 in0.type=10 "
	  "in0.dim0 in0.dim1 in0.rank out.dim0 out.level" },
	{ "piece", { .opcode = NN_OPCODE_PIECE, .piece = { 4, 12, 6, 3, 0 } },
	  { ROWS(1, 4, 4, 12), [OUTPUT] = ROWS(2, 8, 4, 6) },
	  "in0.dim0 in0.rank out.dim0 out.rank out.level" },
	{ "piece of rows", { .opcode = NN_OPCODE_PIECE, .piece = { 0, 0, 6, 3, 0 } },
	  { ROWS(1, 4, 12), [OUTPUT] = ROWS(2, 8, 12) },
	  "in0.dim0 in0.rank out.dim0 out.rank out.level" },
	{ "piece into", { .opcode = NN_OPCODE_PIECE, .piece = { 4, 12, 6, 3, 1 } },
	  { ROWS(1, 4, 4, 6), [OUTPUT] = ROWS(1, 8, 4, 12) },
	  "in0.dim0 in0.rank out.dim0 out.rank" },
	{ "spread", { .opcode = NN_OPCODE_SPREAD, .spread = { 2, 2, -1, 3 } },
	  { INT8(2, 5, 5, 4), [OUTPUT] = INT8(2, 7, 8, 4) },
	  "in0.dim1 in0.dim2 out.dim1 out.dim2" },
	{ "crop_resize", { .opcode = NN_OPCODE_CROP_RESIZE },
	  { INT8(2, 6, 7, 3), INT32(5, 4), INT32(5), [OUTPUT] = INT8(5, 2, 2, 3) },
	  "in0.dim0 in0.dim1 in0.dim2 in0.level out.dim1 out.dim2 in1.rank in2.rank" },
	{ "roi_align", { .opcode = NN_OPCODE_ROI_ALIGN, .out_max = 127, .roi_align = ROI_ALIGN },
	  { INT8(2, 4, 6, 7, 3), INT8(2, 5, 4), INT32(2, 5), [OUTPUT] = INT8(2, 5, 2, 2, 3) },
	  "in0.type=2 in0.dim1 in0.dim2 in0.dim3 in1.type=2 in2.type=8 out.type=2 out.dim2 out.dim3" },
	{ "roi_align of constants", { .opcode = NN_OPCODE_ROI_ALIGN, .out_max = 127, .roi_align = ROI_ALIGN },
	  { ROWS(1, 2, 4, 6, 7, 3), { NN_TYPE_FLOAT32, 0, true, { 1, 5, 4 } }, { NN_TYPE_INT64, 0, false, { 1, 5 } },
	    [OUTPUT] = ROWS(1, 2, 5, 2, 2, 3) },
	  "in0.type=2 in0.dim0 in0.dim1 in0.dim2 in0.dim3 in1.type=1 in1.type=2 in2.type=5 out.type=2 out.dim0 out.dim2 out.dim3 "
	  "in2.level" },
	{ "resize", { .opcode = NN_OPCODE_RESIZE },
	  { INT8(2, 5, 6, 3), PACKED(NN_TYPE_INT32, 4), PACKED(NN_TYPE_INT32, 7), [OUTPUT] = INT8(2, 4, 7, 3) },
	  "in0.dim1 in0.dim2" },
	{ "resize_linear", { .opcode = NN_OPCODE_RESIZE_LINEAR, .out_max = 127, .resize_linear = { 1, 1 } },
	  { INT8(2, 5, 6, 3), BIAS(4), BIAS(7), SCALE(8), SCALE(14), [OUTPUT] = INT8(2, 4, 7, 3) },
	  "in0.type=2 in0.type=3 in0.dim1 in0.dim2 out.type=2 out.type=3" },
	{ "resize_linear of stored integers", { .opcode = NN_OPCODE_RESIZE_LINEAR, .out_max = 127 },
	  { INT8(2, 5, 6, 3), BIAS(4), BIAS(7), SCALE(8), SCALE(14), [OUTPUT] = INT8(2, 4, 7, 3) },
	  "in0.dim1 in0.dim2" },
	{ "resize_linear in whole numbers", { .opcode = NN_OPCODE_RESIZE_LINEAR, .out_max = 127 },
	  { INT8(2, 5, 6, 3), BIAS(4), BIAS(7), BIAS(4), BIAS(7), [OUTPUT] = INT8(2, 4, 7, 3) },
	  "in0.dim1 in0.dim2" },
	{ "select", { .opcode = NN_OPCODE_SELECT },
	  { BOOL(2, 3), INT8(1, 3), INT8(2, 1), [OUTPUT] = INT8(2, 3) },
	  "in1.dim0" },
	{ "convert", { .opcode = NN_OPCODE_CONVERT },
	  { INT8(2, 3), [OUTPUT] = INT32(2, 3) },
	  "in0.type=2 in0.type=3 in0.type=4 in0.type=5 in0.type=7 in0.type=8 in0.type=9 in0.type=10 out.type=1 out.type=2 out.type=3 out.type=4 "
	  "out.type=7 out.type=8 out.type=9 out.type=10" },
	{ "take", { .opcode = NN_OPCODE_TAKE, .take = { 2, { 3, 4, 1, 1, 1, 1, 1 }, 2, 1, 5 } },
	  { INT8(2, 2, 3, 4, 5), INT32(2, 2, 6, 2), [OUTPUT] = INT8(2, 2, 6, 5) },
	  "in0.rank in1.rank in1.type=8 out.rank" },
	{ "proposal", { .opcode = NN_OPCODE_PROPOSAL, .proposal = { 8, 8, 96, 96, 128, 6, 100, 16, 50, 9, 128 } },
	  { { NN_TYPE_UINT8, 1, false, { 2, 3, 4, 2 } }, { NN_TYPE_UINT8, 1, false, { 2, 3, 4, 8 } }, PACKED(NN_TYPE_INT32, 4),
	    [OUTPUT] = INT32(1), INT32(18, 4), { NN_TYPE_UINT8, 0, false, { 18 } }, INT32(18) },
	  "in0.dim0 in1.dim0 in2.packed in2.rank" },
	{ "non_max_suppression", { .opcode = NN_OPCODE_NON_MAX_SUPPRESSION, .non_max_suppression = { 0.5f, 0.25f, -1, 1, 0.125f, 0 } },
	  { { NN_TYPE_UINT8, 1, false, { 2, 9, 4 } }, { NN_TYPE_INT8, 1, false, { 2, 9 } },
	    [OUTPUT] = { NN_TYPE_INT32, 1, false, { 2, 5 } }, { NN_TYPE_FLOAT32, 1, false, { 2, 5 } },
	    { NN_TYPE_INT32, 1, false, { 2 } }, INT32(3, 9) },
	  "in0.dim0 in1.dim0 in0.type=1 in0.type=6 in1.type=2 in1.type=6 out.dim0 out1.dim0 out2.dim0" },
	{ "take of one row", { .opcode = NN_OPCODE_TAKE, .take = { 1, { 3, 1, 1, 1, 1, 1, 1 }, 1, 0, 5 } },
	  { INT8(1, 3, 5), { NN_TYPE_INT64, 1, false, { 2, 4 } }, [OUTPUT] = ROWS(1, 2, 4, 5) },
	  "in0.level in1.type=5 in1.dim0 out.dim0 in0.rank in1.rank out.rank" },
	{ "scatter", { .opcode = NN_OPCODE_SCATTER, .scatter = { { 2, { 3, 4, 1, 1, 1, 1, 1 }, 2, 1, 5 }, NN_SCATTER_ADD } },
	  { INT8(2, 2, 3, 4, 5), INT32(2, 2, 6, 2), INT8(2, 2, 6, 5), [OUTPUT] = INT8(2, 2, 3, 4, 5) },
	  "in0.rank in1.rank in1.type=8 in2.rank out.rank" },
	{ "scatter to one row", { .opcode = NN_OPCODE_SCATTER, .scatter = { { 1, { 3, 1, 1, 1, 1, 1, 1 }, 1, 0, 5 }, NN_SCATTER_PUT } },
	  { INT8(1, 3, 5), { NN_TYPE_INT64, 1, false, { 2, 4 } }, ROWS(1, 2, 4, 5), [OUTPUT] = ROWS(1, 2, 3, 5) },
	  "in0.level in1.type=5 in1.dim0 in2.dim0 out.dim0 in0.rank in1.rank in2.rank out.rank" },
};

/* Rows of 15 bytes: three blocks of two that begin four apart, up to the end. */
static const struct parameter copies[] = {
	{ PLACE(copy.count), 0, false },      { PLACE(copy.count), 1, true },
	{ PLACE(copy.count), 4, false },      { PLACE(copy.block), 0, false },
	{ PLACE(copy.block), 1, true },	      { PLACE(copy.block), 3, false },
	{ PLACE(copy.src_offset), 6, false }, { PLACE(copy.dst_offset), 6, false },
	{ PLACE(copy.src_offset), 0, true },  { PLACE(copy.dst_offset), 0, true },
	{ PLACE(copy.src_stride), 5, false }, { PLACE(copy.dst_stride), 5, false },
	{ PLACE(copy.src_stride), 0, true },  { PLACE(copy.dst_stride), 1, false },
	{ PLACE(copy.dst_stride), 2, true },
};

/* Rows of 15 elements: 2 x 3 of them, from 3 + 8i - j to 4 + 5i + 2j. */
static const struct parameter moves[] = {
	{ PLACE(move.count[0]), 0, false },	  { PLACE(move.count[0]), 2, true },
	{ PLACE(move.count[0]), 3, false },	  { PLACE(move.count[0]), -1, false },
	{ PLACE(move.count[4]), 3, false },	  { PLACE(move.count[5]), 4, false },
	{ PLACE(move.count[5]), 1, true },	  { PLACE(move.src_offset), 1, false },
	{ PLACE(move.src_offset), 2, true },	  { PLACE(move.src_offset), 6, true },
	{ PLACE(move.src_offset), 7, false },	  { PLACE(move.src_offset), -1, false },
	{ PLACE(move.dst_offset), 0, true },	  { PLACE(move.dst_offset), 5, true },
	{ PLACE(move.dst_offset), 6, false },	  { PLACE(move.src_stride[4]), 11, true },
	{ PLACE(move.src_stride[4]), 12, false }, { PLACE(move.src_stride[4]), -1, true },
	{ PLACE(move.src_stride[4]), -2, false }, { PLACE(move.src_stride[4]), INT32_MIN, false },
	{ PLACE(move.src_stride[5]), 1, true },	  { PLACE(move.src_stride[5]), 2, false },
	{ PLACE(move.dst_stride[4]), 6, true },	  { PLACE(move.dst_stride[4]), 7, false },
	{ PLACE(move.dst_stride[4]), -4, true },  { PLACE(move.dst_stride[4]), -5, false },
	{ PLACE(move.dst_stride[5]), 0, true },	  { PLACE(move.dst_stride[5]), INT32_MAX, false },
	{ PLACE(move.src_stride[0]), INT32_MAX, true },
};

static const struct parameter fills[] = {
	{ PLACE(fill.value), 0, true }, { PLACE(fill.value), 256, false }, { PLACE(fill.value), -1, false },
};

static const struct parameter wide_fills[] = {
	{ PLACE(fill.value), 0, true }, { PLACE(fill.value), 65536, false }, { PLACE(fill.value), -1, false },
};

/* The last byte, and one behind it. */
static const struct parameter long_copies[] = {
	{ PLACE(copy.src_offset), -1, true }, { PLACE(copy.dst_offset), -1, true },
	{ PLACE(copy.count), 2, false },
};

static const struct parameter permutations[] = {
	{ PLACE(transpose.permutation[0]), 1, false }, { PLACE(transpose.permutation[1]), 0, false },
	{ PLACE(transpose.permutation[1]), 1, false }, { PLACE(transpose.permutation[1]), 4, false },
	{ PLACE(transpose.permutation[2]), 2, false }, { PLACE(transpose.permutation[3]), 3, false },
};

static const struct parameter spreads[] = {
	{ PLACE(spread.stride_h), 0, false },	    { PLACE(spread.stride_w), 0, false },
	{ PLACE(spread.stride_h), 255, true },	    { PLACE(spread.stride_w), 255, true },
	{ PLACE(spread.stride_h), 256, false },	    { PLACE(spread.stride_w), 256, false },
	{ PLACE(spread.pad_top), 1 << 30, false },  { PLACE(spread.pad_left), 1 << 30, false },
	{ PLACE(spread.pad_top), -(1 << 30), false }, { PLACE(spread.pad_left), -(1 << 30), false },
	{ PLACE(spread.pad_top), -100, true },	    { PLACE(spread.pad_left), 100, true },
};

/* Stretches, a stretch, a piece of it, the step, and which way. */
static const struct parameter pieces[] = {
	{ PLACE(piece.count), 3, false }, { PLACE(piece.count), 0, false }, { PLACE(piece.count), -1, false },
	{ PLACE(piece.whole), 11, false }, { PLACE(piece.whole), 0, false }, { PLACE(piece.whole), -1, false },
	{ PLACE(piece.piece), 5, false }, { PLACE(piece.piece), 0, false }, { PLACE(piece.piece), -1, false },
	{ PLACE(piece.step), 0, false }, { PLACE(piece.step), 1, true }, { PLACE(piece.step), -1, true },
	{ PLACE(piece.into), 1, false }, { PLACE(piece.into), 2, false },
};

static const struct parameter pieces_of_rows[] = {
	{ PLACE(piece.count), 1, false }, { PLACE(piece.whole), 1, false }, { PLACE(piece.piece), 0, false },
	{ PLACE(piece.piece), 1, true }, { PLACE(piece.piece), -1, true }, { PLACE(piece.step), 0, false },
	{ PLACE(piece.step), -1, true }, { PLACE(piece.into), 1, false },
};

static const struct parameter pieces_into[] = {
	{ PLACE(piece.count), 2, false }, { PLACE(piece.whole), 13, false }, { PLACE(piece.piece), 7, false },
	{ PLACE(piece.step), 0, false }, { PLACE(piece.step), -1, true }, { PLACE(piece.into), 0, false },
};

static const struct parameter linear[] = {
	SCALE_AT(PLACE(resize_linear.scale_input)), SCALE_AT(PLACE(resize_linear.scale_output)),
};

static const struct parameter takes[] = {
	{ PLACE(take.depth), 0, false },    { PLACE(take.depth), 1, false },	{ PLACE(take.depth), 3, false },
	{ PLACE(take.depth), 8, false },    { PLACE(take.sizes[0]), 4, false }, { PLACE(take.sizes[0]), 0, false },
	{ PLACE(take.sizes[1]), 3, false }, { PLACE(take.sizes[2]), 0, false }, { PLACE(take.sizes[2]), 2, false },
	{ PLACE(take.sizes[6]), 2, false }, { PLACE(take.parts), 0, false },	{ PLACE(take.parts), 4, false },
	{ PLACE(take.each), 0, false },	    { PLACE(take.each), 2, false },	{ PLACE(take.run), 0, false },
	{ PLACE(take.run), 10, false },	    { PLACE(take.sizes[0]), -1, false }, { PLACE(take.parts), -1, false },
};

static const struct parameter roi_aligns[] = {
	{ PLACE(roi_align.form), NN_ROI_ALIGN_MAX, true },	{ PLACE(roi_align.form), NN_ROI_ALIGN_FORMS, false },
	{ PLACE(roi_align.samples), 1024, true },		{ PLACE(roi_align.samples), 1025, false },
	{ PLACE(roi_align.half_pixel), 1, true },		{ PLACE(roi_align.half_pixel), 2, false },
	SCALE_AT(PLACE(roi_align.spatial_scale)),		SCALE_AT(PLACE(roi_align.scale_input)),
	SCALE_AT(PLACE(roi_align.scale_boxes)),			SCALE_AT(PLACE(roi_align.scale_output)),
};

#define BETWEEN(field, low, high) \
	{ PLACE(field), (low) - 1, false }, { PLACE(field), low, true }, { PLACE(field), high, true }, \
	{ PLACE(field), (high) + 1, false }

static const struct parameter proposals[] = {
	BETWEEN(proposal.stride_y, 1, 4096), BETWEEN(proposal.stride_x, 1, 4096),
	BETWEEN(proposal.image_h, 1, 4096), BETWEEN(proposal.image_w, 1, 4096),
	BETWEEN(proposal.delta_zero, 0, 255), BETWEEN(proposal.delta_shift, 1, 8),
	BETWEEN(proposal.score_min, 0, 255), BETWEEN(proposal.min_size, 1, 65536),
	BETWEEN(proposal.iou, 0, 256),
	{ PLACE(proposal.before), 0, false }, { PLACE(proposal.before), -1, true },
	{ PLACE(proposal.after), 0, false }, { PLACE(proposal.after), -1, true },
};

static const struct parameter suppressions[] = {
	{ PLACE(non_max_suppression.iou_max), 0x3f800000, true }, { PLACE(non_max_suppression.iou_max), 0x7f800000, false },
	{ PLACE(non_max_suppression.score_min), (int32_t)0xff7fffff, true },
	{ PLACE(non_max_suppression.score_min), (int32_t)0xff800000, false },
	{ PLACE(non_max_suppression.exponent), 0, true }, { PLACE(non_max_suppression.exponent), 1, false },
	{ PLACE(non_max_suppression.exponent), (int32_t)0xff800000, false },
	{ PLACE(non_max_suppression.exponent), 0x7fc00000, false },
	SCALE_AT(PLACE(non_max_suppression.scale_boxes)), SCALE_AT(PLACE(non_max_suppression.scale_scores)),
	{ PLACE(non_max_suppression.form), NN_SUPPRESSION_CENTERS, true }, { PLACE(non_max_suppression.form), NN_SUPPRESSION_ORDERED, false },
	{ PLACE(non_max_suppression.form), NN_SUPPRESSION_FORMS, false },
};

static const struct trial trials[] = {
	{ "copy", PARAMETERS(copies) },
	{ "copy in long rows", PARAMETERS(long_copies) },
	{ "piece", PARAMETERS(pieces) },
	{ "piece of rows", PARAMETERS(pieces_of_rows) },
	{ "piece into", PARAMETERS(pieces_into) },
	{ "move", PARAMETERS(moves) },
	{ "fill of 16 bits", PARAMETERS(wide_fills) },
	{ "fill", PARAMETERS(fills) },
	{ "transpose", PARAMETERS(permutations) },
	{ "spread", PARAMETERS(spreads) },
	{ "resize_linear", BYTE_CLAMPS },
	{ "resize_linear", PARAMETERS(linear) },
	{ "take", PARAMETERS(takes) },
	{ "roi_align", BYTE_CLAMPS },
	{ "roi_align", PARAMETERS(roi_aligns) },
	{ "proposal", PARAMETERS(proposals) },
	{ "non_max_suppression", PARAMETERS(suppressions) },
};

static const struct size sizes[] = {
	{ "resize", 0, 1, INT32_MAX, true },
	{ "resize", 0, 1, 1u << 31, false },
	{ "resize", 0, 2, INT32_MAX, true },
	{ "resize", 0, 2, 1u << 31, false },
	{ "resize_linear", 0, 1, INT32_MAX, true },
	{ "resize_linear", 0, 1, 1u << 31, false },
	{ "resize_linear", 0, 2, INT32_MAX, true },
	{ "resize_linear", 0, 2, 1u << 31, false },
	{ "crop_resize", 0, 1, 65536, true },
	{ "crop_resize", 0, 1, 65537, false },
	{ "crop_resize", 0, 2, 65536, true },
	{ "crop_resize", 0, 2, 65537, false },
	{ "crop_resize", OUTPUT, 1, 65536, true },
	{ "crop_resize", OUTPUT, 1, 65537, false },
	{ "crop_resize", OUTPUT, 2, 65536, true },
	{ "crop_resize", OUTPUT, 2, 65537, false },
	{ "roi_align", 0, 2, 65536, true },
	{ "roi_align", 0, 2, 65537, false },
	{ "roi_align", 0, 3, 65536, true },
	{ "roi_align", 0, 3, 65537, false },
	{ "roi_align", OUTPUT, 2, 65536, true },
	{ "roi_align", OUTPUT, 2, 65537, false },
	{ "roi_align", OUTPUT, 3, 65536, true },
	{ "roi_align", OUTPUT, 3, 65537, false },
	{ "spread", 0, ZERO_POINT, 1, false },
	{ "spread", OUTPUT, ZERO_POINT, 1, false },
	{ "table", 0, ZERO_POINT, 1, true },
};

const struct check_test nn_move_checks = {
	CALLS_TRIALS_SIZES,
};
