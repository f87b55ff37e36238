// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what sharing the DSP costs, and how long an empty job takes, beside what the DSP itself
 * needs to answer: figures for docs/record/driver-times.md. Not a test, as the machine decides: it
 * prints them.
 *
 * usage: bench [SECONDS]    (for each of eight throughputs; 40, or NNLOOP_BENCH_SECONDS; 0: none)
 */
#include <stdio.h>

#include "kselftest.h"

#include "debugfs.h"
#include "partner.h"
#include "program.h"

#define MOST_WORKERS	8
#define ROWS		32
#define ROW_BYTES	0x100000	/* all and their copies are 64 MiB */
#define JOBS		12		/* of SLOW_PASSES passes each, in each queue */
#define EMPTY_JOBS	500
#define ROUNDS		2

/* A client that uses its 64 MiB from end to end, some rows a pass, on all workers that it gets. */
struct load {
	int fd;
	struct bo bo;
	struct code code;
	struct drm_nnloop_pass passes[SLOW_PASSES];
	struct queue queue[MOST_WORKERS];
	unsigned int ended[MOST_WORKERS];	/* jobs */
	unsigned int count;
};

static int load_new(struct load *load, unsigned int rows)
{
	struct drm_nnloop_device_info info;
	struct program program;
	unsigned int i, k;
	__u64 point;
	int ret;

	memset(load, 0, sizeof(*load));
	load->fd = device_open();
	if (load->fd < 0)
		return -errno;
	ret = device_query(load->fd, &info);
	ret = ret ?: bo_new(load->fd, 2 * ROWS * ROW_BYTES, &load->bo);
	if (ret)
		return ret;
	pattern_fill(load->bo.map, ROWS * ROW_BYTES, 1);
	program_init_rows(&program, load->bo.iova, load->bo.iova + ROWS * ROW_BYTES, ROWS,
			  ROW_BYTES);
	ret = code_new(load->fd, &program, &load->code);
	for (i = 0; i < SLOW_PASSES; i++)
		load->passes[i] = code_rows(&load->code, i * rows % ROWS, rows, i * rows % ROWS);
	load->count = info.worker_count;
	for (i = 0; i < load->count && !ret; i++) {
		ret = queue_create(load->fd, &load->queue[i]);
		for (k = 0; k < JOBS && !ret; k++)
			ret = queue_submit(&load->queue[i], load->passes, SLOW_PASSES, &point);
	}
	return ret;
}

/* Passes that it has done so far, or an error. */
static long long load_passes(struct load *load)
{
	struct drm_nnloop_status status;
	long long sum = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < load->count; i++) {
		for (;;) {
			ret = queue_status(&load->queue[i], load->ended[i] + 1, &status);
			if (ret)
				return ret;
			if (status.state != DRM_NNLOOP_JOB_ENDED)
				break;
			if (status.error || load->ended[i] == JOBS - 1)
				return status.error ?: -ENODATA;
			load->ended[i]++;
		}
		sum += load->ended[i] * SLOW_PASSES + status.passes_done;
	}
	return sum;
}

static double seconds_now(void)
{
	return deadline_ns(0) / 1e9;
}

/* MiB a second that so many such clients copy together. Negative: an error. */
static double throughput(struct load *loads, unsigned int count, unsigned int rows,
			 unsigned int seconds)
{
	long long before = 0, after = 0, passes;
	double start, end;
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		ret = load_new(&loads[i], rows);
		if (ret)
			return ret;
	}
	/* Their first passes are no part of it. */
	sleep_ms(2000);
	for (i = 0; i < count; i++) {
		passes = load_passes(&loads[i]);
		if (passes < 0)
			return passes;
		before += passes;
	}
	start = seconds_now();
	sleep_ms(seconds * 1000);
	for (i = 0; i < count; i++) {
		passes = load_passes(&loads[i]);
		if (passes < 0)
			return passes;
		after += passes;
	}
	end = seconds_now();
	for (i = 0; i < count; i++) {
		bo_unmap(&loads[i].bo);
		bo_unmap(&loads[i].code.bo);
		close(loads[i].fd);
	}
	return (after - before) * rows * (ROW_BYTES / 1048576.0) / (end - start);
}

static int compare(const void *a, const void *b)
{
	__s64 x = *(const __s64 *)a, y = *(const __s64 *)b;

	return x < y ? -1 : x > y;
}

/* The middle of so many times, in milliseconds. */
static double median(__s64 *ns, unsigned int count)
{
	qsort(ns, count, sizeof(*ns), compare);
	return ns[count / 2] / 1e6;
}

/* When the last job of a queue signalled its fence. */
static int fence_time(const struct queue *queue, __s64 *ns)
{
	int file = syncobj_export_sync_file(queue->fd, queue->syncobj), ret;
	struct sync_fence_info fence;

	if (file < 0)
		return file;
	ret = sync_file_fence(file, &fence);
	close(file);
	*ns = fence.timestamp_ns;
	return ret;
}

/*
 * Milliseconds from the doorbell to the interrupt for a command that is answered at once, from
 * SUBMIT to the fence's end for a pass without operators, and to the return of the wait for it;
 * medians, measured in turn. The program is constant, as libnnloop's are: a worker reads it once.
 */
static int latency(double *answer, double *fence, double *wait)
{
	static __s64 answers[EMPTY_JOBS], fences[EMPTY_JOBS], waits[EMPTY_JOBS];
	struct drm_nnloop_status status;
	struct queue queue = { 0 };
	struct program program;
	char text[4096];
	struct code code;
	unsigned int i;
	int fd = device_open(), ret;
	long long ns, start;
	__u64 point;

	debugfs_mount();
	program_init(&program);
	ret = fd < 0 ? -errno : queue_create(fd, &queue);
	ret = ret ?: code_new(fd, &program, &code);
	code.pass.arg_count = NN_ARG_COUNT;
	code.pass.args[NN_ARG_FLAGS] = NN_PASS_CONSTANT;
	for (i = 0; i < EMPTY_JOBS && !ret; i++) {
		ret = debugfs_read(fd, "latency", text, sizeof(text));
		if (!ret && sscanf(text, "0: %lld ns", &ns) != 1)
			ret = -EIO;
		answers[i] = ns;
		/* The first worker answered behind a job, too, and before others did. */
		ret = ret ?: queue_submit(&queue, &code.pass, 1, &point);
		ret = ret ?: syncobj_wait(fd, queue.syncobj, point, WAIT_SECONDS);
		start = deadline_ns(0);
		ret = ret ?: queue_submit(&queue, &code.pass, 1, &point);
		ret = ret ?: syncobj_wait(fd, queue.syncobj, point, WAIT_SECONDS);
		waits[i] = deadline_ns(0) - start;
		ret = ret ?: queue_status(&queue, point, &status) ?: status.error;
		ret = ret ?: fence_time(&queue, &fences[i]);
		fences[i] -= start;
	}
	close(fd);
	*answer = median(answers, EMPTY_JOBS);
	*fence = median(fences, EMPTY_JOBS);
	*wait = median(waits, EMPTY_JOBS);
	return ret;
}

/* One client and two, in turn, as the machine may have other things to do. */
static int share(const char *what, unsigned int rows, unsigned int seconds)
{
	static struct load loads[2];
	double one = 0, two = 0, rate;
	unsigned int i;

	for (i = 0; i < 2 * ROUNDS; i++) {
		rate = throughput(loads, i % 2 + 1, rows, seconds);
		if (rate <= 0) {
			if (rate)
				fprintf(stderr, "bench: error %g\n", rate);
			else
				fprintf(stderr, "bench: no pass ended in %u s\n", seconds);
			return 1;
		}
		*(i % 2 ? &two : &one) += rate / ROUNDS;
	}
	printf("%s: one client of 64 MiB %.1f MiB/s, two together %.1f MiB/s, %.0f %%\n", what, one,
	       two, 100 * two / one);
	return 0;
}

int main(int argc, char **argv)
{
	const char *given = argc > 1 ? argv[1] : getenv("NNLOOP_BENCH_SECONDS");
	unsigned int seconds = given ? atoi(given) : 40;
	double answer, fence, wait;
	int ret = latency(&answer, &fence, &wait);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (ret) {
		fprintf(stderr, "bench: %s\n", strerror(-ret));
		return 1;
	}
	printf("doorbell to interrupt %.3f ms\n", answer);
	printf("empty job, submit to fence %.3f ms, %.2f times; return of the wait %.3f ms\n",
	       fence, fence / answer, wait);
	if (!seconds)
		return 0;
	return share("each pass uses all of it", ROWS, seconds) ||
	       share("each pass uses a 32nd", 1, seconds);
}
