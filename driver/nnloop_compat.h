/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that differs between the kernels that nnloop builds for. The HAVE_ macros come from
 * compat-probe.sh, which asks the compiler, once for each kernel.
 */
#ifndef NNLOOP_COMPAT_H
#define NNLOOP_COMPAT_H

#include <linux/device.h>
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/mm.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_prime.h>
#include <drm/drm_print.h>

#include "nnloop_config.h"
#include "nnloop_debugfs.h"
#include "nnloop_file.h"

/* Older kernels lack these calls, of which only the numbers are of interest. */
#ifndef DRM_IOCTL_SYNCOBJ_EVENTFD
#define DRM_IOCTL_SYNCOBJ_EVENTFD	DRM_IO(0xcf)
#endif
#ifndef DRM_IOCTL_SET_CLIENT_NAME
#define DRM_IOCTL_SET_CLIENT_NAME	DRM_IO(0xd1)
#endif

/* The device gets an accel node on kernels that have them, else a render node. */
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

/* Newer kernels print themselves whose file it is, and call the driver for the rest. */
#ifdef HAVE_DRM_SHOW_FDINFO
#define NNLOOP_DRIVER_FDINFO	.show_fdinfo = nnloop_show_fdinfo,
#define nnloop_drm_show_fdinfo	drm_show_fdinfo
#else
#define NNLOOP_DRIVER_FDINFO
static inline void nnloop_drm_show_fdinfo(struct seq_file *m, struct file *filp)
{
	struct drm_printer p = drm_seq_file_printer(m);
	struct drm_file *file = filp->private_data;
	struct nnloop_file *client = file->driver_priv;
	struct drm_device *drm = file->minor->dev;
	int idx;

	if (!drm_dev_enter(drm, &idx))
		return;
	seq_printf(m, "drm-driver:\t%s\n", drm->driver->name);
	seq_printf(m, "drm-client-id:\t%llu\n", client->id);
	seq_printf(m, "drm-pdev:\t%s\n", dev_name(drm->dev));
	nnloop_show_fdinfo(&p, file);
	drm_dev_exit(idx);
}
#endif

/*
 * Returns the number by which fdinfo calls a client. @last is the one before, where the kernel does
 * not number them.
 */
static inline u64 nnloop_drm_client_id(struct drm_file *filp, atomic64_t *last)
{
#ifdef HAVE_DRM_SHOW_FDINFO
	return filp->client_id;
#else
	return atomic64_inc_return(last);
#endif
}

#ifdef HAVE_DRM_DRIVER_DATE
#define NNLOOP_DRIVER_DATE	.date = "0",
#else
#define NNLOOP_DRIVER_DATE
#endif

/* Newer kernels have these by default. */
#ifdef HAVE_DRM_DRIVER_PRIME_MMAP
#define NNLOOP_DRIVER_PRIME					\
	.prime_handle_to_fd	= drm_gem_prime_handle_to_fd,	\
	.gem_prime_mmap		= drm_gem_prime_mmap,
#else
#define NNLOOP_DRIVER_PRIME
#endif

/* The namespace of the DMA-BUF functions is a string in newer kernels. */
#ifdef HAVE_IMPORT_NS_NAME
#define NNLOOP_NS_DMA_BUF	DMA_BUF
#else
#define NNLOOP_NS_DMA_BUF	"DMA_BUF"
#endif

static inline void nnloop_eventfd_signal(struct eventfd_ctx *eventfd)
{
#ifdef HAVE_EVENTFD_SIGNAL_COUNT
	eventfd_signal(eventfd, 1);
#else
	eventfd_signal(eventfd);
#endif
}

/* A device that is made of processors sees their caches, whatever others do. */
static inline void nnloop_dma_set_coherent(struct device *dev)
{
#if defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_DEVICE) || defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_CPU)
	dev->dma_coherent = true;
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
