/* SPDX-License-Identifier: MIT */
/*
 * The assembly of sum.S and scale.S for DEPTHWISE_CONV2D: kernels of three rows and at most three
 * columns, from rows of input in scratch memory. run_job() of depthwise_conv2d.c calls it for 128
 * outputs at a time, down up to 64 rows. C and assembly include this file.
 *
 *	128 bytes	c0 | c1 | c2	three columns of the kernel, in row 0 of the input
 *			c0 | c1 | c2	row 1: `row_bytes` further on, and so on
 *	sums		[round][4]	vectors of 32 sums: of outputs 0 .. 31, 32 .. 63, ...
 *	out		128 bytes for each row of output, `pitch` from row to row
 */
#ifndef NN_DEPTHWISE_JOB_H
#define NN_DEPTHWISE_JOB_H

/* Offsets of the members of struct depthwise_job. */
#define JOB_COLUMNS	0	/* three addresses */
#define JOB_ROW_BYTES	12
#define JOB_SUMS	16
#define JOB_ROUNDS	20
#define JOB_WEIGHTS	24	/* four addresses */
#define JOB_PERIOD	40
#define JOB_BIAS	44
#define JOB_SCALED	48
#define JOB_OUT		52
#define JOB_PITCH	56
#define JOB_ROWS	60
#define JOB_OFFSET	64
#define JOB_MIN		68
#define JOB_MAX		72
#define JOB_LIMIT	76
#define JOB_SCALES	80

#ifndef __ASSEMBLER__

#include <stdint.h>

struct depthwise_job {
	/*
	 * The sums: where the columns of the first row of input are, and the bytes from row to row.
	 */
	const uint8_t *column[3];
	uint32_t row_bytes;
	int32_t *sums;
	uint32_t rounds;
	const int32_t *weights[4];	/* of lanes 0, 32, 64 and 96: a vector for each row */
	uint32_t period_bytes;		/* between one constant of a lane and the next */

	/* The results. */
	uint32_t bias_bytes;		/* from weights to bias */
	const int32_t *scaled;		/* the sums */
	uint8_t *out;
	uint32_t pitch;			/* of the output's rows */
	uint32_t rows;			/* at least three */
	uint32_t offset;		/* 2^16 * zero point + 2^15 + 1: ties get the fraction 1 */
	uint32_t min, max;		/* four times the byte */
	uint32_t limit;			/* 2^16 times what fractions of possible ties are below */
	uint32_t scales_bytes;		/* from bias to multiplier; shift is a period behind */
};

_Static_assert(sizeof(struct depthwise_job) == JOB_SCALES + 4, "as the assembly has it");

/*
 * Make vectors of 32 sums, at `sums`, four for a row of output. With stride 1 a round is two rows
 * of input, and the first sums are those of row -2; with stride 2 a round is a row of output and
 * the two rows of input that begin it, the first two columns are aligned, and the first sums are
 * those of row -1.
 */
void nn_depthwise_sum_u8(const struct depthwise_job *job);
void nn_depthwise_sum_s8(const struct depthwise_job *job);
void nn_depthwise_sum_strided_u8(const struct depthwise_job *job);
void nn_depthwise_sum_strided_s8(const struct depthwise_job *job);

/*
 * Make results of 8 bits of the sums. Sums plus bias, shifted, fit 32 bits; shifts are not
 * negative. Return the rows in which a fraction may be that of a tie, with row i's bit at i modulo
 * 32.
 */
uint32_t nn_depthwise_scale_u8(const struct depthwise_job *job);
uint32_t nn_depthwise_scale_s8(const struct depthwise_job *job);

#endif

#endif
