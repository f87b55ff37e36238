/* SPDX-License-Identifier: MIT */
/* The report of nnloop quantize. */
#ifndef NNLOOP_TOOL_QUANTIZE_H
#define NNLOOP_TOOL_QUANTIZE_H

#include "nn_quantize.h"

#define QUANTIZE_BINS	64	/* of histograms in reports */

/* Names of enum nn_quantize_method; NULL behind the last. */
extern const char *const quantize_methods[];

/* On standard output. verbose: all tensors and layers. */
void quantize_print(const struct nn_quantizer *quantizer, bool verbose);

/* Both: 0, or the exit status after an error was printed. */
int quantize_write_json(const struct nn_quantizer *quantizer, const char *model, const char *path);
int quantize_write_html(const struct nn_quantizer *quantizer, const char *model, const char *path);

#endif
