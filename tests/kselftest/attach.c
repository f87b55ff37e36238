// SPDX-License-Identifier: GPL-2.0
/*
 * Boards that are processes of this machine: the door that they come in by, how they come and go,
 * and which memory they reach. The boards here compute nothing (soft.h). For root.
 */
#include <linux/memfd.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define NNLOOP_TEST_BRINGS_DEVICE
#include "program.h"
#include "soft.h"

#define SIZE		(8 * 4096)
/* Longer than it takes to remove a device, shorter than any wait for a board that says nothing. */
#define AT_ONCE_MS	5000

FIXTURE(board) {
	struct soft_board board;
	struct queue queue;
	struct bo bo;
	int client;
};

FIXTURE_SETUP(board)
{
	if (access(BOARD_NODE, R_OK | W_OK))
		SKIP(return, "no " BOARD_NODE " here, or not for us");
	ASSERT_EQ(0, soft_new(&self->board));
	self->client = device_open_node(self->board.node);
	ASSERT_LE(0, self->client);
	ASSERT_EQ(0, queue_create(self->client, &self->queue));
	ASSERT_EQ(0, bo_new(self->client, SIZE, &self->bo));
	memset(self->bo.map, 0x5a, SIZE);
}

FIXTURE_TEARDOWN(board)
{
	bo_unmap(&self->bo);
	close(self->client);
	soft_close(&self->board);
	EXPECT_TRUE(soft_is_gone(&self->board));
}

/* A job of one pass, of which the board will say that it went well. */
static int submit(struct queue *queue, __u64 iova, __u64 *point)
{
	struct drm_nnloop_pass pass = { .program = iova, .program_size = 64 };

	return queue_submit(queue, &pass, 1, point);
}

/* One who waits for a job while its board goes: from then on nobody can begin to wait. */
struct waiter {
	int fd;
	__u32 syncobj;
	__u64 point;
	int ret;
	pthread_t thread;
};

static void *wait_for_job(void *arg)
{
	struct waiter *waiter = arg;

	waiter->ret = syncobj_wait(waiter->fd, waiter->syncobj, waiter->point, WAIT_SECONDS);
	return NULL;
}

/* Submits a job that the board does not end, and has a thread wait for it. */
static int submit_and_wait(struct waiter *waiter, struct queue *queue, __u64 iova)
{
	int ret;

	*waiter = (struct waiter){ .fd = queue->fd, .syncobj = queue->syncobj, .ret = 1 };
	ret = submit(queue, iova, &waiter->point);
	if (!ret && pthread_create(&waiter->thread, NULL, wait_for_job, waiter))
		ret = -EAGAIN;
	sleep_ms(50);
	return ret;
}

static int wait_end(struct waiter *waiter)
{
	pthread_join(waiter->thread, NULL);
	return waiter->ret;
}

/* The page entry of the client's buffer, which a job tells the board where to find. */
static __u64 find_buffer(struct soft_board *board, struct queue *queue, struct bo *bo)
{
	struct drm_nnloop_status status;
	struct nnloop_cmd cmd = {};
	__u64 entry = 0, point;
	unsigned int i, tries;

	board->idle = true;
	if (submit(queue, bo->iova, &point))
		return 0;
	for (tries = 0; !entry && tries < 1000; tries++, sleep_ms(2)) {
		for (i = 0; i < board->workers && !entry; i++)
			if (soft_read(board, NNLOOP_WORKER(i) + NNLOOP_WREG_RING_HEAD) !=
			    soft_read(board, NNLOOP_WORKER(i) + NNLOOP_WREG_RING_TAIL) &&
			    soft_job(board, i, &cmd))
				entry = soft_walk(board, cmd.job.root, bo->iova);
	}
	board->idle = false;
	eventfd_write(board->doorbell[0], 1);
	queue_wait(queue, point, &status);
	return entry;
}

static __u8 *map_page(struct soft_board *board, __u64 entry, int prot)
{
	return (__u8 *)mmap(NULL, 4096, prot, MAP_SHARED, board->fd, entry & NNLOOP_PTE_ADDRESS);
}

TEST(attach_refuses)
{
	struct nnloop_board_attach good, args;
	struct soft_board board;
	void *read_only;
	int file;

	if (access(BOARD_NODE, R_OK | W_OK))
		SKIP(return, "no " BOARD_NODE " here, or not for us");
	ASSERT_EQ(0, soft_open(&board));
	good = soft_args(&board);
	file = open("/dev/null", O_RDWR | O_CLOEXEC);
	read_only = mmap(NULL, NNLOOP_REGS_SIZE, PROT_READ, MAP_SHARED, board.memfd, 0);

#define REFUSES(error, member, value)						\
	do {									\
		int fd = open(BOARD_NODE, O_RDWR | O_CLOEXEC);			\
										\
		args = good;							\
		args.member = value;						\
		EXPECT_EQ(error, device_ioctl(fd, NNLOOP_BOARD_ATTACH, &args))	\
			TH_LOG(#member " " #value);				\
		close(fd);							\
	} while (0)

	REFUSES(-EPROTO, version, 0);
	REFUSES(-EPROTO, version, NNLOOP_BOARD_VERSION + 1);
	REFUSES(-EINVAL, workers, 0);
	REFUSES(-EINVAL, workers, NNLOOP_MAX_WORKERS + 1);
	REFUSES(-EINVAL, workers, ~0u);
	REFUSES(-EINVAL, flags, 1);
	REFUSES(-EINVAL, reserved, 1);
	REFUSES(-EINVAL, registers, good.registers + 4);
	REFUSES(-EFAULT, registers, 0);
	REFUSES(-EFAULT, registers, 0xffff800000000000ull);
	REFUSES(-EFAULT, registers, (uintptr_t)read_only);
	REFUSES(-EBADF, doorbell[0], -1);
	REFUSES(-EBADF, doorbell[SOFT_WORKERS], 1000);
	REFUSES(-EINVAL, doorbell[1], file);
	REFUSES(-EBADF, interrupt[0], -1);
	REFUSES(-EINVAL, interrupt[SOFT_WORKERS], file);
	REFUSES(-EINVAL, interrupt[0], board.memfd);
	REFUSES(-EINVAL, interrupt[SOFT_WORKERS], good.doorbell[0]);
	REFUSES(-EINVAL, doorbell[1], good.doorbell[0]);
	REFUSES(-EINVAL, doorbell[SOFT_WORKERS + 1], file);
	REFUSES(-EINVAL, doorbell[SOFT_WORKERS + 1], 0);
	REFUSES(-EINVAL, interrupt[NNLOOP_MAX_WORKERS], good.interrupt[0]);
	EXPECT_EQ(-EFAULT, device_ioctl(board.fd, NNLOOP_BOARD_ATTACH, (void *)16));
	EXPECT_EQ(-ENOTTY, device_ioctl(board.fd, NNLOOP_BOARD_ATTACH + 1, &good));
	EXPECT_EQ(-ENOTTY, device_ioctl(board.fd, DRM_IOCTL_VERSION, &good));
	munmap(read_only, NNLOOP_REGS_SIZE);
	close(file);
	soft_close(&board);
}

TEST_F(board, comes_and_goes)
{
	struct nnloop_board_attach args = soft_args(&self->board);
	struct drm_nnloop_device_info info;
	struct drm_nnloop_status status;
	struct waiter waiter;
	__u64 point;

	ASSERT_EQ(0, device_query(self->client, &info));
	EXPECT_EQ(SOFT_WORKERS, info.worker_count);
	ASSERT_EQ(0, submit(&self->queue, self->bo.iova, &point));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(-EBUSY, device_ioctl(self->board.fd, NNLOOP_BOARD_ATTACH, &args));

	/* It ends like an unplugged one: calls fail, memory works on. */
	self->board.idle = true;
	ASSERT_EQ(0, submit_and_wait(&waiter, &self->queue, self->bo.iova));
	close(self->board.fd);
	ASSERT_TRUE(soft_is_gone(&self->board));
	EXPECT_EQ(0, wait_end(&waiter));
	EXPECT_EQ(-ENODEV, device_query(self->client, &info));
	EXPECT_EQ(-ENODEV, submit(&self->queue, self->bo.iova, &point));
	EXPECT_EQ(0x5a, self->bo.map[SIZE - 1]);
}

/* If a doorbell were an interrupt as well, of another board even, the driver would call itself. */
TEST_F(board, eventfds_are_used_once)
{
	struct nnloop_board_attach args;
	struct soft_board other;

	ASSERT_EQ(0, soft_open(&other));
	args = soft_args(&other);
	args.interrupt[1] = self->board.doorbell[SOFT_WORKERS];
	EXPECT_EQ(-EINVAL, device_ioctl(other.fd, NNLOOP_BOARD_ATTACH, &args));
	soft_close(&other);
	ASSERT_EQ(0, soft_open(&other));
	args = soft_args(&other);
	args.doorbell[0] = self->board.interrupt[0];
	EXPECT_EQ(-EINVAL, device_ioctl(other.fd, NNLOOP_BOARD_ATTACH, &args));
	soft_close(&other);
	/* What the first board has is as good as before, and a board like it can come. */
	ASSERT_EQ(0, soft_new(&other));
	soft_close(&other);
	EXPECT_TRUE(soft_is_gone(&other));
}

/* Nobody waits for a board that is gone, whatever it had been asked. */
TEST_F(board, closed_while_it_is_asked)
{
	struct waiter waiter;
	__s64 begin;

	self->board.idle = true;
	ASSERT_EQ(0, submit_and_wait(&waiter, &self->queue, self->bo.iova));
	/* The driver takes the worker for dead, stops it, and gets no answer to that. */
	soft_still(&self->board);
	soft_write(&self->board, NNLOOP_WORKER(0) + NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD);
	soft_raise(&self->board, 0);
	sleep_ms(500);
	begin = deadline_ns(0);
	close(self->board.fd);
	ASSERT_TRUE(soft_is_gone(&self->board));
	EXPECT_GT(AT_ONCE_MS * 1000000ll, deadline_ns(0) - begin);
	EXPECT_EQ(0, wait_end(&waiter));
}

TEST(attach_gives_up)
{
	struct soft_board board;
	__s64 begin;

	if (access(BOARD_NODE, R_OK | W_OK))
		SKIP(return, "no " BOARD_NODE " here, or not for us");
	/* One that says another number of workers than it has doorbells for. */
	ASSERT_EQ(0, soft_open(&board));
	soft_write(&board, NNLOOP_REG_WORKERS, NNLOOP_MAX_WORKERS);
	ASSERT_EQ(0, soft_attach(&board));
	EXPECT_TRUE(soft_hangs_up(&board, AT_ONCE_MS));
	soft_close(&board);
	/* One of another map. */
	ASSERT_EQ(0, soft_open(&board));
	soft_write(&board, NNLOOP_REG_VERSION, 0x00020000);
	ASSERT_EQ(0, soft_attach(&board));
	EXPECT_TRUE(soft_hangs_up(&board, AT_ONCE_MS));
	soft_close(&board);
	/* One that does not answer: the call returns, and so does the close. */
	ASSERT_EQ(0, soft_open(&board));
	board.silent = true;
	ASSERT_EQ(0, soft_attach(&board));
	EXPECT_FALSE(soft_hangs_up(&board, 1000));
	begin = deadline_ns(0);
	soft_close(&board);
	EXPECT_GT(AT_ONCE_MS * 1000000ll, deadline_ns(0) - begin);
}

/* Buffers are there when they are the DSP's, and as they are the DSP's. */
TEST_F(board, memory)
{
	__u64 entry = find_buffer(&self->board, &self->queue, &self->bo);
	__u8 *page, *again;

	ASSERT_NE(0, entry);
	page = map_page(&self->board, entry, PROT_READ | PROT_WRITE);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, soft_touch(page, true));
	EXPECT_EQ(0x5a, page[4095]);
	page[0] = 0x11;
	EXPECT_EQ(0x11, self->bo.map[0]);

	/* Sealed: what was writable is not any more, and not to be made so again. */
	bo_unmap(&self->bo);
	ASSERT_EQ(0, bo_seal(&self->bo));
	EXPECT_EQ(0, soft_touch(page, false));
	EXPECT_EQ(0x11, page[0]);
	EXPECT_EQ(SIGBUS, soft_touch(page, true));
	EXPECT_EQ(0, mprotect(page, 4096, PROT_READ));
	EXPECT_EQ(0, mprotect(page, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(SIGBUS, soft_touch(page, true));
	EXPECT_EQ(0, soft_touch(page, false));

	/* Closed: gone from who has mapped it, and from who maps it now. */
	ASSERT_EQ(0, bo_close(&self->bo));
	EXPECT_EQ(SIGBUS, soft_touch(page, false));
	again = map_page(&self->board, entry, PROT_READ);
	ASSERT_NE(MAP_FAILED, again);
	EXPECT_EQ(SIGBUS, soft_touch(again, false));
	munmap(again, 4096);
	munmap(page, 4096);
}

/* Page tables and rings can be read, no more. */
TEST_F(board, tables_are_read_only)
{
	__u64 root = soft_root(&self->board, 0);
	__u64 ring = soft_walk(&self->board, root, NNLOOP_SYSTEM_BASE);
	__u8 *page;

	ASSERT_NE(0, ring);
	page = map_page(&self->board, root, PROT_READ | PROT_WRITE);
	EXPECT_EQ(0, soft_touch(page, false));
	EXPECT_EQ(SIGBUS, soft_touch(page, true));
	munmap(page, 4096);
	page = map_page(&self->board, ring, PROT_READ | PROT_WRITE);
	EXPECT_EQ(SIGBUS, soft_touch(page, true));
	EXPECT_EQ(0, soft_touch(page, false));
	munmap(page, 4096);
}

/* There is no way to keep, copy or pass on a mapping beyond what the driver allows. */
TEST_F(board, mapping)
{
	__u64 entry = find_buffer(&self->board, &self->queue, &self->bo);
	struct iovec local, remote;
	__u8 *page, *moved, *read_only, buffer[16];
	int fd, status, pipes[2];
	pid_t child;

	ASSERT_NE(0, entry);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, self->board.fd,
				   entry & NNLOOP_PTE_ADDRESS));
	fd = open(BOARD_NODE, O_RDONLY | O_CLOEXEC);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0));
	close(fd);
	/* Another file is another board: it has none of this one's. */
	fd = open(BOARD_NODE, O_RDWR | O_CLOEXEC);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, entry & NNLOOP_PTE_ADDRESS);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(SIGBUS, soft_touch(page, false));
	munmap(page, 4096);
	close(fd);

	read_only = map_page(&self->board, entry, PROT_READ);
	EXPECT_EQ(0, soft_touch(read_only, false));
	EXPECT_EQ(-1, mprotect(read_only, 4096, PROT_READ | PROT_WRITE));

	page = map_page(&self->board, entry, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, soft_touch(page, true));
	EXPECT_EQ(MAP_FAILED, mremap(page, 4096, 8192, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(page, 0, 4096, MREMAP_MAYMOVE));
	EXPECT_EQ(-1, madvise(page, 4096, MADV_DOFORK));
	EXPECT_EQ(-1, madvise(page, 4096, MADV_DODUMP));
	EXPECT_EQ(-1, madvise(page, 4096, MADV_DONTNEED));
	moved = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	moved = mremap(page, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, moved);
	ASSERT_NE(MAP_FAILED, moved);
	EXPECT_EQ(0, soft_touch(moved, true));

	/* Nobody pins it: other processes, pipes, debuggers. */
	local = (struct iovec){ buffer, sizeof(buffer) };
	remote = (struct iovec){ moved, sizeof(buffer) };
	EXPECT_EQ(-1, process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-1, vmsplice(pipes[1], &remote, 1, SPLICE_F_GIFT));
	close(pipes[0]);
	close(pipes[1]);
	fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	EXPECT_EQ(-1, pread(fd, buffer, sizeof(buffer), (uintptr_t)moved));
	close(fd);

	child = fork();
	if (!child)
		_exit(soft_touch(moved, false));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(SIGSEGV, WEXITSTATUS(status));

	/* Moved or not, it goes with the buffer. */
	bo_free(&self->bo);
	EXPECT_EQ(SIGBUS, soft_touch(moved, false));
	EXPECT_EQ(SIGBUS, soft_touch(read_only, false));
	munmap(moved, 4096);
	munmap(read_only, 4096);
}

/* A process that has the file from the board does not keep the device, nor any memory. */
TEST_F(board, file_is_passed_on)
{
	__u64 entry = find_buffer(&self->board, &self->queue, &self->bo);
	int ready[2], go[2], status;
	char byte = 0;
	pid_t child;

	ASSERT_NE(0, entry);
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		struct nnloop_board_attach args = soft_args(&self->board);
		__u8 *page = map_page(&self->board, entry, PROT_READ | PROT_WRITE);

		if (page == MAP_FAILED || soft_touch(page, true))
			_exit(1);
		if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(2);
		if (soft_touch(page, false) != SIGBUS)
			_exit(3);
		if (device_ioctl(self->board.fd, NNLOOP_BOARD_ATTACH, &args) != -EBUSY)
			_exit(4);
		if (!soft_hangs_up(&self->board, 0))
			_exit(5);
		_exit(0);
	}
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	close(self->board.fd);
	EXPECT_TRUE(soft_is_gone(&self->board));
	ASSERT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* The driver has pinned the registers: that their file gets shorter is the board's own loss. */
TEST_F(board, registers_are_taken_away)
{
	__u64 point;

	soft_still(&self->board);
	ASSERT_EQ(0, ftruncate(self->board.memfd, 0));
	EXPECT_EQ(0, submit(&self->queue, self->bo.iova, &point));
	EXPECT_EQ(SIGBUS, soft_touch((__u8 *)self->board.regs, false));
}

TEST(attach_many)
{
	struct soft_board *board = calloc(64, sizeof(*board));
	unsigned int count, i;
	int ret = 0;

	if (access(BOARD_NODE, R_OK | W_OK))
		SKIP(return, "no " BOARD_NODE " here, or not for us");
	for (count = 0; count < 64 && !ret; count++) {
		ASSERT_EQ(0, soft_open(&board[count]));
		ret = soft_attach(&board[count]);
	}
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_LT(8, count);
	for (i = 0; i < count; i++)
		soft_close(&board[i]);
	free(board);
}

TEST_HARNESS_MAIN
