// SPDX-License-Identifier: MIT
/* Pictures: PNG and JPEG files in, PNG files out, and scaling one to what a model takes. */
#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "jpeg.h"
#include "nnloop.h"
#include "out_file.h"

bool picture_is(const struct file *file)
{
	return (file->size >= 8 && !png_sig_cmp(file->data, 0, 8)) || jpeg_is(file);
}

int picture_read(const struct file *file, uint32_t channels, uint8_t background,
		 struct picture *picture)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	size_t size;
	int status = 0;

	*picture = (struct picture) { .channels = channels };
	if (jpeg_is(file))
		return jpeg_read(file, picture);
	if (!png_image_begin_read_from_memory(&image, file->data, file->size))
		return fail("%s is no readable PNG: %s", file->path, image.message);
	image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
	/* Files of 16 bits that do not say otherwise are no more linear than the others. */
	image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
	if ((uint64_t)image.width * image.height * channels > MAX_PIXELS) {
		status = fail("%s has %u x %u pixels, which is too large", file->path, image.width,
			      image.height);
		goto free_image;
	}
	size = PNG_IMAGE_SIZE(image);
	picture->pixels = malloc(size);
	if (!picture->pixels) {
		status = fail("out of memory");
		goto free_image;
	}
	/* libpng composes what is transparent on what it finds in the buffer. */
	memset(picture->pixels, background, size);
	picture->width = image.width;
	picture->height = image.height;
	if (!png_image_finish_read(&image, NULL, picture->pixels, 0, NULL)) {
		status = fail("%s is no readable PNG: %s", file->path, image.message);
		picture_free(picture);
	}
free_image:
	png_image_free(&image);
	return status;
}

void picture_free(struct picture *picture)
{
	free(picture->pixels);
	picture->pixels = NULL;
}

int picture_write(const struct picture *picture, const char *path)
{
	png_image image = { .version = PNG_IMAGE_VERSION,
			    .width = picture->width,
			    .height = picture->height,
			    .format = picture->channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB };

	struct out_file *file;
	int status = out_file_open(path, &file);

	if (status)
		return status;
	errno = 0;
	if (!png_image_write_to_stdio(&image, out_file_stream(file), 0, picture->pixels, 0, NULL))
		return fail("cannot write %s: %s", path, errno ? strerror(errno) : image.message);
	return out_file_finish(file);
}

double picture_fit_scale(uint32_t from_width, uint32_t from_height, uint32_t width, uint32_t height)
{
	return fmin((double)width / from_width, (double)height / from_height);
}

/*
 * The source pixels that an output pixel covers along one axis, and how much of the first and last.
 */
struct span {
	uint32_t first, last;
	double first_weight, last_weight, sum;
};

/*
 * A window around the output pixel's centre, as wide as the output pixel but at least one source
 * pixel: the mean of an area when it becomes smaller, linear interpolation when it becomes larger.
 */
static struct span find_span(uint32_t at, double scale, uint32_t size)
{
	double centre = (at + 0.5) / scale, half = fmax(1 / scale, 1) / 2;
	double from = fmax(centre - half, 0), to = fmin(centre + half, size);
	struct span span = { .first = (uint32_t)from, .last = (uint32_t)ceil(to) - 1 };

	span.first_weight = fmin(span.first + 1, to) - from;
	span.last_weight = to - fmax(span.last, from);
	span.sum = to - from;
	return span;
}

static double span_weight(const struct span *span, uint32_t at)
{
	if (at == span->first)
		return span->first_weight;
	return at == span->last ? span->last_weight : 1;
}

static double mean_of(const struct picture *from, const struct span *across,
		      const struct span *down, uint32_t channel)
{
	double sum = 0;

	for (uint32_t y = down->first; y <= down->last; y++) {
		double row = 0;

		for (uint32_t x = across->first; x <= across->last; x++) {
			uint64_t at = ((uint64_t)y * from->width + x) * from->channels + channel;

			row += span_weight(across, x) * from->pixels[at];
		}
		sum += span_weight(down, y) * row;
	}
	return sum / (across->sum * down->sum);
}

/* The mean of the outermost pixels: what is around the picture is taken to look like its edge. */
static uint8_t edge_mean(const struct picture *picture, uint32_t channel)
{
	uint64_t sum = 0, count = 0;

	for (uint32_t y = 0; y < picture->height; y++) {
		bool whole = y == 0 || y == picture->height - 1;
		uint32_t step = whole || picture->width == 1 ? 1 : picture->width - 1;

		for (uint32_t x = 0; x < picture->width; x += step, count++)
			sum += picture->pixels[((uint64_t)y * picture->width + x) *
					       picture->channels + channel];
	}
	return (sum + count / 2) / count;
}

int picture_fit(const struct picture *from, double scale, uint32_t width, uint32_t height,
		struct picture *to)
{
	uint32_t used_width = fmin(width, ceil(from->width * scale - 1e-9));
	uint32_t used_height = fmin(height, ceil(from->height * scale - 1e-9));

	*to = (struct picture) { .width = width, .height = height, .channels = from->channels };
	to->pixels = malloc((uint64_t)width * height * from->channels);
	if (!to->pixels)
		return fail("out of memory");
	for (uint32_t c = 0; c < from->channels; c++) {
		uint8_t around = edge_mean(from, c);

		for (uint32_t y = 0; y < height; y++) {
			struct span down = find_span(y, scale, from->height);

			for (uint32_t x = 0; x < width; x++) {
				uint64_t at = ((uint64_t)y * width + x) * from->channels + c;
				struct span across;

				if (y >= used_height || x >= used_width) {
					to->pixels[at] = around;
					continue;
				}
				across = find_span(x, scale, from->width);
				to->pixels[at] = lround(mean_of(from, &across, &down, c));
			}
		}
	}
	return 0;
}

int picture_resize(const struct picture *from, uint32_t width, uint32_t height, struct picture *to)
{
	double across_scale = (double)width / from->width;
	double down_scale = (double)height / from->height;
	uint8_t *pixel;

	*to = (struct picture) { .width = width, .height = height, .channels = from->channels };
	to->pixels = malloc((uint64_t)width * height * from->channels);
	if (!to->pixels)
		return fail("out of memory");
	pixel = to->pixels;
	for (uint32_t y = 0; y < height; y++) {
		struct span down = find_span(y, down_scale, from->height);

		for (uint32_t x = 0; x < width; x++) {
			struct span across = find_span(x, across_scale, from->width);

			for (uint32_t c = 0; c < from->channels; c++)
				*pixel++ = lround(mean_of(from, &across, &down, c));
		}
	}
	return 0;
}
