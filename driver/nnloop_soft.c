// SPDX-License-Identifier: GPL-2.0
/*
 * A DSP that is a process of this machine, a transport (nnloop_transport.h): /dev/nnloop-board, by
 * which the process attaches it. misc/nnloop_attach.h describes that from the other side.
 *
 * The process is trusted no more than a DSP behind an IOMMU. Registers may hold anything and change
 * at any time. Memory is reached through the file's mappings alone, which are the IOMMU: @pages has
 * the pages that are the DSP's now, and which of them it may write; the fault handler shows no
 * others, and nnloop_soft_unmap() takes them from all who have them mapped, before they are freed.
 * Mappings hold no references, so nothing keeps a page, and only processors can use them (no GUP).
 *
 * A board is attached once in the life of its file, and stopped once, for good: when the process
 * that attached it closes the file or ends, or when the driver gives it up. Being stopped, it
 * reaches nothing and is waited for by nobody; then its device is removed.
 */
#include <linux/dma-mapping.h>
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>

#include <misc/nnloop_attach.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_transport.h"
#include "nnloop_worker.h"

#define NNLOOP_SOFT_NAME	"nnloop-soft"
#define NNLOOP_SOFT_MAX_BOARDS	16	/* each has a megabyte of rings, charged to nobody */
#define NNLOOP_SOFT_REGS_PAGES	(NNLOOP_REGS_SIZE >> PAGE_SHIFT)

/* A value of @pages says how often the DSP has a page, and how often to write (64 bits only). */
#define NNLOOP_SOFT_READ	BIT_ULL(0)
#define NNLOOP_SOFT_WRITE	BIT_ULL(31)

static_assert(NNLOOP_BOARD_REGISTERS_SIZE == NNLOOP_REGS_SIZE);
static_assert(NNLOOP_BOARD_MAX_WORKERS == NNLOOP_MAX_WORKERS);

/* An interrupt: an eventfd to which the board writes. */
struct nnloop_soft_irq {
	struct nnloop_soft *soft;
	struct eventfd_ctx *eventfd;	/* or NULL; holds a reference */
	wait_queue_entry_t wait;	/* waits for it for as long as it is there */
	poll_table table;		/* brings @wait into its queue */
	struct irq_work work;		/* interrupts the processor that wrote to it */
};

/* A board, for as long as its file is open. */
struct nnloop_soft {
	struct mutex lock;		/* held to attach, add and remove @pdev; outermost */
	struct platform_device *pdev;	/* the DSP's parent, once attached; holds a reference */
	struct work_struct work;	/* adds @pdev, and removes it when the board was stopped */
	fl_owner_t owner;		/* who attached it: the files of that process */
	bool stopped;			/* it reaches nothing; set for good under @fault_lock */
	wait_queue_head_t hangup;	/* woken then */
	struct nnloop_device *ndev;	/* where interrupts go; there for as long as they come */
	struct notifier_block pm;	/* knows of the system's sleep, while @ndev is there */

	/* These are constant once it is attached. */
	unsigned int workers;
	struct eventfd_ctx *doorbell[NNLOOP_MAX_WORKERS + 1];	/* hold references */
	struct nnloop_soft_irq irq[NNLOOP_MAX_WORKERS + 1];
	struct page *regs_pages[NNLOOP_SOFT_REGS_PAGES];	/* pinned while there is @regs */
	void *regs;

	struct address_space *mapping;	/* the file's, which knows who has mapped it */
	struct xarray pages;		/* how often the DSP has a page, by the page's number */
	struct mutex pages_lock;	/* held to change @pages; nothing is taken inside it */
	/*
	 * This is held for reading from when a page is looked up until it is in the board's page
	 * table. Nobody sleeps meanwhile, or a board could keep others waiting; innermost.
	 */
	rwlock_t fault_lock;
};

/* The number of boards that are attached, and by their addresses the eventfds that they use. */
static atomic_t nnloop_soft_boards;
static DEFINE_XARRAY(nnloop_soft_eventfds);

static struct nnloop_soft *to_nnloop_soft(struct nnloop_board *board)
{
	return board->bus;
}

/* Changes what the DSP has of some pages. Fails only for a page of which it has had nothing. */
static int nnloop_soft_count(struct nnloop_soft *soft, unsigned long pfn, unsigned long end,
			     u64 change)
{
	void *stored;
	u64 count;

	lockdep_assert_held(&soft->pages_lock);

	for (; pfn < end; pfn++) {
		stored = xa_load(&soft->pages, pfn);
		count = (stored ? xa_to_value(stored) : 0) + change;
		stored = xa_store(&soft->pages, pfn, count ? xa_mk_value(count) : NULL, GFP_KERNEL);
		if (xa_is_err(stored))
			break;
	}
	return pfn - end;
}

/* Says whether a page is RAM, and no device's. */
static bool nnloop_soft_is_ram(unsigned long pfn)
{
	return pfn_valid(pfn) && !PageReserved(pfn_to_page(pfn)) &&
	       !is_zone_device_page(pfn_to_page(pfn));
}

static int nnloop_soft_map(struct nnloop_board *board, dma_addr_t dma, size_t size, bool read_only)
{
	u64 change = NNLOOP_SOFT_READ + (read_only ? 0 : NNLOOP_SOFT_WRITE);
	unsigned long pfn = PHYS_PFN(dma), end = PHYS_PFN(dma + size), i;
	struct nnloop_soft *soft = to_nnloop_soft(board);
	int missing;

	for (i = pfn; i < end; i++) {
		if (!nnloop_soft_is_ram(i))
			return -EINVAL;
	}
	mutex_lock(&soft->pages_lock);
	missing = nnloop_soft_count(soft, pfn, end, change);
	if (missing)
		nnloop_soft_count(soft, pfn, end + missing, -change);
	mutex_unlock(&soft->pages_lock);
	return missing ? -ENOMEM : 0;
}

static void nnloop_soft_unmap(struct nnloop_board *board, dma_addr_t dma, size_t size,
			      bool read_only)
{
	u64 change = NNLOOP_SOFT_READ + (read_only ? 0 : NNLOOP_SOFT_WRITE);
	struct nnloop_soft *soft = to_nnloop_soft(board);

	mutex_lock(&soft->pages_lock);
	nnloop_soft_count(soft, PHYS_PFN(dma), PHYS_PFN(dma + size), -change);
	mutex_unlock(&soft->pages_lock);
	/* A fault that has found the pages as they were has brought them to a page table by now. */
	write_lock(&soft->fault_lock);
	write_unlock(&soft->fault_lock);
	unmap_mapping_range(soft->mapping, dma, size, 1);
}

/* Leaves an entry alone, whose page table was made to ask. */
static int nnloop_soft_keep_entry(pte_t *entry, unsigned long address, void *unused)
{
	return 0;
}

static vm_fault_t nnloop_soft_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct nnloop_soft *soft = vma->vm_private_data;
	unsigned long flags = vma->vm_flags;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	void *count;

	/* The board may have to wait for memory for its page tables, so that is not done below. */
	if (apply_to_page_range(vma->vm_mm, vmf->address, PAGE_SIZE, nnloop_soft_keep_entry, NULL))
		return VM_FAULT_OOM;

	read_lock(&soft->fault_lock);
	count = soft->stopped ? NULL : xa_load(&soft->pages, vmf->pgoff);
	/* A mapping that is not shared has no entries that can be written. */
	if (count && xa_to_value(count) < NNLOOP_SOFT_WRITE)
		flags &= ~VM_SHARED;
	if (count)
		ret = vmf_insert_pfn_prot(vma, vmf->address, vmf->pgoff, vm_get_page_prot(flags));
	read_unlock(&soft->fault_lock);
	return ret;
}

/* Refuses to write to an entry that is there: one that may be written would have been made so. */
static vm_fault_t nnloop_soft_pfn_mkwrite(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct nnloop_soft_vm_ops = {
	.fault = nnloop_soft_fault,
	.pfn_mkwrite = nnloop_soft_pfn_mkwrite,
};

static int nnloop_soft_mmap(struct file *file, struct vm_area_struct *vma)
{
	/* A private mapping would copy a page that it writes to, and keep the copy. */
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	/* With VM_IO, madvise() does not give a child the mapping, nor a core dump its memory. */
	nnloop_vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	if (!(vma->vm_flags & VM_WRITE))
		nnloop_vm_flags_clear(vma, VM_MAYWRITE);
	vma->vm_private_data = file->private_data;
	vma->vm_ops = &nnloop_soft_vm_ops;
	return 0;
}

/*
 * Finds out whether devices see other addresses than processors do, or copies of memory: the board
 * sees neither. As one page is, so are all, because the DMA mask keeps no memory from the device.
 */
static int nnloop_soft_check_dma(struct device *dev)
{
	struct page *page = alloc_page(GFP_KERNEL);
	bool same = false;
	dma_addr_t dma;

	if (!page)
		return -ENOMEM;
	dma = dma_map_page(dev, page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (!dma_mapping_error(dev, dma)) {
		same = dma == page_to_phys(page);
		dma_unmap_page(dev, dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	}
	__free_page(page);
	if (same && IS_ENABLED(CONFIG_64BIT) && PAGE_SHIFT == NNLOOP_PAGE_SHIFT)
		return 0;
	pr_err("nnloop: no board can be attached: %s\n", same ?
	       "that takes 64 bits and pages of 4 KiB" :
	       "devices do not see memory as it is: memory encryption, swiotlb=force or an IOMMU");
	return -EOPNOTSUPP;
}

static void nnloop_soft_ring_doorbell(struct nnloop_board *board, unsigned int vector)
{
	nnloop_eventfd_signal(to_nnloop_soft(board)->doorbell[vector]);
}

static void nnloop_soft_irq_work(struct irq_work *work)
{
	struct nnloop_soft_irq *irq = container_of(work, struct nnloop_soft_irq, work);
	struct nnloop_device *ndev = READ_ONCE(irq->soft->ndev);

	if (ndev)
		nnloop_transport_interrupt(ndev, irq - irq->soft->irq);
}

/*
 * Called when the board has written to an eventfd, whose lock is held and under which no doorbell
 * may be rung: so this raises an interrupt, which comes as soon as that lock is given up.
 */
static int nnloop_soft_irq_wake(wait_queue_entry_t *wait, unsigned int mode, int sync, void *key)
{
	struct nnloop_soft_irq *irq = container_of(wait, struct nnloop_soft_irq, wait);
	u64 count;

	if (key_to_poll(key) & EPOLLIN) {
		eventfd_ctx_do_read(irq->eventfd, &count);
		/* So a board that writes on and on keeps nobody waiting who removes the device. */
		if (READ_ONCE(irq->soft->ndev))
			irq_work_queue(&irq->work);
	}
	return 0;
}

static void nnloop_soft_irq_listen(struct file *file, wait_queue_head_t *head, poll_table *table)
{
	add_wait_queue(head, &container_of(table, struct nnloop_soft_irq, table)->wait);
}

/*
 * Gets an eventfd, of which the board's end may be closed at any time, and listens to it with
 * @table, if there is one. Each is used once: if a doorbell, of whatever board, were an interrupt
 * as well, a processor might do nothing else than call the driver.
 */
static int nnloop_soft_get_eventfd(int fd, struct eventfd_ctx **eventfd, poll_table *table)
{
	struct file *file = fget(fd);
	struct eventfd_ctx *got;
	int ret;

	if (!file)
		return -EBADF;
	got = eventfd_ctx_fileget(file);
	ret = PTR_ERR_OR_ZERO(got);
	if (ret)
		goto out_put;
	ret = xa_insert(&nnloop_soft_eventfds, (unsigned long)got, got, GFP_KERNEL);
	if (ret) {
		eventfd_ctx_put(got);
		goto out_put;
	}
	*eventfd = got;
	if (table)
		vfs_poll(file, table);
out_put:
	fput(file);
	return ret == -EBUSY ? -EINVAL : ret;
}

static int nnloop_soft_connect_irq(struct nnloop_soft *soft, struct nnloop_soft_irq *irq, int fd)
{
	irq->soft = soft;
	init_irq_work(&irq->work, nnloop_soft_irq_work);
	init_waitqueue_func_entry(&irq->wait, nnloop_soft_irq_wake);
	init_poll_funcptr(&irq->table, nnloop_soft_irq_listen);
	return nnloop_soft_get_eventfd(fd, &irq->eventfd, &irq->table);
}

static int nnloop_soft_request_irqs(struct nnloop_device *ndev)
{
	WRITE_ONCE(to_nnloop_soft(&ndev->board)->ndev, ndev);
	return 0;
}

static void nnloop_soft_disable_irqs(struct nnloop_device *ndev)
{
	struct nnloop_soft *soft = to_nnloop_soft(&ndev->board);
	unsigned int i;

	WRITE_ONCE(soft->ndev, NULL);
	for (i = 0; i <= soft->workers; i++)
		irq_work_sync(&soft->irq[i].work);
}

static bool nnloop_soft_is_gone(struct nnloop_board *board)
{
	return READ_ONCE(to_nnloop_soft(board)->stopped);
}

/* Takes all memory from the board and has its device removed. The first time is for good. */
static void nnloop_soft_stop(struct nnloop_soft *soft)
{
	bool first;

	write_lock(&soft->fault_lock);
	first = !soft->stopped;
	WRITE_ONCE(soft->stopped, true);
	write_unlock(&soft->fault_lock);
	unmap_mapping_range(soft->mapping, 0, 0, 1);
	wake_up_all(&soft->hangup);
	if (first)
		queue_work(system_unbound_wq, &soft->work);
}

static void nnloop_soft_stop_dma(struct nnloop_board *board)
{
	nnloop_soft_stop(to_nnloop_soft(board));
}

static const struct nnloop_transport nnloop_soft_transport = {
	.remedy = "end the board's process and start it again",
	.ring_doorbell = nnloop_soft_ring_doorbell,
	.request_irqs = nnloop_soft_request_irqs,
	.disable_irqs = nnloop_soft_disable_irqs,
	.stop_dma = nnloop_soft_stop_dma,
	.is_gone = nnloop_soft_is_gone,
	.map = nnloop_soft_map,
	.unmap = nnloop_soft_unmap,
};

/*
 * Called before processes are frozen for the system's sleep, the board among them, and after they
 * have been thawed. In between it must not be asked for anything, so its workers are parked.
 */
static int nnloop_soft_pm_notify(struct notifier_block *pm, unsigned long event, void *unused)
{
	struct nnloop_device *ndev = container_of(pm, struct nnloop_soft, pm)->ndev;
	struct device *dev = ndev->board.dev;
	int ret = 0;

	if (event == PM_SUSPEND_PREPARE || event == PM_HIBERNATION_PREPARE ||
	    event == PM_RESTORE_PREPARE) {
		/* A board that is gone is not asked for anything anyway. */
		if (pm_runtime_resume_and_get(dev) < 0)
			return NOTIFY_DONE;
		ret = nnloop_transport_sleep(dev);
		if (ret)
			pm_runtime_put_autosuspend(dev);
	} else if (READ_ONCE(ndev->sched.parked) == NNLOOP_PARKED_ASLEEP) {
		nnloop_transport_wake(dev);
		pm_runtime_mark_last_busy(dev);
		pm_runtime_put_autosuspend(dev);
	}
	return notifier_from_errno(ret);
}

static void nnloop_soft_remove(void *data)
{
	struct nnloop_device *ndev = data;
	struct nnloop_soft *soft = to_nnloop_soft(&ndev->board);

	unregister_pm_notifier(&soft->pm);
	pm_runtime_disable(ndev->board.dev);
	nnloop_transport_remove(ndev);
}

static int nnloop_soft_probe(struct platform_device *pdev)
{
	struct nnloop_soft *soft = *(struct nnloop_soft **)dev_get_platdata(&pdev->dev);
	struct nnloop_board board = {
		.dev = &pdev->dev,
		.transport = &nnloop_soft_transport,
		.bus = soft,
		.regs = (void __iomem __force *)soft->regs,
	};
	int ret;

	ret = nnloop_board_probe(&board);
	if (ret)
		return ret;
	/* The registers can say anything, and there are no doorbells for more workers. */
	if (board.worker_count != soft->workers)
		return -EPROTO;
	ret = nnloop_transport_probe(&board);
	if (ret)
		return ret;

	/* Jobs only count until here. The core asks for the first suspend. */
	pm_runtime_set_active(&pdev->dev);
	pm_runtime_enable(&pdev->dev);
	soft->pm.notifier_call = nnloop_soft_pm_notify;
	register_pm_notifier(&soft->pm);
	return devm_add_action_or_reset(&pdev->dev, nnloop_soft_remove,
					platform_get_drvdata(pdev));
}

static const struct dev_pm_ops nnloop_soft_pm_ops = {
	RUNTIME_PM_OPS(nnloop_transport_idle, nnloop_transport_wake, NULL)
};

static struct platform_driver nnloop_soft_driver = {
	.probe = nnloop_soft_probe,
	.driver = {
		.name = NNLOOP_SOFT_NAME,
		.pm = pm_ptr(&nnloop_soft_pm_ops),
		/* The device has its driver for as long as it has its board. */
		.suppress_bind_attrs = true,
	},
};

static void nnloop_soft_work(struct work_struct *work)
{
	struct nnloop_soft *soft = container_of(work, struct nnloop_soft, work);

	mutex_lock(&soft->lock);
	if (!READ_ONCE(soft->stopped)) {
		/* If that fails, the board learns that it is not wanted. */
		if (platform_device_add(soft->pdev) || !READ_ONCE(soft->ndev))
			nnloop_soft_stop(soft);
	} else if (soft->pdev && device_is_registered(&soft->pdev->dev)) {
		platform_device_del(soft->pdev);
	}
	mutex_unlock(&soft->lock);
}

/* Undoes nnloop_soft_connect(), as far as that has come. The device was removed. */
static void nnloop_soft_disconnect(struct nnloop_soft *soft)
{
	unsigned int i;
	u64 count;

	for (i = 0; i <= NNLOOP_MAX_WORKERS; i++) {
		struct nnloop_soft_irq *irq = &soft->irq[i];

		if (irq->eventfd) {
			eventfd_ctx_remove_wait_queue(irq->eventfd, &irq->wait, &count);
			irq_work_sync(&irq->work);
			xa_erase(&nnloop_soft_eventfds, (unsigned long)irq->eventfd);
			eventfd_ctx_put(irq->eventfd);
		}
		if (soft->doorbell[i]) {
			xa_erase(&nnloop_soft_eventfds, (unsigned long)soft->doorbell[i]);
			eventfd_ctx_put(soft->doorbell[i]);
		}
	}
	vunmap(soft->regs);
	if (soft->regs)
		unpin_user_pages(soft->regs_pages, NNLOOP_SOFT_REGS_PAGES);
	platform_device_put(soft->pdev);
	if (soft->pdev)
		atomic_dec(&nnloop_soft_boards);
}

/* Pins the registers, which are the caller's, and maps them for the driver. */
static int nnloop_soft_map_regs(struct nnloop_soft *soft, u64 address)
{
	int pinned;

	if (!PAGE_ALIGNED(address))
		return -EINVAL;
	pinned = pin_user_pages_fast(address, NNLOOP_SOFT_REGS_PAGES, FOLL_WRITE | FOLL_LONGTERM,
				     soft->regs_pages);
	if (pinned < 0)
		return pinned;
	if (pinned == NNLOOP_SOFT_REGS_PAGES)
		soft->regs = vmap(soft->regs_pages, pinned, VM_MAP, PAGE_KERNEL);
	if (soft->regs)
		return 0;
	unpin_user_pages(soft->regs_pages, pinned);
	return -EFAULT;
}

/* Makes the DSP's parent, which nobody sees yet. */
static int nnloop_soft_make_device(struct nnloop_soft *soft)
{
	struct device *dev;
	int ret;

	if (!atomic_add_unless(&nnloop_soft_boards, 1, NNLOOP_SOFT_MAX_BOARDS))
		return -ENOSPC;
	soft->pdev = platform_device_alloc(NNLOOP_SOFT_NAME, PLATFORM_DEVID_AUTO);
	if (!soft->pdev) {
		atomic_dec(&nnloop_soft_boards);
		return -ENOMEM;
	}
	dev = &soft->pdev->dev;
	nnloop_dma_set_coherent(dev);
	dev->dma_parms = &soft->pdev->dma_parms;
	ret = nnloop_transport_init_dma(dev);
	ret = ret ?: nnloop_soft_check_dma(dev);
	return ret ?: platform_device_add_data(soft->pdev, &soft, sizeof(soft));
}

static int nnloop_soft_connect(struct nnloop_soft *soft, const struct nnloop_board_attach *args)
{
	unsigned int i;
	int ret;

	ret = nnloop_soft_make_device(soft);
	ret = ret ?: nnloop_soft_map_regs(soft, args->registers);
	for (i = 0; !ret && i <= args->workers; i++) {
		ret = nnloop_soft_get_eventfd(args->doorbell[i], &soft->doorbell[i], NULL);
		ret = ret ?: nnloop_soft_connect_irq(soft, &soft->irq[i], args->interrupt[i]);
	}
	soft->workers = args->workers;
	return ret;
}

static long nnloop_soft_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct nnloop_soft *soft = file->private_data;
	struct nnloop_board_attach args;
	unsigned int i;
	int ret = -EBUSY;

	if (cmd != NNLOOP_BOARD_ATTACH)
		return -ENOTTY;
	if (copy_from_user(&args, (void __user *)arg, sizeof(args)))
		return -EFAULT;
	if (args.version != NNLOOP_BOARD_VERSION)
		return -EPROTO;
	if (!args.workers || args.workers > NNLOOP_MAX_WORKERS || args.flags || args.reserved)
		return -EINVAL;
	for (i = args.workers + 1; i <= NNLOOP_MAX_WORKERS; i++) {
		if (args.doorbell[i] != -1 || args.interrupt[i] != -1)
			return -EINVAL;
	}

	/* Who holds it may be at work for long. */
	if (!mutex_trylock(&soft->lock))
		return -EBUSY;
	if (!soft->pdev && !READ_ONCE(soft->stopped)) {
		ret = nnloop_soft_connect(soft, &args);
		WRITE_ONCE(soft->owner, current->files);
		/* The board is asked for things there, and it waits for this call. */
		if (!ret)
			queue_work(system_unbound_wq, &soft->work);
	}
	mutex_unlock(&soft->lock);
	return ret;
}

static __poll_t nnloop_soft_poll(struct file *file, poll_table *table)
{
	struct nnloop_soft *soft = file->private_data;

	poll_wait(file, &soft->hangup, table);
	return READ_ONCE(soft->stopped) ? EPOLLHUP : 0;
}

static int nnloop_soft_open(struct inode *inode, struct file *file)
{
	struct nnloop_soft *soft = kzalloc(sizeof(*soft), GFP_KERNEL_ACCOUNT);

	if (!soft)
		return -ENOMEM;
	mutex_init(&soft->lock);
	INIT_WORK(&soft->work, nnloop_soft_work);
	init_waitqueue_head(&soft->hangup);
	soft->mapping = file->f_mapping;
	xa_init(&soft->pages);
	mutex_init(&soft->pages_lock);
	rwlock_init(&soft->fault_lock);
	file->private_data = soft;
	return 0;
}

/* Called for each descriptor that is closed. Nobody else can keep the board of who attached it. */
static int nnloop_soft_flush(struct file *file, fl_owner_t id)
{
	struct nnloop_soft *soft = file->private_data;

	if (id == READ_ONCE(soft->owner))
		nnloop_soft_stop(soft);
	return 0;
}

/* Waits for clients' calls that are under way, as each removal of a device does; for no board. */
static int nnloop_soft_release(struct inode *inode, struct file *file)
{
	struct nnloop_soft *soft = file->private_data;

	nnloop_soft_stop(soft);
	flush_work(&soft->work);
	nnloop_soft_disconnect(soft);
	xa_destroy(&soft->pages);
	kfree(soft);
	return 0;
}

static const struct file_operations nnloop_soft_fops = {
	.owner = THIS_MODULE,
	.open = nnloop_soft_open,
	.flush = nnloop_soft_flush,
	.release = nnloop_soft_release,
	.unlocked_ioctl = nnloop_soft_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = nnloop_soft_mmap,
	.poll = nnloop_soft_poll,
};

static struct miscdevice nnloop_soft_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "nnloop-board",
	.fops = &nnloop_soft_fops,
	.mode = 0660,
};

int nnloop_soft_register(void)
{
	int ret = platform_driver_register(&nnloop_soft_driver);

	if (ret)
		return ret;
	ret = misc_register(&nnloop_soft_misc);
	if (ret)
		platform_driver_unregister(&nnloop_soft_driver);
	return ret;
}

void nnloop_soft_unregister(void)
{
	misc_deregister(&nnloop_soft_misc);
	platform_driver_unregister(&nnloop_soft_driver);
}
