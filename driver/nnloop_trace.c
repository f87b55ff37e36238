// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints' code.
 */
#define CREATE_TRACE_POINTS
#include "nnloop_trace.h"
