// SPDX-License-Identifier: MIT
/* Sound: WAV files of 16-bit samples and one channel. */
#include <string.h>

#include "nnloop.h"

#define PCM		1
#define EXTENSIBLE	0xfffe	/* the format is in 16 bytes more, the first two of which count */
#define FORMAT_BYTES	16	/* of a format chunk, at least */
#define SUBFORMAT_AT	24

static uint32_t load(const uint8_t *from, uint32_t size)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < size; i++)
		value |= (uint32_t)from[i] << (8 * i);
	return value;
}

bool sound_is(const struct file *file)
{
	return file->size >= 12 && !memcmp(file->data, "RIFF", 4) &&
	       !memcmp(file->data + 8, "WAVE", 4);
}

static int check_format(const struct file *file, const uint8_t *chunk, uint32_t size)
{
	uint32_t format = size >= FORMAT_BYTES ? load(chunk, 2) : 0;
	uint32_t channels, bits;

	if (format == EXTENSIBLE && size >= SUBFORMAT_AT + 2)
		format = load(chunk + SUBFORMAT_AT, 2);
	if (format != PCM)
		return fail("%s is compressed, or not of integers: only 16-bit PCM can be read",
			    file->path);
	channels = load(chunk + 2, 2);
	bits = load(chunk + 14, 2);
	if (bits != 16 || channels != 1)
		return fail("%s has %u channel%s of %u bits: make it one of 16 bits (ffmpeg -i %s -ac 1 -c:a pcm_s16le new.wav)",
			    file->path, channels, channels == 1 ? "" : "s", bits, file->path);
	return 0;
}

int sound_read(const struct file *file, struct sound *sound)
{
	bool has_format = false;
	size_t at = 12;

	while (file->size - at >= 8) {
		const uint8_t *chunk = file->data + at + 8;
		uint32_t size = load(file->data + at + 4, 4);
		bool is_data = !memcmp(file->data + at, "data", 4);
		int status;

		at += 8;
		if (size > file->size - at)
			return fail("%s ends in the middle of its %s", file->path,
				    is_data ? "samples" : "head");
		if (!memcmp(file->data + at - 8, "fmt ", 4)) {
			status = check_format(file, chunk, size);
			if (status)
				return status;
			has_format = true;
		}
		if (is_data && has_format) {
			*sound = (struct sound) { .samples = chunk, .count = size / 2 };
			return 0;
		}
		/* Chunks are of even length. */
		at += size;
		if (size % 2 && at < file->size)
			at++;
	}
	return fail("%s is no readable WAV file: it has no samples", file->path);
}

int16_t sound_sample(const struct sound *sound, uint64_t i)
{
	return (int16_t)load(sound->samples + 2 * i, 2);
}
