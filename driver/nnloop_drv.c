// SPDX-License-Identifier: GPL-2.0
/*
 * nnloop is a driver for DSPs that run neural-network graphs with loops.
 *
 * This file has what makes it a DRM driver: the device, the table of ioctls, the
 * parameters. The rest has one subject each:
 *
 *   nnloop_file.c    open files, and which of their calls get to the table or to DRM
 *   nnloop_transport.c how a device comes and goes, whatever bus it is on
 *   nnloop_pci.c     a transport: registers, doorbell and interrupts of a PCI function
 *   nnloop_soft.c    a transport: a board that is a process of this machine
 *   nnloop_board.c   the register protocol and the command rings
 *   nnloop_rules*.c  the scheduler's rules: who comes next, makes room, takes too long, hangs
 *   nnloop_sched.c   which job comes next, and on which worker, by these rules
 *   nnloop_gang.c    the workers that have a job
 *   nnloop_worker.c  the DSP's hardware threads: running jobs, timeout, restart
 *   nnloop_power.c   all of them at once: starting, parking, waking, stopping
 *   nnloop_queue.c   queues: order, results, cancelling
 *   nnloop_submit.c  submit: what user space gives becomes a job
 *   nnloop_job.c     what a job waits for, and its end
 *   nnloop_fence.c   fences, which outlive everything else
 *   nnloop_timeline.c which points of a queue have failed
 *   nnloop_gem.c     buffers: their life, and their CPU mappings
 *   nnloop_bo.c      the calls for them
 *   nnloop_prime.c   what is shared with other drivers: dma-bufs
 *   nnloop_memory.c  whose memory they are
 *   nnloop_space.c   address spaces: which buffer is where
 *   nnloop_pt.c      page tables
 *   nnloop_node.c    /dev/nnloop
 *   nnloop_debugfs.c debugfs and fdinfo
 *   nnloop_coredump.c what is left of a job that failed
 *   nnloop_trace.h   tracepoints
 *   nnloop_compat.h  what differs between kernels
 */
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_managed.h>
#include <drm/nnloop_accel.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_gem.h"
#include "nnloop_job.h"
#include "nnloop_node.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_space.h"
#include "nnloop_timeline.h"
#include "nnloop_transport.h"
#include "nnloop_worker.h"

#define NNLOOP_VERSION_MAJOR	1
#define NNLOOP_VERSION_MINOR	3

#define NNLOOP_HANG_TIMEOUT_MIN	100
#define NNLOOP_HANG_TIMEOUT_MAX	3600000
#define NNLOOP_SLICE_MAX	10000
#define NNLOOP_PASS_LIMIT_MIN	100
#define NNLOOP_PASS_LIMIT_MAX	3600000

/* The list of every device that user space can see. */
static LIST_HEAD(nnloop_devices);
static DEFINE_MUTEX(nnloop_devices_lock);

unsigned int nnloop_hang_timeout_ms = 10000;

static void nnloop_device_check_hangs(struct nnloop_device *ndev)
{
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++)
		nnloop_worker_check_hang(ndev->workers[i]);
}

/* Sets a parameter, to 0 if @may_be_off or from @min to @max, and has all devices act on it. */
static int nnloop_set_ms(const char *value, unsigned int *parameter, bool may_be_off,
			 unsigned int min, unsigned int max,
			 void (*apply)(struct nnloop_device *ndev))
{
	struct nnloop_device *ndev;
	unsigned int ms;
	int ret;

	ret = kstrtouint(value, 0, &ms);
	if (ret)
		return ret;
	if (!(may_be_off && !ms) && (ms < min || ms > max))
		return -EINVAL;

	mutex_lock(&nnloop_devices_lock);
	WRITE_ONCE(*parameter, ms);
	list_for_each_entry(ndev, &nnloop_devices, link)
		apply(ndev);
	mutex_unlock(&nnloop_devices_lock);
	return 0;
}

static int nnloop_set_hang_timeout(const char *value, const struct kernel_param *param)
{
	return nnloop_set_ms(value, param->arg, false, NNLOOP_HANG_TIMEOUT_MIN,
			     NNLOOP_HANG_TIMEOUT_MAX, nnloop_device_check_hangs);
}

static const struct kernel_param_ops nnloop_hang_timeout_ops = {
	.set = nnloop_set_hang_timeout,
	.get = param_get_uint,
};
module_param_cb(hang_timeout_ms, &nnloop_hang_timeout_ops, &nnloop_hang_timeout_ms, 0644);
MODULE_PARM_DESC(hang_timeout_ms,
		 "Milliseconds without progress after which a job is ended and its worker started again (100 to 3600000, default 10000)");
__MODULE_PARM_TYPE(hang_timeout_ms, "uint");

unsigned int nnloop_slice_ms = 10;

static int nnloop_set_slice(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 1, NNLOOP_SLICE_MAX);
}

static const struct kernel_param_ops nnloop_slice_ops = {
	.set = nnloop_set_slice,
	.get = param_get_uint,
};
module_param_cb(slice_ms, &nnloop_slice_ops, &nnloop_slice_ms, 0644);
MODULE_PARM_DESC(slice_ms,
		 "Milliseconds after which a job makes room between two passes, where others wait (1 to 10000, default 10)");
__MODULE_PARM_TYPE(slice_ms, "uint");

unsigned int nnloop_pass_limit_ms;

static int nnloop_set_pass_limit(const char *value, const struct kernel_param *param)
{
	/* The schedulers begin to count the time of passes, or stop doing so. */
	return nnloop_set_ms(value, param->arg, true, NNLOOP_PASS_LIMIT_MIN,
			     NNLOOP_PASS_LIMIT_MAX, nnloop_sched_run);
}

static const struct kernel_param_ops nnloop_pass_limit_ops = {
	.set = nnloop_set_pass_limit,
	.get = param_get_uint,
};
module_param_cb(pass_limit_ms, &nnloop_pass_limit_ops, &nnloop_pass_limit_ms, 0644);
MODULE_PARM_DESC(pass_limit_ms,
		 "Milliseconds for which one pass may keep other clients waiting, before its job is ended (100 to 3600000, default 0: no limit)");
__MODULE_PARM_TYPE(pass_limit_ms, "uint");

unsigned int nnloop_file_memory_mb;
module_param_named(file_memory_mb, nnloop_file_memory_mb, uint, 0644);
MODULE_PARM_DESC(file_memory_mb,
		 "Most MiB of memory that the buffers made by one open file can have (default 0: no limit but that of its address window, 1536 at a time)");

struct workqueue_struct *nnloop_wq;

/* The number of devices that are not freed yet; module exit waits for them. */
static atomic_t nnloop_device_count;
static DECLARE_WAIT_QUEUE_HEAD(nnloop_devices_gone);

static int nnloop_query_device(struct nnloop_device *ndev, struct drm_nnloop_query *args)
{
	struct drm_nnloop_device_info info = {
		.hardware_version = ndev->board.hardware_version,
		.firmware_version = ndev->board.firmware_version,
		.worker_count = ndev->board.worker_count,
		.max_passes = NNLOOP_MAX_PASSES,
		.max_args = DRM_NNLOOP_MAX_ARGS,
		.page_size = PAGE_SIZE,
		.window_base = NNLOOP_WINDOW_BASE,
		.window_size = NNLOOP_WINDOW_END - NNLOOP_WINDOW_BASE,
		.hang_timeout_ms = READ_ONCE(nnloop_hang_timeout_ms),
		.max_queues = NNLOOP_MAX_QUEUES,
	};
	size_t size = min_t(size_t, args->size, sizeof(info));

	args->size = sizeof(info);
	if (args->pointer && copy_to_user(u64_to_user_ptr(args->pointer), &info, size))
		return nnloop_refuse(&ndev->drm, -EFAULT, "pointer %#llx is not writable",
				     args->pointer);
	return 0;
}

static int nnloop_ioctl_query(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_nnloop_query *args = data;

	switch (args->type) {
	case DRM_NNLOOP_QUERY_DEVICE:
		return nnloop_query_device(to_nnloop(drm), args);
	default:
		return nnloop_refuse(drm, -EOPNOTSUPP, "type %u is not known", args->type);
	}
}

#define NNLOOP_IOCTL(id, func) \
	DRM_IOCTL_DEF_DRV(NNLOOP_##id, nnloop_ioctl_##func, DRM_RENDER_ALLOW)

static const struct drm_ioctl_desc nnloop_ioctls[] = {
	NNLOOP_IOCTL(QUERY, query),
	NNLOOP_IOCTL(BO_CREATE, bo_create),
	NNLOOP_IOCTL(BO_INFO, bo_info),
	NNLOOP_IOCTL(BO_SEAL, bo_seal),
	NNLOOP_IOCTL(BO_BEGIN_CPU, bo_begin_cpu),
	NNLOOP_IOCTL(BO_END_CPU, bo_end_cpu),
	NNLOOP_IOCTL(QUEUE_CREATE, queue_create),
	NNLOOP_IOCTL(QUEUE_DESTROY, queue_destroy),
	NNLOOP_IOCTL(SUBMIT, submit),
	NNLOOP_IOCTL(STATUS, status),
	NNLOOP_IOCTL(CANCEL, cancel),
	NNLOOP_IOCTL(BO_SET_NAME, bo_set_name),
};

static const struct file_operations nnloop_fops = {
	NNLOOP_FOPS
	.open = nnloop_drm_open,
};

static const struct drm_driver nnloop_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE |
			   NNLOOP_DRIVER_NODE,
	.open = nnloop_open,
	.postclose = nnloop_postclose,
	.ioctls = nnloop_ioctls,
	.num_ioctls = ARRAY_SIZE(nnloop_ioctls),
	.fops = &nnloop_fops,
	.gem_create_object = nnloop_gem_create_object,
	.gem_prime_import = nnloop_gem_prime_import,
	.prime_fd_to_handle = nnloop_gem_prime_fd_to_handle,
	NNLOOP_DRIVER_PRIME
	NNLOOP_DRIVER_FDINFO
	.name = "nnloop",
	.desc = "DSP for neural-network graphs with loops",
	NNLOOP_DRIVER_DATE
	.major = NNLOOP_VERSION_MAJOR,
	.minor = NNLOOP_VERSION_MINOR,
};

/* Frees the device when its last reference is gone: no file, job or exported buffer is left. */
static void nnloop_device_release(struct drm_device *drm, void *data)
{
	struct nnloop_device *ndev = to_nnloop(drm);
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		if (ndev->workers[i])
			nnloop_worker_destroy(ndev->workers[i]);
	}
	destroy_workqueue(ndev->power_wq);
	nnloop_sched_fini(&ndev->sched);
	mutex_destroy(&ndev->spaces_lock);
	mutex_destroy(&ndev->bos_lock);
	if (atomic_dec_and_test(&nnloop_device_count))
		wake_up_all(&nnloop_devices_gone);
}

/**
 * nnloop_device_alloc - make a device for a board
 * @board: what the transport found; copied
 *
 * Return: the device, freed when the last reference and its parent's driver are gone;
 * or an error.
 */
struct nnloop_device *nnloop_device_alloc(const struct nnloop_board *board)
{
	struct nnloop_device *ndev;
	unsigned int i;
	int ret;

	ndev = devm_drm_dev_alloc(board->dev, &nnloop_drm_driver, struct nnloop_device, drm);
	if (IS_ERR(ndev))
		return ndev;

	ndev->board = *board;
	spin_lock_init(&ndev->failure_lock);
	init_rwsem(&ndev->import_lock);
	spin_lock_init(&ndev->imports_lock);
	INIT_LIST_HEAD(&ndev->imports);
	mutex_init(&ndev->spaces_lock);
	INIT_LIST_HEAD(&ndev->spaces);
	mutex_init(&ndev->bos_lock);
	INIT_LIST_HEAD(&ndev->bos);

	INIT_DELAYED_WORK(&ndev->wake_work, nnloop_workers_wake_work);
	ndev->power_wq = alloc_ordered_workqueue("nnloop-%s-power", WQ_MEM_RECLAIM,
						 dev_name(board->dev));
	if (!ndev->power_wq)
		return ERR_PTR(-ENOMEM);
	ret = nnloop_sched_init(&ndev->sched, dev_name(board->dev));
	if (ret) {
		destroy_workqueue(ndev->power_wq);
		return ERR_PTR(ret);
	}

	atomic_inc(&nnloop_device_count);
	ret = drmm_add_action_or_reset(&ndev->drm, nnloop_device_release, NULL);
	if (ret)
		return ERR_PTR(ret);

	for (i = 0; i < board->worker_count; i++) {
		struct nnloop_worker *worker = nnloop_worker_create(ndev, i);

		if (IS_ERR(worker))
			return ERR_CAST(worker);
		ndev->workers[i] = worker;
		ndev->sched.rules.slots[i] = &worker->slot;
	}
	ndev->sched.rules.slot_count = board->worker_count;
	return ndev;
}

/**
 * nnloop_device_register - show the device to user space
 * @ndev: the device; its workers are up
 *
 * Return: 0 or an error.
 */
int nnloop_device_register(struct nnloop_device *ndev)
{
	int ret;

	ret = drm_dev_register(&ndev->drm, 0);
	if (ret)
		return ret;
	ndev->node = nnloop_node_create(&ndev->drm);
	if (IS_ERR(ndev->node)) {
		ret = PTR_ERR(ndev->node);
		drm_dev_unplug(&ndev->drm);
		return ret;
	}
	nnloop_debugfs_init(ndev);
	mutex_lock(&nnloop_devices_lock);
	list_add(&ndev->link, &nnloop_devices);
	mutex_unlock(&nnloop_devices_lock);
	drm_info(&ndev->drm, "/dev/%s: %u workers, firmware %u.%u\n",
		 nnloop_node_name(ndev->node), ndev->board.worker_count,
		 ndev->board.firmware_version >> 16, ndev->board.firmware_version & 0xffff);
	return 0;
}

/**
 * nnloop_device_unplug - hide the device from user space
 * @ndev: the device
 */
void nnloop_device_unplug(struct nnloop_device *ndev)
{
	mutex_lock(&nnloop_devices_lock);
	list_del(&ndev->link);
	mutex_unlock(&nnloop_devices_lock);
	nnloop_node_remove(ndev->node);
	drm_dev_unplug(&ndev->drm);
}

/**
 * nnloop_device_dismantle - undo all DMA mappings of files that are still open
 * @ndev: the device, unplugged; its workers are stopped, or it is lost
 */
void nnloop_device_dismantle(struct nnloop_device *ndev)
{
	struct nnloop_space *space;
	struct nnloop_bo *bo;

	/* After this, imports that were under way have ended, and there are no new ones. */
	down_write(&ndev->import_lock);
	up_write(&ndev->import_lock);

	mutex_lock(&ndev->spaces_lock);
	list_for_each_entry(space, &ndev->spaces, link)
		nnloop_space_dismantle(space);
	mutex_unlock(&ndev->spaces_lock);

	if (nnloop_device_must_leak(ndev))
		return;
	/* Calls that export an import look at its attachment under this lock. */
	mutex_lock(&ndev->drm.object_name_lock);
	mutex_lock(&ndev->bos_lock);
	list_for_each_entry(bo, &ndev->bos, link)
		nnloop_bo_unmap_dma(bo);
	mutex_unlock(&ndev->bos_lock);
	mutex_unlock(&ndev->drm.object_name_lock);
}

/**
 * nnloop_device_fini_board - give back the rings, unless the DSP is lost
 * @ndev: the device
 */
void nnloop_device_fini_board(struct nnloop_device *ndev)
{
	unsigned long pages = 0;

	if (!nnloop_device_must_leak(ndev)) {
		nnloop_board_fini(&ndev->board, NULL);
		return;
	}
	nnloop_board_fini(&ndev->board, &pages);
	pages += atomic_long_read(&ndev->leaked_pages);
	drm_warn(&ndev->drm, "the DSP could not be stopped: %lu pages stay allocated until reboot\n",
		 pages);
}

/**
 * nnloop_device_lose - the DSP cannot be stopped, or not be started again
 * @ndev: the device
 * @why: for the log, where it is said once
 *
 * Every job ends, every call fails, and memory that the DSP may still reach is
 * never given back, unless the transport can take it away.
 */
void nnloop_device_lose(struct nnloop_device *ndev, const char *why)
{
	unsigned int i;

	if (!xchg(&ndev->lost, true) && !nnloop_board_is_gone(&ndev->board))
		drm_err(&ndev->drm, "%s and is given up: %s\n", why,
			ndev->board.transport->remedy);
	/*
	 * This comes before any job ends, because a job's end is taken for the end of the DSP's
	 * accesses.
	 */
	ndev->board.transport->stop_dma(&ndev->board);

	nnloop_sched_shut(&ndev->sched);
	for (i = 0; i < ndev->board.worker_count; i++)
		nnloop_worker_abandon(ndev->workers[i]);
	nnloop_sched_abandon(ndev);
}

static int __init nnloop_init(void)
{
	int ret;

	nnloop_wq = alloc_workqueue("nnloop", WQ_UNBOUND, 0);
	if (!nnloop_wq)
		return -ENOMEM;
	ret = nnloop_timelines_init();
	if (ret)
		goto err_destroy_wq;
	ret = nnloop_node_class_register();
	if (ret)
		goto err_fini_timelines;
	ret = nnloop_pci_register();
	if (ret)
		goto err_unregister_class;
	ret = nnloop_soft_register();
	if (ret)
		goto err_unregister_pci;
	return 0;

err_unregister_pci:
	nnloop_pci_unregister();
err_unregister_class:
	nnloop_node_class_unregister();
err_fini_timelines:
	nnloop_timelines_fini();
err_destroy_wq:
	destroy_workqueue(nnloop_wq);
	return ret;
}

static void __exit nnloop_exit(void)
{
	nnloop_soft_unregister();
	nnloop_pci_unregister();

	/* Jobs of files that have been closed may still be ending. */
	wait_event(nnloop_devices_gone, !atomic_read(&nnloop_device_count));
	destroy_workqueue(nnloop_wq);
	nnloop_timelines_fini();
	nnloop_node_class_unregister();
}

module_init(nnloop_init);
module_exit(nnloop_exit);

MODULE_AUTHOR("The nnloop authors");
MODULE_DESCRIPTION("DSP for neural-network graphs with loops");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(NNLOOP_NS_DMA_BUF);
