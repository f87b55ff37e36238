/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open files (nnloop_file.c), each of which is a client, and the limits of what one can have.
 */
#ifndef NNLOOP_FILE_H
#define NNLOOP_FILE_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "nnloop_rules.h"
#include "nnloop_space.h"

#define NNLOOP_MAX_QUEUES	64	/* of one file; destroyed ones count till they are gone */
#define NNLOOP_MAX_JOBS		1024	/* of one queue that have not ended */
#define NNLOOP_MAX_SYNCS	64	/* of one submit, for waits and for signals */

/* The most passes of one file in jobs that have not ended: 32 MiB of ring entries. */
#define NNLOOP_MAX_QUEUED_PASSES	262144

struct drm_device;
struct drm_file;
struct file;
struct inode;
struct nnloop_device;
struct nnloop_memory;

/**
 * struct nnloop_file - what belongs to one open file
 *
 * The open file holds a reference, and so does each of its queues, which live
 * until their last job is gone.
 */
struct nnloop_file {
	/** @ref: references */
	struct kref ref;

	/** @ndev: the device; holds a reference */
	struct nnloop_device *ndev;

	/** @id: the client's id: drm-client-id of fdinfo, also in traces, debugfs and core dumps */
	u64 id;

	/** @space: what the DSP sees */
	struct nnloop_space space;

	/** @memory: the memory of the buffers that it has made; holds a reference */
	struct nnloop_memory *memory;

	/** @queues: &struct nnloop_queue by id; its lock protects the lookup */
	struct xarray queues;

	/** @queue_count: queues that are not gone yet */
	atomic_t queue_count;

	/** @pin: holds the module for fences; holds a reference */
	struct file *pin;

	/** @client: what the scheduler's rules know of it; protected by &nnloop_sched.lock */
	struct nnloop_client client;

	/** @queued_passes: passes of jobs that have not ended */
	atomic_t queued_passes;

	/**
	 * @busy_ns: time of workers on jobs that they do not have any more; protected like @client
	 */
	u64 busy_ns;

	/**
	 * @passes_done: complete passes, but for those that a worker is at; protected like @client
	 */
	u64 passes_done;
};

static inline struct nnloop_file *nnloop_file_get(struct nnloop_file *file)
{
	kref_get(&file->ref);
	return file;
}

void nnloop_file_put(struct nnloop_file *file);

int nnloop_open(struct drm_device *drm, struct drm_file *filp);
void nnloop_postclose(struct drm_device *drm, struct drm_file *filp);

/* The file operations, whichever name the file was opened by; all but .open. */
#define NNLOOP_FOPS					\
	.owner = THIS_MODULE,				\
	.release = nnloop_release,			\
	.unlocked_ioctl = nnloop_ioctl,			\
	.compat_ioctl = nnloop_compat_ioctl,		\
	.poll = drm_poll,				\
	.read = drm_read,				\
	.llseek = noop_llseek,				\
	.mmap = drm_gem_mmap,				\
	.show_fdinfo = nnloop_drm_show_fdinfo,		\
	NNLOOP_FOP_FLAGS

long nnloop_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
long nnloop_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
int nnloop_release(struct inode *inode, struct file *filp);

#endif
