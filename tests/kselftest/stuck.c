// SPDX-License-Identifier: GPL-2.0
/*
 * A client whose calls never return, because the memory that they are about never comes. Neither
 * the board that it uses nor any other has to wait for that when it is removed, and what such calls
 * do when they go on at last harms nobody.
 */
#include "kselftest_harness.h"

#include "stuck.h"

FIXTURE(stuck) {
	int fd, second;
	__u32 syncobj;		/* the second board's, which can be asked when the first is gone */
	char address[64];	/* PCI address of the board to remove */
	struct stuck stuck;
};

FIXTURE_VARIANT(stuck) {
	bool second;
};

FIXTURE_VARIANT_ADD(stuck, this_board) {
	.second = false,
};

FIXTURE_VARIANT_ADD(stuck, another_board) {
	.second = true,
};

static int bind_to_driver(const char *address)
{
	return file_write("/sys/bus/pci/drivers/nnloop/bind", address);
}

static int unbind_from_driver(const char *address)
{
	return file_write("/sys/bus/pci/drivers/nnloop/unbind", address);
}

FIXTURE_SETUP(stuck)
{
	struct drm_syncobj_handle args = { .fd = -1 };

	if (geteuid())
		SKIP(return, "not root");
	if (access(SECOND_NODE, F_OK))
		SKIP(return, "there is no second board (" SECOND_NODE ")");
	self->fd = device_open();
	self->second = device_open_node(SECOND_NODE);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->second);
	ASSERT_EQ(0, fdinfo_text(variant->second ? self->second : self->fd, "drm-pdev",
				 self->address, sizeof(self->address)));
	ASSERT_EQ(0, syncobj_create(self->second, &self->syncobj));
	args.handle = self->syncobj;
	ASSERT_EQ(0, device_ioctl(self->second, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args));
	ASSERT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args));
	close(args.fd);
	ASSERT_EQ(0, stuck_start(&self->stuck, self->fd, args.handle));
}

FIXTURE_TEARDOWN(stuck)
{
	close(self->fd);
	close(self->second);
	/* Whatever happened: the next test wants it. */
	if (access(NNLOOP_NODE, F_OK) || access(SECOND_NODE, F_OK))
		bind_to_driver(self->address);
}

/* Does the removal come to its end while nothing changes for those who are stuck? */
static bool unbinds_meanwhile(const char *address)
{
	__s64 end = deadline_ns(WAIT_SECONDS);
	pid_t child = fork();
	int status;

	if (!child)
		_exit(unbind_from_driver(address) ? 1 : 0);
	while (waitpid(child, &status, WNOHANG) != child) {
		if (child < 0 || deadline_ns(0) > end)
			return false;
		sleep_ms(10);
	}
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static int try_work(const char *node)
{
	struct drm_nnloop_status status;
	struct queue queue;
	struct code code;
	struct bo data;
	int fd = device_open_node(node), ret;

	if (fd < 0)
		return fd;
	ret = copy_new(fd, 4096, &queue, &data, &code);
	if (!ret)
		pattern_fill(data.map, 4096, 9);
	ret = ret ?: queue_run(&queue, &code.pass, 1, &status);
	ret = ret ?: status.error;
	if (!ret && pattern_match(data.map + 4096, 4096, 9) != 4096)
		ret = -EILSEQ;
	close(fd);
	return ret;
}

TEST_F(stuck, a_board_can_be_removed)
{
	struct stuck_call *submit = &self->stuck.call[0];
	int file;

	EXPECT_TRUE(unbinds_meanwhile(self->address));
	ASSERT_EQ(0, stuck_end(&self->stuck));
	if (variant->second) {
		/* Nothing has happened to this board: the call does what it is there for. */
		EXPECT_EQ(0, submit->ret);
		EXPECT_EQ(0, syncobj_wait(self->fd, self->stuck.queue.syncobj, submit->submit.point,
					  WAIT_SECONDS));
	} else if (!submit->ret) {
		/* It has come too late for the board, and is told so. */
		ASSERT_EQ(0, syncobj_wait(self->second, self->syncobj, 0, WAIT_SECONDS));
		file = syncobj_export_sync_file(self->second, self->syncobj);
		ASSERT_LE(0, file);
		EXPECT_EQ(-ENODEV, sync_file_status(file));
		close(file);
	} else {
		EXPECT_EQ(-ENODEV, submit->ret);
	}
	ASSERT_EQ(0, bind_to_driver(self->address));
	EXPECT_EQ(0, try_work(NNLOOP_NODE));
	EXPECT_EQ(0, try_work(SECOND_NODE));
}

TEST_HARNESS_MAIN
