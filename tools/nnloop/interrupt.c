// SPDX-License-Identifier: MIT
/* What a signal that ends the program does, whenever it comes: see interrupt.h. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "interrupt.h"
#include "nn_graph.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static struct nn_graph *volatile running;
static volatile sig_atomic_t came;

/* In signal handlers as well. */
static void die_of(int number)
{
	sigset_t set;

	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
}

static void on_signal(int number)
{
	static const char sentence[] = "error: interrupted\n";
	int error = errno;

	if (running && !came) {
		came = number;
		nn_graph_cancel(running);
		errno = error;
		return;
	}
	/* Of a second one the execution's own sentence tells. */
	if (!came && write(STDERR_FILENO, sentence, sizeof(sentence) - 1) < 0)
		error = errno;
	die_of(number);
}

void interrupt_init(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&action.sa_mask, signals[i]);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction now;

		/* nohup is to be heard. */
		if (signals[i] != SIGHUP || sigaction(SIGHUP, NULL, &now) ||
		    now.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void interrupt_cancels(struct nn_graph *graph)
{
	running = graph;
}

bool interrupt_came(void)
{
	return came;
}

void interrupt_finish(void)
{
	if (came)
		die_of(came);
}
