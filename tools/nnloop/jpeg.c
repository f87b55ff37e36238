// SPDX-License-Identifier: MIT
/* JPEG files: decoded by libjpeg, and turned as the camera says that it was held (Exif). */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#include "jpeg.h"

struct jpeg_state {
	struct jpeg_decompress_struct decoder;
	struct jpeg_error_mgr errors;
	jmp_buf failed;
	char message[JMSG_LENGTH_MAX];
	uint8_t *pixels;	/* as they are in the file, not turned yet */
};

/* ---- What libjpeg says ---- */

static void on_error(j_common_ptr decoder)
{
	struct jpeg_state *state = decoder->client_data;

	decoder->err->format_message(decoder, state->message);
	longjmp(state->failed, 1);
}

/* A damaged file is an error, not a picture that is grey from there on. Bytes too many between two
 * of its parts do no harm, and some cameras write them. */
static void on_message(j_common_ptr decoder, int level)
{
	if (level < 0 && decoder->err->msg_code != JWRN_EXTRANEOUS_DATA)
		on_error(decoder);
}

/* ---- Exif ---- */

static uint32_t read_number(const uint8_t *from, uint32_t size, bool big_endian)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < size; i++)
		value |= (uint32_t)from[i] << 8 * (big_endian ? size - 1 - i : i);
	return value;
}

#define EXIF_HEAD	6	/* "Exif", 0, 0, before what is a TIFF file */
#define TAG_ORIENTATION	0x0112

/* 1 to 8; 1, upright, if nothing is said. */
static uint32_t exif_orientation(const uint8_t *data, size_t size)
{
	uint32_t at, count;
	bool big_endian;

	if (size < EXIF_HEAD + 8 || memcmp(data, "Exif\0", EXIF_HEAD))
		return 1;
	data += EXIF_HEAD;
	size -= EXIF_HEAD;
	big_endian = data[0] == 'M';
	at = read_number(data + 4, 4, big_endian);
	if (at > size - 2)
		return 1;
	count = read_number(data + at, 2, big_endian);
	at += 2;
	for (uint32_t i = 0; i < count && size - at >= 12; i++, at += 12) {
		uint32_t value = read_number(data + at + 8, 2, big_endian);

		if (read_number(data + at, 2, big_endian) == TAG_ORIENTATION)
			return value >= 1 && value <= 8 ? value : 1;
	}
	return 1;
}

static uint32_t find_orientation(const struct jpeg_decompress_struct *decoder)
{
	for (jpeg_saved_marker_ptr marker = decoder->marker_list; marker; marker = marker->next) {
		uint32_t orientation = exif_orientation(marker->data, marker->data_length);

		if (orientation != 1)
			return orientation;
	}
	return 1;
}

/* Pixels as they are to be seen. Orientations 5 to 8 swap rows and columns; which ones then go
 * backwards, Exif's numbers say. */
static int turn(const uint8_t *from, uint32_t width, uint32_t height, uint32_t orientation,
		struct picture *picture)
{
	bool swap = orientation >= 5;
	bool left = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
	bool up = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
	uint32_t channels = picture->channels;
	uint8_t *to;

	picture->width = swap ? height : width;
	picture->height = swap ? width : height;
	to = malloc((size_t)width * height * channels + 1);
	if (!to)
		return fail("out of memory");
	picture->pixels = to;
	for (uint32_t y = 0; y < picture->height; y++) {
		for (uint32_t x = 0; x < picture->width; x++, to += channels) {
			uint32_t column = swap ? y : x, row = swap ? x : y;

			if (left)
				column = width - 1 - column;
			if (up)
				row = height - 1 - row;
			memcpy(to, from + ((size_t)row * width + column) * channels, channels);
		}
	}
	return 0;
}

/* ---- Reading ---- */

static int fail_jpeg(const struct file *file, const struct jpeg_state *state)
{
	return fail("%s is no readable JPEG: %s", file->path, state->message);
}

static int decode(const struct file *file, struct jpeg_state *state, struct picture *picture)
{
	struct jpeg_decompress_struct *decoder = &state->decoder;
	uint32_t width, height, orientation;

	if (setjmp(state->failed))
		return fail_jpeg(file, state);
	jpeg_save_markers(decoder, JPEG_APP0 + 1, 0xffff);
	jpeg_mem_src(decoder, file->data, file->size);
	jpeg_read_header(decoder, TRUE);
	orientation = find_orientation(decoder);
	width = decoder->image_width;
	height = decoder->image_height;
	if ((uint64_t)width * height * picture->channels > MAX_PIXELS)
		return fail("%s has %u x %u pixels, which is too large", file->path, width, height);
	decoder->out_color_space = picture->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_start_decompress(decoder);
	state->pixels = malloc((size_t)width * height * picture->channels);
	if (!state->pixels)
		return fail("out of memory");
	while (decoder->output_scanline < height) {
		JSAMPROW row = state->pixels +
			       (size_t)decoder->output_scanline * width * picture->channels;

		jpeg_read_scanlines(decoder, &row, 1);
	}
	jpeg_finish_decompress(decoder);
	return turn(state->pixels, width, height, orientation, picture);
}

bool jpeg_is(const struct file *file)
{
	return file->size >= 3 && !memcmp(file->data, "\xff\xd8\xff", 3);
}

int jpeg_read(const struct file *file, struct picture *picture)
{
	struct jpeg_state *state = calloc(1, sizeof(*state));
	int status;

	if (!state)
		return fail("out of memory");
	state->decoder.err = jpeg_std_error(&state->errors);
	state->decoder.client_data = state;
	state->errors.error_exit = on_error;
	state->errors.emit_message = on_message;
	if (setjmp(state->failed)) {
		status = fail_jpeg(file, state);
	} else {
		/* It clears all but these two. */
		jpeg_create_decompress(&state->decoder);
		status = decode(file, state, picture);
	}
	jpeg_destroy_decompress(&state->decoder);
	free(state->pixels);
	free(state);
	return status;
}
