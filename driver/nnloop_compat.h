/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels nnloop builds for, in one place. The HAVE_
 * macros come from compat-probe.sh, which asks the compiler, once per kernel.
 */
#ifndef NNLOOP_COMPAT_H
#define NNLOOP_COMPAT_H

#include <linux/fs.h>
#include <linux/mm.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_prime.h>
#include <drm/gpu_scheduler.h>

#include "nnloop_config.h"

/* Only their numbers are of interest. */
#ifndef DRM_IOCTL_SYNCOBJ_EVENTFD
#define DRM_IOCTL_SYNCOBJ_EVENTFD	DRM_IO(0xcf)
#endif
#ifndef DRM_IOCTL_SET_CLIENT_NAME
#define DRM_IOCTL_SET_CLIENT_NAME	DRM_IO(0xd1)
#endif

/* An accel node where the kernel has them, else a render node. */
#ifdef HAVE_DRM_ACCEL
#include <drm/drm_accel.h>
#define NNLOOP_DRIVER_NODE	DRIVER_COMPUTE_ACCEL
#define nnloop_drm_open		accel_open
#define nnloop_drm_minor(drm)	((drm)->accel)
#else
#define NNLOOP_DRIVER_NODE	DRIVER_RENDER
#define nnloop_drm_open		drm_open
#define nnloop_drm_minor(drm)	((drm)->render)
#endif

#ifdef HAVE_FOP_UNSIGNED_OFFSET
#define NNLOOP_FOP_FLAGS	.fop_flags = FOP_UNSIGNED_OFFSET,
#else
#define NNLOOP_FOP_FLAGS
#endif

#ifdef HAVE_DRM_DRIVER_DATE
#define NNLOOP_DRIVER_DATE	.date = "0",
#else
#define NNLOOP_DRIVER_DATE
#endif

/* Newer kernels have these by default. */
#ifdef HAVE_DRM_DRIVER_PRIME_MMAP
#define NNLOOP_DRIVER_PRIME					\
	.prime_handle_to_fd	= drm_gem_prime_handle_to_fd,	\
	.prime_fd_to_handle	= drm_gem_prime_fd_to_handle,	\
	.gem_prime_mmap		= drm_gem_prime_mmap,
#else
#define NNLOOP_DRIVER_PRIME
#endif

/* The namespace of the DMA-BUF functions: a string in newer kernels. */
#ifdef HAVE_IMPORT_NS_NAME
#define NNLOOP_NS_DMA_BUF	DMA_BUF
#else
#define NNLOOP_NS_DMA_BUF	"DMA_BUF"
#endif

#ifdef HAVE_SCHED_NUM_RQS
#define NNLOOP_SCHED_RUN_QUEUES	.num_rqs = DRM_SCHED_PRIORITY_COUNT,
#else
#define NNLOOP_SCHED_RUN_QUEUES
#endif

#ifdef HAVE_SCHED_PRIORITY_LOW
#define NNLOOP_SCHED_LOW	DRM_SCHED_PRIORITY_LOW
#else
#define NNLOOP_SCHED_LOW	DRM_SCHED_PRIORITY_MIN
#endif

static inline int nnloop_sched_job_init(struct drm_sched_job *job,
					struct drm_sched_entity *entity,
					void *owner, u64 client)
{
#if defined(HAVE_SCHED_JOB_CLIENT)
	return drm_sched_job_init(job, entity, 1, owner, client);
#elif defined(HAVE_SCHED_JOB_CREDITS)
	return drm_sched_job_init(job, entity, 1, owner);
#else
	return drm_sched_job_init(job, entity, owner);
#endif
}

/* Make the scheduler look at its list of running jobs again. */
static inline void nnloop_sched_kick(struct drm_gpu_scheduler *sched)
{
#ifdef HAVE_SCHED_WQUEUE
	drm_sched_wqueue_start(sched);
#else
	wake_up_interruptible(&sched->wake_up_worker);
#endif
}

static inline void nnloop_vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
#ifdef HAVE_VM_FLAGS
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

static inline void nnloop_vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
#ifdef HAVE_VM_FLAGS
	vm_flags_clear(vma, flags);
#else
	vma->vm_flags &= ~flags;
#endif
}

static inline long nnloop_drm_compat_ioctl(struct file *filp, unsigned int cmd,
					   unsigned long arg)
{
#ifdef CONFIG_COMPAT
	return drm_compat_ioctl(filp, cmd, arg);
#else
	return -ENOTTY;
#endif
}

#endif
