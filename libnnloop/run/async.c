// SPDX-License-Identifier: MIT
/*
 * Executions in a thread of their own.
 */
#include "async.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "execute.h"

struct nn_async {
	int fd;				/* eventfd: readable when the execution is done */
	pthread_t thread;
	bool done;			/* protected by the graph's lock, as everything here */
	int result;
	struct nn_error error;
	struct nn_execution *execution;
};

static int make_async(struct nn_graph *graph, struct nn_error *error)
{
	struct nn_async *async;
	int code;

	if (graph->async)
		return 0;
	async = calloc(1, sizeof(*async));
	if (!async) {
		nn_error_set(error, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	async->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (async->fd < 0) {
		code = -errno;
		free(async);
		nn_error_set(error, code, "cannot make an event file descriptor: %s",
			     strerror(-code));
		return code;
	}
	graph->async = async;
	return 0;
}

static void *run_thread(void *opaque)
{
	struct nn_graph *graph = opaque;
	struct nn_async *async = graph->async;
	uint64_t one = 1;
	int result;

	result = nn_execution_run(async->execution);

	pthread_mutex_lock(&graph->lock);
	nn_execution_end(async->execution);
	async->result = result;
	async->error = graph->error;
	async->done = true;
	graph->busy = false;
	/* An eventfd takes a write unless it overflows. */
	if (write(async->fd, &one, sizeof(one)) < 0)
		async->result = async->result ? async->result : -errno;
	pthread_cond_broadcast(&graph->idle);
	pthread_mutex_unlock(&graph->lock);
	return NULL;
}

int nn_graph_start_sized(struct nn_graph *graph, const struct nn_buffer *inputs,
			 uint32_t input_count, struct nn_buffer *outputs, uint32_t output_count,
			 size_t size)
{
	struct nn_async *async;
	int error;

	error = nn_graph_lock_idle(graph);
	if (error)
		return error;
	error = make_async(graph, &graph->error);
	if (error)
		goto unlock;
	async = graph->async;
	error = nn_execution_begin(graph, inputs, input_count, outputs, output_count, size,
				   &async->execution);
	if (error)
		goto unlock;
	async->done = false;
	error = -pthread_create(&async->thread, NULL, run_thread, graph);
	if (error) {
		nn_execution_end(async->execution);
		nn_graph_fail(graph, NULL, error, "cannot start a thread: %s", strerror(-error));
		goto unlock;
	}
	graph->started = true;
	graph->busy = true;
unlock:
	nn_graph_unlock(graph);
	return error;
}

static struct timespec deadline_in(int timeout_ms)
{
	struct timespec deadline;

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += timeout_ms / 1000;
	deadline.tv_nsec += timeout_ms % 1000 * 1000000L;
	if (deadline.tv_nsec >= 1000000000L) {
		deadline.tv_sec++;
		deadline.tv_nsec -= 1000000000L;
	}
	return deadline;
}

static int tell_none_started(struct nn_graph *graph)
{
	nn_error_set(&graph->told, -ECHILD, "no execution was started that could be waited for");
	return -ECHILD;
}

int nn_graph_wait(struct nn_graph *graph, int timeout_ms)
{
	struct timespec deadline = deadline_in(timeout_ms > 0 ? timeout_ms : 0);
	struct nn_async *async;
	uint64_t count;
	int error = 0;

	pthread_mutex_lock(&graph->lock);
	async = graph->async;
	if (!graph->started) {
		error = tell_none_started(graph);
		goto unlock;
	}
	while (!async->done && error != ETIMEDOUT) {
		if (timeout_ms < 0)
			pthread_cond_wait(&graph->idle, &graph->lock);
		else
			error = pthread_cond_timedwait(&graph->idle, &graph->lock, &deadline);
	}
	if (!graph->started) {
		error = tell_none_started(graph);
		goto unlock;
	}
	if (!async->done) {
		error = -EAGAIN;
		nn_error_set(&graph->told, error, "the execution is still running after %d ms",
			     timeout_ms);
		goto unlock;
	}
	pthread_join(async->thread, NULL);
	graph->started = false;
	if (read(async->fd, &count, sizeof(count)) < 0)
		count = 0;
	graph->told = async->error;
	error = async->result;
unlock:
	pthread_mutex_unlock(&graph->lock);
	return error;
}

int nn_graph_get_fd(struct nn_graph *graph)
{
	int error;

	/* Not nn_graph_lock(): this is of use while an execution runs. */
	pthread_mutex_lock(&graph->lock);
	error = make_async(graph, &graph->told);
	if (!error)
		error = graph->async->fd;
	pthread_mutex_unlock(&graph->lock);
	return error;
}

void nn_async_destroy(struct nn_graph *graph)
{
	if (!graph->async)
		return;
	nn_graph_cancel(graph);
	nn_graph_wait(graph, -1);
	close(graph->async->fd);
	free(graph->async);
	graph->async = NULL;
}
