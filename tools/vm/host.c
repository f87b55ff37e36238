// SPDX-License-Identifier: MIT
/*
 * The host side of tools/vm/run: starts the boards and QEMU, runs one command in the guest
 * (guest.c), and leaves nothing behind.
 *
 * usage: host --ram MB --timeout SECONDS --log DIR [--board N_VECTORS ARG... --end-board]...
 * [--env NAME=VALUE]...
 *             -- QEMU ARG... -- CMD ARG...
 *
 * Ownership: everything started here is a direct child with PR_SET_PDEATHSIG, so it dies with
 * this process whatever kills it. The guest's RAM is a memfd, which boards open as
 * /proc/PID/fd/N. The folder with the sockets is removed by a small process (the janitor) that
 * waits for this one's end. stdout and stderr are the command's alone, but for a sentence when
 * the VM fails.
 */
#include "protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_BOARDS 8
#define BOARD_START_SECONDS 60
#define BOARD_STOP_SECONDS 30
#define BOOT_ATTEMPTS 3
#define ATTEMPT_VARIABLE "NNLOOP_VM_BOOT_ATTEMPT"

enum {
	EXIT_TIMEOUT = 124,	/* as timeout(1) */
	EXIT_VM_FAILED = 125,
};

struct board {
	char **args;		/* of the board program, NULL-terminated */
	const char *vectors;
	pid_t pid;		/* 0 before the start and after it was reaped */
	int status;		/* from waitpid */
	bool end_expected;	/* someone asked for its end */
};

static struct {
	/* from the command line */
	unsigned long ram_mib, timeout;
	const char *log;
	struct board boards[MAX_BOARDS];
	unsigned int n_boards;
	char **env;
	unsigned int n_env;
	char **qemu_args, **command;

	/* while it runs */
	char folder[64];	/* sockets and pid files */
	int ram;		/* memfd */
	pid_t qemu;		/* 0 once reaped */
	int qemu_status;
	int link, control;	/* our ends of the guest's ports */
	int signals;		/* signalfd */
	struct timespec deadline;
	bool command_started, command_ended;
	bool boot_again;
	int exit_status;
	unsigned int interrupts;
	size_t stdin_under_way;
	bool stdin_open;
} vm;

static void __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("tools/vm/run: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *format, ...)
{
	va_list args;
	int error = errno;

	va_start(args, format);
	fputs("tools/vm/run: ", stderr);
	vfprintf(stderr, format, args);
	fprintf(stderr, ": %s\n", strerror(error));
	va_end(args);
	exit(EXIT_VM_FAILED);
}

/* ---- small helpers ---- */

static char *format_string(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *format_string(const char *format, ...)
{
	va_list args;
	char *string;

	va_start(args, format);
	if (vasprintf(&string, format, args) < 0)
		die("memory");
	va_end(args);
	return string;
}

struct arguments {
	char **list;		/* NULL-terminated */
	size_t count;
};

static void add_argument(struct arguments *arguments, char *argument)
{
	arguments->list = realloc(arguments->list, (arguments->count + 2) * sizeof(char *));
	if (!arguments->list)
		die("memory");
	arguments->list[arguments->count++] = argument;
	arguments->list[arguments->count] = NULL;
}

static void add_arguments(struct arguments *arguments, char **more)
{
	while (*more)
		add_argument(arguments, *more++);
}

static int milliseconds_left(void)
{
	struct timespec now;
	long long left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left = (vm.deadline.tv_sec - now.tv_sec) * 1000LL +
	       (vm.deadline.tv_nsec - now.tv_nsec) / 1000000;
	return left < 0 ? 0 : left > INT_MAX ? INT_MAX : left;
}

static void write_all(int fd, const void *data, size_t length, const char *what)
{
	const char *p = data;

	while (length) {
		ssize_t n = write(fd, p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die("%s", what);
		p += n;
		length -= n;
	}
}

/* ---- processes ---- */

/*
 * Sets up the child between fork and exec: its own process group, so that the terminal's ^C reaches
 * only us, and our death is its death.
 */
static void become_dependent(pid_t parent)
{
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGTTIN, SIG_DFL);
	dup2(open("/dev/null", O_RDONLY), 0);
}

static void redirect_to_log(const char *name, int fd)
{
	char *path = format_string("%s/%s", vm.log, name);
	int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	if (file < 0)
		die("%s", path);
	dup2(file, fd);
	free(path);
}

/* Remove the folder, which has only files in it. */
static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (dir) {
		while ((entry = readdir(dir)))
			unlinkat(dirfd(dir), entry->d_name, 0);
		closedir(dir);
	}
	rmdir(folder);
}

/* Waits for our end, however it comes, and cleans up. Its pipe has no writer when we are gone. */
static void start_janitor(void)
{
	int fds[2];
	pid_t pid;
	char c;

	if (pipe2(fds, O_CLOEXEC))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid) {
		close(fds[0]);
		return;		/* fds[1] stays open until we end */
	}

	setsid();
	close(fds[1]);
	/* Hold no stream of the caller, who may wait for their end. */
	for (int fd = 0; fd < 3; fd++)
		dup2(fds[0], fd);
	while (read(fds[0], &c, 1) < 0 && errno == EINTR)
		;
	remove_folder(vm.folder);
	_exit(0);
}

/* One line from fd, or false at the deadline or end of file. */
static bool wait_for_line(int fd, const char *line, int seconds)
{
	char buffer[256];
	size_t have = 0;

	for (int left = seconds * 10; left > 0; left--) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (poll(&poll_fd, 1, 100) <= 0)
			continue;
		n = read(fd, buffer + have, sizeof(buffer) - 1 - have);
		if (n <= 0)
			return false;
		have += n;
		buffer[have] = 0;
		if (strstr(buffer, line))
			return true;
		if (have == sizeof(buffer) - 1)
			return false;
	}
	return false;
}

static void start_board(unsigned int index)
{
	struct board *board = &vm.boards[index];
	struct arguments arguments = { 0 };
	pid_t self = getpid();
	int output[2];

	add_arguments(&arguments, board->args);
	add_argument(&arguments, "--socket");
	add_argument(&arguments, format_string("%s/board%u", vm.folder, index));
	add_argument(&arguments, "--ram");
	add_argument(&arguments, format_string("/proc/%d/fd/%d", self, vm.ram));
	add_argument(&arguments, "--pids");
	add_argument(&arguments, format_string("%s/pids%u", vm.folder, index));

	if (pipe2(output, O_CLOEXEC))
		die("pipe");
	board->pid = fork();
	if (board->pid < 0)
		die("fork");
	if (!board->pid) {
		become_dependent(self);
		dup2(output[1], 1);
		redirect_to_log("board.log", 2);
		execv(arguments.list[0], arguments.list);
		die("%s", arguments.list[0]);
	}
	close(output[1]);
	free(arguments.list);

	if (!wait_for_line(output[0], "ready", BOARD_START_SECONDS)) {
		complain("board %u did not start; the end of %s/board.log:", index, vm.log);
		vm.exit_status = EXIT_VM_FAILED;
	}
	/* The pipe stays open: the board may write to it. */
}

static void start_qemu(int command_port, int control_port)
{
	struct arguments arguments = { 0 };
	pid_t self = getpid();

	add_arguments(&arguments, vm.qemu_args);
	add_argument(&arguments, "-m");
	add_argument(&arguments, format_string("%luM", vm.ram_mib));
	add_argument(&arguments, "-object");
	add_argument(&arguments, format_string("memory-backend-file,id=ram,share=on,size=%luM,"
					       "mem-path=/proc/%d/fd/%d", vm.ram_mib, self, vm.ram));
	add_argument(&arguments, "-serial");
	add_argument(&arguments, format_string("file:%s/kernel.log", vm.log));
	add_argument(&arguments, "-device");
	add_argument(&arguments, "virtio-serial-pci");
	add_argument(&arguments, "-chardev");
	add_argument(&arguments, format_string("socket,id=command,fd=%d", command_port));
	add_argument(&arguments, "-device");
	add_argument(&arguments, "virtserialport,chardev=command,name=" VM_PORT_NAME);
	add_argument(&arguments, "-chardev");
	add_argument(&arguments, format_string("socket,id=control,fd=%d", control_port));
	add_argument(&arguments, "-device");
	add_argument(&arguments, "virtserialport,chardev=control,name=" VM_CONTROL_PORT_NAME);
	for (unsigned int i = 0; i < vm.n_boards; i++) {
		add_argument(&arguments, "-chardev");
		add_argument(&arguments,
			     format_string("socket,id=board%u,path=%s/board%u", i, vm.folder, i));
		add_argument(&arguments, "-device");
		add_argument(&arguments,
			     format_string("ivshmem-doorbell,chardev=board%u,vectors=%s", i,
					   vm.boards[i].vectors));
	}

	vm.qemu = fork();
	if (vm.qemu < 0)
		die("fork");
	if (!vm.qemu) {
		become_dependent(self);
		redirect_to_log("qemu.log", 1);
		redirect_to_log("qemu.log", 2);
		fcntl(command_port, F_SETFD, 0);
		fcntl(control_port, F_SETFD, 0);
		execvp(arguments.list[0], arguments.list);
		die("%s", arguments.list[0]);
	}
	close(command_port);
	close(control_port);
	free(arguments.list);
}

static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == vm.qemu) {
			vm.qemu = 0;
			vm.qemu_status = status;
		}
		for (unsigned int i = 0; i < vm.n_boards; i++) {
			if (pid == vm.boards[i].pid) {
				vm.boards[i].pid = 0;
				vm.boards[i].status = status;
			}
		}
	}
}

static void stop_all(void)
{
	struct timespec tick = { .tv_nsec = 10 * 1000 * 1000 };
	bool running = true;

	if (vm.qemu)
		kill(vm.qemu, SIGKILL);
	/* The boards end by themselves when their VM is gone. */
	for (int left = BOARD_STOP_SECONDS * 100; left > 0 && running; left--) {
		reap();
		running = vm.qemu;
		for (unsigned int i = 0; i < vm.n_boards; i++)
			running |= vm.boards[i].pid != 0;
		if (running)
			nanosleep(&tick, NULL);
	}
	for (unsigned int i = 0; i < vm.n_boards; i++) {
		struct board *board = &vm.boards[i];

		if (board->pid) {
			complain("board %u did not end with its VM; killed. Its log: %s/board.log",
				 i, vm.log);
			kill(board->pid, SIGKILL);
		} else if (board->end_expected) {
			continue;
		} else if (WIFSIGNALED(board->status)) {
			complain("board %u was killed by signal %d. Its log: %s/board.log", i,
				 WTERMSIG(board->status), vm.log);
		} else if (WEXITSTATUS(board->status)) {
			complain("board %u ended with status %d. Its log: %s/board.log", i,
				 WEXITSTATUS(board->status), vm.log);
		}
	}
}

/* ---- the conversation with the guest ---- */

static void send_message(uint32_t type, const void *data, size_t length)
{
	struct vm_header header = { type, length };
	static char buffer[sizeof(header) + VM_MAX_PAYLOAD];

	memcpy(buffer, &header, sizeof(header));
	if (length)
		memcpy(buffer + sizeof(header), data, length);
	/* MSG_NOSIGNAL: the guest's end is reported where QEMU's end is. */
	if (send(vm.link, buffer, sizeof(header) + length, MSG_NOSIGNAL) < 0 &&
	    errno != EPIPE && errno != ECONNRESET)
		die("write to the guest");
}

static void run_command(void)
{
	char directory[PATH_MAX], payload[VM_MAX_PAYLOAD];
	struct vm_run run = {
		.env = vm.n_env,
		.stdout_is_tty = isatty(1),
		.stderr_is_tty = isatty(2),
	};
	struct winsize size = { 0 };
	size_t length = sizeof(run);
	struct arguments strings = { 0 };

	if (!ioctl(1, TIOCGWINSZ, &size) || !ioctl(2, TIOCGWINSZ, &size)) {
		run.rows = size.ws_row;
		run.columns = size.ws_col;
	}
	while (vm.command[run.args])
		run.args++;
	if (!getcwd(directory, sizeof(directory)))
		die("working directory");
	add_argument(&strings, directory);
	add_arguments(&strings, vm.command);
	for (unsigned int i = 0; i < vm.n_env; i++)
		add_argument(&strings, vm.env[i]);

	memcpy(payload, &run, sizeof(run));
	for (size_t i = 0; i < strings.count; i++) {
		size_t size_here = strlen(strings.list[i]) + 1;

		if (size_here > sizeof(payload) - length) {
			errno = E2BIG;
			die("the command line");
		}
		memcpy(payload + length, strings.list[i], size_here);
		length += size_here;
	}
	free(strings.list);
	send_message(VM_RUN, payload, length);
	vm.command_started = true;
}

static void handle_message(const struct vm_header *header, const char *payload)
{
	struct vm_exit result;
	uint32_t taken;

	switch (header->type) {
	case VM_HELLO:
		run_command();
		break;
	case VM_STDOUT:
		write_all(1, payload, header->length, "stdout");
		break;
	case VM_STDERR:
		write_all(2, payload, header->length, "stderr");
		break;
	case VM_STDIN_TAKEN:
		memcpy(&taken, payload, sizeof(taken));
		vm.stdin_under_way -= taken;
		break;
	case VM_EXIT:
		memcpy(&result, payload, sizeof(result));
		vm.exit_status = result.status;
		vm.command_ended = true;
		break;
	default:
		errno = EPROTO;
		die("message type %u from the guest", header->type);
	}
}

/* Whatever has arrived from the guest; returns false when QEMU closed its end. */
static bool receive_messages(void)
{
	static char buffer[2 * (sizeof(struct vm_header) + VM_MAX_PAYLOAD)];
	static size_t have;
	struct vm_header header;
	size_t at = 0;
	ssize_t n;

	n = read(vm.link, buffer + have, sizeof(buffer) - have);
	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	have += n;
	while (have - at >= sizeof(header)) {
		memcpy(&header, buffer + at, sizeof(header));
		if (header.length > VM_MAX_PAYLOAD) {
			errno = EPROTO;
			die("message of %u bytes from the guest", header.length);
		}
		if (have - at < sizeof(header) + header.length)
			break;
		handle_message(&header, buffer + at + sizeof(header));
		at += sizeof(header) + header.length;
	}
	have -= at;
	memmove(buffer, buffer + at, have);
	return true;
}

static void forward_stdin(void)
{
	char buffer[16384];
	ssize_t n;

	n = read(0, buffer, sizeof(buffer));
	if (n < 0 && errno == EINTR)
		return;
	/* EIO: a terminal that belongs to another process group now. */
	if (n <= 0) {
		n = 0;
		vm.stdin_open = false;
	}
	vm.stdin_under_way += n;
	send_message(VM_STDIN, buffer, n);
}

/* ---- control: what tests ask of the host (tools/vm/nnloop-vmctl) ---- */

/*
 * The process of a board's worker, from the lines `worker N PID` of the file that the board keeps;
 * 0 if there is none.
 */
static pid_t find_worker(unsigned int board, unsigned int worker)
{
	char *path = format_string("%s/pids%u", vm.folder, board);
	FILE *file = fopen(path, "re");
	unsigned int n;
	int pid, found = 0;
	char line[64];

	free(path);
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "worker %u %d", &n, &pid) == 2 && n == worker)
			found = pid;
	}
	fclose(file);
	return found;
}

static pid_t parent_of(const char *pid)
{
	char *path = format_string("/proc/%s/stat", pid), *after_name, text[512];
	FILE *file = fopen(path, "re");
	size_t length = 0;
	int parent = 0;

	free(path);
	if (!file)
		return 0;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = 0;
	after_name = strrchr(text, ')');
	return after_name && sscanf(after_name, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* "ok N": the processes of all boards, the boards' own and their workers', zombies included. */
static const char *count_processes(void)
{
	static char answer[32];
	struct dirent *entry;
	unsigned int n = 0;
	DIR *proc = opendir("/proc");
	pid_t parent;

	if (!proc)
		return "error: no /proc";
	while ((entry = readdir(proc))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		parent = parent_of(entry->d_name);
		for (unsigned int i = 0; i < vm.n_boards; i++) {
			pid_t board = vm.boards[i].pid;

			n += board && (parent == board || atoi(entry->d_name) == board);
		}
	}
	closedir(proc);
	snprintf(answer, sizeof(answer), "ok %u", n);
	return answer;
}

static const char *obey(const char *request)
{
	static const struct {
		const char *verb;
		int signal;
	} verbs[] = {
		{ "kill", SIGKILL },
		{ "stop", SIGSTOP },
		{ "continue", SIGCONT },
	};
	char verb[16], target[16];
	unsigned int worker = 0, board = 0;
	int n, signal_number = 0;
	pid_t pid;

	if (!strcmp(request, "count processes"))
		return count_processes();
	n = sscanf(request, "%15s %15s", verb, target);
	for (size_t i = 0; n == 2 && i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(verbs[i].verb, verb))
			signal_number = verbs[i].signal;
	}
	if (!signal_number)
		return "error: unknown request";
	if (!strcmp(target, "worker")) {
		if (sscanf(request, "%*s %*s %u %u", &worker, &board) < 1)
			return "error: which worker?";
	} else if (!strcmp(target, "board")) {
		sscanf(request, "%*s %*s %u", &board);
	} else {
		return "error: neither worker nor board";
	}
	if (board >= vm.n_boards)
		return "error: no such board";
	pid = strcmp(target, "worker") ? vm.boards[board].pid : find_worker(board, worker);
	if (!pid)
		return "error: no such process";
	if (strcmp(target, "worker") && signal_number == SIGKILL)
		vm.boards[board].end_expected = true;
	return kill(pid, signal_number) ? "error: it is gone" : "ok";
}

static bool handle_control(void)
{
	static char line[256];
	static size_t have;
	const char *answer;
	char *end, *reply;
	ssize_t n;

	n = read(vm.control, line + have, sizeof(line) - 1 - have);
	if (n <= 0)
		return n < 0 && errno == EINTR;
	have += n;
	line[have] = 0;
	while ((end = strchr(line, '\n'))) {
		*end++ = 0;
		answer = obey(line);
		reply = format_string("%s\n", answer);
		send(vm.control, reply, strlen(reply), MSG_NOSIGNAL);
		free(reply);
		have -= end - line;
		memmove(line, end, have + 1);
	}
	if (have == sizeof(line) - 1)
		have = 0;
	return true;
}

/* ---- what can go wrong ---- */

/* The last lines of a log. */
static void show_tail(const char *name, unsigned int lines)
{
	char *path = format_string("%s/%s", vm.log, name);
	char *ring[64] = { 0 }, *line = NULL;
	FILE *file = fopen(path, "re");
	size_t size = 0;
	unsigned int n = 0;

	free(path);
	if (!file)
		return;
	if (lines > 64)
		lines = 64;
	while (getline(&line, &size, file) > 0) {
		free(ring[n % lines]);
		line[strcspn(line, "\r\n")] = 0;
		ring[n++ % lines] = line;
		line = NULL;
	}
	free(line);
	for (unsigned int i = n > lines ? n - lines : 0; i < n; i++)
		fprintf(stderr, "  %s\n", ring[i % lines]);
	for (unsigned int i = 0; i < lines; i++)
		free(ring[i]);
	fclose(file);
}

static void report_timeout(void)
{
	complain("%s after %lu s; the VM was stopped. The end of %s/kernel.log:",
		 vm.command_started ? "the command had not ended" : "the VM had not booted",
		 vm.timeout, vm.log);
	show_tail("kernel.log", 12);
	vm.exit_status = EXIT_TIMEOUT;
}

static unsigned int boot_attempt(void)
{
	const char *attempt = getenv(ATTEMPT_VARIABLE);

	return attempt ? strtoul(attempt, NULL, 10) : 1;
}

/*
 * Now and then a kernel dies while it boots, in code that it patches at that time: the emulator
 * can run such code on one CPU while it is half written by another. Nothing of the command has
 * run then, so the VM is simply started again, and says so.
 */
static void report_vm_end(void)
{
	vm.exit_status = EXIT_VM_FAILED;
	if (!vm.command_started && !vm.qemu_status && boot_attempt() < BOOT_ATTEMPTS) {
		complain("the kernel died while it was booting; trying again. The end of %s/kernel.log:",
			 vm.log);
		show_tail("kernel.log", 12);
		vm.boot_again = true;
		return;
	}
	if (WIFEXITED(vm.qemu_status) && WEXITSTATUS(vm.qemu_status)) {
		complain("QEMU ended with status %d. The end of %s/qemu.log:",
			 WEXITSTATUS(vm.qemu_status), vm.log);
		show_tail("qemu.log", 12);
		return;
	}
	complain("the VM ended before the command did. The end of %s/kernel.log:", vm.log);
	show_tail("kernel.log", 40);
}

/*
 * The first interrupt is the command's to handle; the second ends the VM. Returns true when the VM
 * is to end.
 */
static bool handle_signal(void)
{
	struct signalfd_siginfo info;
	uint32_t signal_number;

	if (read(vm.signals, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo == SIGCHLD) {
		reap();
		return false;
	}
	if (vm.command_started && !vm.interrupts++) {
		signal_number = info.ssi_signo;
		send_message(VM_SIGNAL, &signal_number, sizeof(signal_number));
		return false;
	}
	complain("stopped by signal %u", info.ssi_signo);
	vm.exit_status = 128 + info.ssi_signo;
	return true;
}

static void serve(void)
{
	while (!vm.command_ended) {
		bool want_stdin = vm.command_started && vm.stdin_open &&
				  vm.stdin_under_way + 16384 <= VM_STDIN_WINDOW;
		struct pollfd fds[] = {
			{ .fd = vm.signals, .events = POLLIN },
			{ .fd = vm.link, .events = POLLIN },
			{ .fd = vm.control, .events = POLLIN },
			{ .fd = want_stdin ? 0 : -1, .events = POLLIN },
		};
		int left = milliseconds_left();

		if (!left)
			return report_timeout();
		if (poll(fds, sizeof(fds) / sizeof(fds[0]), left) < 0 && errno != EINTR)
			die("poll");
		/* Output first: what came before the end of the VM is not lost. */
		if (fds[1].revents && !receive_messages()) {
			while (vm.qemu && waitpid(vm.qemu, &vm.qemu_status, 0) < 0 &&
			       errno == EINTR)
				;
			vm.qemu = 0;
			return report_vm_end();
		}
		if (fds[0].revents && handle_signal())
			return;
		if (fds[2].revents && !handle_control())
			vm.control = -1;
		if (fds[3].revents)
			forward_stdin();
	}
}

/* ---- start ---- */

static char **take_until(char **at, const char *mark)
{
	while (*at && strcmp(*at, mark))
		at++;
	if (!*at) {
		complain("host: %s is missing", mark);
		exit(2);
	}
	*at++ = NULL;
	return at;
}

static void parse_arguments(char **at)
{
	struct arguments env = { 0 };

	for (; *at && strcmp(*at, "--"); at++) {
		if (!strcmp(*at, "--ram") && at[1]) {
			vm.ram_mib = strtoul(*++at, NULL, 10);
		} else if (!strcmp(*at, "--timeout") && at[1]) {
			vm.timeout = strtoul(*++at, NULL, 10);
		} else if (!strcmp(*at, "--log") && at[1]) {
			vm.log = *++at;
		} else if (!strcmp(*at, "--env") && at[1]) {
			add_argument(&env, *++at);
		} else if (!strcmp(*at, "--board") && at[1] && vm.n_boards < MAX_BOARDS) {
			vm.boards[vm.n_boards].vectors = at[1];
			vm.boards[vm.n_boards++].args = at + 2;
			at = take_until(at + 2, "--end-board") - 1;
		} else {
			complain("host: unexpected %s", *at);
			exit(2);
		}
	}
	if (!*at || !vm.ram_mib || !vm.timeout || !vm.log) {
		complain("host: called by tools/vm/run only; see the top of tools/vm/host.c");
		exit(2);
	}
	vm.env = env.list;
	vm.n_env = env.count;
	vm.qemu_args = at + 1;
	vm.command = take_until(at + 1, "--");
}

/* Everything of this attempt is closed or ends with it: see the descriptors' O_CLOEXEC. */
static void boot_again(char **args)
{
	char *attempt = format_string("%u", boot_attempt() + 1);

	setenv(ATTEMPT_VARIABLE, attempt, 1);
	execv("/proc/self/exe", args);
	die("/proc/self/exe");
}

static void catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	vm.signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (vm.signals < 0)
		die("signalfd");
	signal(SIGTTIN, SIG_IGN);
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	struct arguments original = { 0 };
	int command[2], control[2];

	(void)argc;
	add_arguments(&original, argv);
	parse_arguments(argv + 1);
	clock_gettime(CLOCK_MONOTONIC, &vm.deadline);
	vm.deadline.tv_sec += vm.timeout;
	vm.stdin_open = true;

	/* A socket's path is limited to 107 bytes. */
	if (!tmp || strlen(tmp) > sizeof(vm.folder) - sizeof("/nnloop-vm.XXXXXX"))
		tmp = "/tmp";
	snprintf(vm.folder, sizeof(vm.folder), "%s/nnloop-vm.XXXXXX", tmp);
	if (!mkdtemp(vm.folder))
		die("%s", vm.folder);
	start_janitor();
	catch_signals();

	vm.ram = memfd_create("nnloop-vm-ram", MFD_CLOEXEC);
	if (vm.ram < 0 || ftruncate(vm.ram, vm.ram_mib << 20))
		die("%lu MiB for the VM", vm.ram_mib);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, command) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control))
		die("socketpair");
	vm.link = command[0];
	vm.control = control[0];

	for (unsigned int i = 0; i < vm.n_boards && !vm.exit_status; i++)
		start_board(i);
	if (vm.exit_status) {
		show_tail("board.log", 12);
	} else {
		start_qemu(command[1], control[1]);
		serve();
	}
	stop_all();
	if (vm.boot_again)
		boot_again(original.list);
	return vm.exit_status;
}
