// SPDX-License-Identifier: MIT
/*
 * The host device's threads: each piece of work is done once, whoever does it; the bytes are the
 * same with any number of them, also when the system gives fewer or none; and of jobs that run side
 * by side the first that fails is known. Under ThreadSanitizer, too, which must have nothing to
 * say.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "device/team.h"
#include "make-graph.h"
#include "nn_device.h"
#include "nn_graph.h"
#include "tap.h"

/* ---- What the linker puts between the library and others ---- */

static unsigned int threads_left = ~0u;		/* that the system still gives */
static atomic_uint team_runs;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *opaque);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *opaque);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *opaque)
{
	if (!threads_left)
		return EAGAIN;
	threads_left--;
	return __real_pthread_create(thread, attributes, function, opaque);
}

void __real_nn_team_run(struct nn_team *team, uint32_t count, uint32_t chunk, nn_team_work *work, void *opaque);
void __wrap_nn_team_run(struct nn_team *team, uint32_t count, uint32_t chunk, nn_team_work *work, void *opaque);
void __wrap_nn_team_run(struct nn_team *team, uint32_t count, uint32_t chunk, nn_team_work *work, void *opaque)
{
	atomic_fetch_add(&team_runs, 1);
	__real_nn_team_run(team, count, chunk, work, opaque);
}

/* ---- A team ---- */

#define ITEMS	1000

static struct {
	unsigned int done[ITEMS];
	atomic_uint by[4];		/* each member */
	uint32_t largest;		/* chunk, of the caller */
} tally;

static void count_items(void *opaque, uint32_t member, uint32_t begin, uint32_t end)
{
	(void)opaque;
	for (uint32_t i = begin; i < end; i++)
		tally.done[i]++;
	atomic_fetch_add(&tally.by[member], end - begin);
	if (!member && end - begin > tally.largest)
		tally.largest = end - begin;
}

/* Does none before all have one. */
static void meet_others(void *opaque, uint32_t member, uint32_t begin, uint32_t end)
{
	uint32_t count = *(const uint32_t *)opaque;

	atomic_fetch_add(&tally.by[member], end - begin);
	while (tally.by[0] + tally.by[1] + tally.by[2] + tally.by[3] < count)
		usleep(100);
}

/*
 * Every item as often as there were runs, in whatever chunks, and by all of them if they are
 * needed.
 */
static void test_team(void)
{
	struct nn_team *team = nn_team_create(4);
	unsigned int runs = 0;

	memset(&tally, 0, sizeof(tally));
	for (uint32_t chunk = 1; chunk <= 7; chunk++) {
		CHECK(nn_team_take(team) && nn_team_size(team) == 4);
		for (unsigned int i = 0; i < 50; i++, runs++)
			nn_team_run(team, ITEMS, chunk, count_items, NULL);
		nn_team_release(team);
		/* They sleep, or are about to. */
		usleep(chunk * 1000);
		CHECK(tally.largest == chunk);
	}
	for (uint32_t i = 0; i < ITEMS; i++)
		CHECK(tally.done[i] == runs);
	CHECK(tally.by[0] + tally.by[1] + tally.by[2] + tally.by[3] == runs * ITEMS);

	memset(&tally, 0, sizeof(tally));
	CHECK(nn_team_take(team));
	nn_team_run(team, 4, 1, meet_others, &(uint32_t){ 4 });
	nn_team_release(team);
	CHECK(tally.by[0] == 1 && tally.by[1] == 1 && tally.by[2] == 1 && tally.by[3] == 1);
	nn_team_destroy(team);
	/* Never used. */
	nn_team_destroy(nn_team_create(4));
	nn_team_destroy(NULL);
}

static void *take_team(void *team)
{
	return nn_team_take(team) ? team : NULL;
}

static void test_taken_team(void)
{
	struct nn_team *team = nn_team_create(2);
	pthread_t thread;
	void *taken;

	CHECK(nn_team_take(team));
	/* Nor has whoever has it already, in what it does with it. */
	CHECK(!nn_team_take(team));
	CHECK(!pthread_create(&thread, NULL, take_team, team) && !pthread_join(thread, &taken) && !taken);
	nn_team_release(team);
	CHECK(nn_team_take(team));
	nn_team_release(team);
	nn_team_destroy(team);
}

static void test_few_threads(void)
{
	for (unsigned int left = 0; left < 3; left++) {
		struct nn_team *team = nn_team_create(4);
		bool taken;

		threads_left = left;
		taken = nn_team_take(team);
		threads_left = ~0u;
		CHECK(taken == (left > 0));
		memset(&tally, 0, sizeof(tally));
		if (taken) {
			CHECK(nn_team_size(team) == left + 1);
			nn_team_run(team, ITEMS, 3, count_items, NULL);
			CHECK(tally.by[0] + tally.by[1] + tally.by[2] == ITEMS && !tally.by[3]);
			nn_team_release(team);
		}
		nn_team_destroy(team);
	}
}

static volatile pthread_t signalled;

static void note_thread(int number)
{
	(void)number;
	signalled = pthread_self();
}

/* Signals go to the application's threads. */
static void test_signals(void)
{
	struct nn_team *team = nn_team_create(4);
	sigset_t set, before;

	signal(SIGUSR1, note_thread);
	CHECK(nn_team_take(team));
	nn_team_release(team);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	CHECK(!sigismember(&before, SIGUSR1));
	kill(getpid(), SIGUSR1);
	usleep(50000);
	CHECK(!signalled);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	CHECK(pthread_equal(signalled, pthread_self()));
	nn_team_destroy(team);
}

/* ---- A network ---- */

#define SIDE	24
#define ROWS	9
#define IN	(SIDE * SIDE * 16)
#define POOLED	(SIDE / 4 * (SIDE / 4) * 40)
#define CLASSES	70

/* Some numbers for constants, the same every time. */
static size_t write_values(char *text, unsigned int count, int most)
{
	unsigned int state = count;
	size_t length = 0;

	for (unsigned int i = 0; i < count; i++) {
		state = state * 1664525 + 1013904223;
		length += sprintf(text + length, "%s%d", i ? "," : " values=", (int)(state >> 16) % (2 * most + 1) - most);
	}
	return length + sprintf(text + length, "\n");
}

/*
 * Operators that are divided in each way, in place and not, and one that is not; step 0: no loop.
 */
static struct nn_graph *make_network(unsigned int step)
{
	char *text = malloc(1 << 20);
	size_t at = sprintf(text, "1 Input shape=0,%u,%u,16 type=uint8 scale=0.02 zero_point=128\n", SIDE, SIDE);
	struct nn_graph *graph;

	if (step)
		at += sprintf(text + at, "2 BatchLoop 1:0 step=%u\n", step);
	else
		at += sprintf(text + at, "2 Nop 1:0\n");
	at += sprintf(text + at, "3 Const shape=40,3,3,16 type=int8 scale=0.01");
	at += write_values(text + at, 40 * 9 * 16, 127);
	at += sprintf(text + at, "4 Conv2d 2:0 3:0 type=uint8 scale=0.2 zero_point=120 padding=same\n");
	at += sprintf(text + at, "5 Const shape=1,3,3,40 type=int8 scale=0.01");
	at += write_values(text + at, 40 * 9, 127);
	at += sprintf(text + at, "6 DepthwiseConv2d 4:0 5:0 type=uint8 scale=0.5 zero_point=120 padding=same\n"
				 "7 Add 4:0 6:0 type=uint8 scale=1 zero_point=110 rounding=float32\n"
				 "8 LeakyRelu 7:0 alpha=0.3\n"
				 "9 MaxPool 8:0 kernel=4 stride=4\n"
				 "10 Reduce 9:0 axes=1,2 function=max\n"
				 "11 Const shape=%u,%u type=int8 scale=0.01", CLASSES, POOLED);
	at += write_values(text + at, CLASSES * POOLED, 127);
	at += sprintf(text + at, "12 Reshape 9:0 shape=0,-1\n"
				 "13 FullyConnected 12:0 11:0 type=uint8 scale=10 zero_point=128\n"
				 "14 OUTPUT 13:0 10:0\n");
	graph = make_graph(text);
	free(text);
	return graph;
}

/* Passes are heard of in the thread that executes, and in order. */
static struct {
	pthread_t thread;
	uint64_t done, total, calls;
	bool good;
} heard;

static void hear(uint64_t done, uint64_t total, void *opaque)
{
	(void)opaque;
	heard.good &= pthread_equal(heard.thread, pthread_self()) && done >= heard.done && done <= total;
	heard.done = done;
	heard.total = total;
	heard.calls++;
}

static struct {
	uint64_t passes, operators, nanoseconds, elapsed;
	uint32_t row;		/* where the next pass begins */
	bool good;
} traced;

static void trace(const struct nn_pass_record *pass, void *opaque)
{
	uint64_t nanoseconds = 0;

	(void)opaque;
	for (uint32_t i = 0; i < pass->op_count; i++)
		nanoseconds += pass->ops[i].nanoseconds;
	traced.good &= pass->depth == 0 || pass->counts[0].prev_batches == traced.row;
	if (pass->depth)
		traced.row += pass->counts[0].current_batches;
	traced.passes++;
	traced.operators += pass->op_count;
	traced.nanoseconds += nanoseconds;
	traced.elapsed += pass->end_ns - pass->start_ns;
	traced.good &= nanoseconds && nanoseconds <= pass->end_ns - pass->start_ns;
}

static uint8_t image[ROWS][IN];
static uint8_t wanted[ROWS][CLASSES + 40];

/* The network on so many threads, with any options; whether its bytes are those of `wanted`. */
static bool execute(const char *name, unsigned int step, struct nn_prepare_options *options)
{
	static uint8_t classes[ROWS][CLASSES], peaks[ROWS][40];
	struct nn_buffer in = { .data = image, .size = sizeof(image), .rows = ROWS };
	struct nn_buffer out[] = { { .data = classes, .size = sizeof(classes) }, { .data = peaks, .size = sizeof(peaks) } };
	struct nn_graph *graph = make_network(step);
	struct nn_device *device = NULL;
	bool good = true;

	memset(classes, 0xa5, sizeof(classes));
	memset(peaks, 0xa5, sizeof(peaks));
	memset(&heard, 0, sizeof(heard));
	memset(&traced, 0, sizeof(traced));
	heard.thread = pthread_self();
	heard.good = traced.good = true;
	nn_graph_set_progress(graph, hear, NULL);
	if (options)
		nn_graph_set_trace(graph, trace, NULL);
	if (!CHECK(!nn_device_open(name, &device, NULL)) || !CHECK(!nn_graph_prepare(graph, device, options)) ||
	    !CHECK(!nn_graph_execute(graph, &in, 1, out, 2))) {
		printf("# %s\n", nn_graph_error(graph)->text);
		good = false;
	}
	nn_graph_destroy(graph);
	nn_device_close(device);
	for (unsigned int i = 0; i < ROWS && good; i++)
		good = !memcmp(wanted[i], classes[i], CLASSES) && !memcmp(wanted[i] + CLASSES, peaks[i], 40);
	if (!wanted[0][0] && !wanted[ROWS - 1][0]) {
		for (unsigned int i = 0; i < ROWS; i++) {
			memcpy(wanted[i], classes[i], CLASSES);
			memcpy(wanted[i] + CLASSES, peaks[i], 40);
		}
		return true;
	}
	return good;
}

static void test_same_bytes(void)
{
	static const char *const names[] = { "host:1", "host:2", "host:3", "host:4", "host:7" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
		atomic_store(&team_runs, 0);
		CHECK(execute(names[i], 0, NULL));
		CHECK(heard.good && heard.calls == 1 && heard.done == 1 && heard.total == 1);
		/* Convolutions and others were done together. */
		printf("# %s: %u times together\n", names[i], atomic_load(&team_runs));
		CHECK(i ? atomic_load(&team_runs) >= 5 : !atomic_load(&team_runs));
	}
	/* It is no network of one value. */
	CHECK(memcmp(wanted[0], wanted[1], CLASSES) && wanted[0][0] != wanted[0][1]);
}

static void test_loops(void)
{
	static const char *const names[] = { "host:1", "host:2", "host:3", "host:4", "host:16" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (unsigned int step = 1; step <= 4; step += 3) {
			CHECK(execute(names[i], step, NULL));
			CHECK(heard.good && heard.done == heard.total && heard.total == (ROWS + step - 1) / step);
		}
		/* More jobs than threads, and fewer. */
		for (unsigned int streams = 1; streams <= 5; streams += 2) {
			CHECK(execute(names[i], 1, &(struct nn_prepare_options){ .streams = streams }));
			CHECK(heard.good && heard.done == ROWS && heard.total == ROWS);
		}
	}
}

/*
 * The operators' times of a pass are not more than it takes, whoever does them, and passes come in
 * order.
 */
static void test_times(void)
{
	for (unsigned int step = 0; step < 3; step++) {
		CHECK(execute("host:3", step, &(struct nn_prepare_options){ .flags = NN_PREPARE_PROFILE }));
		CHECK(traced.good && traced.passes == (step ? (ROWS + step - 1) / step : 1));
		CHECK(traced.operators == 7 * traced.passes);
	}
}

static void test_without_threads(void)
{
	for (unsigned int left = 0; left < 3; left++) {
		threads_left = left;
		CHECK(execute("host:4", 0, NULL));
		threads_left = left;
		CHECK(execute("host:4", 1, NULL));
		threads_left = ~0u;
	}
}

/* In a child there are no threads but the caller, and nobody waits for them. */
static void test_fork(void)
{
	struct nn_buffer in = { .data = image, .size = sizeof(image), .rows = ROWS };
	static uint8_t classes[ROWS][CLASSES], peaks[ROWS][40];
	struct nn_buffer out[] = { { .data = classes, .size = sizeof(classes) }, { .data = peaks, .size = sizeof(peaks) } };
	struct nn_graph *graph = make_network(1);
	struct nn_device *device;
	int status;
	pid_t child;

	CHECK(!nn_device_open("host:3", &device, NULL) && !nn_graph_prepare(graph, device, NULL));
	CHECK(!nn_graph_execute(graph, &in, 1, out, 2));
	memset(classes, 0xa5, sizeof(classes));
	fflush(stdout);
	child = fork();
	if (!child) {
		bool good = !nn_graph_execute(graph, &in, 1, out, 2);

		for (unsigned int i = 0; i < ROWS; i++)
			good &= !memcmp(wanted[i], classes[i], CLASSES);
		nn_graph_destroy(graph);
		nn_device_close(device);
		_exit(good ? 0 : 1);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	CHECK(!nn_graph_execute(graph, &in, 1, out, 2) && !memcmp(wanted[0], classes[0], CLASSES));
	nn_graph_destroy(graph);
	nn_device_close(device);
}

/* ---- Jobs ---- */

#define JOBS		5u
#define PASSES		6u
#define ROOM		4u

static struct {
	struct nn_program header;
	struct nn_program_region region[2];
	struct nn_program_tensor tensor[2];
	struct nn_program_op op;
} program;

static uint8_t source[ROOM * 128] __attribute__((aligned(128))), copy[ROOM * 128] __attribute__((aligned(128)));
static struct nn_memory memory[] = { { source, sizeof(source), true }, { copy, sizeof(copy), true } };
static const struct nn_bound_program bound = { .program = &program.header, .memory = memory };

/* Copies as many rows as the pass has, at most ROOM. */
static void make_program(void)
{
	program.header.region_count = program.header.tensor_count = 2;
	program.header.op_count = 1;
	program.header.size = sizeof(program);
	for (unsigned int i = 0; i < 2; i++) {
		program.region[i].size = sizeof(source);
		program.tensor[i] = (struct nn_program_tensor){ .type = NN_TYPE_UINT8, .rank = 2, .level = 1, .source = i,
								.dims = { ROOM, 128 } };
	}
	program.op.opcode = NN_OPCODE_COPY;
	memset(program.op.input, 0xff, sizeof(program.op.input));
	memset(program.op.output, 0xff, sizeof(program.op.output));
	program.op.input[0] = 0;
	program.op.output[0] = 1;
	program.op.copy = (struct nn_copy_params){ .count = 1, .block = 128 };
}

static uint32_t reported;
static bool hesitates;			/* so that others are ahead of the calling thread's job */

static void note_progress(void *opaque, uint32_t passes_done)
{
	(void)opaque;
	if (hesitates)
		usleep(3000);
	if (CHECK(passes_done >= reported))
		reported = passes_done;
}

/* Jobs of which those in `bad` (bits) have a third pass that has too many rows. */
static void run_jobs(struct nn_device *device, struct nn_job *jobs, unsigned int bad, bool cancelled)
{
	static struct nn_pass passes[JOBS][PASSES];
	atomic_bool stop = cancelled;
	const struct nn_watch watch = { .progress = note_progress, .cancelled = &stop };

	for (unsigned int i = 0; i < JOBS; i++) {
		jobs[i].passes = passes[i];
		jobs[i].count = PASSES;
		for (unsigned int k = 0; k < PASSES; k++) {
			passes[i][k] = (struct nn_pass){ .program = &bound };
			passes[i][k].args[NN_ARG_ROWS(1)] = bad & 1u << i && k == 2 ? ROOM + 1 : 0;
		}
	}
	reported = 0;
	device->ops->jobs_run(device, jobs, JOBS, &watch);
}

static void test_failures(void)
{
	for (unsigned int threads = 1; threads <= 4; threads++) {
		struct nn_job jobs[JOBS] = { 0 };
		struct nn_device *device;
		uint32_t done;

		CHECK(!nn_device_open_host(threads, &device, NULL));
		for (unsigned int i = 0; i < JOBS; i++)
			CHECK(!device->ops->queue_create(device, &jobs[i].queue, NULL));
		/* The last one once more, while a job before it takes longer. */
		for (unsigned int k = 0; k <= 1u << JOBS; k++) {
			unsigned int bad = k < 1u << JOBS ? k : 1u << (JOBS - 1);
			unsigned int first = bad ? (unsigned int)__builtin_ctz(bad) : JOBS;

			hesitates = k == 1u << JOBS;
			run_jobs(device, jobs, bad, false);
			hesitates = false;
			done = 0;
			for (unsigned int i = 0; i < JOBS; i++) {
				done += jobs[i].result.passes_done;
				if (i < first)
					CHECK(!jobs[i].error && jobs[i].result.passes_done == PASSES);
				else if (i == first)
					CHECK(jobs[i].error == -EINVAL && jobs[i].result.passes_done == 2 &&
					      jobs[i].result.fail_reason == NN_REASON_ROWS);
				else
					CHECK(jobs[i].error == -ECANCELED || !jobs[i].error ||
					      (jobs[i].error == -EINVAL && bad & 1u << i));
			}
			CHECK(reported == done);
		}
		run_jobs(device, jobs, 0, true);
		for (unsigned int i = 0; i < JOBS; i++)
			CHECK(jobs[i].error == -ECANCELED && !jobs[i].result.passes_done);
		for (unsigned int i = 0; i < JOBS; i++)
			device->ops->queue_destroy(jobs[i].queue);
		nn_device_close(device);
	}
}

/* ---- Names ---- */

static void test_names(void)
{
	static const char *const bad[] = { "host:", "host:0", "host:65", "host:4294967298", "host:two", "host:2x", "host:-1" };
	struct nn_device_info info;
	struct nn_device *device;
	struct nn_error error;

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK(nn_device_open(bad[i], &device, &error) == -EINVAL && !device);
		CHECK(strstr(error.text, bad[i]) && strstr(error.text, "1 to 64"));
	}
	CHECK(!nn_device_open("host:64", &device, NULL));
	nn_device_get_info(device, &info);
	CHECK(info.kind == NN_DEVICE_HOST && info.workers == 64 && strstr(info.name, "64 threads"));
	nn_device_close(device);
	CHECK(!nn_device_open("host", &device, NULL));
	nn_device_get_info(device, &info);
	CHECK(info.workers == nn_team_default_size() && info.workers >= 1);
	nn_device_close(device);
}

int main(void)
{
	unsigned int state = 1;

	for (unsigned int i = 0; i < sizeof(image); i++) {
		state = state * 1664525 + 1013904223;
		image[i / IN][i % IN] = state >> 24;
	}
	make_program();
	tap_run("each item is done once", test_team);
	tap_run("a team that is taken", test_taken_team);
	tap_run("fewer threads than wanted", test_few_threads);
	tap_run("signals are for others", test_signals);
	tap_run("the same bytes with any number of threads", test_same_bytes);
	tap_run("and in loops, and progress", test_loops);
	tap_run("times of operators", test_times);
	tap_run("without threads", test_without_threads);
	tap_run("after a fork", test_fork);
	tap_run("the first job that fails", test_failures);
	tap_run("names", test_names);
	return tap_end();
}
