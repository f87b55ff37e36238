/* SPDX-License-Identifier: MIT */
/* The report of nnloop quantize. */
#ifndef NNLOOP_TOOL_QUANTIZE_H
#define NNLOOP_TOOL_QUANTIZE_H

#include "nn_quantize.h"

/* Names of enum nn_quantize_method; NULL behind the last. */
extern const char *const quantize_methods[];

/* On standard output. verbose: all tensors and layers. */
void quantize_print(const struct nn_quantizer *quantizer, bool verbose);

#endif
