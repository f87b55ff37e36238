// SPDX-License-Identifier: GPL-2.0
/*
 * The stress run: many clients at work at the same time (client.c), of which one after the other is
 * killed and replaced, while every few seconds a worker of the DSP is killed under them.
 *
 * usage: stress [--seconds N] [--clients N] [--seed N]
 *
 * The defaults are NNLOOP_STRESS_SECONDS or 20, 32, and another seed each time.
 *
 * It runs in three parts, a short one to warm up and two of the same length. After each all clients
 * have ended, and nothing of theirs must be left. What is lost in both halves was leaked.
 */
#include "kselftest.h"

#include <getopt.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <tests/kselftest/debugfs.h>
#include <tests/kselftest/program.h>
#include <tests/kselftest/usage.h>

#include "stress.h"

#define MAX_CLIENTS	256
#define CLIENT_KILL_MS	200			/* from one to the next, on average */
#define WORKER_KILL_MS	2000
#define KILL_SECONDS	60			/* more than there are anyway, for the first */
#define REPORT_MS	60000
#define END_SECONDS	(FENCE_SECONDS + 60)	/* for a client to see that it must end */
#define IDLE_SECONDS	60			/* for all to be given back and started again */
#define SLACK		64			/* objects, pages: the kernel's own come and go */

struct stress {
	struct tally *tally;
	struct random random;
	__u64 seed;
	int fd;				/* our own: to look on, and for a job now and then */
	unsigned int workers;
	long processes;			/* of the boards, at the beginning: no worker is parked */
	unsigned int client_count;
	struct {
		pid_t pid;		/* 0: none */
		__s64 killed;		/* when, in ns; 0: it was not */
	} client[MAX_CLIENTS];
	unsigned int running;
	pid_t worker_killer;		/* 0: none */
	unsigned int clients;		/* ever started */
	unsigned int clients_killed, workers_killed;
	unsigned int failed;		/* clients that ended by themselves with an error */
	__s64 next_report;
	bool idle;			/* after each part, all was as at the beginning */
};

static __s64 now_ms(void)
{
	return deadline_ns(0) / 1000000;
}

static void client_start(struct stress *stress, unsigned int slot)
{
	unsigned int number = ++stress->clients;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		ksft_exit_fail_msg("fork: %s\n", strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpriority(PRIO_PROCESS, 0, 0);
		close(stress->fd);
		exit(client_run(stress->tally, number, stress->seed));
	}
	stress->client[slot].pid = pid;
	stress->client[slot].killed = 0;
	stress->running++;
}

/* Clients that have ended. One that was killed, and has been put away, is followed by a new one. */
static void clients_reap(struct stress *stress, bool replace)
{
	unsigned int i;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == stress->worker_killer) {
			stress->worker_killer = 0;
			/* There is no worker to kill while it is being started again. */
			stress->workers_killed += !status;
			continue;
		}
		for (i = 0; i < stress->client_count && stress->client[i].pid != pid; i++)
			;
		if (i == stress->client_count)
			continue;
		stress->client[i].pid = 0;
		stress->running--;
		if (!stress->client[i].killed && status) {
			stress->failed++;
			ksft_print_msg("a client ended with wait status %#x\n", status);
		}
		if (replace)
			client_start(stress, i);
	}
}

static void client_kill(struct stress *stress)
{
	unsigned int i = random_range(&stress->random, 0, stress->client_count - 1);

	if (!stress->client[i].pid || stress->client[i].killed)
		return;
	kill(stress->client[i].pid, SIGKILL);
	stress->client[i].killed = now_ms();
	stress->clients_killed++;
}

/* That takes a while. */
static void worker_kill(struct stress *stress)
{
	unsigned int worker = random_range(&stress->random, 0, stress->workers - 1);

	if (stress->worker_killer)
		return;
	fflush(stdout);
	stress->worker_killer = fork();
	if (!stress->worker_killer)
		_exit(!!vmctl("kill worker %u", worker));
}

static void report(const struct stress *stress)
{
	const struct tally *tally = stress->tally;

	ksft_print_msg("stress: %ld passes by %u clients, %u clients killed, ", tally->passes,
		       stress->clients, stress->clients_killed);
	printf("%u workers killed, %ld queues lost, %ld wrong results\n", stress->workers_killed,
	       tally->lost, tally->wrong);
}

static void show_device(const struct stress *stress)
{
	static const char * const files[] = { "buffers", "nnloop_clients", "workers", "faults" };
	char text[16384];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (!debugfs_read(stress->fd, files[i], text, sizeof(text)))
			ksft_print_msg("%s:\n%s\n", files[i], text);
	}
}

/* Is it time? Then the next time is a while from now, at random. */
static bool is_due(struct stress *stress, __s64 *when, unsigned int average_ms)
{
	bool due = now_ms() >= *when;

	if (due)
		*when = now_ms() + random_range(&stress->random, 1, 2 * average_ms);
	return due;
}

static void clients_end(struct stress *stress)
{
	__s64 end = now_ms() + END_SECONDS * 1000;

	__atomic_store_n(&stress->tally->stop, 1, __ATOMIC_RELAXED);
	while ((stress->running || stress->worker_killer) && now_ms() < end) {
		clients_reap(stress, false);
		sleep_ms(10);
	}
	if (!stress->running && !stress->tally->stuck)
		return;
	show_device(stress);
	report(stress);
	/* Whoever still runs is killed with us. */
	ksft_exit_fail_msg("%ld fences have not signalled, %u clients have not ended\n",
			   stress->tally->stuck, stress->running);
}

/* Has all happened that should? On a slow machine it takes a while to kill a worker. */
static bool is_over(const struct stress *stress, __s64 end)
{
	if (stress->tally->stuck)
		return true;
	return now_ms() >= end + (stress->workers_killed ? 0 : KILL_SECONDS * 1000);
}

/* Clients at work, and things that happen to them. */
static void clients_run(struct stress *stress, unsigned int seconds)
{
	__s64 end = now_ms() + seconds * 1000ll, next_client = 0, next_worker = 0;
	unsigned int i;

	is_due(stress, &next_client, CLIENT_KILL_MS);
	is_due(stress, &next_worker, WORKER_KILL_MS);
	stress->tally->stop = 0;
	for (i = 0; i < stress->client_count; i++)
		client_start(stress, i);
	while (!is_over(stress, end)) {
		clients_reap(stress, true);
		if (is_due(stress, &next_client, CLIENT_KILL_MS))
			client_kill(stress);
		if (is_due(stress, &next_worker, WORKER_KILL_MS))
			worker_kill(stress);
		if (now_ms() >= stress->next_report) {
			report(stress);
			stress->next_report += REPORT_MS;
		}
		sleep_ms(10);
	}
	clients_end(stress);
}

/* A job of our own: the workers are up after it, and do what they are told. */
static int run_a_job(struct stress *stress)
{
	struct drm_nnloop_status status;
	struct code code = { 0 };
	struct queue queue;
	struct bo bo;
	int ret;

	ret = queue_create(stress->fd, &queue);
	if (ret)
		return ret;
	ret = bo_new(stress->fd, 2 * PAGE_SIZE, &bo);
	if (ret)
		goto out_destroy;
	ret = bo_new(stress->fd, PAGE_SIZE, &code.bo);
	if (ret)
		goto out_free;
	pattern_fill(bo.map, PAGE_SIZE, stress->clients);
	ret = run_copy(&queue, &code, bo.iova, bo.iova + PAGE_SIZE, PAGE_SIZE, &status);
	if (!ret && pattern_match(bo.map + PAGE_SIZE, PAGE_SIZE, stress->clients) != PAGE_SIZE)
		ret = -EILSEQ;
	bo_free(&code.bo);
out_free:
	bo_free(&bo);
out_destroy:
	syncobj_destroy(stress->fd, queue.syncobj);
	queue_destroy(&queue);
	return ret;
}

/* Every worker has been started again, or parked; none is left over on the host. */
static bool board_is_complete(const struct stress *stress)
{
	char text[4096], *at = text;
	unsigned int whole = 0;

	if (debugfs_read(stress->fd, "workers", text, sizeof(text)))
		return false;
	while ((at = strstr(at, ": "))) {
		at += 2;
		whole += !strncmp(at, "up", 2) || !strncmp(at, "down parked", 11);
	}
	return whole == stress->workers && read_processes() <= stress->processes;
}

/* Nothing but our own open file is left, and the board is complete. */
static bool device_is_idle(struct stress *stress)
{
	char text[16384], *line;
	unsigned int clients = 0;

	if (debugfs_read(stress->fd, "nnloop_clients", text, sizeof(text)))
		return false;
	for (line = text; (line = strstr(line, "client ")); line++)
		clients++;
	if (clients != 1 || strstr(text, "queue "))
		return false;
	if (debugfs_read(stress->fd, "buffers", text, sizeof(text)) || *text)
		return false;
	return !run_a_job(stress) && board_is_complete(stress);
}

static void wait_until_idle(struct stress *stress)
{
	__s64 end = now_ms() + IDLE_SECONDS * 1000;

	while (!device_is_idle(stress)) {
		if (now_ms() > end) {
			ksft_print_msg("still not idle, the board has %ld processes and had %ld\n",
				       read_processes(), stress->processes);
			show_device(stress);
			stress->idle = false;
			return;
		}
		sleep_ms(200);
	}
}

/*
 * No slab cache and no count of pages grows with the clients. A debug kernel keeps pages of its own
 * with what it has seen, more than clients take in a short run: there kmemleak looks afterwards.
 */
static bool memory_is_back(const struct usage usage[3], unsigned int clients)
{
	bool count_pages = access(DEBUGFS "/kmemleak", F_OK);
	long limit = SLACK + clients / 8, objects, pages;
	const char *cache;

	objects = usage_lost_objects(usage, &cache);
	pages = usage_lost_pages(usage);
	ksft_print_msg("each half: %ld more objects of %s, %ld more pages%s; %ld are allowed\n",
		       objects, cache, pages, count_pages ? "" : " (not counted here)", limit);
	return objects <= limit && (pages <= limit || !count_pages) &&
	       usage[0].dma_mappings == usage[2].dma_mappings;
}

static bool nothing_leaked_on_purpose(const struct stress *stress)
{
	char text[1024];

	return !debugfs_read(stress->fd, "faults", text, sizeof(text)) &&
	       strstr(text, "lost: no\n") && strstr(text, "pages leaked on purpose: 0\n");
}

static void stress_init(struct stress *stress)
{
	struct drm_nnloop_device_info info;

	setvbuf(stdout, NULL, _IOLBF, 0);
	mount("none", DEBUGFS, "debugfs", 0, NULL);
	stress->tally = mmap(NULL, sizeof(*stress->tally), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stress->tally == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	if (geteuid() || !vmctl_works())
		ksft_exit_skip("needs root, and a board that can be harmed (nnloop-vmctl)\n");
	/* Or the clients, who are always busy, would keep us from doing harm. */
	setpriority(PRIO_PROCESS, 0, -10);
	stress->random.state = stress->seed | 1;
	stress->idle = true;
	stress->fd = device_open();
	if (stress->fd < 0 || device_query(stress->fd, &info) || run_a_job(stress))
		ksft_exit_fail_msg("the device does not work\n");
	stress->workers = info.worker_count;
	stress->processes = read_processes();
	stress->next_report = now_ms() + REPORT_MS;
}

static bool parse_options(struct stress *stress, int argc, char **argv, unsigned int *seconds)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "clients", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 'r' },
		{ 0 }
	};
	const char *wanted = getenv("NNLOOP_STRESS_SECONDS");
	int option;

	*seconds = wanted && *wanted ? strtoul(wanted, NULL, 0) : 20;
	stress->client_count = 32;
	stress->seed = deadline_ns(0) ^ (__u64)getpid() << 32;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			*seconds = strtoul(optarg, NULL, 0);
		else if (option == 'c')
			stress->client_count = strtoul(optarg, NULL, 0);
		else if (option == 'r')
			stress->seed = strtoull(optarg, NULL, 0);
		else
			return false;
	}
	return optind == argc && *seconds && stress->client_count &&
	       stress->client_count <= MAX_CLIENTS;
}

int main(int argc, char **argv)
{
	static struct usage usage[3];
	static struct stress stress;
	unsigned int seconds, warm_up, i;
	struct tally *tally;
	long tainted;

	if (!parse_options(&stress, argc, argv, &seconds)) {
		fprintf(stderr, "usage: stress [--seconds N] [--clients 1..%d] [--seed N]\n",
			MAX_CLIENTS);
		return 2;
	}
	ksft_print_header();
	stress_init(&stress);
	tally = stress.tally;
	tainted = read_number("/proc/sys/kernel/tainted", 0);
	ksft_set_plan(9);
	ksft_print_msg("%u clients, %u s, seed %llu\n", stress.client_count, seconds,
		       (unsigned long long)stress.seed);

	warm_up = seconds / 5 < 60 ? seconds / 5 : 60;
	for (i = 0; i < 3; i++) {
		clients_run(&stress, i ? (seconds - warm_up) / 2 : warm_up);
		wait_until_idle(&stress);
		if (usage_read(&usage[i]))
			ksft_exit_fail_msg("/proc/slabinfo cannot be read\n");
	}

	ksft_print_msg("jobs cancelled: %ld, faults wanted: %ld, longest wait: %ld ms\n",
		       tally->cancelled, tally->faulted, tally->longest_wait_ms);
	ksft_test_result(tally->passes && !tally->wrong, "every result is right\n");
	/* Or we would not be here. */
	ksft_test_result(!tally->stuck, "every fence signalled\n");
	ksft_test_result(!tally->failed && !stress.failed, "what failed had a reason\n");
	ksft_test_result(tally->lost <= stress.workers_killed,
			 "no more queues lost than workers killed\n");
	ksft_test_result(stress.clients_killed && stress.workers_killed,
			 "clients and workers were killed\n");
	ksft_test_result(stress.idle, "nothing of the clients is left, the board is complete\n");
	ksft_test_result(memory_is_back(usage, stress.clients_killed / 2), "memory is back\n");
	ksft_test_result(nothing_leaked_on_purpose(&stress), "nothing leaked on purpose\n");
	ksft_test_result(read_number("/proc/sys/kernel/tainted", 0) == tainted,
			 "no warning of the kernel\n");
	report(&stress);
	ksft_finished();
}
