/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device (nnloop_drv.c): what all other files share. It also has the macro with which a call is
 * refused.
 */
#ifndef NNLOOP_DRV_H
#define NNLOOP_DRV_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/drm_device.h>
#include <drm/drm_print.h>

#include "nnloop_board.h"
#include "nnloop_debugfs.h"
#include "nnloop_hw.h"
#include "nnloop_sched.h"

struct nnloop_node;
struct nnloop_worker;

/**
 * struct nnloop_failure - the last job that did not end well
 */
struct nnloop_failure {
	/** @count: jobs that have failed so far, without cancelled ones */
	unsigned int count;
	/** @client: whose it was */
	u64 client;
	/** @job: its id */
	u64 job;
	/** @result: how it ended */
	struct nnloop_result result;
};

/**
 * struct nnloop_device - one DSP
 *
 * A device lives until the last file, job and exported buffer is gone, which can be long after the
 * hardware went away. Everything that touches the hardware checks the worker's state, holds one of
 * the locks below or runs inside drm_dev_enter(). What runs inside that waits for no client,
 * because it keeps all DRM devices from being removed.
 */
struct nnloop_device {
	/** @drm: base */
	struct drm_device drm;

	/** @board: registers, doorbell, rings; set up by the transport */
	struct nnloop_board board;

	/** @node: /dev/nnloop */
	struct nnloop_node *node;

	/** @workers: the DSP's hardware threads, board.worker_count of them */
	struct nnloop_worker *workers[NNLOOP_MAX_WORKERS];

	/** @sched: which job a worker takes next */
	struct nnloop_sched sched;

	/** @power_wq: where @wake_work runs */
	struct workqueue_struct *power_wq;

	/** @wake_work: wakes parked workers, because a job is ready */
	struct delayed_work wake_work;

	/** @link: in the list of all devices that user space can see */
	struct list_head link;

	/** @last_job: id of the newest job */
	atomic64_t last_job;

	/** @last_space: id of the newest address space */
	atomic_t last_space;

	/**
	 * @lost: the DSP could not be stopped. It may still reach whatever it
	 * was ever shown, so from now on none of that is given back, unless
	 * the transport takes it away (nnloop_device_must_leak()).
	 */
	bool lost;

	/** @stopped: the system goes down, and the DSP has been stopped for good */
	bool stopped;

	/** @leaked_pages: pages not given back because of @lost */
	atomic_long_t leaked_pages;

	/** @failure_lock: protects what follows up to @next_coredump; taken in interrupts */
	spinlock_t failure_lock;

	/** @last_failure: for debugfs */
	struct nnloop_failure last_failure;

	/** @coredump_taken: there has been a core dump */
	bool coredump_taken;

	/** @next_coredump: when there may be another core dump, in jiffies */
	unsigned long next_coredump;

	/**
	 * @import_lock: held for reading, and only tried for, while another driver maps its
	 * memory for the DSP, and while a client allocates page tables; the removal of the device
	 * takes it for writing
	 */
	struct rw_semaphore import_lock;

	/** @imports_lock: protects @imports; nothing is taken inside it */
	spinlock_t imports_lock;

	/** @imports: every &struct nnloop_import */
	struct list_head imports;

	/** @spaces_lock: protects @spaces; outside &nnloop_space.lock */
	struct mutex spaces_lock;

	/** @spaces: every &struct nnloop_space */
	struct list_head spaces;

	/** @bos_lock: protects @bos; innermost */
	struct mutex bos_lock;

	/** @bos: every &struct nnloop_bo */
	struct list_head bos;
};

static inline struct nnloop_device *to_nnloop(struct drm_device *drm)
{
	return container_of(drm, struct nnloop_device, drm);
}

/* Says whether calls fail with ENODEV, as they do after an unplug. */
static inline bool nnloop_device_is_gone(struct nnloop_device *ndev)
{
	return READ_ONCE(ndev->lost) || READ_ONCE(ndev->stopped);
}

/*
 * Says whether what the DSP could reach must be kept for ever. If the transport takes memory away
 * itself, it is, whatever the DSP does.
 */
static inline bool nnloop_device_must_leak(struct nnloop_device *ndev)
{
	return READ_ONCE(ndev->lost) && !nnloop_board_asks(&ndev->board);
}

/* The work queue on which jobs that have ended are freed. */
extern struct workqueue_struct *nnloop_wq;

extern unsigned int nnloop_hang_timeout_ms;
extern unsigned int nnloop_file_memory_mb;
extern unsigned int nnloop_slice_ms;
extern unsigned int nnloop_pass_limit_ms;

/**
 * nnloop_refuse - say why a call is refused, for those who debug the caller
 * @drm: the device
 * @error: what it fails with: a negative errno, or what stands for one
 * @format: which field or handle is wrong, its value and what would be right; what it needs follows
 *
 * This is used wherever a call fails because of what the client asked for; &drm.debug has it
 * logged. It is not used for want of memory, a device that has gone or errors of our own, where the
 * client can change nothing. The log may be slow: call it without a spinlock.
 *
 * Return: @error.
 */
#define nnloop_refuse(drm, error, format, ...)			\
({								\
	drm_dbg_driver(drm, format "\n", ##__VA_ARGS__);	\
	error;							\
})

struct nnloop_device *nnloop_device_alloc(const struct nnloop_board *board);
int nnloop_device_register(struct nnloop_device *ndev);
void nnloop_device_unplug(struct nnloop_device *ndev);
void nnloop_device_dismantle(struct nnloop_device *ndev);
void nnloop_device_fini_board(struct nnloop_device *ndev);

/* The reasons for which a DSP is given up. */
#define NNLOOP_NO_ANSWER	"the board does not answer"
#define NNLOOP_NO_START		"a worker does not start"
void nnloop_device_lose(struct nnloop_device *ndev, const char *why);

#endif
