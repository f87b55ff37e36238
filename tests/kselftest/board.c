// SPDX-License-Identifier: GPL-2.0
/*
 * A board that is gone for good: every fence signals, every call returns ENODEV, closing works, and
 * another board does not notice. It takes a second board, because this one does not come back.
 */
#include "kselftest_harness.h"

#include <linux/pci_regs.h>
#include <poll.h>

#include "partner.h"
#include "program.h"
#include "vmctl.h"

#define SECOND_NODE	"/dev/nnloop1"
#define HANG_MS		2000	/* long enough for a machine that does much else */
#define JOBS		6

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

/* What the second board may do on its bus: the PCI function's command register, or -errno. */
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
	ASSERT_EQ(0, vmctl("kill board 1"));
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

	EXPECT_EQ(0, device_query(self->healthy, &info));
	free(self->slow);
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_EQ(0, slow_new(self->healthy, self->slow));
	ASSERT_EQ(0, queue_create(self->healthy, &queue));
	ASSERT_EQ(0, queue_run(&queue, self->slow->passes, 1, &status));
	EXPECT_EQ(0, status.error);
}

TEST_HARNESS_MAIN
