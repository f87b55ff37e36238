// SPDX-License-Identifier: MIT
/*
 * Evens out low contrast, place by place, before a page is read.
 *
 * Ink and paper that are at least CONTRAST apart stay as they are, and so does bare paper, whose
 * noise would only become ink.
 */
#include <math.h>
#include <stdlib.h>

#include "nnloop.h"

#define TILE		16	/* pixels from one measured place to the next */
#define REACH		16	/* pixels around it, on each side, that are measured */
#define CONTRAST	48	/* between ink and paper of smoothed pixels, to be reached */
#define MAX_GAIN	6.0
#define MAX_NOISE	12.0	/* of pixels, that a page may come to */
#define MIN_CONTRAST	6	/* less is no ink */
#define NOISE_CONTRAST	8	/* nor are so many standard deviations of the smoothed noise */

/* The pixels at a position become (pixel - base) * gain + centre. */
struct place {
	double gain, base, centre;
};

static double pixel_at(const struct picture *picture, int64_t y, int64_t x, uint32_t channel)
{
	y = y < 0 ? 0 : y >= picture->height ? picture->height - 1 : y;
	x = x < 0 ? 0 : x >= picture->width ? picture->width - 1 : x;
	return picture->pixels[(y * picture->width + x) * picture->channels + channel];
}

/* The mean of 3 x 3 pixels around each. */
static void smooth(const struct picture *picture, uint32_t channel, float *to)
{
	for (int64_t y = 0; y < picture->height; y++) {
		for (int64_t x = 0; x < picture->width; x++) {
			double sum = 0;

			for (int64_t i = 0; i < 9; i++)
				sum += pixel_at(picture, y + i / 3 - 1, x + i % 3 - 1, channel);
			to[y * picture->width + x] = sum / 9;
		}
	}
}

/* The noise's standard deviation: from the median of how far pixels are from their smoothed ones,
 * of which few are at an edge. */
static double find_noise(const struct picture *picture, uint32_t channel, const float *smoothed)
{
	uint64_t area = (uint64_t)picture->width * picture->height, below = 0;
	uint64_t counts[1024] = { 0 };
	uint32_t quarter = 0;

	for (uint64_t i = 0; i < area; i++) {
		double far = fabs(picture->pixels[i * picture->channels + channel] - smoothed[i]);

		counts[(uint32_t)fmin(4 * far, 1023)]++;
	}
	while (2 * (below += counts[quarter]) < area)
		quarter++;
	/* The median of a normal distribution is 0.674 deviations off, and 1/9 of a pixel is
	 * in its own mean. */
	return quarter / 4.0 / 0.674 / sqrt(8.0 / 9);
}

/*
 * Measures what the least and the greatest of each hundred pixels are, without the plane that light
 * from one side lays over them.
 */
static void measure(const float *smoothed, uint32_t width, const uint32_t *from,
		    const uint32_t *to, double *mean, double *low, double *high)
{
	double middle_y = (from[0] + to[0] - 1) / 2.0, middle_x = (from[1] + to[1] - 1) / 2.0;
	double sum = 0, down = 0, across = 0, down_squares = 0, across_squares = 0;
	uint32_t counts[1024] = { 0 };
	uint32_t count = (to[0] - from[0]) * (to[1] - from[1]), rest = count / 100, first, last;

	for (uint32_t y = from[0]; y < to[0]; y++) {
		for (uint32_t x = from[1]; x < to[1]; x++) {
			double value = smoothed[(uint64_t)y * width + x];

			sum += value;
			down += (y - middle_y) * value;
			across += (x - middle_x) * value;
			down_squares += (y - middle_y) * (y - middle_y);
			across_squares += (x - middle_x) * (x - middle_x);
		}
	}
	*mean = sum / count;
	down = down_squares > 0 ? down / down_squares : 0;
	across = across_squares > 0 ? across / across_squares : 0;
	for (uint32_t y = from[0]; y < to[0]; y++) {
		for (uint32_t x = from[1]; x < to[1]; x++) {
			double value = smoothed[(uint64_t)y * width + x] - *mean -
				       down * (y - middle_y) - across * (x - middle_x);

			counts[(uint32_t)fmin(fmax(value + 512, 0), 1023)]++;
		}
	}
	for (first = 0; counts[first] <= rest; first++)
		rest -= counts[first];
	for (last = 1023, rest = count / 100; counts[last] <= rest; last--)
		rest -= counts[last];
	*low = first - 512.0;
	*high = last - 512.0;
}

static struct place find_place(const struct picture *picture, const float *smoothed, uint32_t y,
			       uint32_t x, double noise)
{
	uint32_t from[2] = { y > REACH ? y - REACH : 0, x > REACH ? x - REACH : 0 };
	uint32_t to[2] = { fmin(y + REACH, picture->height), fmin(x + REACH, picture->width) };
	struct place place = { .gain = 1 };
	double low, high;

	measure(smoothed, picture->width, from, to, &place.base, &low, &high);
	place.centre = place.base;
	if (high - low < fmax(MIN_CONTRAST, NOISE_CONTRAST * noise / 3) || high - low >= CONTRAST)
		return place;
	place.gain = fmin(CONTRAST / (high - low), MAX_GAIN);
	if (place.gain * noise > MAX_NOISE)
		place.gain = fmax(MAX_NOISE / noise, 1);
	/* All of it between black and white. */
	place.centre = fmin(fmax(place.base, -place.gain * low), 255 - place.gain * high);
	return place;
}

/* Returns a pixel, evened out between the four positions around it. */
static uint8_t even_pixel(const struct place *places, uint32_t rows, uint32_t columns, uint32_t y,
			  uint32_t x, uint8_t pixel)
{
	double down = fmin(fmax((y + 0.5) / TILE - 0.5, 0), rows - 1);
	double across = fmin(fmax((x + 0.5) / TILE - 0.5, 0), columns - 1);
	uint32_t row = down, column = across;
	double even = 0;

	for (uint32_t i = 0; i < 4; i++) {
		double weight = (i / 2 ? down - row : row + 1 - down) *
				(i % 2 ? across - column : column + 1 - across);
		const struct place *place;

		if (weight <= 0)
			continue;
		place = &places[(row + i / 2) * columns + column + i % 2];
		even += weight * ((pixel - place->base) * place->gain + place->centre);
	}
	return lround(fmin(fmax(even, 0), 255));
}

int picture_even_out(struct picture *picture)
{
	uint32_t rows = (picture->height + TILE - 1) / TILE;
	uint32_t columns = (picture->width + TILE - 1) / TILE;
	struct place *places = calloc((uint64_t)rows * columns, sizeof(*places));
	float *smoothed = calloc((uint64_t)picture->width * picture->height, sizeof(*smoothed));
	int status = places && smoothed ? 0 : fail("out of memory");

	for (uint32_t c = 0; c < picture->channels && !status; c++) {
		double noise;

		smooth(picture, c, smoothed);
		noise = find_noise(picture, c, smoothed);
		for (uint32_t i = 0; i < rows * columns; i++)
			places[i] = find_place(picture, smoothed, i / columns * TILE + TILE / 2,
					       i % columns * TILE + TILE / 2, noise);
		for (uint64_t i = 0; i < (uint64_t)picture->width * picture->height; i++) {
			uint8_t *pixel = &picture->pixels[i * picture->channels + c];

			*pixel = even_pixel(places, rows, columns, i / picture->width,
					    i % picture->width, *pixel);
		}
	}
	free(places);
	free(smoothed);
	return status;
}
