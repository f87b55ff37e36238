// SPDX-License-Identifier: MIT
/*
 * Sums of DEPTHWISE_CONV2D for kernels of any shape (words.h): which words and which weights the
 * assembly goes through.
 */
#include "dsp/hvx/depthwise/words.h"

void nn_depthwise_make_words(const struct depthwise *d, const uint8_t *in, uint32_t rows,
			     uint8_t *memory)
{
	struct depthwise_columns columns = {
		.pitch = d->window.stride_w * d->phase_bytes,
		.to_pitch = d->words * WORDS_BYTES,
		.rows = words_rows(d, rows),
	};
	/* Then all columns begin at a multiple of a vector, as rows and phases do. */
	bool is_aligned = ((uintptr_t)in | d->channels) % VECTOR == 0;

	for (uint32_t q = 0; q < d->words; q++) {
		for (uint32_t k = 0; k < 4; k++)
			columns.from[k] = in + d->column[4 * q + k];
		columns.to = memory + q * WORDS_BYTES;
		if (is_aligned) {
			nn_depthwise_interleave_aligned(&columns);
			continue;
		}
		switch (d->window.kernel_w - 4 * q) {
		case 1:
			nn_depthwise_interleave_1(&columns);
			break;
		case 2:
			nn_depthwise_interleave_2(&columns);
			break;
		case 3:
			nn_depthwise_interleave_3(&columns);
			break;
		default:
			nn_depthwise_interleave_4(&columns);
			break;
		}
	}
}

void nn_depthwise_sum_words(const struct depthwise *d, const struct depthwise_job *job,
			    uint32_t rows, const uint8_t *memory)
{
	uint32_t row = d->words * WORDS_BYTES;
	struct depthwise_words words = {
		.row = d->window.stride_h * row,
		.down = d->window.dilation_h * row - (d->words - 1) * WORDS_BYTES,
		.period_bytes = job->period_bytes,
		.rows = rows,
		.entry = nn_depthwise_words_entry[d->is_signed][d->words - 1]
						 [d->window.kernel_h - 1],
	};

	for (uint32_t j = 0; j < 4; j++) {
		/* The words of the first row are behind those that were overwritten. */
		words.from = memory + row + j * VECTOR;
		words.sums = (uint8_t *)job->scaled - WORDS_BYTES + j * VECTOR;
		words.weights = job->weights[j];
		nn_depthwise_multiply_words(&words);
	}
}
