/* SPDX-License-Identifier: MIT */
/*
 * Random graphs for views of channels: Slices of whatever there is, for readers of every kind, and
 * Concats of them and of others, outside of loops and in them.
 */
#ifndef CHANNEL_GRAPH_H
#define CHANNEL_GRAPH_H

#include "random-graph.h"

#define MAX_IMAGES	64
#define MAX_LOOPS	2
#define MAX_CHANNELS	40
#define MAX_PIXELS	192	/* which have room for 5 channels */
#define MAX_ELEMENTS	(24 * MAX_CHANNELS)

enum type { BYTE, HALF, WORD };

/*
 * The properties by type, which go with a node that makes it. One scale each, so that a Concat
 * takes all.
 */
static const char *const types[] = {
	"type=int8 scale=0.1 zero_point=0", "type=int16 scale=0.01", "type=int32",
};

/*
 * Values that have been written: images of 4 x 6 pixels of some channels, or what was made of them.
 */
struct image {
	uint32_t id, rank, dims[3];	/* without the rows */
	enum type type;
	bool is_read;
	bool is_variable;		/* and for its own loop alone */
};

static struct image images[MAX_IMAGES];
static uint32_t image_count, first_image;	/* that the loop has which is written */
static uint32_t loop, loops;			/* and how many there will be */

static uint32_t *channels_of(struct image *image)
{
	return &image->dims[image->rank - 2];
}

static uint32_t elements_of(const struct image *image)
{
	uint32_t count = 1;

	for (uint32_t i = 0; i + 1 < image->rank; i++)
		count *= image->dims[i];
	return count;
}

/* The node that was written last makes this. */
static struct image *add_image(struct image image)
{
	image.id = node_count;
	image.is_read = image.is_variable = false;
	images[image_count] = image;
	return &images[image_count++];
}

/*
 * Draws one of the images that can be read here: the last one, one that nobody reads yet, or any.
 */
static struct image *draw_image(void)
{
	struct image *image = &images[image_count - 1];

	for (uint32_t tries = draw(5); tries && (image->is_read || tries > 1); tries--)
		image = &images[first_image + draw(image_count - first_image)];
	return image;
}

static bool is_like(const struct image *image, const struct image *like, uint32_t behind)
{
	return image->type == like->type && image->rank == like->rank &&
	       !memcmp(image->dims, like->dims, (like->rank - 1 - behind) * sizeof(*like->dims));
}

/*
 * One of the same type whose dimensions, but for `behind` of them, are the same; there is itself.
 * One that nobody reads yet, if there is one, more often.
 */
static struct image *draw_like(const struct image *like, uint32_t behind)
{
	uint32_t count = image_count - first_image, i = draw(count), left = draw(3) ? count : 0;

	for (;; i++, left -= left > 0) {
		struct image *image = &images[first_image + i % count];

		if (is_like(image, like, behind) && !(left && image->is_read))
			return image;
	}
}

/* A constant of so many random values, which are `least` at least. */
static uint32_t write_const(const char *shape, uint32_t count, const char *what, int least)
{
	uint32_t id = write_node("Const shape=%s %s values=", shape, what);

	for (uint32_t i = 0; i < count; i++)
		append(i ? ",%d" : "%d", least + (int)draw(255));
	return id;
}

static uint32_t write_weights(uint32_t outputs, uint32_t size, uint32_t inputs)
{
	char shape[64];

	snprintf(shape, sizeof(shape), "%u,%u,%u,%u", outputs, size, size, inputs);
	return write_const(shape, outputs * size * size * inputs, "type=int8 scale=0.002", -127);
}

/* Nodes that read image x, which they are for. */
static void write_function(struct image x)
{
	static const char *const functions[] = {
		"LeakyRelu", "Tanh", "Relu6", "Requantize", "Rescale", "Clamp", "Table",
	};
	uint32_t function = draw(7), table = 0;

	if (function == 6)
		table = write_const("256", 256, "type=uint8", 0);
	write_node("%s %u:0 ", functions[function], x.id);
	if (table)
		append("%u:0 ", table);
	append("%s%s", types[BYTE], function == 5 ? " min=-9 max=5" : "");
	add_image(x);
}

/*
 * Writes a convolution; with 16 outputs, of one pixel, it makes two as one. Some have a function in
 * place.
 */
static void write_conv(struct image x)
{
	static const uint32_t sizes[] = { 3, 5, 6, 8, 10, 16, 32 };
	uint32_t kernel = x.type == BYTE && x.dims[2] <= 8 && draw(2) ? 3 : 1, weights;
	const char *padding = kernel == 3 ? " padding=1,1,1,1" : "";
	uint32_t outputs;

	do {
		outputs = sizes[draw(7)];
	} while (x.dims[0] * x.dims[1] * outputs > MAX_ELEMENTS);
	weights = write_weights(outputs, kernel, x.dims[2]);
	if (x.type == BYTE && draw(5) == 0)
		x.type = WORD;
	write_node("Conv2d %u:0 %u:0 %s%s%s", x.id, weights, types[x.type], padding,
		   x.type == BYTE && draw(3) == 0 ? " activation=relu" : "");
	x.dims[2] = outputs;
	x = *add_image(x);
	if (x.type != BYTE || draw(3))
		return;
	images[image_count - 1].is_read = true;
	write_function(x);
}

static void write_depthwise(struct image x)
{
	uint32_t weights = write_weights(1, 3, x.dims[2]);

	write_node("DepthwiseConv2d %u:0 %u:0 %s padding=1,1,1,1", x.id, weights, types[BYTE]);
	add_image(x);
}

static void write_fully_connected(struct image x)
{
	uint32_t count = elements_of(&x);
	char shape[32];
	uint32_t weights;

	if (count > 300)
		return;
	snprintf(shape, sizeof(shape), "4,%u", count);
	weights = write_const(shape, 4 * count, "type=int8 scale=0.001", -127);
	write_node("FullyConnected %u:0 %u:0 %s", x.id, weights, types[BYTE]);
	add_image((struct image){ .rank = 2, .dims = { 4 } });
}

static void write_pool(struct image x)
{
	write_node("%s %u:0 kernel=3 padding=1,1,1,1",
		   x.type == HALF || draw(2) ? "MaxPool" : "AveragePool", x.id);
	add_image(x);
}

/* Writes a conversion to another type. */
static void write_conversion(struct image x)
{
	const char *name = x.type == WORD ? "Requantize" : "Rescale";

	x.type = x.type == BYTE ? HALF : BYTE;
	write_node("%s %u:0 %s", name, x.id, types[x.type]);
	add_image(x);
}

static void write_sum(struct image x)
{
	static const char *const sums[][2] = {
		{ "Add", "" }, { "Add", " rounding=float32" }, { "Add", " rounding=float32_fused" },
		{ "Sub", "" }, { "Sub", " rounding=float32" }, { "Mul", "" },
	};
	struct image *other = draw_like(&x, 0);
	uint32_t sum = draw(6);
	bool is_first = draw(2);

	/* A sum of a tensor and itself would be a table. */
	if (other->id == x.id) {
		write_node("Copy %u:0", x.id);
		other = add_image(x);
	}
	other->is_read = true;
	write_node("%s %u:0 %u:0 %s%s", x.type == HALF ? "AddInt16" : sums[sum][0],
		   is_first ? x.id : other->id, is_first ? other->id : x.id, types[x.type],
		   x.type == HALF ? "" : sums[sum][1]);
	add_image(x);
}

static void write_resize(struct image x)
{
	write_node("Resize %u:0 size=4,6 %s", x.id,
		   x.type == BYTE && draw(3) == 0 ? "mode=linear" : "round=ceil");
	x.dims[0] = 4;
	x.dims[1] = 6;
	add_image(x);
}

static void write_softmax(struct image x)
{
	write_node("Softmax %u:0 %s", x.id, types[BYTE]);
	add_image(x);
}

static void write_moved(struct image x)
{
	uint32_t height = x.dims[0];

	if (draw(2) || elements_of(&x) + height * x.dims[1] > MAX_ELEMENTS) {
		write_node("Transpose %u:0 perm=0,2,1,3", x.id);
		x.dims[0] = x.dims[1];
		x.dims[1] = height;
	} else {
		write_node("Pad %u:0 before=0,0,0,1 after=0,0,0,0", x.id);
		x.dims[2]++;
	}
	add_image(x);
}

static void write_name(struct image x)
{
	write_node("%s %u:0", draw(2) ? "Nop" : "Copy", x.id);
	add_image(x);
}

/* Pixels in a row, half as long ones, no pixels at all; or images again. */
static void write_reshape(struct image x)
{
	uint32_t count = elements_of(&x), channels = *channels_of(&x), choice = draw(4);

	if (choice == 0) {
		x.rank = 3;
		x.dims[0] = count / channels;
		x.dims[1] = channels;
	} else if (choice == 1 && x.rank == 4 && x.dims[2] % 2 == 0 &&
		   2 * x.dims[0] * x.dims[1] <= MAX_PIXELS) {
		x.dims[1] *= 2;
		x.dims[2] /= 2;
	} else if (choice == 2) {
		x.rank = 2;
		x.dims[0] = count;
	} else if (count % 24 == 0) {
		x = (struct image){ .id = x.id, .rank = 4, .dims = { 4, 6, count / 24 }, .type = x.type };
	}
	write_node("Reshape %u:0 shape=0", x.id);
	for (uint32_t i = 0; i + 1 < x.rank; i++)
		append(",%u", x.dims[i]);
	add_image(x);
}

/* Writes a Concat of x and up to two others. */
static void write_concat(struct image x)
{
	uint32_t channels = *channels_of(&x), pixels = elements_of(&x) / channels;
	uint32_t count = 1 + draw(3), at = draw(count);

	write_node("Concat");
	for (uint32_t i = 0; i < count; i++) {
		struct image *input = i == at ? &x : draw_like(&x, 1);

		if (i != at && pixels * (channels + *channels_of(input)) > MAX_ELEMENTS)
			continue;
		if (i != at)
			channels += *channels_of(input);
		input->is_read = true;
		append(" %u:0", input->id);
	}
	*channels_of(&x) = channels;
	add_image(x);
}

static void write_high_concat(struct image x)
{
	if (2 * elements_of(&x) > MAX_ELEMENTS || 2 * x.dims[0] * x.dims[1] > MAX_PIXELS)
		return;
	write_node("Concat %u:0 %u:0 axis=1", x.id, draw_like(&x, 0)->id);
	x.dims[0] *= 2;
	add_image(x);
}

static void write_slice(struct image x, uint32_t begin, uint32_t size)
{
	write_node("Slice %u:0 begin=%u size=%u", x.id, begin, size);
	*channels_of(&x) = size;
	add_image(x);
}

static void write_low_slice(struct image x)
{
	if (x.dims[0] < 2)
		return;
	write_node("Slice %u:0 axis=1 begin=1 size=%u", x.id, x.dims[0] - 1);
	x.dims[0]--;
	add_image(x);
}

/* A variable that begins with it, or with a constant, and is it, or a sum, from then on. */
static void write_variable(struct image x)
{
	struct image *variable, next = x;
	uint32_t initial = x.id;
	char shape[64];

	if (!loop)
		return;
	if (draw(2)) {
		snprintf(shape, sizeof(shape), "1,%u,%u,%u", x.dims[0], x.dims[1], x.dims[2]);
		initial = write_const(shape, elements_of(&x), types[BYTE], -127);
	}
	write_node("Variable %u:0 level=%u", initial, loop);
	variable = add_image(x);
	variable->is_variable = true;
	if (draw(2)) {
		write_node("Slice %u:0 size=1", variable->id);
		next.dims[2] = 1;
		add_image(next);
		next = x;
	}
	if (draw(2)) {
		variable->is_read = true;
		write_node("Add %u:0 %u:0 %s", variable->id, x.id, types[BYTE]);
		next = *add_image(x);
	}
	if (draw(4) == 0)
		return;
	write_node("Assign %u:0 %u:0", variable->id, next.id);
	add_image(x);
}

static void write_slices(struct image x);

#define ALL_TYPES	(1 << BYTE | 1 << HALF | 1 << WORD)

/* Whom each of those is for. The first ones read views, but for some of their kinds. */
static const struct {
	void (*write)(struct image x);
	uint32_t types;		/* a bit for each */
	bool for_images;	/* of rank 4 alone */
	uint32_t weight;
} nodes[] = {
	{ write_conv, 1 << BYTE | 1 << HALF, true, 12 },
	{ write_function, 1 << BYTE, false, 10 },
	{ write_sum, 1 << BYTE | 1 << HALF, false, 8 },
	{ write_concat, ALL_TYPES, false, 12 },
	{ write_slices, ALL_TYPES, false, 10 },
#define READ_VIEWS	5
	{ write_depthwise, 1 << BYTE, true, 3 },
	{ write_fully_connected, 1 << BYTE, false, 2 },
	{ write_pool, 1 << BYTE | 1 << HALF, true, 3 },
	{ write_conversion, ALL_TYPES, false, 3 },
	{ write_resize, ALL_TYPES, true, 4 },
	{ write_softmax, 1 << BYTE, false, 2 },
	{ write_moved, ALL_TYPES, true, 2 },
	{ write_name, ALL_TYPES, false, 4 },
	{ write_reshape, ALL_TYPES, false, 3 },
	{ write_high_concat, ALL_TYPES, true, 1 },
	{ write_low_slice, ALL_TYPES, true, 1 },
	{ write_variable, 1 << BYTE, true, 5 },
};

/* Any of the first nodes that can read it, unless it comes to be too large. */
static void write_reader(uint32_t number, uint32_t kinds)
{
	const struct image *x = &images[number];
	uint32_t count = image_count, total = 0, i;

	for (i = 0; i < kinds; i++)
		total += nodes[i].weight;
	images[number].is_read = true;
	while (image_count == count) {
		uint32_t which = draw(total);

		for (i = 0; which >= nodes[i].weight; i++)
			which -= nodes[i].weight;
		if ((nodes[i].types >> x->type & 1) && (x->rank == 4 || !nodes[i].for_images))
			nodes[i].write(*x);
	}
}

/* There may be so many images before the loop's end. */
static bool has_room(void)
{
	return image_count < MAX_IMAGES / 2 / (loops + 1) * (loop + 1);
}

/* Writes both halves of what was sliced, and maybe another one between them. */
static void write_whole(struct image x, const struct image *half)
{
	struct image *more = draw_like(&x, 1);
	uint32_t pixels = elements_of(&x) / *channels_of(&x);

	write_node("Concat %u:0", half[1].id);
	if (draw(2) && pixels * (*channels_of(&x) + *channels_of(more)) <= MAX_ELEMENTS) {
		append(" %u:0", more->id);
		more->is_read = true;
		*channels_of(&x) += *channels_of(more);
	}
	append(" %u:0", half[0].id);
	add_image(x);
}

/*
 * One, two that are all of it, or one that is part of both of these, for up to three readers each;
 * put together again, or not. Often of a convolution that is there for that.
 */
static void write_slices(struct image x)
{
	uint32_t kinds = draw(3) ? READ_VIEWS : COUNT(nodes), channels, cut, first, count, i;
	bool is_whole = draw(3);

	if (!has_room())
		return;
	if (x.rank == 4 && x.type == BYTE && draw(3) == 0) {
		write_conv(x);
		x = images[image_count - 1];
		images[image_count - 1].is_read = true;
	}
	channels = *channels_of(&x);
	if (channels < 2)
		return;
	cut = 1 + draw(channels - 1);
	first = image_count;
	write_slice(x, cut, channels - cut);
	if (is_whole)
		write_slice(x, 0, cut);
	if (channels > 2 && draw(4) == 0)
		write_slice(x, 1, channels - 2);
	count = image_count - first;
	for (i = 0; i < count; i++) {
		for (uint32_t readers = draw(4); readers && has_room(); readers--)
			write_reader(first + i, kinds);
	}
	if (!is_whole || draw(3) == 0)
		return;
	for (i = 0; i < 2; i++)
		images[first + i].is_read = true;
	write_whole(x, &images[first]);
}

/* Writes a loop: what is written from then on reads no other image from outside of it. */
static void write_loop(void)
{
	struct image *x = draw_image();

	while (x->is_variable)
		x = draw_image();
	x->is_read = true;
	if (draw(3))
		write_node("BatchLoop %u:0 step=%u", x->id, 1 + draw(2));
	else
		write_node("CountLoop %u:0 current=%u total=2", x->id, 1 + draw(2));
	first_image = image_count;
	add_image(*x);
}

/* The last image, what nobody has read, and sometimes what somebody has. */
static void write_output(void)
{
	uint32_t count = 1;

	write_node("OUTPUT %u:0", images[image_count - 1].id);
	for (uint32_t i = image_count - 1; i-- && count < MAX_OUTPUTS;) {
		if ((images[i].is_variable && i < first_image) || (images[i].is_read && draw(12)))
			continue;
		append(" %u:0", images[i].id);
		count++;
	}
}

static void write_graph(void)
{
	image_count = first_image = 0;
	loops = draw(MAX_LOOPS + 1);
	write_node("Input shape=0,4,6,8 %s", types[BYTE]);
	add_image((struct image){ .rank = 4, .dims = { 4, 6, 8 } });
	if (draw(5) == 0) {
		write_node("Input shape=0,4,6,5 %s", types[HALF]);
		add_image((struct image){ .type = HALF, .rank = 4, .dims = { 4, 6, 5 } });
	}
	for (loop = 0; loop <= loops; loop++) {
		if (loop)
			write_loop();
		for (uint32_t count = loop < loops ? draw(5) : 3 + draw(6); count && has_room(); count--)
			write_reader(draw_image() - images, COUNT(nodes));
	}
	write_output();
}

#endif
