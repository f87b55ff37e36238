/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: a job's way through the driver. All of them carry the client (the drm-client-id of
 * fdinfo) and the job's id. A job that others had to wait for is left off between two passes
 * (nnloop_yield) and started again, perhaps on another worker. A job that several workers run
 * together is started (nnloop_start) on each of them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nnloop

#if !defined(NNLOOP_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NNLOOP_TRACE_H

#include <linux/tracepoint.h>

#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"

DECLARE_EVENT_CLASS(nnloop_job,
	TP_PROTO(const struct nnloop_job *job),
	TP_ARGS(job),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, job)
		__field(u64, point)
		__field(u32, passes)
	),
	TP_fast_assign(
		__entry->client = job->queue->file->id;
		__entry->job = job->id;
		__entry->point = job->point;
		__entry->passes = job->pass_count;
	),
	TP_printk("client=%llu job=%llu point=%llu passes=%u",
		  __entry->client, __entry->job, __entry->point, __entry->passes)
);

DEFINE_EVENT(nnloop_job, nnloop_submit,
	TP_PROTO(const struct nnloop_job *job),
	TP_ARGS(job)
);

TRACE_EVENT(nnloop_start,
	TP_PROTO(const struct nnloop_job *job, unsigned int worker, unsigned int share),
	TP_ARGS(job, worker, share),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, job)
		__field(u32, worker)
		__field(u32, pass)
		__field(u32, share)
		__field(u32, shares)
	),
	TP_fast_assign(
		__entry->client = job->queue->file->id;
		__entry->job = job->id;
		__entry->worker = worker;
		__entry->pass = job->passes_done;
		__entry->share = share;
		__entry->shares = job->gang.count;
	),
	TP_printk("client=%llu job=%llu worker=%u pass=%u share=%u of %u",
		  __entry->client, __entry->job, __entry->worker, __entry->pass,
		  __entry->share, __entry->shares)
);

TRACE_EVENT(nnloop_yield,
	TP_PROTO(const struct nnloop_job *job),
	TP_ARGS(job),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, job)
		__field(u32, passes_done)
	),
	TP_fast_assign(
		__entry->client = job->queue->file->id;
		__entry->job = job->id;
		__entry->passes_done = job->passes_done;
	),
	TP_printk("client=%llu job=%llu passes_done=%u",
		  __entry->client, __entry->job, __entry->passes_done)
);

TRACE_EVENT(nnloop_done,
	TP_PROTO(const struct nnloop_job *job, int error, u32 passes_done),
	TP_ARGS(job, error, passes_done),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, job)
		__field(int, error)
		__field(u32, passes_done)
	),
	TP_fast_assign(
		__entry->client = job->queue->file->id;
		__entry->job = job->id;
		__entry->error = error;
		__entry->passes_done = passes_done;
	),
	TP_printk("client=%llu job=%llu error=%d passes_done=%u",
		  __entry->client, __entry->job, __entry->error, __entry->passes_done)
);

TRACE_EVENT(nnloop_fault,
	TP_PROTO(const struct nnloop_job *job, const struct nnloop_result *result),
	TP_ARGS(job, result),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, job)
		__field(u32, address)
		__field(u32, access)
		__field(u32, op)
	),
	TP_fast_assign(
		__entry->client = job->queue->file->id;
		__entry->job = job->id;
		__entry->address = result->fault_address;
		__entry->access = result->fault_access;
		__entry->op = result->fail_op;
	),
	TP_printk("client=%llu job=%llu %s of %#x by operator %d",
		  __entry->client, __entry->job,
		  __entry->access == NNLOOP_ACCESS_WRITE ? "write" : "read",
		  __entry->address, (int)__entry->op)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE nnloop_trace
#include <trace/define_trace.h>
