/* SPDX-License-Identifier: MIT */
/* The progress bar on standard error. */
#ifndef NNLOOP_TOOL_PROGRESS_H
#define NNLOOP_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool wanted;
	bool open;		/* a line was drawn that has no end yet */
	uint64_t done, total;	/* what it is to show, */
	uint64_t shown;		/* and how many of them it does */
	uint64_t drawn_ns;	/* when */
	size_t length;		/* of the line, to draw over all of it */
	const char *what;	/* is counted; NULL: passes */
	bool tells_left;	/* how much time is left, too, of what takes about as long each */
	uint64_t begun_ns;	/* since when */
};

/* On a terminal; elsewhere if it is asked for, but never in a file. */
void progress_init(struct progress *progress, bool asked_for, bool quiet);
/* total 0: not known. Draws no more than ten times a second, however often it is called. */
void progress_show(struct progress *progress, uint64_t done, uint64_t total);
/* Draws what was last shown, and ends the line. */
void progress_end(struct progress *progress);

#endif
