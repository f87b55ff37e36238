// SPDX-License-Identifier: MIT
/*
 * GridSample: pixels of images, or of volumes, at places that another tensor gives. It is what a
 * model computes in float between quantized ends, and runs on the host's processor.
 *
 * Places are computed in float32, as runtimes do; weights and sums in double, and each result is
 * rounded once to float32.
 *
 * docs/operators.md:
 * | `GridSample` | images `[rows, batch, channels, (depth,) height, width]`; grid `[rows, batch,
 * (d,) h, w, 2 or 3]`: x, y (, z), of which -1 and 1 are the ends; each 8-bit or float32 | `mode`
 * (`linear`; `nearest`, `cubic`, which is for images), `padding` (`zeros`, `border`, `reflection`),
 * `align_corners` (0: the ends are those of the outer pixels; 1: their centres) | float32 `[rows,
 * batch, channels, (d,) h, w]` |
 */
#include "ops/support/check.h"
#include "ops/support/host.h"
#include "ops/support/indices.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MOST_TAPS 4
#define CUBIC (-0.75)

enum { IMAGES, GRID, INPUTS };
enum mode { LINEAR, NEAREST, CUBIC_MODE, MODES };
enum padding { ZEROS, BORDER, REFLECTION, PADDINGS };

static const char *const modes[] = { "linear", "nearest", "cubic" };
static const char *const paddings[] = { "zeros", "border", "reflection" };

struct grid_sample {
	enum mode mode;
	enum padding padding;
	bool align_corners;
	uint32_t directions;
	const void *data[INPUTS];
	bool is_one_row[INPUTS];
	float real[INPUTS][256]; /* by stored bytes, of 8 bits */
};

/* The pixels of one direction that a place is made of. */
struct taps {
	uint32_t count;
	uint32_t index[MOST_TAPS];
	double weight[MOST_TAPS];
};

/* ---- Check ---- */

static int find_word(struct nn_node *node, const char *attr, const char *const *words,
		     uint32_t count, uint32_t *out)
{
	const char *word = nn_node_get_string(node, attr, words[0]);

	for (*out = 0; *out < count; ++*out) {
		if (!strcmp(words[*out], word))
			return 0;
	}
	return nn_node_fail(node, -EINVAL, "has no %s \"%s\"", attr, word);
}

static int check_shapes(struct nn_node *node, struct grid_sample *sample)
{
	const struct nn_tensor_info *images = &node->inputs[IMAGES]->info;
	const struct nn_tensor_info *grid = &node->inputs[GRID]->info;
	char text[2][NN_SHAPE_TEXT];

	sample->directions = images->rank - 3;
	if ((images->rank != 5 && images->rank != 6) || grid->rank != images->rank ||
	    grid->dims[grid->rank - 1] != sample->directions || grid->dims[1] != images->dims[1])
		return nn_node_fail(node, -EINVAL, "images and grid do not fit: %s and %s",
				    nn_info_format_shape(images, text[0], sizeof(text[0])),
				    nn_info_format_shape(grid, text[1], sizeof(text[1])));
	if (sample->mode == CUBIC_MODE && sample->directions != 2)
		return nn_node_fail(node, -EOPNOTSUPP, "mode cubic is for images");
	for (uint32_t i = 0; i < INPUTS; i++) {
		if (!nn_fits_rows(node->inputs[i], nn_node_rows(node)))
			return nn_node_fail(node, -EINVAL,
					    "images and grid must have as many rows, unless one is "
					    "a constant of one row");
	}
	return 0;
}

static int check_grid_sample(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct grid_sample *sample = nn_node_make_state(node, sizeof(*sample));
	const struct nn_tensor_info *grid = &node->inputs[GRID]->info;
	uint32_t mode, padding, dims[NN_MAX_RANK];
	int error;

	(void)graph;
	(void)opaque;
	if (!sample)
		return -ENOMEM;
	error = find_word(node, "mode", modes, MODES, &mode);
	if (!error)
		error = find_word(node, "padding", paddings, PADDINGS, &padding);
	if (error)
		return error;
	sample->mode = mode;
	sample->padding = padding;
	sample->align_corners = nn_node_get_attr_int(node, "align_corners", 0);
	for (uint32_t i = 0; i < INPUTS && !error; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		if (info->type == NN_FLOAT32)
			continue;
		error = nn_node_need_8bit(node, info, i == GRID ? "grid" : "images");
		if (!error)
			nn_host_fill_reals(sample->real[i], info);
	}
	if (!error)
		error = check_shapes(node, sample);
	if (error)
		return error;
	memcpy(dims, node->inputs[IMAGES]->info.dims, 3 * sizeof(*dims));
	memcpy(dims + 3, grid->dims + 2, sample->directions * sizeof(*dims));
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, nn_node_rows(node), grid->rank, dims);
}

/* ---- Places ---- */

static float read_real(const struct grid_sample *sample, const struct nn_node *node, uint32_t i,
		       uint64_t at)
{
	if (node->inputs[i]->info.type == NN_FLOAT32)
		return ((const float *)sample->data[i])[at];
	return sample->real[i][((const uint8_t *)sample->data[i])[at]];
}

/* A place between two ends, at which it turns around. */
static float reflect(float x, float low, float high)
{
	float range = high - low, beyond = x < low ? low - x : x - high, rest;
	bool is_low = x < low, is_even;

	if (!(beyond > 0))
		return x;
	if (!(range > 0))
		return low;
	rest = fmodf(beyond, range);
	is_even = fmodf(truncf(beyond / range), 2) == 0;
	return is_low == is_even ? low + rest : high - rest;
}

/* Adds a pixel; one outside of the image is 0, or that at its border, or on its other side. */
static void add_tap(const struct grid_sample *sample, struct taps *taps, float index, double weight,
		    uint32_t size)
{
	const float most = (float)size - 1, half = sample->align_corners ? 0 : 0.5f;

	if (sample->padding == REFLECTION)
		index = truncf(reflect(index, -half, most + half));
	if (sample->padding != ZEROS)
		index = fminf(fmaxf(index, 0), most);
	if (!(index >= 0 && index <= most))
		return;
	taps->index[taps->count] = (uint32_t)index;
	taps->weight[taps->count++] = weight;
}

/* The weights of four pixels, of which the second is `x` before the place. */
static void find_cubic(double x, double out[MOST_TAPS])
{
	const double a = CUBIC, far[2] = { x + 1, 2 - x }, near[2] = { x, 1 - x };

	for (int i = 0; i < 2; i++) {
		double f = far[i], n = near[i];

		out[3 * i] = ((a * f - 5 * a) * f + 8 * a) * f - 4 * a;
		out[1 + i] = ((a + 2) * n - (a + 3)) * n * n + 1;
	}
}

/* The pixels of one direction for a place of the grid. What is no number is outside. */
static void find_taps(const struct grid_sample *sample, float place, uint32_t size,
		      struct taps *taps)
{
	const float most = (float)size - 1, half = sample->align_corners ? 0 : 0.5f;
	double weights[MOST_TAPS];
	float x = sample->align_corners ? (place + 1) / 2 * most :
					  ((place + 1) * (float)size - 1) / 2;
	float first;

	taps->count = 0;
	if (sample->mode == NEAREST)
		x = rintf(x);
	if (sample->padding == BORDER && sample->mode != CUBIC_MODE)
		x = fminf(fmaxf(x, 0), most);
	else if (sample->padding == REFLECTION)
		x = reflect(x, -half, most + half);
	first = sample->mode == NEAREST ? truncf(x) : floorf(x);
	switch (sample->mode) {
	case NEAREST:
		add_tap(sample, taps, first, 1, size);
		break;
	case LINEAR:
		add_tap(sample, taps, first, (double)(first + 1 - x), size);
		add_tap(sample, taps, first + 1, (double)(x - first), size);
		break;
	default:
		find_cubic((double)(x - first), weights);
		for (int i = 0; i < MOST_TAPS; i++)
			add_tap(sample, taps, first + (float)(i - 1), weights[i], size);
		break;
	}
}

/* ---- Execute ---- */

/* The sum over the pixels of all directions from `axis` on, of an image or what is left of it. */
static double sum_taps(const struct grid_sample *sample, const struct nn_node *node,
		       const struct taps *taps, uint32_t axis, uint64_t at)
{
	const uint32_t *sizes = node->inputs[IMAGES]->info.dims + 3;
	double sum = 0;

	if (axis == sample->directions)
		return read_real(sample, node, IMAGES, at);
	for (uint32_t i = 0; i < taps[axis].count; i++)
		sum += taps[axis].weight[i] * sum_taps(sample, node, taps, axis + 1,
						       at * sizes[axis] + taps[axis].index[i]);
	return sum;
}

/* One item: the images of its channels, of which each has the same places. */
static void sample_item(const struct grid_sample *sample, const struct nn_node *node,
			uint64_t image, uint64_t grid, float *out, uint64_t places)
{
	const struct nn_tensor_info *info = &node->inputs[IMAGES]->info;
	const uint32_t channels = info->dims[2], directions = sample->directions;
	struct taps taps[3];

	for (uint64_t i = 0; i < places; i++) {
		for (uint32_t axis = 0; axis < directions; axis++) {
			uint64_t at = (grid * places + i) * directions + directions - 1 - axis;

			find_taps(sample, read_real(sample, node, GRID, at), info->dims[3 + axis],
				  &taps[axis]);
		}
		for (uint32_t c = 0; c < channels; c++)
			out[c * places + i] =
				sum_taps(sample, node, taps, 0, image * channels + c);
	}
}

static int execute_grid_sample(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct grid_sample *sample = node->state;
	const uint32_t *dims = node->outputs[0].info.dims;
	float *out = nn_graph_locate(graph, &node->outputs[0]);
	const uint32_t rows = nn_graph_rows(graph, &node->outputs[0]), batch = dims[1];
	uint64_t places = 1;

	(void)opaque;
	if (!rows)
		return 0;
	for (uint32_t i = 0; i < INPUTS; i++) {
		sample->data[i] = nn_graph_locate(graph, node->inputs[i]);
		sample->is_one_row[i] = nn_value_is_const(node->inputs[i]) &&
					node->inputs[i]->info.dims[0] == 1;
		if (!sample->data[i] || !out)
			return nn_host_deny(node);
	}
	for (uint32_t i = 0; i < sample->directions; i++)
		places *= dims[3 + i];
	for (uint64_t i = 0; i < (uint64_t)rows * batch; i++)
		sample_item(sample, node, sample->is_one_row[IMAGES] ? i % batch : i,
			    sample->is_one_row[GRID] ? i % batch : i, out + i * dims[2] * places,
			    places);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "mode", .type = NN_ATTR_STRING },
	{ .name = "padding", .type = NN_ATTR_STRING },
	{ .name = "align_corners", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_grid_sample = {
	.name = "GridSample",
	.min_inputs = INPUTS,
	.max_inputs = INPUTS,
	.outputs = 1,
	.attrs = attrs,
	.check = check_grid_sample,
	.execute = execute_grid_sample,
};
