// SPDX-License-Identifier: MIT
/*
 * Makes a JPEG of a picture, as a camera would that was held in one of eight ways.
 *
 * usage: jpeg IN.png OUT.jpg grey|colour|cmyk ORIENTATION II|MM
 *
 * ORIENTATION is Exif's: in which direction the file's rows and columns go; 0 for no Exif data at
 * all. II and MM are its byte orders.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "tools/nnloop/nnloop.h"

/* Where a pixel of the file is to be seen: Exif's table, of its first row and first column. */
static size_t seen_at(const struct picture *seen, uint32_t orientation, uint32_t row, uint32_t column)
{
	uint32_t right = seen->width - 1, bottom = seen->height - 1, x = column, y = row;

	switch (orientation) {
	case 2: /* top, right */
		x = right - column;
		break;
	case 3: /* bottom, right */
		x = right - column;
		y = bottom - row;
		break;
	case 4: /* bottom, left */
		y = bottom - row;
		break;
	case 5: /* left, top */
		x = row;
		y = column;
		break;
	case 6: /* right, top */
		x = right - row;
		y = column;
		break;
	case 7: /* right, bottom */
		x = right - row;
		y = bottom - column;
		break;
	case 8: /* left, bottom */
		x = row;
		y = bottom - column;
		break;
	}
	return ((size_t)y * seen->width + x) * seen->channels;
}

static void put(uint8_t *to, uint32_t value, uint32_t size, bool big_endian)
{
	for (uint32_t i = 0; i < size; i++)
		to[i] = value >> 8 * (big_endian ? size - 1 - i : i);
}

/* A directory of two entries, of which the second is the orientation. */
static void write_exif(struct jpeg_compress_struct *encoder, uint32_t orientation, bool big_endian)
{
	uint8_t exif[6 + 8 + 2 + 2 * 12 + 4] = "Exif";
	uint8_t *tiff = exif + 6, *entry = tiff + 10;

	memset(tiff, big_endian ? 'M' : 'I', 2);
	put(tiff + 2, 42, 2, big_endian);
	put(tiff + 4, 8, 4, big_endian);
	put(tiff + 8, 2, 2, big_endian);
	put(entry, 0x0100, 2, big_endian); /* the width, which is not looked at */
	put(entry + 2, 4, 2, big_endian);
	put(entry + 4, 1, 4, big_endian);
	put(entry + 12, 0x0112, 2, big_endian);
	put(entry + 14, 3, 2, big_endian);
	put(entry + 16, 1, 4, big_endian);
	put(entry + 20, orientation, 2, big_endian);
	jpeg_write_marker(encoder, JPEG_APP0 + 1, exif, sizeof(exif));
}

static void encode(const struct picture *seen, FILE *stream, uint32_t orientation, bool big_endian,
		   bool cmyk)
{
	uint32_t width = orientation > 4 ? seen->height : seen->width;
	uint32_t height = orientation > 4 ? seen->width : seen->height;
	uint32_t components = cmyk ? 4 : seen->channels;
	struct jpeg_compress_struct encoder;
	struct jpeg_error_mgr errors;
	JSAMPROW row = calloc(width, components);

	encoder.err = jpeg_std_error(&errors);
	jpeg_create_compress(&encoder);
	jpeg_stdio_dest(&encoder, stream);
	encoder.image_width = width;
	encoder.image_height = height;
	encoder.input_components = components;
	encoder.in_color_space = cmyk ? JCS_CMYK : components == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(&encoder);
	jpeg_set_quality(&encoder, 100, TRUE);
	encoder.comp_info[0].h_samp_factor = encoder.comp_info[0].v_samp_factor = 1;
	jpeg_start_compress(&encoder, TRUE);
	if (orientation)
		write_exif(&encoder, orientation, big_endian);
	for (uint32_t y = 0; y < height && row; y++) {
		for (uint32_t x = 0; x < width; x++)
			memcpy(row + x * components,
			       seen->pixels + seen_at(seen, orientation, y, x), seen->channels);
		jpeg_write_scanlines(&encoder, &row, 1);
	}
	jpeg_finish_compress(&encoder);
	jpeg_destroy_compress(&encoder);
	free(row);
}

int main(int argc, char **argv)
{
	struct picture picture;
	struct file file;
	FILE *stream;

	if (argc != 6)
		return fail("usage: jpeg IN.png OUT.jpg grey|colour|cmyk ORIENTATION II|MM");
	if (file_read(argv[1], &file) ||
	    picture_read(&file, strcmp(argv[3], "grey") ? 3 : 1, 255, &picture))
		return 1;
	stream = fopen(argv[2], "wbe");
	if (!stream)
		return fail("cannot create %s", argv[2]);
	encode(&picture, stream, strtoul(argv[4], NULL, 10), *argv[5] == 'M',
	       !strcmp(argv[3], "cmyk"));
	picture_free(&picture);
	file_free(&file);
	return fclose(stream) ? fail("cannot write %s", argv[2]) : 0;
}
