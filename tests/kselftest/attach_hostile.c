// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile board of this machine, again and again. While clients work it writes rubbish to its
 * registers, rings all interrupts and ends jobs that are not there. It looks at each offset that
 * there is, and at all that rings and page tables name; keeps its mapping and what it once could
 * read; forks; and hands its file on to an accomplice. Other processes, another device and freed
 * pages have a canary, which nobody of these may ever see. NNLOOP_HOSTILE_SECONDS says for how
 * long. For root.
 */
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define NNLOOP_TEST_BRINGS_DEVICE
#include "program.h"
#include "soft.h"

/* An hour takes longer than other tests, and what runs that ends it in time. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	14400

#define CANARY	"nobody but the process that wrote this may read it"
#define SIZE	(8 * 4096)
/* So many pages that a board could read are looked at again and again. */
#define KEPT	512

/* All those that look count here, in memory that they share. */
struct seen {
	unsigned long looked, readable, found;
	unsigned long kept;		/* pages that could be read when their board was gone */
	unsigned long inherited;	/* pages that a child could read */
};

/* Who looks at a board's memory: the board itself, or its accomplice. */
struct eye {
	int fd;
	__u8 *all;		/* a mapping of all that a board could name */
	int copy;		/* a page, through which the kernel says EFAULT instead of SIGBUS */
	struct seen *seen;
	__u64 at;		/* how far it has looked at everything */
	unsigned long rounds;	/* so often */
	__u64 kept[KEPT];
	unsigned int keeps;
};

static int eye_open(struct eye *eye, int fd)
{
	eye->fd = fd;
	eye->keeps = 0;
	eye->all = mmap(NULL, SOFT_SPACE, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
	return eye->all == MAP_FAILED ? -errno : 0;
}

static void eye_close(struct eye *eye)
{
	munmap(eye->all, SOFT_SPACE);
}

static bool eye_reads(struct eye *eye, __u64 at, void *page)
{
	if (at >= SOFT_SPACE || pwrite(eye->copy, eye->all + at, 4096, 0) != 4096)
		return false;
	return pread(eye->copy, page, 4096, 0) == 4096;
}

static void count(unsigned long *number)
{
	__atomic_add_fetch(number, 1, __ATOMIC_RELAXED);
}

/* Looks at a page, and remembers it if there is something to be seen. */
static bool eye_looks(struct eye *eye, __u64 at, void *page)
{
	count(&eye->seen->looked);
	if (!eye_reads(eye, at, page))
		return false;
	count(&eye->seen->readable);
	if (memmem(page, 4096, CANARY, sizeof(CANARY)))
		count(&eye->seen->found);
	eye->kept[eye->keeps++ % KEPT] = at;
	return true;
}

static unsigned int eye_keeps(struct eye *eye)
{
	return eye->keeps < KEPT ? eye->keeps : KEPT;
}

/* Looks at what it could read once, which may be another's by now. */
static void eye_looks_again(struct eye *eye)
{
	unsigned int i, keeps = eye_keeps(eye);
	__u8 page[4096];

	for (i = 0; i < keeps; i++) {
		if (eye_reads(eye, eye->kept[i], page) &&
		    memmem(page, 4096, CANARY, sizeof(CANARY)))
			count(&eye->seen->found);
	}
}

/* How far the next page is: where there is no memory, only one of many is looked at. */
static __u64 step_from(__u64 at)
{
	static struct { __u64 begin, end; } ram[64];
	static unsigned int count;
	unsigned int i;

	if (!count) {
		FILE *iomem = fopen("/proc/iomem", "re");
		char line[128];

		while (iomem && fgets(line, sizeof(line), iomem) && count < ARRAY_SIZE(ram))
			count += strstr(line, ": System RAM") &&
				 sscanf(line, "%llx-%llx", &ram[count].begin, &ram[count].end) == 2;
		if (iomem)
			fclose(iomem);
		/* Without that, all of it may be memory. */
		if (!count)
			ram[count++].end = ~0ull;
	}
	for (i = 0; i < count; i++) {
		if (at + 4096 >= ram[i].begin && at <= ram[i].end)
			return 4096;
	}
	return 61 * 4096;
}

/* From one offset to the next, twice as far as there is memory, and then from the beginning. */
static void eye_looks_on(struct eye *eye, unsigned int pages)
{
	__u64 end = (__u64)sysconf(_SC_PHYS_PAGES) * 4096 * 2 + (1ull << 32);
	__u8 page[4096];

	while (pages--) {
		eye_looks(eye, eye->at, page);
		eye->at += step_from(eye->at);
		if (eye->at >= end) {
			eye->at = 0;
			eye->rounds++;
		}
	}
}

/* All pages that a page table names, and those of the table. */
static void eye_walks(struct eye *eye, __u64 table, int level)
{
	__u64 entries[NNLOOP_PT_ENTRIES];
	__u8 page[4096];
	unsigned int i;

	if (!eye_looks(eye, table, entries))
		return;
	for (i = 0; i < NNLOOP_PT_ENTRIES; i++) {
		if (!(entries[i] & NNLOOP_PTE_VALID))
			continue;
		if (level < 2)
			eye_walks(eye, entries[i] & NNLOOP_PTE_ADDRESS, level + 1);
		else
			eye_looks(eye, entries[i] & NNLOOP_PTE_ADDRESS, page);
	}
}

/* One board, and what it does while clients work. */
struct hostile {
	struct soft_board board;
	struct eye eye;
	__u64 root[SOFT_WORKERS];	/* before there is rubbish in the registers */
	__u32 ring[SOFT_WORKERS];
	bool stop;
};

static bool goes_on(struct hostile *hostile)
{
	return !__atomic_load_n(&hostile->stop, __ATOMIC_RELAXED);
}

/* It ends a job that is not the one it has, or the one that it has once more. */
static void end_another(struct soft_board *board, unsigned int worker, unsigned int value)
{
	struct nnloop_cmd cmd;
	__u64 id = value % 256;

	if (value & 256 && soft_job(board, worker, &cmd))
		id = cmd.job.id + (value >> 9) % 5 - 2;
	soft_end_job(board, worker, id, value % 9, value % 5000);
}

static void *write_rubbish(void *arg)
{
	struct hostile *hostile = arg;
	struct soft_board *board = &hostile->board;
	unsigned int seed = 1;

	while (goes_on(hostile)) {
		unsigned int worker = rand_r(&seed) % SOFT_WORKERS;
		__u32 reg = NNLOOP_WORKER(worker) + rand_r(&seed) % 34 * 4, value = rand_r(&seed);

		switch (rand_r(&seed) % 9) {
		case 0:
			value = soft_read(board, NNLOOP_WORKER(worker) + NNLOOP_WREG_RING_TAIL);
			break;
		case 1:
			value = rand_r(&seed) % 2048;
			break;
		case 2:
			/* It may as well seem to answer. */
			soft_serve_requests(board);
			break;
		case 3:
			soft_serve_job(board, worker);
			break;
		case 4:
			end_another(board, worker, value);
			break;
		case 5:
			reg = rand_r(&seed) % NNLOOP_REGS_SIZE & ~3;
			break;
		case 6:
			/* A counter goes back. */
			value = soft_read(board, reg) - 1 - value % 3;
			break;
		}
		soft_write(board, reg, value);
		soft_raise(board, rand_r(&seed) % (SOFT_WORKERS + 1));
	}
	return NULL;
}

/* The page tables of jobs that are in a worker's ring, or were. */
static void look_at_ring(struct hostile *hostile, unsigned int worker)
{
	__u32 end = hostile->ring[worker] + NNLOOP_RING_ENTRIES * sizeof(struct nnloop_cmd);
	__u32 address;
	struct nnloop_cmd cmds[4096 / sizeof(struct nnloop_cmd)];
	__u64 root = 0;
	unsigned int i;

	for (address = hostile->ring[worker]; address < end && goes_on(hostile); address += 4096) {
		__u64 entry = soft_walk(&hostile->board, hostile->root[worker], address);

		if (!entry || !eye_looks(&hostile->eye, entry & NNLOOP_PTE_ADDRESS, cmds))
			continue;
		for (i = 0; i < ARRAY_SIZE(cmds) && goes_on(hostile); i++) {
			if (cmds[i].type != NNLOOP_CMD_JOB || cmds[i].job.root == root)
				continue;
			root = cmds[i].job.root;
			eye_walks(&hostile->eye, root, 0);
		}
	}
}

static void *look_everywhere(void *arg)
{
	struct hostile *hostile = arg;
	unsigned int i;

	while (goes_on(hostile)) {
		for (i = 0; i < SOFT_WORKERS; i++) {
			eye_walks(&hostile->eye, hostile->root[i], 0);
			look_at_ring(hostile, i);
		}
		eye_looks_again(&hostile->eye);
		eye_looks_on(&hostile->eye, 1000);
	}
	return NULL;
}

/* The board has no device: what could be read is not to be read any more. */
static void count_kept(struct eye *eye)
{
	unsigned int i, keeps = eye_keeps(eye);
	__u8 page[4096];

	for (i = 0; i < keeps; i++)
		if (eye_reads(eye, eye->kept[i], page))
			count(&eye->seen->kept);
}

/* A child has the file, and none of its parent's mappings. */
static bool fork_and_look(struct eye *eye)
{
	pid_t child = fork();
	int status;

	if (!child) {
		unsigned int i, keeps = eye_keeps(eye);
		__u8 page[4096];

		for (i = 0; i < keeps; i++)
			if (eye_reads(eye, eye->kept[i], page))
				count(&eye->seen->inherited);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* Has a canary in its memory, and in memory that it has given back. */
static pid_t start_bird(void)
{
	const size_t size = 1 << 20;
	pid_t child = fork();
	char *keeps, *mine;
	size_t i;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (keeps = NULL; ; keeps = keeps ?: mine) {
		mine = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mine == MAP_FAILED)
			_exit(1);
		for (i = 0; i < size; i += 4096)
			memcpy(mine + i, CANARY, sizeof(CANARY));
		if (keeps)
			munmap(mine, size);
		sleep_ms(20);
	}
}

/* A board says this to its accomplice; it comes with the board's file when there is a new one. */
struct word {
	__u64 offset[8];	/* that the board can read */
	bool ended;		/* the board's device is gone */
};

static int say(int socket, const struct word *word, int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = {};
	struct iovec data = { (void *)word, sizeof(*word) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };
	struct cmsghdr *header;

	if (fd >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof(*word) ? 0 : -errno;
}

/* The file, or -1, or -2: nothing can be heard any more. */
static int hear(int socket, struct word *word)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec data = { word, sizeof(*word) };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	int fd = -1;

	if (recvmsg(socket, &message, 0) != sizeof(*word))
		return -2;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/*
 * Maps what it is sent, and looks at it. When it is told that the board has ended it looks again,
 * says so, and keeps file and mapping until the next one comes.
 */
static void be_accomplice(int socket, struct seen *seen)
{
	struct eye eye = { .fd = -1, .copy = memfd_create("copy", MFD_CLOEXEC), .seen = seen };
	struct pollfd ready = { .fd = socket, .events = POLLIN };
	struct word word;
	__u8 page[4096];
	unsigned int i;
	int fd;

	for (;;) {
		if (poll(&ready, 1, eye.fd < 0 ? -1 : 0)) {
			fd = hear(socket, &word);
			if (fd == -2)
				_exit(0);
			if (fd >= 0) {
				if (eye.fd >= 0) {
					eye_close(&eye);
					close(eye.fd);
				}
				if (eye_open(&eye, fd))
					_exit(1);
			}
			for (i = 0; !word.ended && i < ARRAY_SIZE(word.offset); i++)
				eye_looks(&eye, word.offset[i], page);
			if (word.ended) {
				count_kept(&eye);
				if (say(socket, &word, -1))
					_exit(1);
			}
		}
		eye_looks_again(&eye);
		eye_looks_on(&eye, 100);
	}
}

static pid_t start_accomplice(int *socket, struct seen *seen)
{
	int pair[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pair[0]);
		be_accomplice(pair[1], seen);
	}
	close(pair[1]);
	*socket = pair[0];
	return child;
}

/* Tells the accomplice of a board that has just begun, and where its rings and tables are. */
static int share_board(int socket, struct hostile *hostile)
{
	struct word word = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(word.offset); i++) {
		__u32 address = hostile->ring[i % SOFT_WORKERS] + i / SOFT_WORKERS * 4096;
		__u64 root = hostile->root[i % SOFT_WORKERS];

		word.offset[i] = i < SOFT_WORKERS ? root :
				 soft_walk(&hostile->board, root, address) & NNLOOP_PTE_ADDRESS;
	}
	return say(socket, &word, hostile->board.fd);
}

/* Clients as any others, who give up when their board does. The number of jobs that they had. */
static unsigned long have_clients(const char *node, unsigned int clients)
{
	unsigned long jobs = 0;
	unsigned int i, j;

	for (i = 0; i < clients; i++) {
		int client = device_open_node(node);
		struct drm_nnloop_pass pass = { .program_size = 64 };
		struct queue queue;
		struct bo bo;
		__u64 point;

		/* The driver may have given it up by now. */
		if (client < 0)
			break;
		for (j = 0; j < 10; j++) {
			if (bo_create(client, SIZE, 0, &bo) || queue_create(client, &queue))
				break;
			pass.program = bo.iova;
			jobs += !queue_submit(&queue, &pass, 1, &point);
			jobs += !queue_submit(&queue, &pass, 1, &point);
			syncobj_wait(client, queue.syncobj, point, 0.01);
			bo_close(&bo);
		}
		close(client);
	}
	return jobs;
}

/* A hostile board sees what is the DSP's, to the page, and nothing of what was. */
TEST(sees_its_own_memory)
{
	struct seen seen = {};
	struct eye eye = { .seen = &seen };
	struct bo freed[16], first, bo;
	struct soft_board board;
	unsigned int i;
	__u8 *mine;
	int client;

	if (access(BOARD_NODE, R_OK | W_OK))
		SKIP(return, "no " BOARD_NODE " here, or not for us");
	ASSERT_EQ(0, soft_new(&board));
	client = device_open_node(board.node);
	ASSERT_LE(0, client);
	ASSERT_EQ(0, bo_new(client, SIZE, &first));
	mine = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, mine);

	/* It is in memory of this process, and in pages that were the DSP's. */
	for (i = 0; i < 1 << 20; i += 4096)
		memcpy(mine + i, CANARY, sizeof(CANARY));
	for (i = 0; i < ARRAY_SIZE(freed); i++) {
		ASSERT_EQ(0, bo_new(client, SIZE, &freed[i]));
		memcpy(freed[i].map, CANARY, sizeof(CANARY));
	}
	for (i = 0; i < ARRAY_SIZE(freed); i++)
		bo_free(&freed[i]);
	eye.copy = memfd_create("copy", MFD_CLOEXEC);
	ASSERT_EQ(0, eye_open(&eye, board.fd));
	while (!eye.rounds)
		eye_looks_on(&eye, 1);
	EXPECT_EQ(0, seen.found);
	/* Rings, some tables, and one buffer. */
	EXPECT_LE(SOFT_WORKERS * 32 + SIZE / 4096, seen.readable);
	EXPECT_GE(SOFT_WORKERS * 32 + SIZE / 4096 + 16, seen.readable);

	/* It would be found. */
	ASSERT_EQ(0, bo_new(client, SIZE, &bo));
	memcpy(bo.map, CANARY, sizeof(CANARY));
	while (!seen.found && eye.rounds < 2)
		eye_looks_on(&eye, 1);
	EXPECT_EQ(1, seen.found);
	bo_free(&bo);
	bo_free(&first);
	munmap(mine, 1 << 20);
	eye_close(&eye);
	close(eye.copy);
	close(client);
	soft_close(&board);
	EXPECT_TRUE(soft_is_gone(&board));
}

TEST(hostile)
{
	const char *given = getenv("NNLOOP_HOSTILE_SECONDS");
	__s64 end = deadline_ns(given ? atoi(given) : 5), told = deadline_ns(300);
	unsigned long boards = 0, jobs = 0;
	struct hostile hostile = {};
	pid_t bird, accomplice;
	int socket, other;
	struct seen *seen;
	struct bo bo = {};

	if (access(BOARD_NODE, R_OK | W_OK))
		SKIP(return, "no " BOARD_NODE " here, or not for us");
	seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, seen);
	hostile.eye.seen = seen;
	hostile.eye.copy = memfd_create("copy", MFD_CLOEXEC);
	bird = start_bird();
	ASSERT_LT(0, bird);
	accomplice = start_accomplice(&socket, seen);
	ASSERT_LT(0, accomplice);
	/* Another board's memory, where there is another board. */
	other = device_open_node(NNLOOP_NODE);
	if (other >= 0) {
		ASSERT_EQ(0, bo_new(other, SIZE, &bo));
		memcpy(bo.map, CANARY, sizeof(CANARY));
	}
	while (deadline_ns(0) < end) {
		pthread_t rubbish, look;
		struct word word = { .ended = true };
		unsigned int i;

		ASSERT_EQ(0, soft_new(&hostile.board));
		soft_still(&hostile.board);
		for (i = 0; i < SOFT_WORKERS; i++) {
			hostile.root[i] = soft_root(&hostile.board, i);
			hostile.ring[i] = soft_read(&hostile.board,
						    NNLOOP_WORKER(i) + NNLOOP_WREG_RING_BASE);
		}
		ASSERT_EQ(0, eye_open(&hostile.eye, hostile.board.fd));
		ASSERT_EQ(0, share_board(socket, &hostile));
		hostile.stop = false;
		ASSERT_EQ(0, pthread_create(&rubbish, NULL, write_rubbish, &hostile));
		ASSERT_EQ(0, pthread_create(&look, NULL, look_everywhere, &hostile));
		jobs += have_clients(hostile.board.node, given ? 20 : 4);
		__atomic_store_n(&hostile.stop, true, __ATOMIC_RELAXED);
		ASSERT_EQ(0, pthread_join(rubbish, NULL));
		ASSERT_EQ(0, pthread_join(look, NULL));
		EXPECT_TRUE(fork_and_look(&hostile.eye));

		/* The mapping, the accomplice's and its file are still there. */
		if (boards % 3 == 2)
			ASSERT_EQ(0, ftruncate(hostile.board.memfd, 0));
		soft_close(&hostile.board);
		ASSERT_TRUE(soft_is_gone(&hostile.board));
		count_kept(&hostile.eye);
		ASSERT_EQ(0, say(socket, &word, -1));
		ASSERT_EQ(-1, hear(socket, &word));
		ASSERT_TRUE(word.ended);
		eye_close(&hostile.eye);
		boards++;
		if (deadline_ns(0) >= told) {
			TH_LOG("%lu boards, %lu jobs, %lu pages of %lu readable", boards, jobs,
			       seen->readable, seen->looked);
			told = deadline_ns(300);
		}
		ASSERT_EQ(0, seen->found + seen->kept + seen->inherited);
	}
	TH_LOG("%lu boards, %lu jobs; %lu pages looked at, all %lu times, %lu could be read",
	       boards, jobs, seen->looked, hostile.eye.rounds, seen->readable);
	EXPECT_LT(0, boards);
	EXPECT_LT(0, jobs);
	/* On a slow machine the driver may have given up a board before that has looked. */
	EXPECT_LT(0, seen->readable);
	EXPECT_EQ(0, seen->found);
	EXPECT_EQ(0, seen->kept);
	EXPECT_EQ(0, seen->inherited);
	close(socket);
	EXPECT_EQ(accomplice, waitpid(accomplice, NULL, 0));
	EXPECT_EQ(0, kill(bird, SIGKILL));
	EXPECT_EQ(bird, waitpid(bird, NULL, 0));
	if (other >= 0) {
		bo_free(&bo);
		close(other);
	}
	munmap(seen, 4096);
}

TEST_HARNESS_MAIN
