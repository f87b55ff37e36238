// SPDX-License-Identifier: GPL-2.0
/*
 * A board of this machine that is killed while fifty clients open it, submit and wait, again and
 * again: every wait ends, a job that is said to have ended well has been computed right, the next
 * board works, and nothing is left of those before. NNLOOP_KILLED_ROUNDS says how often; from 200
 * on it is also looked at how much memory is gone, and whether a new board works within 2 s, for
 * which the machine must have nothing else to do. For root.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include "kselftest_harness.h"

#define NNLOOP_TEST_BRINGS_DEVICE
#include "program.h"
#include "soft.h"

/* A thousand rounds take longer than other tests, and what runs those ends them in time. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	14400

#define CLIENTS		50
#define LONG_ROUNDS	200
/* Two pages of each round of a thousand, which is less than any of its clients has. */
#define LOST_KIB	8192
#define AGAIN_NS	2000000000ll
/* About what it takes all clients to get to work. */
#define KILL_US		300000

static __u32 result_of(__u32 value)
{
	return value * 2654435761u ^ 0x5a5a5a5a;
}

/* The board's side: the pass's first argument is where the result of the second is to be. */
static void compute(struct soft_board *board, __u64 root, const struct nnloop_cmd *pass)
{
	__u64 entry = soft_walk(board, root, pass->pass.arg[0]);
	__u8 *page;

	if (!entry)
		return;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, board->fd,
		    entry & NNLOOP_PTE_ADDRESS);
	if (page == MAP_FAILED)
		return;
	*(__u32 *)(page + pass->pass.arg[0] % 4096) = result_of(pass->pass.arg[1]);
	munmap(page, 4096);
}

/* Starts a board in a process of its own, which tells its node's path. */
static pid_t start_board(char *node, size_t size)
{
	struct soft_board board;
	int ready[2];
	pid_t child;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		if (soft_new(&board))
			_exit(1);
		board.compute = compute;
		if (write(ready[1], board.node, sizeof(board.node)) != sizeof(board.node))
			_exit(1);
		pause();
	}
	close(ready[1]);
	if (child > 0 && read(ready[0], node, size) != (ssize_t)size) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		child = -1;
	}
	close(ready[0]);
	return child;
}

struct client {
	const char *node;
	unsigned int number;
	unsigned int done;	/* jobs */
	unsigned int wrong;	/* of these */
	int ret;		/* what ended it */
	pthread_t thread;
};

/* A job, and whether its result is right. 0 or what the call, or the job, ended with. */
static int client_job(struct client *client, struct queue *queue, struct bo *bo)
{
	struct drm_nnloop_pass pass = {
		.program = bo->iova,
		.program_size = 64,
		.arg_count = 2,
		.args = { bo->iova + 4 * client->number, client->done + client->number },
	};
	__u32 *word = (__u32 *)bo->map + client->number;
	struct drm_nnloop_status status;
	int ret;

	__atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
	ret = queue_run(queue, &pass, 1, &status);
	ret = ret ?: status.error;
	if (ret)
		return ret;
	if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != result_of(pass.args[1]))
		client->wrong++;
	client->done++;
	return 0;
}

/* Works until the board is gone. */
static void *client_run(void *arg)
{
	struct client *client = arg;
	struct queue queue;
	struct bo bo = {};
	int fd = device_open_node(client->node);

	client->ret = fd < 0 ? fd : queue_create(fd, &queue);
	client->ret = client->ret ?: bo_new(fd, 8192, &bo);
	while (!client->ret)
		client->ret = client_job(client, &queue, &bo);
	if (bo.map)
		bo_unmap(&bo);
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* The node may be gone, or another device's, before a client comes to open it. */
static bool ended_as_it_should(int ret)
{
	return ret == -ENODEV || ret == -ENOENT || ret == -ENXIO;
}

/* Memory that nobody has, without what the kernel keeps only for as long as nobody wants it. */
static long free_kib(void)
{
	char text[4096], *at;
	long kib = -1;
	int fd;

	sync();
	if (file_write("/proc/sys/vm/drop_caches", "3"))
		return -1;
	fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	memset(text, 0, sizeof(text));
	if (read(fd, text, sizeof(text) - 1) > 0) {
		at = strstr(text, "MemFree:");
		kib = at ? atol(at + strlen("MemFree:")) : -1;
	}
	close(fd);
	return kib;
}

TEST(attach_killed)
{
	const char *given = getenv("NNLOOP_KILLED_ROUNDS");
	unsigned int rounds = given ? (unsigned int)atoi(given) : test_all() ? 50 : 5;
	struct client *client = calloc(CLIENTS, sizeof(*client));
	unsigned long done = 0, most = 0;
	unsigned int seed = 1, round, i;
	char node[64], nodes[64][32];
	long before = 0, lost;
	__s64 longest = 0;
	unsigned int had;

	if (access(BOARD_NODE, R_OK | W_OK))
		SKIP(return, "no " BOARD_NODE " here, or not for us");
	ASSERT_NE(NULL, client);
	had = soft_nodes(nodes, 64);
	for (round = 0; round < rounds; round++) {
		struct client first = { .node = node };
		__s64 begin = deadline_ns(0);
		struct queue queue;
		unsigned long jobs = 0;
		struct bo bo;
		pid_t board;
		int fd;

		/* What the first boards make the kernel keep is not lost. */
		if (round == rounds / 10)
			before = free_kib();
		board = start_board(node, sizeof(node));
		ASSERT_LT(0, board);
		fd = device_open_node(node);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, queue_create(fd, &queue));
		ASSERT_EQ(0, bo_new(fd, 8192, &bo));
		ASSERT_EQ(0, client_job(&first, &queue, &bo));
		ASSERT_EQ(0, first.wrong);
		if (deadline_ns(0) - begin > longest)
			longest = deadline_ns(0) - begin;

		for (i = 0; i < CLIENTS; i++) {
			client[i] = (struct client){ .node = node, .number = i };
			ASSERT_EQ(0, pthread_create(&client[i].thread, NULL, client_run,
						    &client[i]));
		}
		usleep(rand_r(&seed) % KILL_US);
		ASSERT_EQ(0, kill(board, SIGKILL));
		ASSERT_EQ(board, waitpid(board, NULL, 0));
		EXPECT_NE(0, access(node, F_OK));
		for (i = 0; i < CLIENTS; i++) {
			ASSERT_EQ(0, pthread_join(client[i].thread, NULL));
			EXPECT_EQ(0, client[i].wrong);
			EXPECT_TRUE(ended_as_it_should(client[i].ret))
				TH_LOG("round %u: client %u ended with %d", round, i,
				       client[i].ret);
			jobs += client[i].done;
		}
		bo_unmap(&bo);
		close(fd);
		done += jobs;
		if (jobs > most)
			most = jobs;
		if (rounds >= LONG_ROUNDS && !((round + 1) % 100))
			TH_LOG("%u boards killed, %lu jobs", round + 1, done);
	}
	EXPECT_EQ(had, soft_nodes(nodes, 64));
	/* Some were killed with all clients at work. */
	EXPECT_LT(0, most);
	TH_LOG("%u boards killed, %lu jobs; the next one's first job %lld ms later at most", rounds,
	       done, (long long)longest / 1000000);
	if (rounds >= LONG_ROUNDS) {
		lost = before - free_kib();
		TH_LOG("%ld KiB are gone", lost);
		EXPECT_GT(LOST_KIB, lost);
		EXPECT_GT(AGAIN_NS, longest);
	}
	free(client);
}

TEST_HARNESS_MAIN
