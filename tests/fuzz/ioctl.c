// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of the driver's calls, and of those of the DRM core that belong to them. It knows every
 * structure: calls are mostly valid, but now and then a field, a pointer or the structure's length
 * is wrong. Threads of several processes make them on open files of their own and on shared ones,
 * while files are closed, buffers mapped, processes forked, interrupted and killed. What runs on
 * the DSP are mutations of valid programs.
 *
 * It goes in rounds. After each, with all clients gone, the driver must have given back everything,
 * a valid pass must be right, and the kernel must have had nothing to say; and no call may take
 * long. What a thread calls follows from the seed, the round, the thread and the call's number; how
 * threads mix does not.
 *
 * usage: ioctl [--seed N] [--seconds N] [--coverage FILE]
 */
#include "ioctl.h"

#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "debugfs.h"
#include "usage.h"

#include "kcov.h"

#define ROUND_MS	2000		/* at least; an eighth of the whole time, */
#define ROUND_MS_MOST	10000		/* at most */
#define LATE_SECONDS	60		/* for one call, on a machine with other things to do */
#define LIMIT		"/sys/module/nnloop/parameters/file_memory_mb"
#define EXPEDITED	"/sys/kernel/rcu_expedited"
#define LIMIT_MB	8		/* of buffers of an open file */
/*
 * Allowances for what the rest of the system, kworkers above all, comes to use in each half of the
 * time.
 */
#define LOST_PAGES	1024
#define LOST_OBJECTS	128

struct shared *shared;

static __u64 seed = 1;
static unsigned int round_number;
static unsigned int round_ms;

/* Another number for each, whatever the numbers are. */
static __u64 mixed(__u64 a, __u64 b)
{
	a = (a ^ a >> 30) * 0xbf58476d1ce4e5b9 + b;
	a = (a ^ a >> 27) * 0x94d049bb133111eb;
	return a ^ a >> 31;
}

/* ---- A process ---- */

static void *thread_main(void *data)
{
	struct thread *thread = data;
	__u64 begin = mixed(mixed(seed, round_number), thread->index), number;

	if (calls_start(thread, begin))
		_exit(2);
	for (number = 0; !shared->stop; number++)
		call_some(mixed(begin, number));
	return NULL;
}

/* A signal does no more than interrupt calls. */
static void interrupted(int signal)
{
	(void)signal;
}

static void process_main(unsigned int index)
{
	struct client *own = &shared->clients[SHARED_CLIENTS + index];
	struct thread *threads = &shared->threads[index * THREADS];
	pthread_t ids[THREADS];
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	own->fd = device_open();
	if (own->fd < 0)
		_exit(3);
	for (i = 0; i < THREADS; i++) {
		threads[i].own = own;
		threads[i].index = index * THREADS + i;
		if (pthread_create(&ids[i], NULL, thread_main, &threads[i]))
			_exit(4);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	_exit(0);
}

/* ---- What is checked; each returns whether it is as it should be, or says what is not ---- */

static bool check_late(void)
{
	unsigned int i;

	for (i = 0; i < PROCESSES * THREADS; i++) {
		__s64 since = shared->threads[i].since;

		if (!since || deadline_ns(-LATE_SECONDS) < since)
			continue;
		ksft_print_msg("round %u: thread %u is in %s for more than %d s\n", round_number,
			       i, calls[shared->threads[i].call].name, LATE_SECONDS);
		return false;
	}
	return true;
}

/* Checks what the kernel has said since the last time. */
static bool check_log(int kmsg)
{
	static const char * const words[] = {
		"WARNING:", "BUG:", "Oops", "Call Trace", "INFO: task", "INFO: rcu", "ODEBUG:",
		"UBSAN:", "DMA-API:", "nnloop 0000:",
	};
	char record[8192];
	bool clean = true;
	ssize_t size;
	size_t i;

	while ((size = read(kmsg, record, sizeof(record) - 1)) > 0 || errno == EPIPE) {
		if (size < 0)
			continue;
		record[size] = 0;
		record[strcspn(record, "\n")] = 0;
		for (i = 0; i < ARRAY_SIZE(words); i++) {
			if (!strstr(record, words[i]))
				continue;
			ksft_print_msg("round %u: the kernel's log: %s\n", round_number, record);
			clean = false;
			break;
		}
	}
	return clean;
}

/* All buffers and all clients but `fd` itself are gone, or are soon. */
static bool check_gone(int fd)
{
	char buffers[4096] = "", clients[4096] = "", *line = clients;
	__s64 end = deadline_ns(LATE_SECONDS);
	unsigned int count;

	do {
		if (debugfs_read(fd, "buffers", buffers, sizeof(buffers)) ||
		    debugfs_read(fd, "nnloop_clients", clients, sizeof(clients))) {
			ksft_print_msg("no nnloop in " DEBUGFS "\n");
			return false;
		}
		for (count = 0, line = clients; (line = strstr(line, "client ")); line++)
			count++;
		if (!buffers[0] && count == 1)
			return true;
		sleep_ms(20);
	} while (deadline_ns(0) < end);
	ksft_print_msg("round %u: all clients are gone, but there are still\n%s%s", round_number,
		       buffers, clients);
	return false;
}

/* Some passes that copy a page, to the right place and no further. */
static bool check_pass(int fd)
{
	struct drm_nnloop_status status;
	struct queue queue = { };
	struct code code = { };
	struct program program;
	unsigned int i;
	struct bo bo;
	int ret;

	ret = bo_new(fd, 3 * PAGE_SIZE, &bo);
	ret = ret ?: queue_create(fd, &queue);
	program_init(&program);
	ret = ret ?: code_new(fd, &program, &code);
	for (i = 0; !ret && i < 4; i++) {
		pattern_fill(bo.map, PAGE_SIZE, round_number + i);
		memset(bo.map + PAGE_SIZE, 0x5a, 2 * PAGE_SIZE);
		ret = run_copy(&queue, &code, bo.iova, bo.iova + PAGE_SIZE, PAGE_SIZE, &status);
		if (!ret && (pattern_match(bo.map, PAGE_SIZE, round_number + i) != PAGE_SIZE ||
			     pattern_match(bo.map + PAGE_SIZE, PAGE_SIZE, round_number + i) !=
			     PAGE_SIZE ||
			     value_match(bo.map + 2 * PAGE_SIZE, PAGE_SIZE, 0x5a) != PAGE_SIZE))
			ret = -EILSEQ;
	}
	if (ret)
		ksft_print_msg("round %u: a valid pass: %s\n", round_number, strerror(-ret));
	else
		ret = queue_destroy(&queue) ?: syncobj_destroy(fd, queue.syncobj);
	bo_free(&bo);
	code_free(&code);
	return !ret;
}

/*
 * Checks what the kernel has in use after the first round, at half-time and at the end: what is
 * lost in each half is lost for good.
 */
static bool check_usage(const struct usage usage[3])
{
	long pages = usage_lost_pages(usage), objects;
	const char *cache;

	objects = usage_lost_objects(usage, &cache);
	ksft_print_msg("lost in each half of the time: %ld pages, %ld objects of %s\n", pages,
		       objects, cache);
	return pages < LOST_PAGES && objects < LOST_OBJECTS;
}

/* ---- A round ---- */

/* Processes fuzz for a while; one of them may be killed in the middle. */
static bool round_run(void)
{
	__u64 random = mixed(seed, round_number);
	unsigned int killed = random % (2 * PROCESSES), kill_ms = (random >> 32) % round_ms;
	pid_t pids[PROCESSES];
	__s64 end, kill_time;
	bool good = true;
	unsigned int i;
	int status;

	memset(shared->clients, 0, sizeof(shared->clients));
	memset(shared->threads, 0, sizeof(shared->threads));
	shared->stop = false;
	for (i = 0; i < SHARED_CLIENTS; i++) {
		shared->clients[i].fd = device_open();
		if (shared->clients[i].fd < 0)
			ksft_exit_fail_msg("open: %s\n", strerror(-shared->clients[i].fd));
	}
	for (i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			ksft_exit_fail_msg("fork: %s\n", strerror(errno));
		if (!pids[i])
			process_main(i);
	}

	end = deadline_ns(round_ms / 1000.0);
	kill_time = deadline_ns(kill_ms / 1000.0);
	for (i = 0; good && deadline_ns(0) < end; i++) {
		if (killed < PROCESSES && deadline_ns(0) > kill_time)
			kill(pids[killed], SIGKILL);
		/* A zombie takes signals, too. */
		kill(pids[i % PROCESSES], SIGUSR1);
		sleep_ms(50);
		good = check_late();
	}
	shared->stop = true;
	for (i = 0; i < PROCESSES; i++) {
		while (good && !waitpid(pids[i], &status, WNOHANG)) {
			sleep_ms(5);
			good = check_late();
		}
		if (!good)
			break;
		if (WIFSIGNALED(status) ? WTERMSIG(status) != SIGKILL || i != killed : status) {
			ksft_print_msg("round %u: process %u ended with status %#x\n",
				       round_number, i, status);
			good = false;
		}
	}
	for (i = 0; i < PROCESSES; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < SHARED_CLIENTS; i++)
		close(shared->clients[i].fd);
	return good;
}

static void print_errors(const atomic_ulong *count)
{
	unsigned int i;

	for (i = 1; i < MAX_ERRNO; i++) {
		if (count[i])
			printf(", %s %lu", strerrorname_np(i), count[i]);
	}
	printf("\n");
}

static void print_total(void)
{
	unsigned long total = 0;
	unsigned int i, k;

	for (i = 0; i < call_count; i++) {
		for (k = 0; k < MAX_ERRNO; k++)
			total += shared->count[i][k];
	}
	ksft_print_msg("ioctl: %lu calls in %u rounds, seed %llu\n", total, round_number, seed);
	fflush(stdout);
}

static void print_counts(void)
{
	unsigned long all;
	unsigned int i, k;

	for (i = 0; i < call_count; i++) {
		for (k = 0, all = 0; k < MAX_ERRNO; k++)
			all += shared->count[i][k];
		printf("# %-23s %8lu calls, %8lu good", calls[i].name, all, shared->count[i][0]);
		print_errors(shared->count[i]);
	}
	printf("# jobs that ended, as far as somebody asked: %lu good", shared->ended[0]);
	print_errors(shared->ended);
	print_total();
}

/* From the environment, too: that is what reaches a test in a VM. Returns what --coverage names. */
static const char *options_read(int argc, char **argv, double *seconds)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "coverage", required_argument, NULL, 'c' },
		{ }
	};
	const char *seed_text = getenv("NNLOOP_FUZZ_SEED");
	const char *seconds_text = getenv("NNLOOP_FUZZ_SECONDS");
	const char *coverage = getenv("NNLOOP_FUZZ_COVERAGE");
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seed_text = optarg;
			break;
		case 't':
			seconds_text = optarg;
			break;
		case 'c':
			coverage = optarg;
			break;
		default:
			exit(2);
		}
	}
	if (seed_text)
		seed = strtoull(seed_text, NULL, 0);
	if (seconds_text)
		*seconds = atof(seconds_text);
	return coverage;
}

static void limit_set(unsigned int mb)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", mb);
	write_file(LIMIT, text);
	if (read_number(LIMIT, -1) != mb)
		ksft_exit_fail_msg("cannot write " LIMIT "\n");
}

/* Returns the kernel's log. */
static int prepare(bool coverage)
{
	struct sigaction action = { .sa_handler = interrupted };
	int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC), ret;

	mount("none", DEBUGFS, "debugfs", 0, NULL);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		ksft_exit_fail_msg("shared memory or /dev/kmsg: %s\n", strerror(errno));
	/* Inherited by all. */
	sigaction(SIGUSR1, &action, NULL);
	ret = coverage ? kcov_init() : 0;
	if (ret)
		ksft_exit_fail_msg("no KCOV: %s\n", strerror(-ret));
	limit_set(LIMIT_MB);
	/*
	 * DRM of 6.12 waits for RCU, some 15 ms, each time another process uses a file: hurry, for
	 * more calls in the same time.
	 */
	write_file(EXPEDITED, "1");
	return kmsg;
}

int main(int argc, char **argv)
{
	static struct usage usage[3];	/* after the first round, at half-time, at the end */
	bool ended = true, right = true, gone = true, silent = true;
	double seconds = 10;
	const char *coverage = options_read(argc, argv, &seconds);
	unsigned int half_round = 0;
	__s64 half, end;
	int kmsg, fd, ret;

	ksft_print_header();
	ksft_set_plan(5);
	kmsg = prepare(coverage);
	round_ms = seconds * 1000 / 8;
	if (round_ms < ROUND_MS)
		round_ms = ROUND_MS;
	if (round_ms > ROUND_MS_MOST)
		round_ms = ROUND_MS_MOST;
	half = deadline_ns(seconds / 2);
	end = deadline_ns(seconds);
	do {
		ended = round_run();
		fd = device_open();
		gone = check_gone(fd);
		right = check_pass(fd);
		close(fd);
		silent = check_log(kmsg);
		if (!round_number++) {
			usage_read(&usage[0]);
		} else if (!half_round && deadline_ns(0) > half) {
			usage_read(&usage[1]);
			half_round = round_number;
		}
		if (!(round_number % 64))
			print_total();
		/* However slow this machine is, there is a second half. */
	} while (ended && gone && right && silent &&
		 (!half_round || half_round == round_number || deadline_ns(0) < end));
	limit_set(0);
	write_file(EXPEDITED, "0");
	usage_read(&usage[2]);

	print_counts();
	ksft_test_result(ended, "every call ended\n");
	ksft_test_result(gone, "buffers and clients are gone\n");
	if (half_round)
		ksft_test_result(check_usage(usage), "memory was given back\n");
	else
		ksft_test_result_skip("memory was given back: it ended before half-time\n");
	ksft_test_result(right, "a valid pass is right\n");
	ksft_test_result(silent, "the kernel's log is silent\n");
	ret = coverage ? kcov_write(coverage) : 0;
	if (ret)
		ksft_exit_fail_msg("%s: %s\n", coverage, strerror(-ret));
	ksft_finished();
}
