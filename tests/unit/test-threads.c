// SPDX-License-Identifier: MIT
/*
 * Graphs and threads: executions that were started, several graphs on one device, and what calls
 * say that do not wait. Under ThreadSanitizer, too, which must have nothing to say.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

/* The last call on the graph has failed so, with these words. */
static bool says(const struct nn_graph *graph, int error, const char *words)
{
	const struct nn_error *said = nn_graph_error(graph);

	if (said->code == error && !said->node && strstr(said->text, words))
		return true;
	printf("# error %d, node %u: %s\n", said->code, said->node, said->text);
	return false;
}

/* ---- Asynchronous ---- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static int gate_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor input, output;
	uint32_t i;

	(void)graph;
	(void)opaque;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	if (nn_node_get_input(self, 0, &input) || nn_node_get_output(self, 0, &output))
		return -EINVAL;
	for (i = 0; i < input.info.dims[0] * input.info.dims[1]; i++)
		((uint8_t *)output.data)[i] = ((uint8_t *)input.data)[i] + 1;
	return 0;
}

static const struct nn_node_ops gate_ops = { .name = "Gate", .execute = gate_execute };

static int poll_fd(int fd)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };

	return poll(&poller, 1, 0);
}

static void test_async(void)
{
	const char *text = "1 Input shape=0,2\n2 BatchLoop 1:0 step=1\n3 Gate 2:0\n4 OUTPUT 3:0\n";
	uint8_t in[] = { 1, 2, 3, 4 }, out[4];
	struct nn_buffer input = { .data = in, .size = 4, .rows = 2 },
			 output = { .data = out, .size = 4 };
	struct nn_graph *graph = new_graph();
	int fd;

	CHECK(!nn_graph_register_op(graph, &gate_ops, NULL));
	CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	CHECK(!nn_graph_prepare(graph, device, NULL));
	pthread_mutex_lock(&gate);
	CHECK(!nn_graph_start(graph, &input, 1, &output, 1));
	fd = nn_graph_get_fd(graph);
	CHECK(fd >= 0 && poll_fd(fd) == 0);
	CHECK(nn_graph_wait(graph, 0) == -EAGAIN && says(graph, -EAGAIN, "still running"));
	CHECK(nn_graph_wait(graph, 20) == -EAGAIN && says(graph, -EAGAIN, "after 20 ms"));
	CHECK(nn_graph_start(graph, &input, 1, &output, 1) == -EBUSY &&
	      says(graph, -EBUSY, "has not been waited for"));
	CHECK(nn_graph_execute(graph, &input, 1, &output, 1) == -EBUSY &&
	      says(graph, -EBUSY, "has not been waited for"));
	pthread_mutex_unlock(&gate);
	CHECK(!nn_graph_wait(graph, -1));
	CHECK(output.rows == 2 && out[0] == 2 && out[3] == 5);
	CHECK(!nn_graph_error(graph)->code);
	CHECK(poll_fd(fd) == 0 && nn_graph_wait(graph, 0) == -ECHILD &&
	      says(graph, -ECHILD, "no execution was started"));

	/* Done before it is waited for. */
	CHECK(!nn_graph_start(graph, &input, 1, &output, 1));
	CHECK(poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 60000) == 1);
	CHECK(nn_graph_execute(graph, &input, 1, &output, 1) == -EBUSY &&
	      says(graph, -EBUSY, "has not been waited for"));
	CHECK(!nn_graph_wait(graph, 0) && !nn_graph_error(graph)->code);

	/* Cancelled. */
	pthread_mutex_lock(&gate);
	CHECK(!nn_graph_start(graph, &input, 1, &output, 1));
	nn_graph_cancel(graph);
	pthread_mutex_unlock(&gate);
	CHECK(nn_graph_wait(graph, -1) == -ECANCELED && says(graph, -ECANCELED, "cancelled"));

	/* An error that begins with the start is its result; one in the middle is that of wait. */
	output.size = 1;
	CHECK(nn_graph_start(graph, &input, 1, &output, 1) == -ENOSPC);
	output.size = 4;

	/* Destroyed while it runs. */
	pthread_mutex_lock(&gate);
	CHECK(!nn_graph_start(graph, &input, 1, &output, 1));
	pthread_mutex_unlock(&gate);
	nn_graph_destroy(graph);
}

/* Complains again and again, to no effect, until it is told to end. */
static atomic_bool enough;

static int grumble_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	(void)graph;
	(void)opaque;
	while (!atomic_load(&enough))
		nn_node_fail(self, -EXDEV, "complains");
	return nn_node_fail(self, -EPROTO, "has had enough");
}

static const struct nn_node_ops grumble_ops = { .name = "Grumble", .execute = grumble_execute };

/* What a call was refused for is there to be read while the execution makes errors of its own. */
static void test_errors_of_two_threads(void)
{
	const char *text = "1 Input shape=0,2\n2 Grumble 1:0\n3 OUTPUT 2:0\n";
	uint8_t in[2] = { 0 }, out[2];
	struct nn_buffer input = { .data = in, .size = 2, .rows = 1 },
			 output = { .data = out, .size = 2 };
	struct nn_graph *graph = new_graph();
	const struct nn_error *error = nn_graph_error(graph);
	unsigned int i;

	atomic_store(&enough, false);
	CHECK(!nn_graph_register_op(graph, &grumble_ops, NULL));
	CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	CHECK(!nn_graph_prepare(graph, device, NULL));
	CHECK(!nn_graph_start(graph, &input, 1, &output, 1));
	CHECK(!error->code);
	for (i = 0; i < 1000 && tap_good; i++) {
		CHECK(nn_graph_start(graph, &input, 1, &output, 1) == -EBUSY &&
		      says(graph, -EBUSY, "has not been waited for"));
		CHECK(nn_graph_wait(graph, 0) == -EAGAIN && says(graph, -EAGAIN, "still running"));
		CHECK(nn_graph_get_fd(graph) >= 0);
	}
	atomic_store(&enough, true);
	CHECK(nn_graph_wait(graph, -1) == -EPROTO);
	CHECK(error->code == -EPROTO && error->node == 2 && !strcmp(error->text, "has had enough"));
	nn_graph_destroy(graph);
}

/* ---- Several graphs on one device ---- */

#define THREADS		8
#define ROUNDS		10
#define ADD_ROWS	64

/* A convolution whose weights are the identity and whose bias is the number: it adds that. */
static int add_in_passes(int number)
{
	int8_t in[ADD_ROWS][8], out[ADD_ROWS][8];
	struct nn_buffer input = { .data = in, .size = sizeof(in), .rows = ADD_ROWS };
	struct nn_buffer output = { .data = out, .size = sizeof(out) };
	struct nn_graph *graph = new_graph();
	size_t length, i;
	char text[600];
	int error;

	length = snprintf(text, sizeof(text),
			  "1 Input shape=0,1,1,8 type=int8 scale=1\n2 BatchLoop 1:0 step=1\n"
			  "3 Const shape=8,1,1,8 type=int8 scale=1 values=1");
	for (i = 1; i < 64; i++)
		length += snprintf(text + length, sizeof(text) - length, ",%d", i % 9 == 0);
	snprintf(text + length, sizeof(text) - length,
		 "\n4 Const shape=8 type=int32 scale=1 values=%d,%d,%d,%d,%d,%d,%d,%d\n"
		 "5 Conv2d 2:0 3:0 4:0 type=int8 scale=1\n6 OUTPUT 5:0\n",
		 number, number, number, number, number, number, number, number);
	for (i = 0; i < sizeof(in); i++)
		in[i / 8][i % 8] = (int8_t)(i % 50);
	memset(out, -1, sizeof(out));
	error = nn_graph_import_text(graph, text, strlen(text));
	error = error ? error : nn_graph_prepare(graph, device, NULL);
	error = error ? error : nn_graph_execute(graph, &input, 1, &output, 1);
	if (error)
		printf("# %s\n", nn_graph_error(graph)->text);
	for (i = 0; i < sizeof(in) && !error; i++)
		if (out[i / 8][i % 8] != in[i / 8][i % 8] + number)
			error = -EILSEQ;
	nn_graph_destroy(graph);
	return error;
}

/* Returns how many of the rounds failed. */
static void *add_again_and_again(void *number)
{
	uintptr_t failed = 0;
	int i;

	for (i = 0; i < ROUNDS; i++)
		failed += add_in_passes((int)(uintptr_t)number + i) != 0;
	return (void *)failed;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	uintptr_t failed = 0;
	void *result;
	uintptr_t i;

	for (i = 0; i < THREADS; i++)
		if (!CHECK(!pthread_create(&threads[i], NULL, add_again_and_again, (void *)i)))
			exit(1);
	for (i = 0; i < THREADS; i++) {
		CHECK(!pthread_join(threads[i], &result));
		failed += (uintptr_t)result;
	}
	if (!CHECK(!failed))
		printf("# %u of %u failed\n", (unsigned int)failed, THREADS * ROUNDS);
}

static void post_progress(uint64_t done, uint64_t total, void *opaque)
{
	(void)total;
	if (done)
		sem_post(opaque);
}

/* Another graph is prepared and executed while the passes of one are on the device. */
static void test_prepare_while_another_runs(void)
{
	enum { IMAGES = 2000, IN = 24 * 16, OUT = 24 * 16 * 16 };
	const char *text = "1 Input shape=0,24,16,1 scale=1\n2 BatchLoop 1:0 step=1\n"
			   "3 Const shape=16,3,3,1 type=int8 scale=0.1 values=1\n"
			   "4 Conv2d 2:0 3:0 type=uint8 scale=3 padding=same\n"
			   "5 Const shape=16,3,3,16 type=int8 scale=0.1 values=1\n"
			   "6 Conv2d 4:0 5:0 type=uint8 scale=30 padding=same\n7 OUTPUT 6:0\n";
	struct nn_graph *graph = new_graph();
	struct nn_buffer input = { .data = calloc(IMAGES, IN), .size = IMAGES * IN, .rows = IMAGES };
	struct nn_buffer output = { .data = malloc(IMAGES * OUT), .size = IMAGES * OUT };
	sem_t progress;

	sem_init(&progress, 0, 0);
	CHECK(!nn_graph_import_text(graph, text, strlen(text)));
	CHECK(!nn_graph_set_progress(graph, post_progress, &progress));
	CHECK(!nn_graph_prepare(graph, device, NULL));
	if (CHECK(!nn_graph_start(graph, &input, 1, &output, 1))) {
		sem_wait(&progress);
		CHECK(!add_in_passes(3));
		nn_graph_cancel(graph);
		/* It had not ended. */
		CHECK(nn_graph_wait(graph, -1) == -ECANCELED);
	}
	nn_graph_destroy(graph);
	sem_destroy(&progress);
	free(input.data);
	free(output.data);
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("executions can be started, waited for, polled and cancelled", test_async);
	tap_run("the error of a call that does not wait is not that of the execution",
		test_errors_of_two_threads);
	tap_run("graphs on one device in several threads", test_threads);
	tap_run("a graph is prepared and executed while another one runs",
		test_prepare_while_another_runs);
	nn_device_close(device);
	return tap_end();
}
