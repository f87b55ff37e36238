// SPDX-License-Identifier: GPL-2.0
/* The code of the tracepoints that nnloop_trace.h declares. */
#define CREATE_TRACE_POINTS
#include "nnloop_trace.h"
