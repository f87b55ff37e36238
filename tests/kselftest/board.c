// SPDX-License-Identifier: GPL-2.0
/*
 * A board that does not answer. If it is only late, nothing happens; if it shows no sign of life,
 * it is given up: every fence signals, every call returns ENODEV, closing works, and another board
 * does not notice. It takes a second board, because this one does not come back.
 */
#include "kselftest_harness.h"

#include <limits.h>
#include <linux/pci_regs.h>
#include <poll.h>

#include "debugfs.h"
#include "partner.h"
#include "power.h"
#include "program.h"
#include "vmctl.h"

#define HANG_MS		2000	/* long enough for a machine that does much else */
#define JOBS		6
#define LATE_SECONDS	2	/* more than one of the driver's ten */
#define LOST_SECONDS	9	/* and nearly all of them */

/* A board whose process is stopped and continued. */
FIXTURE(late_board) {
	int fd, hang_timeout, board;
	char control[32], delay[32];	/* to be restored */
	struct slow *slow;
	struct queue queue;
};

FIXTURE_SETUP(late_board)
{
	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	if (access(SECOND_NODE, F_OK))
		SKIP(return, "there is no second board (" SECOND_NODE ") to stop");
	self->board = vmctl_board_of(SECOND_NODE);
	ASSERT_LE(0, self->board);
	debugfs_mount();
	self->hang_timeout = set_hang_timeout(HANG_MS);
	ASSERT_LT(0, self->hang_timeout);
	self->fd = device_open_node(SECOND_NODE);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, power_read(self->fd, "control", self->control, sizeof(self->control)));
	ASSERT_EQ(0, power_read(self->fd, "autosuspend_delay_ms", self->delay,
				sizeof(self->delay)));
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
}

FIXTURE_TEARDOWN(late_board)
{
	int fd = device_open_node(SECOND_NODE);

	vmctl_at(self->board, "continue board");
	power_write(fd, "control", self->control);
	power_write(fd, "autosuspend_delay_ms", self->delay);
	set_hang_timeout(self->hang_timeout);
	close(fd);
	close(self->fd);
	free(self->slow);
}

/* A worker is DOWN, so the board has been asked to stop it. */
static bool worker_goes_down(int fd)
{
	__s64 end = deadline_ns(WAIT_SECONDS);
	char text[4096];

	while (!debugfs_read(fd, "workers", text, sizeof(text)) && deadline_ns(0) < end) {
		if (strstr(text, ": down "))
			return true;
		sleep_ms(2);
	}
	return false;
}

static void expect_good_work(struct __test_metadata *_metadata, int fd)
{
	struct drm_nnloop_status status;
	struct queue queue;
	struct code code;
	struct bo data;

	ASSERT_EQ(0, copy_new(fd, 4096, &queue, &data, &code));
	pattern_fill(data.map, 4096, 5);
	ASSERT_EQ(0, queue_run(&queue, &code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(4096, pattern_match(data.map + 4096, 4096, 5));
	EXPECT_EQ(0, queue_destroy(&queue));
	bo_free(&data);
	code_free(&code);
}

/* The board is to stop a worker that hangs; the other worker's job goes on meanwhile, and ends. */
TEST_F(late_board, stops_a_worker)
{
	struct drm_nnloop_status status;
	struct queue *hung, *other, second;
	__u64 point;
	int restarts;

	ASSERT_EQ(0, power_write(self->fd, "control", "on"));
	ASSERT_TRUE(power_becomes(self->fd, "active"));
	restarts = debugfs_restarts(self->fd);
	ASSERT_EQ(0, queue_create(self->fd, &second));
	ASSERT_EQ(0, slow_start(self->slow, &self->queue, &point));
	ASSERT_EQ(0, slow_start(self->slow, &second, &point));
	ASSERT_EQ(0, vmctl_at(self->board, "stop board"));
	ASSERT_EQ(0, vmctl_at(self->board, "stop worker 0"));
	ASSERT_TRUE(worker_goes_down(self->fd));
	sleep_ms(LATE_SECONDS * 1000);
	ASSERT_EQ(0, queue_status(&self->queue, 1, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
	ASSERT_EQ(0, queue_status(&second, 1, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
	ASSERT_EQ(0, vmctl_at(self->board, "continue board"));

	/* One of them was on the worker that hung. */
	for (hung = NULL; !hung;) {
		ASSERT_EQ(0, queue_status(&self->queue, 1, &status));
		if (status.state == DRM_NNLOOP_JOB_ENDED)
			hung = &self->queue;
		ASSERT_EQ(0, queue_status(&second, 1, &status));
		if (status.state == DRM_NNLOOP_JOB_ENDED)
			hung = &second;
		sleep_ms(2);
	}
	other = hung == &second ? &self->queue : &second;
	ASSERT_EQ(0, queue_wait(hung, 1, &status));
	EXPECT_EQ(-ETIMEDOUT, status.error);
	expect_good_work(_metadata, self->fd);
	ASSERT_EQ(0, queue_cancel(other));
	ASSERT_EQ(0, queue_wait(other, 1, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_EQ(restarts + 1, debugfs_restarts(self->fd));
}

static void park(struct __test_metadata *_metadata, int fd)
{
	ASSERT_EQ(0, power_write(fd, "autosuspend_delay_ms", "0"));
	ASSERT_EQ(0, power_write(fd, "control", "auto"));
	ASSERT_TRUE(power_becomes(fd, "suspended"));
}

/* The board is to start all workers. */
TEST_F(late_board, wakes_the_workers)
{
	struct drm_nnloop_status status;
	__u64 point;

	park(_metadata, self->fd);
	ASSERT_EQ(0, vmctl_at(self->board, "stop board"));
	ASSERT_EQ(0, slow_submit_short(self->slow, &self->queue, &point));
	ASSERT_TRUE(power_becomes(self->fd, "resuming"));
	sleep_ms(LATE_SECONDS * 1000);
	EXPECT_TRUE(power_is(self->fd, "resuming"));
	ASSERT_EQ(0, vmctl_at(self->board, "continue board"));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	expect_good_work(_metadata, self->fd);
}

/* Has the kernel's log had a line with this text since `log` was opened? */
static bool log_has(int log, const char *text)
{
	char record[8192];
	ssize_t got;

	/* EPIPE: records were overwritten, and the next one is there. */
	while ((got = read(log, record, sizeof(record) - 1)) > 0 || errno == EPIPE) {
		record[got > 0 ? got : 0] = 0;
		if (strstr(record, text))
			return true;
	}
	return false;
}

static bool node_appears(const char *node)
{
	__s64 end = deadline_ns(WAIT_SECONDS);
	int fd;

	while ((fd = device_open_node(node)) < 0 && deadline_ns(0) < end)
		sleep_ms(10);
	close(fd);
	return fd >= 0;
}

/* The board was given up, and lives again: the driver can begin again with it. */
static void begin_again(struct __test_metadata *_metadata, struct _test_data_late_board *self)
{
	char device[PATH_MAX], path[PATH_MAX + 16];

	ASSERT_NE(NULL, realpath("/sys/class/nnloop/nnloop1/device", device));
	ASSERT_EQ(0, vmctl_at(self->board, "continue board"));
	snprintf(path, sizeof(path), "%s/driver/unbind", device);
	ASSERT_EQ(0, file_write(path, strrchr(device, '/') + 1));
	ASSERT_EQ(0, file_write("/sys/bus/pci/drivers/nnloop/bind", strrchr(device, '/') + 1));
	ASSERT_TRUE(node_appears(SECOND_NODE));
	close(self->fd);
	self->fd = device_open_node(SECOND_NODE);
	ASSERT_LE(0, self->fd);
	expect_good_work(_metadata, self->fd);
}

/* The driver leaves to a lost DSP on purpose what it may still reach. */
static bool mappings_are_checked(void)
{
	debugfs_mount();
	return !access(DEBUGFS "/dma-api", F_OK);
}

/*
 * The board is to start all workers, and never does. It is given up because it is silent, not only
 * late: the log says so. The driver can begin again with a board that has come back.
 */
TEST_F(late_board, is_given_up_and_comes_back)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC), done;
	struct sync_fence_info fence;
	struct drm_nnloop_status status;
	struct pollfd end;
	__u64 point = 0;
	__s64 stopped;

	if (mappings_are_checked())
		SKIP(return, "this kernel's check of DMA mappings reports those that stay");
	ASSERT_LE(0, log);
	ASSERT_LE(0, lseek(log, 0, SEEK_END));
	park(_metadata, self->fd);
	ASSERT_EQ(0, vmctl_at(self->board, "stop board"));
	stopped = deadline_ns(0);
	done = queue_submit_sync_file(&self->queue, self->slow->passes, 1, &point);
	ASSERT_LE(0, done);
	end = (struct pollfd){ .fd = done, .events = POLLIN };
	ASSERT_EQ(1, poll(&end, 1, WAIT_SECONDS * 1000));
	EXPECT_LE(LOST_SECONDS * 1000000000ll, deadline_ns(0) - stopped);
	ASSERT_EQ(0, sync_file_fence(done, &fence));
	EXPECT_EQ(-ENODEV, fence.status);
	EXPECT_EQ(-ENODEV, queue_status(&self->queue, point, &status));
	EXPECT_TRUE(log_has(log, "no sign of life"));
	close(done);
	close(log);

	begin_again(_metadata, self);
	/* Nor is anything left of what went wrong: it sleeps, and wakes. */
	park(_metadata, self->fd);
	expect_good_work(_metadata, self->fd);
}

/*
 * All workers run one job; one of them hangs, and the board is silent when it is to stop it. The
 * job ends once, with those that were well and have it, too.
 */
TEST_F(late_board, is_given_up_in_a_job_of_all_workers)
{
	struct drm_nnloop_device_info info;
	struct drm_nnloop_status status;
	struct sync_fence_info fence;
	struct pollfd end;
	__u64 point = 0;
	__s64 stopped;
	int done;

	if (mappings_are_checked())
		SKIP(return, "this kernel's check of DMA mappings reports those that stay");
	ASSERT_EQ(0, power_write(self->fd, "control", "on"));
	ASSERT_TRUE(power_becomes(self->fd, "active"));
	ASSERT_EQ(0, device_query(self->fd, &info));
	self->queue.workers = info.worker_count;
	done = queue_submit_sync_file(&self->queue, self->slow->passes, SLOW_PASSES, &point);
	ASSERT_LE(0, done);
	ASSERT_EQ(0, queue_poll_passes(&self->queue, point, 1));
	ASSERT_EQ(0, vmctl_at(self->board, "stop board"));
	ASSERT_EQ(0, vmctl_at(self->board, "stop worker 0"));
	stopped = deadline_ns(0);
	ASSERT_LT(0, set_hang_timeout(SHORT_HANG_MS));
	end = (struct pollfd){ .fd = done, .events = POLLIN };
	ASSERT_EQ(1, poll(&end, 1, WAIT_SECONDS * 1000));
	EXPECT_LE(LOST_SECONDS * 1000000000ll, deadline_ns(0) - stopped);
	ASSERT_LT(0, set_hang_timeout(HANG_MS));
	ASSERT_EQ(0, sync_file_fence(done, &fence));
	EXPECT_EQ(-ENODEV, fence.status);
	EXPECT_EQ(-ENODEV, queue_status(&self->queue, point, &status));
	close(done);
	begin_again(_metadata, self);
}

FIXTURE(board) {
	int hang_timeout;
	int fd, other, healthy;
	struct slow *slow;
	struct queue queue[JOBS];
	int done[JOBS];			/* sync_files of the last job of each */
	struct bo bo;
};

FIXTURE_SETUP(board)
{
	__u64 point;
	int i;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	if (access(SECOND_NODE, F_OK))
		SKIP(return, "there is no second board (" SECOND_NODE ") to lose");
	self->hang_timeout = set_hang_timeout(HANG_MS);
	ASSERT_LT(0, self->hang_timeout);
	self->healthy = device_open();
	self->fd = device_open_node(SECOND_NODE);
	self->other = device_open_node(SECOND_NODE);
	ASSERT_LE(0, self->healthy);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->other);
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	ASSERT_EQ(0, bo_new(self->fd, 2 * PAGE_SIZE, &self->bo));
	for (i = 0; i < JOBS; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &self->queue[i]));
		ASSERT_EQ(0, slow_submit(self->slow, &self->queue[i], &point));
		self->done[i] = queue_submit_sync_file(&self->queue[i], self->slow->passes,
						       SLOW_PASSES, &point);
		ASSERT_LE(0, self->done[i]);
	}
}

FIXTURE_TEARDOWN(board)
{
	set_hang_timeout(self->hang_timeout);
	close(self->fd);
	close(self->other);
	close(self->healthy);
}

/*
 * Returns what the second board may do on its bus: the PCI function's command register, or -errno.
 */
static int pci_command(int fd)
{
	char address[64], path[128];
	__u8 command[2];
	int ret = fdinfo_text(fd, "drm-pdev", address, sizeof(address)), config;

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	config = open(path, O_RDONLY | O_CLOEXEC);
	if (config < 0)
		return -errno;
	ret = pread(config, command, sizeof(command), PCI_COMMAND);
	close(config);
	return ret == sizeof(command) ? command[0] | command[1] << 8 : -EIO;
}

TEST_F(board, gone_for_good)
{
	struct drm_nnloop_device_info info;
	struct drm_nnloop_bo_info bo_information;
	struct drm_nnloop_status status;
	struct sync_fence_info fence;
	struct queue queue;
	struct bo bo, healthy;
	__u32 syncobj;
	__u64 point;
	int i, fd, dmabuf, command;

	command = pci_command(self->fd);
	ASSERT_LE(0, command);
	EXPECT_EQ(PCI_COMMAND_MASTER, command & PCI_COMMAND_MASTER);
	ASSERT_EQ(0, bo_create(self->healthy, 4096, 0, &healthy));
	ASSERT_EQ(0, vmctl_at(vmctl_board_of(SECOND_NODE), "kill board"));
	ASSERT_LT(0, set_hang_timeout(SHORT_HANG_MS));
	for (i = 0; i < JOBS; i++) {
		struct pollfd done = { .fd = self->done[i], .events = POLLIN };

		EXPECT_EQ(1, poll(&done, 1, WAIT_SECONDS * 1000));
		EXPECT_EQ(0, sync_file_fence(self->done[i], &fence));
		EXPECT_EQ(-ENODEV, fence.status);
		close(self->done[i]);
	}
	/* Nobody knows what the DSP does: its PCI function is not let at memory any more. */
	command = pci_command(self->fd);
	ASSERT_LE(0, command);
	EXPECT_EQ(0, command & PCI_COMMAND_MASTER);
	EXPECT_EQ(-ENODEV, device_query(self->fd, &info));
	EXPECT_EQ(-ENODEV, bo_create(self->fd, 4096, 0, &bo));
	EXPECT_EQ(-ENODEV, bo_info(self->fd, self->bo.handle, &bo_information));
	EXPECT_EQ(-ENODEV, bo_seal(&self->bo));
	EXPECT_EQ(-ENODEV, bo_begin_cpu(&self->bo, DRM_NNLOOP_ACCESS_READ));
	EXPECT_EQ(-ENODEV, bo_end_cpu(&self->bo, DRM_NNLOOP_ACCESS_READ));
	EXPECT_EQ(-ENODEV, bo_set_name(&self->bo, "weights", 7));
	EXPECT_EQ(-ENODEV, queue_create(self->fd, &queue));
	EXPECT_EQ(-ENODEV, queue_submit(&self->queue[0], self->slow->passes, 1, &point));
	EXPECT_EQ(-ENODEV, queue_status(&self->queue[0], 1, &status));
	EXPECT_EQ(-ENODEV, queue_cancel(&self->queue[0]));
	EXPECT_EQ(-ENODEV, queue_destroy(&self->queue[0]));
	EXPECT_EQ(-ENODEV, syncobj_wait(self->fd, self->queue[0].syncobj, 1, 0));
	EXPECT_EQ(-ENODEV, syncobj_create(self->fd, &syncobj));
	EXPECT_EQ(-ENODEV, bo_close(&self->bo));
	dmabuf = prime_export(self->healthy, healthy.handle);
	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(-ENODEV, prime_import(self->fd, dmabuf, &syncobj));
	close(dmabuf);
	/* Also for those who had no part in it, and those who come now. */
	EXPECT_EQ(-ENODEV, bo_create(self->other, 4096, 0, &bo));
	fd = device_open_node(SECOND_NODE);
	if (fd >= 0) {
		EXPECT_EQ(-ENODEV, device_query(fd, &info));
		close(fd);
	} else {
		EXPECT_TRUE(fd == -ENODEV || fd == -ENOENT);
	}
	/* The memory of a mapping is still the client's, what it touches only now as well. */
	self->bo.map[0] = 1;
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(PAGE_SIZE, value_match(self->bo.map + PAGE_SIZE, PAGE_SIZE, 0));

	ASSERT_LT(0, set_hang_timeout(HANG_MS));
	EXPECT_EQ(0, device_query(self->healthy, &info));
	free(self->slow);
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_EQ(0, slow_new(self->healthy, self->slow));
	ASSERT_EQ(0, queue_create(self->healthy, &queue));
	ASSERT_EQ(0, queue_run(&queue, self->slow->passes, 1, &status));
	EXPECT_EQ(0, status.error);
}

TEST_HARNESS_MAIN
