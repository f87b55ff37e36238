// SPDX-License-Identifier: MIT
/*
 * Data for a graph's inputs: pictures, sound, .npy arrays and raw tensors.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metadata.h"
#include "nnloop.h"
#include "npy.h"

const char *items_name(const struct items *items)
{
	return items->info.name && *items->info.name ? items->info.name : "of the model";
}

int items_init(struct items *items, const struct nn_tensor_info *info, bool fit)
{
	struct nn_tensor_info item = *info;

	item.dims[0] = 1;
	*items = (struct items) { .info = *info, .fit = fit, .item_bytes = nn_tensor_info_bytes(&item) };
	return items->item_bytes ? 0 : fail("input %s has no elements", items_name(items));
}

void items_free(struct items *items)
{
	free(items->data);
	free(items->pages);
	free(items->pixels);
}

/* Room for more items; NULL after an error was printed. */
static uint8_t *items_grow(struct items *items, uint64_t more, const char *path)
{
	uint64_t total = items->count + more;
	uint8_t *data = NULL;

	if (total < MAX_BYTES && total * items->item_bytes < MAX_BYTES)
		data = realloc(items->data, total * items->item_bytes + 1);
	if (!data) {
		fail("%s makes the input larger than 2 GiB", path);
		return NULL;
	}
	items->data = data;
	data += items->count * items->item_bytes;
	items->count = total;
	return data;
}

/* ---- Pictures ---- */

/* A signed input gets pixels from -128 to 127, but where they are normalized. */
static void store_pixels(const struct items *items, uint8_t *to, const uint8_t *pixels,
			 const struct picture_shape *shape, uint64_t count)
{
	uint64_t area = (uint64_t)shape->height * shape->width;
	uint8_t flip = items->info.type == NN_INT8 ? 0x80 : 0;

	for (uint64_t i = 0; i < count; i++) {
		for (uint64_t k = 0; k < area; k++) {
			for (uint32_t c = 0; c < shape->channels; c++) {
				uint64_t at = shape->channels_first ? c * area + k :
								      k * shape->channels + c;

				to[i * area * shape->channels + at] =
					items->pixels ? items->pixels[c][*pixels] : *pixels ^ flip;
				pixels++;
			}
		}
	}
}

/* Makes a picture of any size the one page that the input takes, and remembers its own size. */
static int fit_page(struct items *items, const char *path, const struct picture_shape *shape,
		    struct picture *picture)
{
	struct page page = { .path = path, .width = picture->width, .height = picture->height };
	struct page *pages = realloc(items->pages, (items->count + 1) * sizeof(*pages));
	struct picture fitted;
	int status;

	if (!pages)
		return fail("out of memory");
	items->pages = pages;
	page.scale = picture_fit_scale(page.width, page.height, shape->width, shape->height);
	if (items->keep_size)
		page.scale = fmin(page.scale, 1);
	pages[items->count] = page;
	items->fit_width = shape->width;
	items->fit_height = shape->height;
	status = picture_fit(picture, page.scale, shape->width, shape->height, &fitted);
	if (status)
		return status;
	picture_free(picture);
	*picture = fitted;
	return items->even_out ? picture_even_out(picture) : 0;
}

/* The whole picture in the input's size, whatever that does to its proportions. */
static int resize(const struct picture_shape *shape, struct picture *picture)
{
	struct picture resized;
	int status;

	if (picture->width == shape->width && picture->height == shape->height)
		return 0;
	status = picture_resize(picture, shape->width, shape->height, &resized);
	if (status)
		return status;
	picture_free(picture);
	*picture = resized;
	return 0;
}

static int add_picture(struct items *items, const struct file *file, bool channels_first)
{
	struct picture_shape shape;
	struct picture picture;
	uint64_t count = 1;
	uint8_t *to;
	int status;

	if (!takes_pictures(&items->info, channels_first, &shape))
		return fail("%s is a picture, and input %s takes none", file->path,
			    items_name(items));
	/* On white where it is taken for a page, else on black. */
	status = picture_read(file, shape.channels, items->fit ? 255 : 0, &picture);
	if (status)
		return status;
	if (items->fit) {
		status = fit_page(items, file->path, &shape, &picture);
	} else if (items->resize) {
		status = resize(&shape, &picture);
	} else if (picture.width != shape.width || picture.height % shape.height) {
		status = fail("%s has %u x %u pixels; input %s takes pictures of %u x %u, or several of them in one column; --resize scales any to that, and --fit does so in proportion",
			      file->path, picture.width, picture.height, items_name(items),
			      shape.width, shape.height);
	} else {
		count = picture.height / shape.height;
	}
	if (status)
		goto free_picture;
	to = items_grow(items, count, file->path);
	items->has_pictures = true;
	if (to)
		store_pixels(items, to, picture.pixels, &shape, count);
	else
		status = EXIT_FAILURE;
free_picture:
	picture_free(&picture);
	return status;
}

/* ---- Real values ---- */

/* Whether it is one of the last few of an item, which LiteRT's loop over eight at a time leaves. */
static bool is_last(const struct nn_tensor_info *info, uint64_t at)
{
	uint64_t count = nn_tensor_info_bytes(info) / nn_data_type_size(info->type);

	return at % count >= count - count % 8;
}

/* Whether a type of integers has numbers below 0. */
static bool has_sign(enum nn_data_type type)
{
	return type != NN_UINT8 && type != NN_UINT16 && type != NN_UINT32 && type != NN_UINT64 &&
	       type != NN_BOOL;
}

/*
 * Quantizes element `at` as ONNX's QuantizeLinear does, which divides, or as TensorFlow Lite's
 * QUANTIZE, which multiplies, and for the last ones of int16 divides in double and rounds ties away
 * from 0.
 */
static int32_t quantize(const struct items *items, uint64_t at, float real)
{
	const struct nn_tensor_info *info = &items->info;
	bool is_signed = has_sign(info->type);
	float size = nn_data_type_size(info->type) == 1 ? 256 : 65536;
	float min = is_signed ? -size / 2 : 0, max = min + size - 1;
	float inverse = 1 / info->scale;
	float value = nearbyintf(items->multiply ? real * inverse : real / info->scale);

	if (items->multiply && size == 65536 && is_last(info, at))
		value = (float)fmin(fmax(round((double)real / (double)info->scale), -65536), 65536);
	return (int32_t)fminf(fmaxf(value + info->zero_point, min), max);
}

/* Stores an integer of 8 bits or 16. */
static void store_integer(const struct items *items, uint8_t *to, int32_t value)
{
	*to = (uint8_t)value;
	if (nn_data_type_size(items->info.type) == 2)
		to[1] = (uint8_t)(value >> 8);
}

static void store_real(const struct items *items, uint8_t *to, uint64_t at, float real)
{
	store_integer(items, to, quantize(items, at, real));
}

int items_normalize(struct items *items, const struct normalization *normalization)
{
	items->pixels = calloc(MAX_CHANNELS, sizeof(*items->pixels));
	if (!items->pixels)
		return fail("out of memory");
	for (uint32_t c = 0; c < MAX_CHANNELS; c++) {
		uint32_t of = c < normalization->channels ? c : normalization->channels - 1;

		for (uint32_t pixel = 0; pixel < 256; pixel++)
			store_real(items, &items->pixels[c][pixel], 0,
				   (pixel - normalization->mean[of]) /
					   normalization->deviation[of]);
	}
	return 0;
}

/* ---- Sound ---- */

static void store_sample(const struct items *items, uint8_t *to, uint64_t at, int16_t sample)
{
	if (items->info.scale)
		store_real(items, to, at, sample / 32768.0f);
	else
		store_integer(items, to, sample);
}

/* One item, or several of the input's length. */
static int add_sound(struct items *items, const struct file *file)
{
	uint32_t size = nn_data_type_size(items->info.type);
	struct sound sound;
	uint64_t samples;
	uint8_t *to;
	int status;

	if (!takes_sound(&items->info, &samples))
		return fail("%s is a WAV file, and input %s takes no sound", file->path,
			    items_name(items));
	status = sound_read(file, &sound);
	if (status)
		return status;
	if (!sound.count || sound.count % samples)
		return fail("%s has %" PRIu64 " samples; input %s takes %" PRIu64
			    ", or several times as many",
			    file->path, sound.count, items_name(items), samples);
	to = items_grow(items, sound.count / samples, file->path);
	if (!to)
		return EXIT_FAILURE;
	for (uint64_t i = 0; i < sound.count; i++)
		store_sample(items, to + i * size, i, sound_sample(&sound, i));
	return 0;
}

/* ---- .npy and raw ---- */

static int quantize_all(const struct items *items, const struct file *file, const struct npy *npy,
			uint8_t *to)
{
	for (uint64_t i = 0; i < npy->count; i++) {
		char index[256];
		float from;

		memcpy(&from, npy->data + i * sizeof(from), sizeof(from));
		if (isnan(from)) {
			npy_print_index(npy, i, index, sizeof(index));
			return fail("%s: element %s is NaN", file->path, index);
		}
		store_real(items, to + i * nn_data_type_size(items->info.type), i, from);
	}
	return 0;
}

/* NumPy makes int64 of what it is told nothing about: taken for what it is to be, if it fits. */
static int narrow(const struct nn_tensor_info *info, const struct file *file,
		  const struct npy *npy, uint8_t *to)
{
	uint32_t size = nn_data_type_size(info->type);
	bool is_signed = has_sign(info->type);
	int64_t min = is_signed ? INT64_MIN >> (64 - 8 * size) : 0;
	int64_t max = info->type == NN_BOOL ? 1 :
		      size == 8 ? INT64_MAX :
		      is_signed ? ~min : ((int64_t)1 << 8 * size) - 1;

	for (uint64_t i = 0; i < npy->count; i++) {
		char index[256];

		if (npy->wide[i] < min || npy->wide[i] > max) {
			npy_print_index(npy, i, index, sizeof(index));
			return fail("%s: element %s is %" PRId64 ", which is no %s", file->path,
				    index, npy->wide[i], nn_data_type_name(info->type));
		}
		/* The low bytes, which come first. */
		memcpy(to + i * size, &npy->wide[i], size);
	}
	return 0;
}

static bool has_shape(const struct npy *npy, const struct nn_tensor_info *info, bool one)
{
	if (npy->rank + one != info->rank)
		return false;
	for (uint32_t i = 1; i < info->rank; i++) {
		if (npy->dims[i - one] != info->dims[i])
			return false;
	}
	return true;
}

static int fail_shape(const struct items *items, const struct file *file, const struct npy *npy)
{
	const struct nn_tensor_info *info = &items->info;

	fprintf(stderr, "error: %s has shape (", file->path);
	for (uint32_t i = 0; i < npy->rank; i++)
		fprintf(stderr, "%s%" PRIu64, i ? ", " : "", npy->dims[i]);
	fprintf(stderr, "), and input %s takes (N", items_name(items));
	for (uint32_t i = 1; i < info->rank; i++)
		fprintf(stderr, ", %u", info->dims[i]);
	fprintf(stderr, ")\n");
	return EXIT_FAILURE;
}

/* Several items, or one without a dimension for their number. */
static int add_array(struct items *items, const struct file *file, const struct npy *npy)
{
	const struct nn_tensor_info *info = &items->info;
	bool one = has_shape(npy, info, true), real;
	uint8_t *to;

	if (!one && !has_shape(npy, info, false))
		return fail_shape(items, file, npy);
	real = npy->type == NN_FLOAT32 && info->scale > 0 &&
	       nn_data_type_size(info->type) <= 2;
	if (npy->type != info->type && !real && (!npy->wide || info->type == NN_FLOAT32))
		return fail("%s is of %s, and input %s takes %s", file->path, npy->name,
			    items_name(items), nn_data_type_name(info->type));
	to = items_grow(items, one ? 1 : npy->dims[0], file->path);
	if (!to)
		return EXIT_FAILURE;
	if (real)
		return quantize_all(items, file, npy, to);
	if (npy->wide)
		return narrow(info, file, npy, to);
	memcpy(to, npy->data, npy->count * nn_data_type_size(npy->type));
	return 0;
}

int items_add_npy(struct items *items, const struct file *file)
{
	struct npy npy;
	int status;

	status = npy_read(file, &npy);
	if (!status)
		status = add_array(items, file, &npy);
	npy_free(&npy);
	return status;
}

/* Raw tensors can begin with any bytes, but nobody means a model or an archive as one. */
static int check_raw(const struct items *items, const struct file *file)
{
	const char *looks = file_looks_like(file);

	if (!file->size)
		return fail("%s is empty", file->path);
	if (looks && strcmp(looks, "text") && strcmp(looks, "a text graph") &&
	    !file_has_suffix(file->path, ".raw") && !file_has_suffix(file->path, ".bin"))
		return fail("%s looks like %s, which input %s does not take (if it is a raw tensor, name it .raw)",
			    file->path, looks, items_name(items));
	return 0;
}

static int add_raw(struct items *items, const struct file *file)
{
	uint8_t *to;
	int status;

	status = check_raw(items, file);
	if (status)
		return status;
	if (file->size % items->item_bytes)
		return fail("%s has %zu bytes, which is no multiple of the %" PRIu64
			    " bytes that an item of input %s takes",
			    file->path, file->size, items->item_bytes, items_name(items));
	to = items_grow(items, file->size / items->item_bytes, file->path);
	if (!to)
		return EXIT_FAILURE;
	memcpy(to, file->data, file->size);
	return 0;
}

/* The file is not what it should be. */
static int fail_kind(const struct file *file, const char *is)
{
	const char *looks = file_looks_like(file);

	if (!file->size)
		return fail("%s is empty", file->path);
	if (looks)
		return fail("%s is %s: it looks like %s", file->path, is, looks);
	return fail("%s is %s", file->path, is);
}

int items_add(struct items *items, const char *path, bool channels_first)
{
	struct file file;
	int status;

	/* A page may be read once more, to draw on it. */
	status = items->fit ? file_read_first(path, &file) : file_read(path, &file);
	if (status)
		return status;
	if (picture_is(&file))
		status = add_picture(items, &file, channels_first);
	else if (items->fit || items->resize)
		status = fail_kind(&file, "no picture");
	else if (sound_is(&file))
		status = add_sound(items, &file);
	else if (npy_is(&file))
		status = items_add_npy(items, &file);
	else if (file_has_suffix(path, ".png") || file_has_suffix(path, ".npy") ||
		 file_has_suffix(path, ".jpg") || file_has_suffix(path, ".jpeg") ||
		 file_has_suffix(path, ".wav"))
		status = fail_kind(&file, "not what its name says");
	else
		status = add_raw(items, &file);
	file_free(&file);
	return status;
}
