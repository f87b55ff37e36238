/* SPDX-License-Identifier: MIT */
/* ONNX models of many nodes, in several shapes, for cost.c. */
#ifndef COST_H
#define COST_H

#include <stddef.h>
#include <stdint.h>

/* The last is NULL. */
extern const char *const onnx_shapes[];

/* A model of about so many nodes, which the caller frees. `shape`: an index of onnx_shapes. */
char *write_onnx(uint32_t shape, uint32_t nodes, size_t *size);

#endif
