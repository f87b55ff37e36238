// SPDX-License-Identifier: GPL-2.0
/*
 * Open files: how they come and go, and which calls of theirs reach the table of ioctls or the DRM
 * core.
 */
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_fence.h"
#include "nnloop_file.h"
#include "nnloop_memory.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_space.h"
#include "nnloop_timeline.h"

/* The newest number of a file, for kernels whose DRM core numbers no files. */
static atomic64_t nnloop_last_file;

/**
 * nnloop_open - the &drm_driver.open of our devices
 * @drm: the device
 * @filp: the new open file, of any of its nodes
 *
 * Return: 0 or an error.
 */
int nnloop_open(struct drm_device *drm, struct drm_file *filp)
{
	struct nnloop_device *ndev = to_nnloop(drm);
	struct nnloop_file *file;
	int ret, idx;

	/*
	 * DRM makes a primary node for each driver with a render node. A primary node is for
	 * displays, and belongs to whoever may use those: it cannot be opened here.
	 */
	if (drm_is_primary_client(filp))
		return nnloop_refuse(drm, -EACCES, "open: the primary node is not for this device");
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	if (nnloop_device_is_gone(ndev)) {
		ret = -ENODEV;
		goto err_exit;
	}

	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file) {
		ret = -ENOMEM;
		goto err_exit;
	}
	file->memory = nnloop_memory_create();
	if (!file->memory) {
		ret = -ENOMEM;
		goto err_free;
	}
	kref_init(&file->ref);
	file->ndev = ndev;
	file->id = nnloop_drm_client_id(filp, &nnloop_last_file);
	xa_init_flags(&file->queues, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	nnloop_client_init(&file->client);
	file->pin = nnloop_module_pin_create();
	if (IS_ERR(file->pin)) {
		ret = PTR_ERR(file->pin);
		goto err_put_memory;
	}

	/* debugfs finds the file from here on. */
	ret = nnloop_space_init(&file->space, ndev);
	if (ret)
		goto err_put_pin;
	drm_dev_get(drm);
	filp->driver_priv = file;
	drm_dev_exit(idx);
	return 0;

err_put_pin:
	fput(file->pin);
err_put_memory:
	nnloop_memory_put(file->memory);
err_free:
	kfree(file);
err_exit:
	drm_dev_exit(idx);
	return ret;
}

static void nnloop_file_release(struct kref *ref)
{
	struct nnloop_file *file = container_of(ref, struct nnloop_file, ref);
	struct nnloop_sched *sched = &file->ndev->sched;
	struct drm_device *drm = &file->ndev->drm;

	spin_lock_irq(&sched->lock);
	nnloop_client_fini(&sched->rules, &file->client);
	spin_unlock_irq(&sched->lock);
	nnloop_space_fini(&file->space);
	fput(file->pin);
	nnloop_memory_put(file->memory);
	kfree(file);
	drm_dev_put(drm);
}

/**
 * nnloop_file_put - drop a reference
 * @file: the file
 *
 * Context: may sleep.
 */
void nnloop_file_put(struct nnloop_file *file)
{
	kref_put(&file->ref, nnloop_file_release);
}

/**
 * nnloop_postclose - the &drm_driver.postclose of our devices
 * @drm: the device
 * @filp: the open file, whose handles are gone
 */
void nnloop_postclose(struct drm_device *drm, struct drm_file *filp)
{
	nnloop_file_put(filp->driver_priv);
	/* This file may have been the last to hold some queue's syncobj. */
	nnloop_timelines_reap_soon();
}

static bool nnloop_is_driver_ioctl(unsigned int cmd)
{
	return _IOC_TYPE(cmd) == DRM_IOCTL_BASE && _IOC_NR(cmd) >= DRM_COMMAND_BASE &&
	       _IOC_NR(cmd) < DRM_COMMAND_END;
}

/*
 * Refuses calls of the DRM core that it does not allow on render nodes. On accel nodes it allows
 * all, also those of displays that follow a pointer which is NULL here (GET_MAGIC, GET_UNIQUE).
 */
static int nnloop_check_core_ioctl(struct file *filp, unsigned int cmd)
{
	struct drm_file *drm_file = filp->private_data;
	struct drm_device *drm = drm_file->minor->dev;

	/* The core fails so after an unplug. */
	if (nnloop_device_is_gone(to_nnloop(drm)))
		return -ENODEV;

	/* Calls of 32-bit programs that are not DRM's would be looked up by their number alone. */
	if (_IOC_TYPE(cmd) != DRM_IOCTL_BASE)
		return nnloop_refuse(drm, -ENOTTY, "call %#x is not one of DRM's", cmd);

	switch (_IOC_NR(cmd)) {
	case _IOC_NR(DRM_IOCTL_VERSION):
	case _IOC_NR(DRM_IOCTL_GET_CAP):
	case _IOC_NR(DRM_IOCTL_SET_CLIENT_NAME):
	case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
	case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
	case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TRANSFER):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_EVENTFD):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY):
		return 0;
	default:
		return nnloop_refuse(drm, -EACCES, "call %#x is not for render nodes", cmd);
	}
}

/*
 * Handles a transfer of a point that has failed, which the core would do wrong. If the point is no
 * queue's, the core reads the arguments again; if they have changed by then, it is as if only the
 * core had read them.
 */
static long nnloop_transfer(struct file *filp, unsigned int cmd, void __user *arg,
			    long (*ioctl)(struct file *filp, unsigned int cmd, unsigned long arg))
{
	struct drm_file *drm_file = filp->private_data;
	struct nnloop_file *file = drm_file->driver_priv;
	struct drm_syncobj_transfer args = {};
	int ret;

	if (copy_from_user(&args, arg, min_t(size_t, sizeof(args), _IOC_SIZE(cmd))))
		return -EFAULT;
	ret = nnloop_timeline_transfer(drm_file, &args, file->pin);
	return ret > 0 ? ioctl(filp, cmd, (unsigned long)arg) : ret;
}

static long nnloop_core_ioctl(struct file *filp, unsigned int cmd, unsigned long arg,
			      long (*ioctl)(struct file *filp, unsigned int cmd,
					    unsigned long arg))
{
	long ret;

	ret = nnloop_check_core_ioctl(filp, cmd);
	if (!ret && _IOC_NR(cmd) == _IOC_NR(DRM_IOCTL_SYNCOBJ_TRANSFER))
		return nnloop_transfer(filp, cmd, (void __user *)arg, ioctl);
	return ret ?: ioctl(filp, cmd, arg);
}

/*
 * drm_ioctl() answers an unknown ioctl with EINVAL and ignores what a longer structure
 * has at its end. Here the first is ENOTTY, and the second E2BIG unless it is zero:
 * user space can tell what a driver does not know.
 *
 * Arguments are copied in and out here, which can take a client for ever, so there is no
 * drm_dev_enter(). A call that was under way when the device was removed goes on, and finds it gone
 * where it needs it.
 */
long nnloop_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct drm_file *drm_file = filp->private_data;
	struct drm_device *drm = drm_file->minor->dev;
	const struct drm_driver *driver = drm->driver;
	unsigned int index, size, known;
	int ret;

	if (!nnloop_is_driver_ioctl(cmd))
		return nnloop_core_ioctl(filp, cmd, arg, drm_ioctl);

	index = _IOC_NR(cmd) - DRM_COMMAND_BASE;
	if (index >= driver->num_ioctls)
		return nnloop_refuse(drm, -ENOTTY, "call %#x: number %u is not known, %d are",
				     cmd, index, driver->num_ioctls);
	index = array_index_nospec(index, driver->num_ioctls);

	size = _IOC_SIZE(cmd);
	known = _IOC_SIZE(driver->ioctls[index].cmd);
	if (size > known) {
		ret = check_zeroed_user((void __user *)arg + known, size - known);
		if (ret < 0)
			return nnloop_refuse(drm, ret, "call %#x: %u bytes are not readable",
					     cmd, size);
		if (!ret)
			return nnloop_refuse(drm, -E2BIG,
					     "call %#x: of %u bytes %u are known, the rest is not 0",
					     cmd, size, known);
		cmd = _IOC(_IOC_DIR(cmd), _IOC_TYPE(cmd), _IOC_NR(cmd), known);
	}

	if (nnloop_device_is_gone(to_nnloop(drm)))
		return -ENODEV;
	return drm_ioctl(filp, cmd, arg);
}

/* Our structures have the same layout for 32-bit programs; those of the core do not. */
long nnloop_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	if (nnloop_is_driver_ioctl(cmd))
		return nnloop_ioctl(filp, cmd, (unsigned long)compat_ptr(arg));
	return nnloop_core_ioctl(filp, cmd, arg, nnloop_drm_compat_ioctl);
}

/*
 * Closes an open file. Its jobs are cancelled before their buffers are taken away, so that they
 * need not fault. Nothing is waited for: jobs end by themselves, and what they use is given back
 * then.
 */
int nnloop_release(struct inode *inode, struct file *filp)
{
	struct drm_file *drm_file = filp->private_data;

	nnloop_queues_close(drm_file->driver_priv);
	return drm_release(inode, filp);
}
