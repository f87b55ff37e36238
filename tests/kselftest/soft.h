/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A board of this machine that is no board: it answers the driver's requests, says of each job
 * that it has ended well, and computes nothing but what a test wants it to. It tests the door that
 * boards come in by (misc/nnloop_attach.h), and can be as bad as a test needs it.
 */
#ifndef NNLOOP_TEST_SOFT_H
#define NNLOOP_TEST_SOFT_H

#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include <misc/nnloop_attach.h>

#include "driver/nnloop_hw.h"
#include "nnloop_test.h"

#define BOARD_NODE	"/dev/nnloop-board"
#define SOFT_WORKERS	2
/* All that a board could name. */
#define SOFT_SPACE	0x100000000000ull

struct soft_board {
	int fd, memfd;
	unsigned int workers;
	__u32 *regs;
	int doorbell[NNLOOP_MAX_WORKERS + 1], interrupt[NNLOOP_MAX_WORKERS + 1];
	bool silent;		/* answers nothing */
	bool idle;		/* answers requests, and ends no job */
	/* does a pass of a job of the client with that page table; or NULL */
	void (*compute)(struct soft_board *board, __u64 root, const struct nnloop_cmd *pass);
	pthread_t thread;
	int stop;		/* eventfd that ends the thread; -1: there is none */
	char node[64];		/* of its device, once it has one */
};

static inline void soft_write(struct soft_board *board, __u32 reg, __u32 value)
{
	__atomic_store_n(&board->regs[reg / 4], value, __ATOMIC_SEQ_CST);
}

static inline __u32 soft_read(struct soft_board *board, __u32 reg)
{
	return __atomic_load_n(&board->regs[reg / 4], __ATOMIC_SEQ_CST);
}

static inline void soft_raise(struct soft_board *board, unsigned int vector)
{
	eventfd_write(board->interrupt[vector], 1);
}

/* Everything but ATTACH. 0 or -errno; the device is not there without the driver, or for others. */
static inline int soft_open(struct soft_board *board)
{
	unsigned int i;

	memset(board, 0, sizeof(*board));
	board->stop = -1;
	board->workers = SOFT_WORKERS;
	board->fd = open(BOARD_NODE, O_RDWR | O_CLOEXEC);
	if (board->fd < 0)
		return -errno;
	board->memfd = memfd_create("registers", MFD_CLOEXEC);
	if (board->memfd < 0 || ftruncate(board->memfd, NNLOOP_REGS_SIZE))
		return -errno;
	board->regs = mmap(NULL, NNLOOP_REGS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			   board->memfd, 0);
	if (board->regs == MAP_FAILED)
		return -errno;
	for (i = 0; i <= NNLOOP_MAX_WORKERS; i++) {
		board->doorbell[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		board->interrupt[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (board->doorbell[i] < 0 || board->interrupt[i] < 0)
			return -errno;
	}
	soft_write(board, NNLOOP_REG_VERSION, NNLOOP_HW_VERSION);
	soft_write(board, NNLOOP_REG_WORKERS, board->workers);
	soft_write(board, NNLOOP_REG_BOARD_EPOCH, 1);
	soft_write(board, NNLOOP_REG_FIRMWARE_VERSION, NNLOOP_FIRMWARE_VERSION);
	soft_write(board, NNLOOP_REG_MAGIC, NNLOOP_MAGIC);
	return 0;
}

static inline struct nnloop_board_attach soft_args(struct soft_board *board)
{
	struct nnloop_board_attach args = {
		.version = NNLOOP_BOARD_VERSION,
		.workers = board->workers,
		.registers = (uintptr_t)board->regs,
	};
	unsigned int i;

	for (i = 0; i <= NNLOOP_MAX_WORKERS; i++) {
		args.doorbell[i] = i <= board->workers ? board->doorbell[i] : -1;
		args.interrupt[i] = i <= board->workers ? board->interrupt[i] : -1;
	}
	return args;
}

/* Copies memory of the board's from within a page. False: it cannot be read. */
static inline bool soft_copy(struct soft_board *board, __u64 page, unsigned int offset, void *to,
			     size_t size)
{
	void *from = mmap(NULL, 4096, PROT_READ, MAP_SHARED, board->fd, page);
	bool good = false;
	int pipes[2];

	if (from == MAP_FAILED)
		return false;
	if (!pipe(pipes)) {
		/* The kernel says EFAULT where a program would get SIGBUS. */
		good = write(pipes[1], (char *)from + offset, size) == (ssize_t)size &&
		       read(pipes[0], to, size) == (ssize_t)size;
		close(pipes[0]);
		close(pipes[1]);
	}
	munmap(from, 4096);
	return good;
}

/* A page table's entry, or 0: the table cannot be read. */
static inline __u64 soft_entry(struct soft_board *board, __u64 table, unsigned int index)
{
	__u64 entry;

	return soft_copy(board, table, index * 8, &entry, 8) ? entry : 0;
}

/* The page entry of an address, as the SMMU would find it. */
static inline __u64 soft_walk(struct soft_board *board, __u64 root, __u32 address)
{
	__u64 entry = root | NNLOOP_PTE_VALID;
	int level;

	for (level = 0; level < 3 && entry & NNLOOP_PTE_VALID; level++)
		entry = soft_entry(board, entry & NNLOOP_PTE_ADDRESS,
				   (address >> NNLOOP_PT_SHIFT(level)) % NNLOOP_PT_ENTRIES);
	return entry & NNLOOP_PTE_VALID ? entry : 0;
}

static inline __u64 soft_root(struct soft_board *board, unsigned int worker)
{
	__u32 reg = NNLOOP_WORKER(worker) + NNLOOP_WREG_SYSTEM_ROOT_LO;

	return soft_read(board, reg) | (__u64)soft_read(board, reg + 4) << 32;
}

/* An entry of a worker's ring, so many behind its head. */
static inline bool soft_cmd(struct soft_board *board, unsigned int worker, __u32 behind,
			    struct nnloop_cmd *cmd)
{
	__u32 block = NNLOOP_WORKER(worker);
	__u32 slot = (soft_read(board, block + NNLOOP_WREG_RING_HEAD) + behind) %
		     NNLOOP_RING_ENTRIES;
	__u32 address = soft_read(board, block + NNLOOP_WREG_RING_BASE) + slot * sizeof(*cmd);
	__u64 entry = soft_walk(board, soft_root(board, worker), address);

	/* What the registers say may be rubbish, too. */
	return entry && address % sizeof(*cmd) == 0 &&
	       soft_copy(board, entry & NNLOOP_PTE_ADDRESS, address % 4096, cmd, sizeof(*cmd));
}

/* The newest JOB entry of a worker's ring. */
static inline bool soft_job(struct soft_board *board, unsigned int worker, struct nnloop_cmd *cmd)
{
	return soft_cmd(board, worker, 0, cmd);
}

static inline void soft_end_job(struct soft_board *board, unsigned int worker, __u64 id,
				__u32 status, __u32 passes)
{
	__u32 block = NNLOOP_WORKER(worker);

	soft_write(board, block + NNLOOP_WREG_STATUS, status);
	soft_write(board, block + NNLOOP_WREG_PASSES_DONE, passes);
	soft_write(board, block + NNLOOP_WREG_DONE_ID_LO, id);
	soft_write(board, block + NNLOOP_WREG_DONE_ID_HI, id >> 32);
	soft_write(board, block + NNLOOP_WREG_RING_HEAD,
		   soft_read(board, block + NNLOOP_WREG_RING_TAIL));
	soft_raise(board, worker);
}

static inline void soft_serve_requests(struct soft_board *board)
{
	unsigned int i;

	for (i = 0; i < board->workers; i++) {
		__u32 block = NNLOOP_WORKER(i);
		__u32 request = soft_read(board, block + NNLOOP_WREG_REQUEST);

		if (request == soft_read(board, block + NNLOOP_WREG_ACK))
			continue;
		soft_write(board, block + NNLOOP_WREG_STATE,
			   (request & 0xff) == NNLOOP_REQUEST_START ? NNLOOP_STATE_READY :
								      NNLOOP_STATE_OFF);
		soft_write(board, block + NNLOOP_WREG_ACK, request);
		soft_raise(board, i);
	}
}

static inline void soft_serve_job(struct soft_board *board, unsigned int worker)
{
	__u32 block = NNLOOP_WORKER(worker);
	struct nnloop_cmd cmd, pass;
	__u32 i;

	if (soft_read(board, block + NNLOOP_WREG_RING_HEAD) ==
	    soft_read(board, block + NNLOOP_WREG_RING_TAIL))
		return;
	if (!soft_job(board, worker, &cmd))
		return;
	for (i = 1; board->compute && i <= cmd.count; i++) {
		if (soft_cmd(board, worker, i, &pass))
			board->compute(board, cmd.job.root, &pass);
	}
	soft_end_job(board, worker, cmd.job.id, NNLOOP_STATUS_OK, cmd.count);
}

static inline void *soft_serve(void *arg)
{
	struct pollfd fds[NNLOOP_MAX_WORKERS + 2];
	struct soft_board *board = arg;
	unsigned int i;
	eventfd_t count;

	for (i = 0; i <= board->workers; i++)
		fds[i] = (struct pollfd){ .fd = board->doorbell[i], .events = POLLIN };
	fds[i] = (struct pollfd){ .fd = board->stop, .events = POLLIN };
	for (;;) {
		if (poll(fds, board->workers + 2, 200) < 0 && errno != EINTR)
			return NULL;
		if (fds[board->workers + 1].revents)
			return NULL;
		for (i = 0; i <= board->workers; i++)
			eventfd_read(board->doorbell[i], &count);
		if (board->silent)
			continue;
		soft_write(board, NNLOOP_REG_ALIVE, soft_read(board, NNLOOP_REG_ALIVE) + 1);
		soft_serve_requests(board);
		for (i = 0; i < board->workers && !board->idle; i++)
			soft_serve_job(board, i);
	}
}

/* Is there a node of a board like this, and which one was not there? */
static inline unsigned int soft_nodes(char name[][32], unsigned int most)
{
	char link[300], device[PATH_MAX];
	unsigned int count = 0;
	struct dirent *entry;
	DIR *class = opendir("/sys/class/nnloop");

	while (class && (entry = readdir(class)) && count < most) {
		snprintf(link, sizeof(link), "/sys/class/nnloop/%s/device", entry->d_name);
		if (entry->d_name[0] != '.' && realpath(link, device) &&
		    strstr(device, "nnloop-soft"))
			snprintf(name[count++], 32, "%.31s", entry->d_name);
	}
	if (class)
		closedir(class);
	return count;
}

/* Attaches it and has it served by a thread. 0 or -errno. */
static inline int soft_attach(struct soft_board *board)
{
	struct nnloop_board_attach args = soft_args(board);
	int ret;

	board->stop = eventfd(0, EFD_CLOEXEC);
	ret = device_ioctl(board->fd, NNLOOP_BOARD_ATTACH, &args);
	if (!ret && pthread_create(&board->thread, NULL, soft_serve, board))
		ret = -EAGAIN;
	if (ret) {
		close(board->stop);
		board->stop = -1;
	}
	return ret;
}

/* Waits for the file's hang-up, @ms at most. */
static inline bool soft_hangs_up(struct soft_board *board, int ms)
{
	struct pollfd fd = { .fd = board->fd };

	return poll(&fd, 1, ms) == 1 && fd.revents & POLLHUP;
}

/* A new board with a device: its node's path is in board->node. 0 or -errno. */
static inline int soft_new(struct soft_board *board)
{
	char before[64][32], now[64][32];
	unsigned int had = soft_nodes(before, 64), has, i, j;
	__s64 end = deadline_ns(WAIT_SECONDS);
	int ret;

	ret = soft_open(board);
	ret = ret ?: soft_attach(board);
	while (!ret && !board->node[0]) {
		has = soft_nodes(now, 64);
		for (i = 0; i < has; i++) {
			for (j = 0; j < had && strcmp(now[i], before[j]); j++)
				;
			if (j == had)
				snprintf(board->node, sizeof(board->node), "/dev/%.31s", now[i]);
		}
		/* The class has it a moment before its node is there. */
		if (board->node[0] && access(board->node, F_OK))
			board->node[0] = 0;
		if (deadline_ns(0) >= end)
			return -ETIME;
		if (soft_hangs_up(board, 5))
			return -EPIPE;
	}
	return ret;
}

/* Ends the thread, so that the board is as good as dead. */
static inline void soft_still(struct soft_board *board)
{
	if (board->stop < 0)
		return;
	eventfd_write(board->stop, 1);
	pthread_join(board->thread, NULL);
	close(board->stop);
	board->stop = -1;
}

static inline void soft_close(struct soft_board *board)
{
	unsigned int i;

	close(board->fd);
	soft_still(board);
	munmap(board->regs, NNLOOP_REGS_SIZE);
	close(board->memfd);
	for (i = 0; i <= NNLOOP_MAX_WORKERS; i++) {
		close(board->doorbell[i]);
		close(board->interrupt[i]);
	}
}

/* Is the device's node gone? */
static inline bool soft_is_gone(struct soft_board *board)
{
	__s64 end = deadline_ns(WAIT_SECONDS);

	while (!access(board->node, F_OK)) {
		if (deadline_ns(0) >= end)
			return false;
		sleep_ms(2);
	}
	return true;
}

/* A program that reads a byte, or writes it again, gets 0, or this signal. */
static sigjmp_buf soft_jump;

static inline void soft_on_signal(int signal)
{
	siglongjmp(soft_jump, signal);
}

static inline int soft_touch(__u8 *byte, bool write)
{
	struct sigaction action = { .sa_handler = soft_on_signal }, bus, segv;
	int signal;

	sigaction(SIGBUS, &action, &bus);
	sigaction(SIGSEGV, &action, &segv);
	signal = sigsetjmp(soft_jump, 1);
	if (!signal) {
		__u8 value = __atomic_load_n(byte, __ATOMIC_SEQ_CST);

		if (write)
			__atomic_store_n(byte, value, __ATOMIC_SEQ_CST);
	}
	sigaction(SIGBUS, &bus, NULL);
	sigaction(SIGSEGV, &segv, NULL);
	return signal;
}

#endif
