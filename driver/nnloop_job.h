/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NNLOOP_JOB_H
#define NNLOOP_JOB_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include "nnloop_board.h"
#include "nnloop_coredump.h"

struct drm_device;
struct drm_file;
struct nnloop_queue;

/**
 * struct nnloop_job - what one submit makes
 *
 * Belongs to the scheduler from the submit on. It ends exactly once
 * (nnloop_job_end()), on a worker or without ever having reached one, and is
 * freed some time after that.
 */
struct nnloop_job {
	/** @base: the scheduler's part; its finished fence is what user space sees */
	struct drm_sched_job base;

	/** @queue: where it was submitted; holds a reference */
	struct nnloop_queue *queue;

	/** @point: of the queue's timeline */
	u64 point;

	/** @id: for the DSP */
	u64 id;

	/** @fence: signalled when the job has ended; holds a reference once initialised */
	struct dma_fence *fence;

	/** @fence_initialised: by nnloop_fence_init() */
	bool fence_initialised;

	/** @started: the DSP has been given the job; protected by &nnloop_worker.lock */
	bool started;

	/** @keeps_awake: it holds a runtime power reference until it ends */
	bool keeps_awake;

	/** @start_time: when */
	ktime_t start_time;

	/** @waits: fences whose errors are the job's; the scheduler waits for them */
	struct dma_fence **waits;

	/** @wait_count: of @waits */
	unsigned int wait_count;

	/** @cmds: JOB entry and PASS entries as they go into the ring */
	struct nnloop_cmd *cmds;

	/** @pass_count: passes */
	unsigned int pass_count;

	/** @space_link: in &nnloop_space.jobs until it ends */
	struct list_head space_link;

	/** @space_number: its place there */
	u64 space_number;

	/** @snapshot: taken when it failed; protected by &nnloop_worker.lock until it has ended */
	struct nnloop_snapshot snapshot;

	/** @free_work: frees it where one may sleep */
	struct work_struct free_work;
};

static inline struct nnloop_job *to_nnloop_job(struct drm_sched_job *base)
{
	return container_of(base, struct nnloop_job, base);
}

void nnloop_job_end(struct nnloop_job *job, const struct nnloop_result *ended);
int nnloop_job_waits_error(struct nnloop_job *job);
void nnloop_job_release(struct nnloop_job *job);

int nnloop_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
