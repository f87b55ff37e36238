// SPDX-License-Identifier: MIT
/* Signals that end the program, whenever they come (interrupt.h). */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "interrupt.h"
#include "nn_graph.h"
#include "out_file.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

static struct nn_graph *volatile running;
static volatile sig_atomic_t came;

/* Ends the program by a signal; called in signal handlers as well. */
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

	if (number == SIGPIPE) {
		out_files_discard();
		die_of(number);
		return;
	}
	if (running && !came) {
		came = number;
		nn_graph_cancel(running);
		errno = error;
		return;
	}
	/* The execution's own sentence tells of a second one. */
	if (!came && write(STDERR_FILENO, sentence, sizeof(sentence) - 1) < 0)
		error = errno;
	out_files_discard();
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

		/* Who ignores these two, such as nohup, means it. ^C is ignored in all that a
		 * script runs in the background, and kill -INT must end that nevertheless. */
		if ((signals[i] == SIGHUP || signals[i] == SIGPIPE) &&
		    !sigaction(signals[i], NULL, &now) && now.sa_handler == SIG_IGN)
			continue;
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
