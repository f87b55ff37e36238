// SPDX-License-Identifier: GPL-2.0
/* Views of the driver from outside: debugfs files for a device, and fdinfo for an open file. */
#include <linux/debugfs.h>
#include <linux/math64.h>
#include <linux/pm_runtime.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include "nnloop_compat.h"
#include "nnloop_debugfs.h"
#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_gem.h"
#include "nnloop_job.h"
#include "nnloop_memory.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_worker.h"

static const char *nnloop_worker_state_name(enum nnloop_worker_state state)
{
	switch (state) {
	case NNLOOP_WORKER_DOWN:
		return "down";
	case NNLOOP_WORKER_UP:
		return "up";
	case NNLOOP_WORKER_GONE:
		return "gone";
	}
	return "?";
}

/*
 * Prints one line for each worker: state, restarts, looks for hangs, ring, and the job that is on
 * it.
 */
static int nnloop_workers_show(struct seq_file *m, void *unused)
{
	struct nnloop_device *ndev = m->private;
	unsigned int i;

	spin_lock_irq(&ndev->sched.lock);
	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];
		struct nnloop_job *job = worker->job;

		seq_printf(m, "%u: %s%s restarts %u looks %u", i,
			   nnloop_worker_state_name(worker->state),
			   ndev->sched.parked ? " parked" : "", worker->restarts, worker->looks);
		if (worker->state == NNLOOP_WORKER_UP)
			seq_printf(m, " ring head %u tail %u progress %u",
				   nnloop_board_ring_head(&ndev->board, i),
				   ndev->board.rings[i].tail,
				   nnloop_board_progress(&ndev->board, i));
		if (job)
			seq_printf(m, " job %llu client %llu point %llu passes %u running",
				   job->id, job->queue->file->id, job->point, job->pass_count);
		if (job && job->gang.count > 1)
			seq_printf(m, " with %u others%s", job->gang.count - 1,
				   worker->part_ended ? ", its part ended" : "");
		seq_puts(m, "\n");
	}
	spin_unlock_irq(&ndev->sched.lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nnloop_workers);

/* Prints how long each worker takes to answer. Each worker that has nothing else to do is asked. */
static int nnloop_latency_show(struct seq_file *m, void *unused)
{
	struct nnloop_device *ndev = m->private;
	struct device *dev = ndev->board.dev;
	unsigned int i;
	s64 took;
	int ret;

	ret = pm_runtime_resume_and_get(dev);
	if (ret < 0)
		return ret;
	for (i = 0; i < ndev->board.worker_count; i++) {
		took = nnloop_worker_measure(ndev->workers[i]);
		if (took < 0)
			seq_printf(m, "%u: error %lld\n", i, took);
		else
			seq_printf(m, "%u: %lld ns\n", i, took);
	}
	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nnloop_latency);

static void nnloop_queue_show(struct seq_file *m, struct nnloop_queue *queue, unsigned long id)
{
	struct nnloop_sched *sched = &queue->file->ndev->sched;
	struct nnloop_job *job;

	spin_lock_irq(&sched->lock);
	job = nnloop_queue_first_job(queue);
	seq_printf(m, "  queue %lu: submitted %llu ended %llu cancelled %llu%s%s\n", id,
		   queue->submitted, queue->ended, queue->cancelled,
		   job && job->started ? " running" : "", queue->lost ? " lost" : "");
	spin_unlock_irq(&sched->lock);
}

/* Prints each client's address space, and below it the client's queues. */
static int nnloop_clients_show(struct seq_file *m, void *unused)
{
	struct nnloop_device *ndev = m->private;
	struct nnloop_space *space;

	mutex_lock(&ndev->spaces_lock);
	list_for_each_entry(space, &ndev->spaces, link) {
		struct nnloop_file *file = container_of(space, struct nnloop_file, space);
		struct nnloop_queue *queue;
		unsigned long id;

		mutex_lock(&space->lock);
		seq_printf(m, "client %llu: space %u generation %lld mapped %zu KiB retired %zu KiB switch %llu us\n",
			   file->id, space->id, atomic64_read(&space->generation),
			   space->mapped >> 10, space->retired_size >> 10,
			   div_u64(READ_ONCE(file->client.switch_ns), NSEC_PER_USEC));
		mutex_unlock(&space->lock);

		/*
		 * No reference to the queue is taken: if it became the last one, dropping it would
		 * free the file, which takes spaces_lock, and that is held.
		 */
		xa_lock(&file->queues);
		xa_for_each(&file->queues, id, queue)
			nnloop_queue_show(m, queue, id);
		xa_unlock(&file->queues);
	}
	mutex_unlock(&ndev->spaces_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nnloop_clients);

static int nnloop_buffers_show(struct seq_file *m, void *unused)
{
	struct nnloop_device *ndev = m->private;
	struct nnloop_bo *bo;

	mutex_lock(&ndev->bos_lock);
	list_for_each_entry(bo, &ndev->bos, link) {
		struct drm_gem_object *obj = &bo->base.base;

		seq_printf(m, "%8zu KiB%s%s%s%s%s %s\n", obj->size >> 10,
			   bo->base.map_wc ? " write-combine" : "",
			   bo->dsp_read_only ? " DSP-read-only" : "",
			   READ_ONCE(bo->sealed) ? " sealed" : "",
			   bo->imported ? " imported" : "",
			   !bo->imported && obj->dma_buf ? " exported" : "", bo->name);
	}
	mutex_unlock(&ndev->bos_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nnloop_buffers);

static int nnloop_faults_show(struct seq_file *m, void *unused)
{
	struct nnloop_device *ndev = m->private;
	struct nnloop_failure failure;

	spin_lock_irq(&ndev->failure_lock);
	failure = ndev->last_failure;
	spin_unlock_irq(&ndev->failure_lock);

	seq_printf(m, "failed jobs: %u\n", failure.count);
	if (failure.count)
		seq_printf(m, "last: client %llu job %llu error %d pass %u operator %d reason %u address %#x access %u\n",
			   failure.client, failure.job, failure.result.error,
			   failure.result.passes_done, (int)failure.result.fail_op,
			   failure.result.fail_reason, failure.result.fault_address,
			   failure.result.fault_access);
	seq_printf(m, "lost: %s\n", str_yes_no(READ_ONCE(ndev->lost)));
	seq_printf(m, "pages leaked on purpose: %ld\n", atomic_long_read(&ndev->leaked_pages));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nnloop_faults);

/**
 * nnloop_debugfs_init - add our files to the DRM device's folder
 * @ndev: the device, registered; the DRM core removes them
 */
void nnloop_debugfs_init(struct nnloop_device *ndev)
{
	struct dentry *root = nnloop_drm_minor(&ndev->drm)->debugfs_root;

	debugfs_create_file("workers", 0400, root, ndev, &nnloop_workers_fops);
	debugfs_create_file("nnloop_clients", 0400, root, ndev, &nnloop_clients_fops);
	debugfs_create_file("buffers", 0400, root, ndev, &nnloop_buffers_fops);
	debugfs_create_file("faults", 0400, root, ndev, &nnloop_faults_fops);
	debugfs_create_file("latency", 0400, root, ndev, &nnloop_latency_fops);
}

/*
 * Returns a file's time on workers, up to now for jobs that run, and its complete passes. A job's
 * time moves from the running to the ended ones under the lock, so the sum never falls.
 */
static u64 nnloop_file_busy_ns(struct nnloop_file *file, u64 *passes_done)
{
	struct nnloop_device *ndev = file->ndev;
	u64 now;
	u64 busy;
	unsigned int i;

	spin_lock_irq(&ndev->sched.lock);
	now = ktime_get_ns();
	busy = file->busy_ns;
	*passes_done = file->passes_done;
	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_job *job = ndev->workers[i]->job;

		if (job && job->queue->file == file)
			busy += nnloop_slot_ns(&ndev->workers[i]->slot, now);
	}
	spin_unlock_irq(&ndev->sched.lock);
	return busy;
}

/*
 * Adds up the memory of all buffers that the file has made and that are still there, and of other
 * buffers that it has a handle of.
 */
static void nnloop_file_count_memory(struct drm_file *drm_file, u64 *total, u64 *shared)
{
	struct nnloop_file *file = drm_file->driver_priv;
	struct drm_gem_object *obj;
	int id;

	nnloop_memory_count(file->memory, total, shared);

	spin_lock(&drm_file->table_lock);
	idr_for_each_entry(&drm_file->object_idr, obj, id) {
		struct nnloop_bo *bo = to_nnloop_bo(obj);

		if (bo->memory == file->memory)
			continue;
		*total += obj->size;
		if (nnloop_bo_is_shared(bo))
			*shared += obj->size;
	}
	spin_unlock(&drm_file->table_lock);
}

/**
 * nnloop_show_fdinfo - what a client uses, for /proc/PID/fdinfo/FD
 * @p: where to
 * @filp: the file
 *
 * The format is that of all DRM drivers. The DRM core has printed already whose file it is.
 */
void nnloop_show_fdinfo(struct drm_printer *p, struct drm_file *filp)
{
	struct nnloop_file *file = filp->driver_priv;
	struct nnloop_device *ndev = file->ndev;
	u64 total = 0, shared = 0, passes_done, busy_ns;

	nnloop_file_count_memory(filp, &total, &shared);
	busy_ns = nnloop_file_busy_ns(file, &passes_done);

	drm_printf(p, "drm-engine-dsp:\t%llu ns\n", busy_ns);
	drm_printf(p, "drm-engine-capacity-dsp:\t%u\n", ndev->board.worker_count);
	drm_printf(p, "drm-total-memory:\t%llu KiB\n", total >> 10);
	drm_printf(p, "drm-shared-memory:\t%llu KiB\n", shared >> 10);
	/*
	 * Pages of a buffer stay resident as long as anybody has it, so all of its memory is
	 * resident.
	 */
	drm_printf(p, "drm-resident-memory:\t%llu KiB\n", total >> 10);
	/* Who has passes in a queue, and no time of a worker, waits. */
	drm_printf(p, "nnloop-passes:\t%llu\n", passes_done);
	drm_printf(p, "nnloop-queued-passes:\t%u\n", atomic_read(&file->queued_passes));
}
