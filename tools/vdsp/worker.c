// SPDX-License-Identifier: MIT
/* The workers: one qemu-hexagon process per hardware thread of the DSP. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vdsp.h"
#include "dsp/firmware/board.h"

#define BOOT_SECONDS	20
#define MOST_INHERITED	(4 + NNLOOP_MAX_WORKERS)

/*
 * One line per process, for whoever wants to kill one: "board PID", "worker N PID". Replaced as a
 * whole.
 */
static void write_pids(const struct board *board)
{
	char temporary[4096];
	unsigned int i;
	FILE *file;

	if (!board->pids_path)
		return;
	if ((size_t)snprintf(temporary, sizeof(temporary), "%s.new", board->pids_path) >=
	    sizeof(temporary))
		return;
	file = fopen(temporary, "we");
	if (!file) {
		fprintf(stderr, "vdsp: cannot write %s: %s\n", temporary, strerror(errno));
		return;
	}
	fprintf(file, "board %d\n", getpid());
	for (i = 0; i < board->worker_count; i++)
		if (board->worker[i].pid)
			fprintf(file, "worker %u %d\n", i, board->worker[i].pid);
	if (fclose(file) || rename(temporary, board->pids_path))
		fprintf(stderr, "vdsp: cannot write %s: %s\n", board->pids_path, strerror(errno));
}

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

/* Becomes the worker, in the child. Only returns on failure, with errno. */
static void become_worker(const struct board *board, unsigned int index, pid_t parent)
{
	int source[MOST_INHERITED] = {
		board->registers_fd, board->ram_fd, board->doorbell[index], board->interrupt[index],
	};
	int target[MOST_INHERITED] = {
		BOARD_FD_REGISTERS, BOARD_FD_RAM, BOARD_FD_DOORBELL, BOARD_FD_INTERRUPT,
	};
	const struct rlimit no_core = { 0, 0 };
	char ram_base[32], guest_base[32], number[16];
	char *argv[] = {
		(char *)board->smmu_path, ram_base, (char *)board->qemu_path, (char *)"-B",
		guest_base, (char *)board->firmware_path, number, NULL,
	};
	char *environment[] = { board->plugin, NULL };
	int high[MOST_INHERITED];
	int i, count = 4;
	sigset_t none;

	/*
	 * The worker must not outlive the board; the board may have died before this took effect.
	 */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return;
	setrlimit(RLIMIT_CORE, &no_core);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);

	for (i = 0; i < (int)board->worker_count; i++, count++) {
		source[count] = board->doorbell[i];
		target[count] = BOARD_FD_DOORBELLS + i;
	}
	/* First out of the way of each other, then into place; only the latter survive exec. */
	for (i = 0; i < count; i++) {
		high[i] = fcntl(source[i], F_DUPFD_CLOEXEC, 64);
		if (high[i] < 0)
			return;
	}
	for (i = 0; i < count; i++)
		if (dup2(high[i], target[i]) < 0)
			return;

	snprintf(ram_base, sizeof(ram_base), "%llx", (unsigned long long)board->ram_base);
	snprintf(guest_base, sizeof(guest_base), "%#llx", BOARD_GUEST_BASE);
	snprintf(number, sizeof(number), "%u", index);
	execve(board->smmu_path, argv, environment);
}

void worker_start(struct board *board, unsigned int index)
{
	struct worker *worker = &board->worker[index];
	uint32_t epoch = worker_read(board, index, NNLOOP_WREG_EPOCH) + 1;
	pid_t parent = getpid();
	pid_t pid;

	worker_write(board, index, NNLOOP_WREG_EPOCH, epoch ? epoch : 1);
	worker_write(board, index, NNLOOP_WREG_STATE, NNLOOP_STATE_BOOTING);
	pid = fork();
	if (pid < 0) {
		fprintf(stderr, "vdsp: cannot start worker %u: %s\n", index, strerror(errno));
		worker_write(board, index, NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD);
		return;
	}
	if (!pid) {
		become_worker(board, index, parent);
		fprintf(stderr, "vdsp: cannot start worker %u: %s\n", index, strerror(errno));
		_exit(127);
	}
	worker->pid = pid;
	worker->deadline = now() + BOOT_SECONDS;
	write_pids(board);
}

void worker_stop(struct board *board, unsigned int index, uint32_t state)
{
	struct worker *worker = &board->worker[index];

	if (worker->pid) {
		kill(worker->pid, SIGKILL);
		while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
			;
		worker->pid = 0;
		worker->deadline = 0;
		write_pids(board);
	}
	worker_write(board, index, NNLOOP_WREG_STATE, state);
}

static void report_death(unsigned int index, int status)
{
	if (WIFSIGNALED(status))
		fprintf(stderr, "vdsp: worker %u was killed by signal %d (%s)\n", index,
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, "vdsp: worker %u ended by itself with status %d\n", index,
			WEXITSTATUS(status));
}

bool worker_is_booting(const struct board *board)
{
	for (unsigned int i = 0; i < board->worker_count; i++)
		if (board->worker[i].deadline)
			return true;
	return false;
}

int worker_reap(struct board *board)
{
	unsigned int i;
	int status;
	int dead = 0;

	for (i = 0; i < board->worker_count; i++) {
		struct worker *worker = &board->worker[i];

		if (!worker->pid)
			continue;
		if (worker_read(board, i, NNLOOP_WREG_STATE) == NNLOOP_STATE_READY)
			worker->deadline = 0;
		if (waitpid(worker->pid, &status, WNOHANG) == worker->pid) {
			report_death(i, status);
			worker->pid = 0;
			worker->deadline = 0;
			worker_write(board, i, NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD);
			write_pids(board);
			dead++;
		} else if (worker->deadline && worker->deadline <= now()) {
			fprintf(stderr, "vdsp: worker %u did not come up in %d s\n", i,
				BOOT_SECONDS);
			worker_stop(board, i, NNLOOP_STATE_DEAD);
			dead++;
		}
	}
	return dead;
}
