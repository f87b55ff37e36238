/* SPDX-License-Identifier: MIT */
/*
 * Runs a graph beside other work, in an event loop: event_loop [DEVICE]
 *
 * Requests are lines of four numbers, -128 to 127, on standard input, and answers the sums of those
 * that are positive. While the device works at a request the loop takes in more, and one poll()
 * waits for both. Here that is standard input; a server has its clients there.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <nn_graph.h>

static const char text[] =
	"1 Input shape=1,4 type=int8 scale=1\n"
	"2 Relu 1:0\n"
	"3 OUTPUT 2:0\n";

/* Requests that were read and are not yet answered. */
struct requests {
	char text[4096];
	size_t size;
	int ended;
};

static void read_more(struct requests *requests)
{
	ssize_t got = read(STDIN_FILENO, requests->text + requests->size,
			   sizeof(requests->text) - 1 - requests->size);

	if (got < 0)
		err(1, "standard input");
	requests->size += got;
	requests->ended = !got;
}

/* Takes out the first line, if there is a whole one. */
static int next_request(struct requests *requests, int8_t *numbers)
{
	char *end = memchr(requests->text, '\n', requests->size);
	int v[4];

	if (!end)
		return 0;
	*end = 0;
	if (sscanf(requests->text, "%d %d %d %d", &v[0], &v[1], &v[2], &v[3]) != 4)
		errx(1, "not four numbers: %s", requests->text);
	for (int i = 0; i < 4; i++)
		numbers[i] = v[i];
	requests->size -= end + 1 - requests->text;
	memmove(requests->text, end + 1, requests->size);
	return 1;
}

int main(int argc, char **argv)
{
	static struct requests requests;
	int8_t numbers[4], positive[4];
	struct nn_buffer in = { .data = numbers, .size = sizeof(numbers), .rows = 1 };
	struct nn_buffer out = { .data = positive, .size = sizeof(positive) };
	struct nn_device *device = NULL;
	struct nn_graph *graph = NULL;
	struct nn_error error;
	int running = 0;

	if (nn_device_open(argc > 1 ? argv[1] : "hexagon", &device, &error))
		errx(1, "%s", error.text);
	if (nn_graph_create(&graph) || nn_graph_import_text(graph, text, strlen(text)) ||
	    nn_graph_prepare(graph, device, NULL))
		errx(1, "%s", nn_graph_error(graph)->text);

	for (;;) {
		int full = requests.size == sizeof(requests.text) - 1;
		/* poll() does not look at a negative descriptor. */
		struct pollfd events[] = {
			{ .fd = requests.ended || full ? -1 : STDIN_FILENO, .events = POLLIN },
			{ .fd = running ? nn_graph_get_fd(graph) : -1, .events = POLLIN },
		};

		/* The buffers are the library's until nn_graph_wait() has returned. */
		if (!running && next_request(&requests, numbers)) {
			if (nn_graph_start(graph, &in, 1, &out, 1))
				errx(1, "%s", nn_graph_error(graph)->text);
			running = 1;
			continue;
		}
		if (!running && requests.ended)
			break;
		if (!running && full)
			errx(1, "a line is too long");
		if (poll(events, 2, -1) < 0 && errno != EINTR)
			err(1, "poll");
		if (events[0].revents)
			read_more(&requests);
		if (events[1].revents) {
			/* It does not wait: the execution is done. */
			if (nn_graph_wait(graph, 0))
				errx(1, "%s", nn_graph_error(graph)->text);
			printf("%d\n", positive[0] + positive[1] + positive[2] + positive[3]);
			running = 0;
		}
	}
	nn_graph_destroy(graph);
	nn_device_close(device);
	return 0;
}
