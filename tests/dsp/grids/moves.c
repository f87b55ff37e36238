// SPDX-License-Identifier: MIT
/*
 * The grids of what moves elements, or takes them from between others, see grid.h.
 */
#include <string.h>

#include "../grid.h"

static const struct {
	uint8_t type;
	const char *name;
} sizes[] = {
	{ NN_TYPE_UINT8, "8 bits" }, { NN_TYPE_INT16, "16 bits" }, { NN_TYPE_INT32, "32 bits" },
	{ NN_TYPE_INT64, "64 bits" },
};

void walk_copy(void)
{
	static const struct {
		uint32_t count, block, src_stride, dst_stride;
	} forms[] = {
		{ 1, 3, 0, 0 }, { 1, 129, 0, 0 }, { 1, 5000, 0, 0 }, { 320, 3, 3, 6 },
		{ 320, 3, 6, 3 },
		{ 196, 24, 24, 48 }, { 196, 24, 48, 24 }, { 49, 160, 160, 320 },
		{ 49, 160, 320, 160 },
		{ 100, 58, 116, 58 }, { 100, 58, 58, 116 }, { 100, 40, 100, 40 },
		{ 10, 1280, 1280, 1400 },
		{ 14, 1000, 1003, 1000 }, { 1000, 1, 2, 1 }, { 1000, 1, 3, 5 }, { 300, 17, 17, 21 },
		{ 5, 64, 0, 64 }, { 320, 8, 8, 16 }, { 256, 32, 64, 32 },
	};

	FOR_EACH(form, forms) {
		for (uint32_t offset = 0; offset < 8; offset += 5) {
			uint32_t in, out;

			grid_begin(NN_OPCODE_COPY);
			in = offset + form->count * (form->src_stride + form->block);
			out = form->count > 1 ? form->count * form->dst_stride : form->block;
			grid_input(0, NN_TYPE_UINT8, DIMS(1, in));
			grid_output(NN_TYPE_UINT8, DIMS(1, out));
			op.copy = (struct nn_copy_params){ form->count, form->block, offset,
							   form->src_stride, 0, form->dst_stride };
			grid_measure_of(form->count * form->block,
					form->count == 1 ? "one block" :
					form->block < 16 ? "short blocks" : "blocks",
					grid_name("%u of %u, %u to %u apart, from byte %u",
						  form->count, form->block, form->src_stride,
						  form->dst_stride, offset));
		}
	}
}

void walk_transpose(void)
{
	static const struct {
		const char *name;
		uint32_t permutation[4];
	} forms[] = {
		{ "to channels first", { 0, 3, 1, 2 } }, { "to channels last", { 0, 2, 3, 1 } },
		{ "height and width", { 0, 2, 1, 3 } }, { "height and channels", { 0, 3, 2, 1 } },
		{ "width and channels", { 0, 1, 3, 2 } },
	};

	FOR_EACH(size, sizes) {
		FOR_EACH(form, forms) {
			/* All of them in bytes, by far the most frequent. */
			const struct grid_image *images = size == sizes ? grid_images :
									  grid_few_images;
			uint32_t count = size == sizes ? GRID_IMAGES : GRID_FEW_IMAGES;

			for (uint32_t i = 0; i < count; i++) {
				const struct grid_image *image = &images[i];
				const uint32_t dims[4] = { 1, image->height, image->width,
							   image->channels };
				uint32_t out[4];

				if (image->height * image->width == 1)
					continue;
				grid_begin(NN_OPCODE_TRANSPOSE);
				for (uint32_t d = 0; d < 4; d++) {
					op.transpose.permutation[d] = form->permutation[d];
					out[d] = dims[form->permutation[d]];
				}
				grid_input(0, size->type, 4, dims);
				grid_output(size->type, 4, out);
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s, %s", form->name, size->name), NULL);
			}
		}
	}
	/* Channels of groups, as they are shuffled. */
	for (uint32_t channels = 8; channels <= 120; channels += 14) {
		for (uint32_t groups = 2; groups <= 4; groups += 2) {
			grid_begin(NN_OPCODE_TRANSPOSE);
			grid_input(0, NN_TYPE_UINT8, DIMS(1, 100, groups, channels));
			grid_output(NN_TYPE_UINT8, DIMS(1, 100, channels, groups));
			op.transpose = (struct nn_transpose_params){ { 0, 1, 3, 2 } };
			grid_measure(GRID_OUTPUT, 0, "shuffle, 8 bits", NULL);
		}
	}
}

void walk_spread(void)
{
	FOR_EACH(size, sizes) {
		for (uint32_t stride = 1; stride <= 3; stride++) {
			FOR_EACH(image, grid_few_images) {
				uint32_t area = image->height * image->width * stride * stride;

				if (area * image->channels > 20000)
					continue;
				grid_begin(NN_OPCODE_SPREAD);
				grid_input(0, size->type,
					   DIMS(1, image->height, image->width, image->channels));
				grid_output(size->type, DIMS(1, image->height * stride,
							     image->width * stride,
								     image->channels));
				call.output[0].zero_point = call.input[0].zero_point;
				op.spread = (struct nn_spread_params){ stride, stride, 1, 1 };
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("stride %u, %s", stride, size->name),
					     NULL);
			}
		}
	}
}

/* All of the input, in another order of the indices. */
static void move(const char *name, uint8_t type, const uint32_t *count, const int32_t *src,
		 const int32_t *dst, uint32_t src_offset, uint32_t dst_offset, uint32_t in,
			 uint32_t out)
{
	uint32_t moved = nn_type_size(type);

	grid_begin(NN_OPCODE_MOVE);
	grid_input(0, type, DIMS(1, in));
	grid_output(type, DIMS(1, out));
	for (uint32_t k = 0; k < NN_MOVE_DIMS; k++) {
		op.move.count[k] = count[k];
		op.move.src_stride[k] = src[k];
		op.move.dst_stride[k] = dst[k];
		moved *= count[k];
	}
	op.move.src_offset = src_offset;
	op.move.dst_offset = dst_offset;
	grid_measure_of(moved, name,
			   grid_name("%ux%ux%ux%ux%ux%u by %d, %d, %d, %d, %d, %d", count[0],
				     count[1],
				     count[2], count[3], count[4], count[5], src[0], src[1], src[2],
				     src[3], src[4], src[5]));
}

/* Moves that Pad, DepthToSpace, SpaceToDepth, Tile and Slice become. */
static void move_image(uint8_t type, const char *size, const struct grid_image *image)
{
	uint32_t h = image->height, w = image->width, c = image->channels, all = h * w * c;
	int32_t line = (int32_t)(w * c);

	move(grid_name("pad, %s", size), type, (const uint32_t[]){ 1, 1, 1, h, w, c },
	     (const int32_t[]){ 0, 0, 0, line, c, 1 },
	     (const int32_t[]){ 0, 0, 0, line + 2 * (int32_t)c, c, 1 }, 0, (w + 2) * c + c, all,
	     (h + 2) * (w + 2) * c);
	move(grid_name("slice, %s", size), type,
	     (const uint32_t[]){ 1, 1, 1, (h + 1) / 2, (w + 1) / 2, c },
	     (const int32_t[]){ 0, 0, 0, line, c, 1 },
	     (const int32_t[]){ 0, 0, 0, (w + 1) / 2 * c, c, 1 }, 0, 0, all,
	     (h + 1) / 2 * ((w + 1) / 2) * c);
	move(grid_name("slice with steps, %s", size), type,
	     (const uint32_t[]){ 1, 1, 1, (h + 1) / 2, (w + 1) / 2, c },
	     (const int32_t[]){ 0, 0, 0, 2 * line, 2 * c, 1 },
	     (const int32_t[]){ 0, 0, 0, (w + 1) / 2 * c, c, 1 }, 0, 0, all,
	     (h + 1) / 2 * ((w + 1) / 2) * c);
	move(grid_name("reverse, %s", size), type, (const uint32_t[]){ 1, 1, 1, h, w, c },
	     (const int32_t[]){ 0, 0, 0, line, c, -1 }, (const int32_t[]){ 0, 0, 0, line, c, 1 },
		     c - 1, 0,
	     all, all);
	move(grid_name("tile, %s", size), type, (const uint32_t[]){ 1, 1, 1, h, 2, w * c },
	     (const int32_t[]){ 0, 0, 0, line, 0, 1 },
		     (const int32_t[]){ 0, 0, 0, 2 * line, line, 1 }, 0, 0,
	     all, 2 * all);
	move(grid_name("upsample, %s", size), type, (const uint32_t[]){ 1, h, 2, w, 2, c },
	     (const int32_t[]){ 0, line, 0, c, 0, 1 },
	     (const int32_t[]){ 0, 4 * line, 2 * line, 2 * c, c, 1 }, 0, 0, all, 4 * all);
	if (c % 4 == 0)
		move(grid_name("depth to space, %s", size), type,
		     (const uint32_t[]){ 1, h, 2, w, 2, c / 4 },
		     (const int32_t[]){ 0, line, c / 2, c, c / 4, 1 },
		     (const int32_t[]){ 0, line, line / 2, c / 2, c / 4, 1 }, 0, 0, all, all);
	if (h % 2 == 0 && w % 2 == 0)
		move(grid_name("space to depth, %s", size), type,
		     (const uint32_t[]){ 1, h / 2, 2, w / 2, 2, c },
		     (const int32_t[]){ 0, 2 * line, line, 2 * c, c, 1 },
		     (const int32_t[]){ 0, 2 * line, 2 * c, 4 * c, c, 1 }, 0, 0, all, all);
}

void walk_move(void)
{
	FOR_EACH(size, sizes) {
		FOR_EACH(image, grid_few_images)
			move_image(size->type, size->name, image);
	}
}

static const struct {
	uint32_t parts, places, taken, run;
} takings[] = {
	{ 1, 64, 500, 1 }, { 1, 1000, 32, 64 }, { 1, 100, 10, 320 }, { 1, 30, 8, 1000 },
	{ 16, 16, 16, 1 }, { 49, 21, 3, 1 }, { 3, 50, 50, 17 }, { 196, 4, 4, 3 }, { 1, 5, 1, 3 },
	{ 10, 12, 8, 24 },
};

static void make_indices(uint8_t type, uint32_t count, uint32_t places)
{
	void *indices = grid_numbers(1, type, DIMS(1, count));

	for (uint32_t i = 0; i < count; i++) {
		int32_t index = (int32_t)(i * 0x9e3779b1u >> 8) % (int32_t)places;

		index = i % 5 ? index : index - (int32_t)places;
		if (type == NN_TYPE_INT32)
			((int32_t *)indices)[i] = index;
		else
			((int64_t *)indices)[i] = index;
	}
}

void walk_take(void)
{
	FOR_EACH(size, sizes) {
		FOR_EACH(form, takings) {
			for (uint32_t each = 0; each < 2; each++) {
				if (each && form->parts == 1)
					continue;
				grid_begin(NN_OPCODE_TAKE);
				grid_input(0, size->type,
					   DIMS(1, form->parts * form->places * form->run));
				make_indices(form->run % 2 ? NN_TYPE_INT32 : NN_TYPE_INT64,
					     form->taken * (each ? form->parts : 1), form->places);
				grid_output(size->type,
					    DIMS(1, form->parts * form->taken * form->run));
				op.take = (struct nn_take_params){
					1, { form->places, 1, 1, 1, 1, 1, 1 }, form->parts, each,
						form->run
				};
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s, %s", form->run < 16 ? "elements" :
						       "runs",
						       size->name),
					     grid_name("%u parts of %u places, runs of %u",
						       form->parts,
						       form->places, form->run));
			}
		}
	}
}

void walk_scatter(void)
{
	static const char *const names[NN_SCATTER_FORMS] = { "put", "add", "mul", "min", "max" };

	for (uint32_t scatter = 0; scatter < NN_SCATTER_FORMS; scatter++) {
		FOR_EACH(size, sizes) {
			FOR_EACH(form, takings) {
				grid_begin(NN_OPCODE_SCATTER);
				grid_input(0, size->type,
					   DIMS(1, form->parts * form->places * form->run));
				make_indices(form->run % 2 ? NN_TYPE_INT32 : NN_TYPE_INT64,
					     form->taken,
					     form->places);
				grid_input(2, size->type,
					   DIMS(1, form->parts * form->taken * form->run));
				grid_output(size->type,
					    DIMS(1, form->parts * form->places * form->run));
				op.scatter.indexing = (struct nn_take_params){
					1, { form->places, 1, 1, 1, 1, 1, 1 }, form->parts, 0,
						form->run
				};
				op.scatter.form = scatter;
				if (call.output[0].bytes > 30000)
					continue;
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s, %s, %s", scatter ? "combined" : "put",
						       form->run < 16 ? "elements" : "runs",
							       size->name),
					     grid_name("%s, %u parts of %u places, runs of %u",
						       grid_form(names[scatter], scatter),
							       form->parts, form->places,
						       form->run));
			}
		}
	}
}

void walk_fill(void)
{
	FOR_EACH(size, sizes) {
		FOR_EACH(image, grid_images) {
			if (size->type == NN_TYPE_INT64)
				continue;
			grid_begin(NN_OPCODE_FILL);
			grid_output(size->type,
				    DIMS(1, image->height, image->width, image->channels));
			op.fill.value = 0x55;
			grid_measure(GRID_OUTPUT, 0, size->name, NULL);
		}
	}
}

void walk_rotate_rows(void)
{
	FOR_EACH(image, grid_images) {
		grid_begin(NN_OPCODE_ROTATE_ROWS);
		grid_input(0, NN_TYPE_UINT8, DIMS(3, image->channels));
		grid_output(NN_TYPE_UINT8, DIMS(image->height * image->width, image->channels));
		call.output[0].level = 1;
		call.first = 1;
		grid_measure(GRID_OUTPUT, 0, "", NULL);
	}
}

/* The left half of an image's columns, or columns that are put there. */
void walk_piece(void)
{
	for (uint32_t into = 0; into < 2; into++) {
		FOR_EACH(image, grid_images) {
			uint32_t half = (image->width + 1) / 2, row = image->width * image->channels;
			uint32_t piece = half * image->channels;

			grid_begin(NN_OPCODE_PIECE);
			op.piece = (struct nn_piece_params){ image->height, row, piece, piece, into };
			grid_input(0, NN_TYPE_UINT8, DIMS(1, image->height, into ? half : image->width, image->channels));
			grid_output(NN_TYPE_UINT8, DIMS(1, image->height, into ? image->width : half, image->channels));
			call.input[0].level = into;
			call.output[0].level = 1;
			grid_measure(into ? GRID_INPUT : GRID_OUTPUT, 0, into ? "put" : "taken", NULL);
		}
	}
}

void walk_row_numbers(void)
{
	for (uint32_t rows = 1; rows <= 4096; rows *= 4) {
		grid_begin(NN_OPCODE_ROW_NUMBERS);
		grid_input(0, NN_TYPE_UINT8, DIMS(7, 3));
		grid_output(NN_TYPE_INT32, DIMS(rows));
		call.output[0].level = 1;
		call.first = 1;
		grid_measure(GRID_OUTPUT, 0, "", NULL);
	}
}

/* Boxes of a tenth of the cells, which hardly overlap. */
void walk_proposal(void)
{
	FOR_EACH(image, grid_few_images) {
		uint32_t h = image->height, w = image->width;
		int32_t *anchor;

		grid_begin(NN_OPCODE_PROPOSAL);
		op.proposal = (struct nn_proposal_params){ 8, 8, 8 * h, 8 * w, 128, 6, 200, 16, 1000, 256, 128 };
		grid_input(0, NN_TYPE_UINT8, DIMS(1, h, w, 1));
		grid_input(1, NN_TYPE_UINT8, DIMS(1, h, w, 4));
		memset(call.input[1].data, 128, call.input[1].bytes);
		for (uint32_t i = 0; i < h * w; i++)
			call.input[0].data[i] = i % 10 ? i % 200 : 200 + i % 56;
		anchor = grid_table(2, NN_TYPE_INT32, 2);
		anchor[0] = anchor[1] = 128;
		grid_output(NN_TYPE_INT32, DIMS(1));
		grid_more_output(1, NN_TYPE_INT32, DIMS(256, 4));
		grid_more_output(2, NN_TYPE_UINT8, DIMS(256));
		grid_more_output(3, NN_TYPE_INT32, DIMS(256));
		grid_measure(GRID_INPUT, 0, "", NULL);
	}
}

/* Boxes of 8 pixels at places of 2 and 3, of which a tenth counts. */
void walk_non_max_suppression(void)
{
	static const uint32_t counts[] = { 100, 1000, 2000 };

	for (uint32_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
		for (uint32_t soft = 0; soft < 2; soft++) {
			grid_begin(NN_OPCODE_NON_MAX_SUPPRESSION);
			op.non_max_suppression = (struct nn_non_max_suppression_params){ 0.5f, 199.5f, soft ? -1 : 0, 1, 1, 0 };
			grid_input(0, NN_TYPE_UINT8, DIMS(1, counts[k], 4));
			grid_input(1, NN_TYPE_UINT8, DIMS(1, counts[k]));
			for (uint32_t i = 0; i < counts[k]; i++) {
				uint8_t y = i % 83 * 3, x = i / 83 * 2;
				uint8_t *box = call.input[0].data + 4 * i;

				box[0] = y;
				box[1] = x;
				box[2] = y + 8;
				box[3] = x + 8;
				call.input[1].data[i] = i % 10 ? i % 200 : 200 + i % 56;
			}
			grid_output(NN_TYPE_INT32, DIMS(1, 50));
			grid_more_output(1, NN_TYPE_FLOAT32, DIMS(1, 50));
			grid_more_output(2, NN_TYPE_INT32, DIMS(1));
			grid_more_output(3, NN_TYPE_INT32, DIMS(3, counts[k]));
			grid_measure(GRID_INPUT, 0, soft ? "soft" : "", NULL);
		}
	}
}

/* ---- Images of another size ---- */

static const struct {
	uint32_t from, to;
} scalings[] = { { 1, 2 }, { 2, 1 }, { 2, 3 }, { 4, 3 }, { 1, 4 } };

/* Height or width of the new image. */
static uint32_t scaled(uint32_t size, uint32_t from, uint32_t to)
{
	size = size * to / from;
	return size ? size : 1;
}

static void make_positions(uint32_t i, uint32_t count, uint32_t size)
{
	int32_t *positions = grid_table(i, NN_TYPE_INT32, count);

	for (uint32_t k = 0; k < count; k++)
		positions[k] = (int32_t)(k * size / count);
}

void walk_resize(void)
{
	FOR_EACH(size, sizes) {
		FOR_EACH(scaling, scalings) {
			FOR_EACH(image, grid_few_images) {
				uint32_t height = scaled(image->height, scaling->from, scaling->to);
				uint32_t width = scaled(image->width, scaling->from, scaling->to);

				grid_begin(NN_OPCODE_RESIZE);
				grid_input(0, size->type,
					   DIMS(1, image->height, image->width, image->channels));
				make_positions(1, height, image->height);
				make_positions(2, width, image->width);
				grid_output(size->type, DIMS(1, height, width, image->channels));
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s%s", size->name,
						       image->channels < 16 ? ", few channels" :
							       ""), NULL);
			}
		}
	}
}

static void make_weights(uint32_t i, bool is_float, uint32_t count)
{
	void *weights = grid_table(i, is_float ? NN_TYPE_FLOAT32 : NN_TYPE_INT32,
				   is_float ? 2 * count : count);

	for (uint32_t k = 0; k < count; k++) {
		/* Quarters, as those of images of half the size are. */
		int32_t part = (int32_t)(k % 2 ? 512 : 1536);

		if (is_float) {
			((float *)weights)[2 * k] = (float)(2048 - part) / 2048;
			((float *)weights)[2 * k + 1] = (float)part / 2048;
		} else {
			((int32_t *)weights)[k] = part;
		}
	}
}

void walk_resize_linear(void)
{
	for (uint32_t is_float = 0; is_float < 2; is_float++) {
		FOR_EACH(scaling, scalings) {
			FOR_EACH(image, grid_few_images) {
				uint32_t height = scaled(image->height, scaling->from, scaling->to);
				uint32_t width = scaled(image->width, scaling->from, scaling->to);

				if (height * width * image->channels > 16384)
					continue;
				grid_begin(NN_OPCODE_RESIZE_LINEAR);
				grid_input(0, grid_8bit(),
					   DIMS(1, image->height, image->width, image->channels));
				make_positions(1, height, image->height);
				make_positions(2, width, image->width);
				make_weights(3, is_float, height);
				make_weights(4, is_float, width);
				grid_output(grid_8bit(), DIMS(1, height, width, image->channels));
				op.resize_linear.scale_input = is_float ? 0.0131f : 0;
				op.resize_linear.scale_output = is_float ? 0.0117f : 0;
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s%s", is_float ? "float32" : "integers",
						       image->channels < 16 ? ", few channels" :
							       ""), NULL);
			}
		}
	}
}

void walk_crop_resize(void)
{
	FOR_EACH(image, grid_few_images) {
		uint32_t out = image->channels < 16 ? 24 : 7;
		int32_t *boxes, *owner;
		uint8_t type;

		grid_begin(NN_OPCODE_CROP_RESIZE);
		type = grid_8bit();
		grid_input(0, type, DIMS(1, image->height, image->width, image->channels));
		boxes = grid_numbers(1, NN_TYPE_INT32, DIMS(2, 4));
		owner = grid_numbers(2, NN_TYPE_INT32, DIMS(2));
		for (uint32_t i = 0; i < 2; i++) {
			boxes[4 * i] = boxes[4 * i + 1] = 3;
			boxes[4 * i + 2] = (int32_t)(12 * image->height);
			boxes[4 * i + 3] = (int32_t)(15 * image->width);
			owner[i] = 0;
		}
		grid_output(type, DIMS(2, out, out, image->channels));
		call.output[0].zero_point = call.input[0].zero_point;
		grid_measure(GRID_OUTPUT, 0, image->channels < 16 ? "few channels" : "", NULL);
	}
}

void walk_roi_align(void)
{
	for (uint32_t form = 0; form < NN_ROI_ALIGN_FORMS; form++) {
		FOR_EACH(image, grid_few_images) {
			float *boxes;
			int32_t *indices;

			if (image->height * image->width == 1 || image->channels > 100)
				continue;
			grid_begin(NN_OPCODE_ROI_ALIGN);
			grid_input(0, grid_8bit(),
				   DIMS(1, 1, image->height, image->width, image->channels));
			boxes = grid_numbers(1, NN_TYPE_FLOAT32, DIMS(1, 1, 4));
			call.input[1].packed = true;
			boxes[0] = boxes[1] = 0.25f;
			boxes[2] = (float)image->width * 0.8f;
			boxes[3] = (float)image->height * 0.7f;
			indices = grid_numbers(2, NN_TYPE_INT32, DIMS(1, 1));
			indices[0] = 0;
			grid_output(grid_8bit(), DIMS(1, 1, 5, 5, image->channels));
			op.roi_align = (struct nn_roi_align_params){
				.form = form, .samples = 2, .half_pixel = image->height % 2,
				.spatial_scale = 1, .scale_input = 0.0131f, .scale_boxes = 1,
				.scale_output = 0.0131f,
			};
			grid_measure(GRID_OUTPUT, 0, form == NN_ROI_ALIGN_MAX ? "greatest" : "mean",
				     NULL);
		}
	}
}
