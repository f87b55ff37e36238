// SPDX-License-Identifier: GPL-2.0
/*
 * The board is taken out (PCI remove, driver unbind) with files open, memory mapped and jobs
 * running: fences signal, calls return ENODEV, a mapping hurts nobody but its owner, and the board
 * is there again after a rescan.
 */
#include "kselftest_harness.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>

#include "hotplug.h"
#include "partner.h"
#include "program.h"

#define JOBS 4

static sigjmp_buf touch_failed;

static void on_bus_error(int number)
{
	siglongjmp(touch_failed, number);
}

/* Read a byte: true, or false after a SIGBUS. */
static bool can_touch(const __u8 *p)
{
	struct sigaction action = { .sa_handler = on_bus_error }, old;
	bool ok = false;

	sigaction(SIGBUS, &action, &old);
	if (!sigsetjmp(touch_failed, 1))
		ok = memchr(p, *p, 1);
	sigaction(SIGBUS, &old, NULL);
	return ok;
}

FIXTURE(unplug) {
	int fd;
	struct slow *slow;
	struct queue queue[JOBS];
	int end[JOBS];		/* sync_files: a syncobj cannot be asked when its device is gone */
	struct bo touched, untouched;
};

FIXTURE_VARIANT(unplug) {
	int (*take)(void);
	int (*give_back)(void);
};

FIXTURE_VARIANT_ADD(unplug, pci_remove) {
	.take = pci_remove,
	.give_back = pci_rescan,
};

FIXTURE_VARIANT_ADD(unplug, unbind) {
	.take = driver_unbind,
	.give_back = driver_bind,
};

FIXTURE_SETUP(unplug)
{
	__u64 point;
	int i;

	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, find_pci_device());
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	ASSERT_EQ(0, bo_new(self->fd, 8192, &self->touched));
	ASSERT_EQ(0, bo_new(self->fd, 8192, &self->untouched));
	memset(self->touched.map, 1, 8192);
	for (i = 0; i < JOBS; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &self->queue[i]));
		ASSERT_EQ(0, slow_submit(self->slow, &self->queue[i], &point));
		self->end[i] = queue_submit_sync_file(&self->queue[i], self->slow->passes,
						      SLOW_PASSES, &point);
		ASSERT_LE(0, self->end[i]);
	}
	ASSERT_EQ(0, queue_poll_state(&self->queue[0], 1, DRM_NNLOOP_JOB_RUNNING));
}

FIXTURE_TEARDOWN(unplug)
{
	close(self->fd);
	/* Whatever happened: the next test wants it. */
	if (access(NNLOOP_NODE, F_OK))
		variant->give_back();
}

static int try_work(void)
{
	struct drm_nnloop_status status;
	struct code code = { 0 };
	struct queue queue;
	struct bo bo;
	int fd = device_open(), ret;

	if (fd < 0)
		return fd;
	ret = bo_new(fd, 8192, &bo);
	ret = ret ?: bo_new(fd, sizeof(struct program), &code.bo);
	ret = ret ?: queue_create(fd, &queue);
	if (!ret)
		pattern_fill(bo.map, 4096, 9);
	ret = ret ?: run_copy(&queue, &code, bo.iova, bo.iova + 4096, 4096, &status);
	if (!ret && pattern_match(bo.map + 4096, 4096, 9) != 4096)
		ret = -EILSEQ;
	close(fd);
	return ret;
}

TEST_F(unplug, with_everything_in_use)
{
	struct drm_nnloop_device_info info;
	struct drm_nnloop_status status;
	struct queue queue;
	struct bo bo;
	__u64 point;
	int i, again;

	ASSERT_EQ(0, variant->take());
	EXPECT_NE(0, access(NNLOOP_NODE, F_OK));
	for (i = 0; i < JOBS; i++) {
		struct pollfd end = { .fd = self->end[i], .events = POLLIN };

		EXPECT_EQ(1, poll(&end, 1, WAIT_SECONDS * 1000));
		EXPECT_GT(0, sync_file_status(self->end[i]));
	}
	EXPECT_EQ(-ENODEV, device_query(self->fd, &info));
	EXPECT_EQ(-ENODEV, bo_create(self->fd, 4096, 0, &bo));
	EXPECT_EQ(-ENODEV, queue_create(self->fd, &queue));
	EXPECT_EQ(-ENODEV, queue_submit(&self->queue[0], self->slow->passes, 1, &point));
	EXPECT_EQ(-ENODEV, queue_status(&self->queue[0], 1, &status));
	/* Reading what is mapped either works or is a SIGBUS; neither is anything worse. */
	TH_LOG("a touched page can%s be read, an untouched one can%s",
	       can_touch(self->touched.map) ? "" : "not",
	       can_touch(self->untouched.map) ? "" : "not");

	ASSERT_EQ(0, variant->give_back());
	again = device_open();
	ASSERT_LE(0, again);
	close(again);
	EXPECT_EQ(0, try_work());
	/* The old file stays what it is. */
	EXPECT_EQ(-ENODEV, device_query(self->fd, &info));
	bo_unmap(&self->touched);
	bo_unmap(&self->untouched);
	close(self->fd);
	EXPECT_EQ(0, try_work());
	self->fd = -1;
}

/* More of the other board's time than anything here takes. */
#define LONG_JOBS 64

/*
 * Has the second board work on jobs, of which the last one's end is waited for by whoever uses
 * @dmabuf: until @queue is cancelled. (A fence of vgem's own would end after ten seconds.)
 */
static int use_elsewhere(int fd, struct slow *slow, struct queue *queue, int dmabuf)
{
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	int ret = slow_new(fd, slow), i;
	__u64 point;

	ret = ret ?: queue_create(fd, queue);
	for (i = 0; i < LONG_JOBS && !ret; i++)
		ret = slow_submit(slow, queue, &point);
	if (ret)
		return ret;
	import.fd = queue_submit_sync_file(queue, slow->passes, SLOW_PASSES, &point);
	if (import.fd < 0)
		return import.fd;
	ret = device_ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import);
	close(import.fd);
	return ret;
}

/*
 * Somebody waits to access another driver's buffer that is in use there. The removal of this device
 * (and of all other DRM devices) does not wait for that.
 */
TEST_F(unplug, while_a_client_waits_for_another_driver)
{
	int dmabuf = dmabuf_from_vgem(4096), other, status;
	struct bo bo = { .fd = self->fd };
	struct queue queue;
	pid_t child;

	if (dmabuf < 0)
		SKIP(return, "this kernel has no vgem");
	if (access(SECOND_NODE, F_OK))
		SKIP(return, "there is no second board (" SECOND_NODE ") to wait for");
	other = device_open_node(SECOND_NODE);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, prime_import(self->fd, dmabuf, &bo.handle));
	ASSERT_EQ(0, use_elsewhere(other, self->slow, &queue, dmabuf));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(-bo_begin_cpu(&bo, DRM_NNLOOP_ACCESS_WRITE));
	ASSERT_TRUE(waits_in_ioctl(child));
	sleep_ms(100);
	ASSERT_EQ(0, waitpid(child, NULL, WNOHANG));
	ASSERT_EQ(0, variant->take());
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	EXPECT_EQ(0, queue_cancel(&queue));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	ASSERT_EQ(0, variant->give_back());
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, try_work());
	close(dmabuf);
	close(other);
}

/* Calls of all kinds are under way while it goes: they end, with success or an error. */
TEST_F(unplug, while_calls_are_under_way)
{
	enum { CHILDREN = 3 };
	struct drm_nnloop_device_info info;
	pid_t child[CHILDREN];
	int i, status, ready[2];
	char go;

	ASSERT_EQ(0, pipe(ready));
	for (i = 0; i < CHILDREN; i++) {
		child[i] = fork();
		ASSERT_LE(0, child[i]);
		if (!child[i]) {
			int fd = device_open();
			struct queue queue;
			struct bo bo;
			__u64 point;

			if (slow_new(fd, self->slow) || write(ready[1], "r", 1) != 1)
				_exit(1);
			while (device_query(fd, &info) != -ENODEV) {
				if (!queue_create(fd, &queue)) {
					queue_submit(&queue, self->slow->passes, 2, &point);
					queue_cancel(&queue);
					queue_destroy(&queue);
					syncobj_destroy(fd, queue.syncobj);
				}
				if (!bo_new(fd, 65536, &bo)) {
					can_touch(bo.map);
					bo_free(&bo);
				}
			}
			_exit(0);
		}
	}
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(1, read(ready[0], &go, 1));
	sleep_ms(100);
	ASSERT_EQ(0, variant->take());
	for (i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(child[i], waitpid(child[i], &status, 0));
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(0, WEXITSTATUS(status));
	}
	ASSERT_EQ(0, variant->give_back());
	EXPECT_EQ(0, try_work());
}

/*
 * Buffers shared with a board that stays, both ways. It goes on with them, and what it could only
 * read it still cannot write.
 */
TEST_F(unplug, with_buffers_shared_with_another_board)
{
	struct drm_nnloop_bo_info info;
	struct drm_nnloop_status status;
	struct bo mine, theirs, copy;
	struct code code = { 0 };
	struct queue queue;
	__u32 handle;
	int other, dmabuf;

	if (access(SECOND_NODE, F_OK))
		SKIP(return, "there is no second board (" SECOND_NODE ")");
	other = device_open_node(SECOND_NODE);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, queue_create(other, &queue));
	ASSERT_EQ(0, bo_new(other, sizeof(struct program), &code.bo));
	ASSERT_EQ(0, bo_new(other, 4096, &copy));

	ASSERT_EQ(0, bo_create(other, 4096, DRM_NNLOOP_BO_DSP_READ_ONLY, &theirs));
	ASSERT_EQ(0, bo_map(&theirs));
	pattern_fill(theirs.map, 4096, 1);
	dmabuf = prime_export(other, theirs.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, prime_import(self->fd, dmabuf, &handle));
	close(dmabuf);
	ASSERT_EQ(0, bo_create(self->fd, 4096, DRM_NNLOOP_BO_DSP_READ_ONLY, &mine));
	ASSERT_EQ(0, bo_map(&mine));
	pattern_fill(mine.map, 4096, 2);
	bo_unmap(&mine);
	ASSERT_EQ(0, bo_seal(&mine));
	dmabuf = prime_export(self->fd, mine.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, prime_import(other, dmabuf, &handle));
	ASSERT_EQ(0, bo_info(other, handle, &info));
	close(dmabuf);

	ASSERT_EQ(0, variant->take());
	EXPECT_EQ(0, run_copy(&queue, &code, theirs.iova, copy.iova, 4096, &status));
	EXPECT_EQ(4096, pattern_match(copy.map, 4096, 1));
	EXPECT_EQ(0, run_copy(&queue, &code, info.iova, copy.iova, 4096, &status));
	EXPECT_EQ(4096, pattern_match(copy.map, 4096, 2));
	EXPECT_EQ(-EFAULT, run_copy(&queue, &code, theirs.iova, info.iova, 4096, &status));
	EXPECT_EQ(info.iova, status.fault_address);
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, variant->give_back());
	EXPECT_EQ(0, try_work());
	ASSERT_EQ(0, queue_create(other, &queue));
	EXPECT_EQ(0, run_copy(&queue, &code, info.iova, copy.iova, 4096, &status));
	EXPECT_EQ(4096, pattern_match(copy.map, 4096, 2));
	close(other);
}

/* Again and again, with the files of all rounds closed only in the end. */
TEST_F(unplug, many_times)
{
	enum { ROUNDS = 5 };
	int fd[ROUNDS], i;
	struct bo bo;

	for (i = 0; i < ROUNDS; i++) {
		fd[i] = device_open();
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, bo_new(fd[i], 4096, &bo));
		ASSERT_EQ(0, variant->take());
		ASSERT_EQ(0, variant->give_back());
		EXPECT_EQ(0, try_work());
	}
	for (i = 0; i < ROUNDS; i++)
		close(fd[i]);
	EXPECT_EQ(0, try_work());
}

TEST_HARNESS_MAIN
