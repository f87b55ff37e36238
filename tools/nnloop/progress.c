// SPDX-License-Identifier: MIT
/* The progress bar: one line, as wide as the terminal has room for. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nnloop.h"
#include "progress.h"

#define LEAST_BAR	4		/* a shorter one says nothing */
#define INTERVAL_NS	100000000

/* The bar where there is room for all of it. */
static const char full_bar[] = "########################################";
#define BAR_WIDTH	((int)sizeof(full_bar) - 1)

void progress_init(struct progress *progress, bool asked_for, bool quiet)
{
	struct stat stat;

	*progress = (struct progress) { .wanted = isatty(STDERR_FILENO) || asked_for };
	if (quiet || fstat(STDERR_FILENO, &stat) || S_ISREG(stat.st_mode))
		progress->wanted = false;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
}

/* Asked for each time: windows change. */
static int terminal_columns(void)
{
	const char *variable = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return variable && parse_number(variable, 1, 10000, &columns) ? (int)columns : 80;
}

#define LEFT_ROOM 16 /* characters */

/* How much time is left, as far as anybody knows. */
static void format_left(const struct progress *progress, char left[LEFT_ROOM])
{
	uint64_t seconds;

	*left = '\0';
	if (!progress->tells_left || !progress->done || progress->done >= progress->total)
		return;
	seconds = (now_ns() - progress->begun_ns) / progress->done *
		  (progress->total - progress->done) / 1000000000u;
	if (seconds > 99 * 60)
		snprintf(left, LEFT_ROOM, ", %u h left", (unsigned int)(seconds / 3600 % 10000));
	else if (seconds > 99)
		snprintf(left, LEFT_ROOM, ", %u min left", (unsigned int)(seconds / 60));
	else
		snprintf(left, LEFT_ROOM, ", %u s left", (unsigned int)seconds);
}

static void draw(struct progress *progress)
{
	const char *what = progress->what ? progress->what : "pass";
	char line[BAR_WIDTH + 96] = "", left[LEFT_ROOM];
	int room = terminal_columns() - 1, bar = 0, filled;

	if (progress->total) {
		/* The numbers are those of the end, so that the bar does not become shorter. */
		bar = room - snprintf(line, sizeof(line), "[] %s %" PRIu64 " of %" PRIu64,
				      what, progress->total, progress->total);
		bar -= progress->tells_left ? LEFT_ROOM : 0;
		bar = bar < BAR_WIDTH ? bar : BAR_WIDTH;
	}
	format_left(progress, left);
	if (bar >= LEAST_BAR) {
		filled = progress->done < progress->total ?
				 progress->done * bar / progress->total :
				 (uint64_t)bar;
		snprintf(line, sizeof(line), "[%.*s%*s] %s %" PRIu64 " of %" PRIu64 "%s", filled,
			 full_bar, bar - filled, "", what, progress->done, progress->total, left);
	} else if (progress->total) {
		snprintf(line, sizeof(line), "%s %" PRIu64 " of %" PRIu64 "%s", what, progress->done,
			 progress->total, left);
	} else {
		snprintf(line, sizeof(line), "%s %" PRIu64, what, progress->done);
	}
	if (room < (int)strlen(line))
		line[room > 0 ? room : 0] = '\0';
	/* Over what a longer line has left. */
	fprintf(stderr, "\r%-*s", (int)progress->length < room ? (int)progress->length : 0, line);
	fflush(stderr);
	progress->length = strlen(line);
	progress->shown = progress->done;
	progress->open = true;
	progress->drawn_ns = now_ns();
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total)
{
	if (!progress->wanted)
		return;
	if (!progress->begun_ns || progress->total != total || done < progress->done)
		progress->begun_ns = now_ns();
	progress->done = done;
	progress->total = total;
	if (progress->open && (progress->shown == done ||
			       now_ns() - progress->drawn_ns < INTERVAL_NS))
		return;
	draw(progress);
}

void progress_end(struct progress *progress)
{
	if (!progress->open)
		return;
	if (progress->shown != progress->done)
		draw(progress);
	fputc('\n', stderr);
	progress->open = false;
}
