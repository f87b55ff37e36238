// SPDX-License-Identifier: MIT
/*
 * The guest side of tools/vm/run: the VM's process 1 once the file systems are in place.
 *
 * Runs the one command that the host asks for and passes its streams, signals and exit status
 * through the virtio-serial port (protocol.h). The host ends the VM when it has the exit
 * status, so nothing here needs an orderly shutdown beyond sync().
 */
#include "protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

struct command {
	pid_t pid;
	int in;			/* write end of its stdin, -1 once closed */
	int out, err;		/* read ends, -1 at end of file */
	char *pending;		/* stdin bytes that it has not taken yet */
	size_t pending_length;
	bool pending_eof;
	bool reaped;
	int status;
};

static int port;

/*
 * Ends the VM. Only for what leaves it useless: process 1 ends, the kernel panics, and the host
 * shows the log that this goes to.
 */
static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "nnloop vm: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, ": %s\n", strerror(errno));
	va_end(args);
	exit(1);
}

static void write_all(int fd, const void *data, size_t length)
{
	const char *p = data;

	while (length) {
		ssize_t n = write(fd, p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die("write to the host");
		p += n;
		length -= n;
	}
}

static void read_all(int fd, void *data, size_t length)
{
	char *p = data;

	while (length) {
		ssize_t n = read(fd, p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die("read from the host");
		p += n;
		length -= n;
	}
}

static void send_message(uint32_t type, const void *data, size_t length)
{
	struct vm_header header = { type, length };
	char buffer[sizeof(header) + VM_MAX_PAYLOAD];

	/* One write per message: each costs an exit to the host. */
	memcpy(buffer, &header, sizeof(header));
	if (length)
		memcpy(buffer + sizeof(header), data, length);
	write_all(port, buffer, sizeof(header) + length);
}

static struct vm_header receive_message(char *payload)
{
	struct vm_header header;

	read_all(port, &header, sizeof(header));
	if (header.length > VM_MAX_PAYLOAD) {
		errno = EPROTO;
		die("message of %u bytes", header.length);
	}
	read_all(port, payload, header.length);
	return header;
}

/* A pipe, or a raw terminal where the host's stream is one; *parent is what this side reads. */
static void open_stream(bool tty, const struct vm_run *run, int *parent, int *child)
{
	struct winsize size = { .ws_row = run->rows, .ws_col = run->columns };
	struct termios raw;
	int fds[2];

	if (!tty) {
		if (pipe2(fds, O_CLOEXEC))
			die("pipe");
		*parent = fds[0];
		*child = fds[1];
		return;
	}

	*parent = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*parent < 0 || grantpt(*parent) || unlockpt(*parent))
		die("terminal");
	*child = open(ptsname(*parent), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*child < 0)
		die("terminal");
	/* The host's own terminal does the output processing. */
	if (!tcgetattr(*child, &raw)) {
		cfmakeraw(&raw);
		tcsetattr(*child, TCSANOW, &raw);
	}
	ioctl(*child, TIOCSWINSZ, &size);
}

static void start_command(struct command *command, char *payload, size_t length)
{
	struct vm_run run;
	char *at = payload + sizeof(run), *end = payload + length;
	char *directory, **args, **env;
	int in[2], out, err;
	sigset_t none;

	memcpy(&run, payload, sizeof(run));
	args = calloc(run.args + 1, sizeof(*args));
	env = calloc(run.env + 1, sizeof(*env));
	if (!args || !env)
		die("command line");
	directory = at;
	at += strlen(at) + 1;
	for (uint32_t i = 0; i < run.args && at < end; i++, at += strlen(at) + 1)
		args[i] = at;
	for (uint32_t i = 0; i < run.env && at < end; i++, at += strlen(at) + 1)
		env[i] = at;

	if (pipe2(in, O_CLOEXEC))
		die("pipe");
	open_stream(run.stdout_is_tty, &run, &command->out, &out);
	open_stream(run.stderr_is_tty, &run, &command->err, &err);

	command->pid = fork();
	if (command->pid < 0)
		die("fork");
	if (!command->pid) {
		setsid();
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		dup2(in[0], 0);
		dup2(out, 1);
		dup2(err, 2);
		if (chdir(directory)) {
			fprintf(stderr, "tools/vm/run: cannot enter %s in the VM: %s\n", directory,
				strerror(errno));
			_exit(126);
		}
		environ = env;
		execvp(args[0], args);
		fprintf(stderr, "tools/vm/run: cannot run %s in the VM: %s\n", args[0],
			strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}

	close(in[0]);
	close(out);
	close(err);
	command->in = in[1];
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	free(args);
	free(env);
}

/* Pass one chunk on; returns false at end of file. */
static bool forward_output(int fd, uint32_t type)
{
	char buffer[VM_MAX_PAYLOAD];
	ssize_t n = read(fd, buffer, sizeof(buffer));

	if (n < 0 && errno == EINTR)
		return true;
	/* A terminal whose other side is closed reports EIO. */
	if (n <= 0)
		return false;
	send_message(type, buffer, n);
	return true;
}

static void stdin_taken(struct command *command, size_t n)
{
	uint32_t taken = n;

	command->pending_length -= n;
	memmove(command->pending, command->pending + n, command->pending_length);
	send_message(VM_STDIN_TAKEN, &taken, sizeof(taken));
}

static void feed_stdin(struct command *command)
{
	ssize_t n;

	if (command->pending_length && command->in >= 0) {
		n = write(command->in, command->pending, command->pending_length);
		if (n > 0) {
			stdin_taken(command, n);
		} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
			close(command->in);
			command->in = -1;
		}
	}
	/* Bytes that nobody will read are dropped, as a closed pipe would. */
	if (command->in < 0 && command->pending_length)
		stdin_taken(command, command->pending_length);
	if (!command->pending_length && command->pending_eof && command->in >= 0) {
		close(command->in);
		command->in = -1;
	}
}

static void handle_message(struct command *command)
{
	static char payload[VM_MAX_PAYLOAD];
	struct vm_header header = receive_message(payload);
	uint32_t signal_number;

	switch (header.type) {
	case VM_STDIN:
		if (!header.length)
			command->pending_eof = true;
		if (command->pending_length + header.length > VM_STDIN_WINDOW) {
			errno = EPROTO;
			die("more input than the window");
		}
		memcpy(command->pending + command->pending_length, payload, header.length);
		command->pending_length += header.length;
		feed_stdin(command);
		break;
	case VM_SIGNAL:
		memcpy(&signal_number, payload, sizeof(signal_number));
		if (!command->reaped)
			kill(-command->pid, signal_number);
		break;
	default:
		errno = EPROTO;
		die("message type %u", header.type);
	}
}

/* Every orphan of the VM is ours to reap, as process 1. */
static void reap(struct command *command, int signals)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	if (read(signals, &info, sizeof(info)) < 0)
		return;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == command->pid) {
			command->reaped = true;
			command->status = WIFEXITED(status) ? WEXITSTATUS(status) :
							      128 + WTERMSIG(status);
		}
	}
}

/*
 * Until the command ended and its output is drained. A process that it left in the background
 * may hold the streams open for ever, so after the command's own end only what is there already
 * is taken.
 */
static void serve(struct command *command, int signals)
{
	for (;;) {
		bool ended = command->reaped;
		struct pollfd fds[] = {
			{ .fd = port, .events = POLLIN },
			{ .fd = signals, .events = POLLIN },
			{ .fd = command->out, .events = POLLIN },
			{ .fd = command->err, .events = POLLIN },
			{ .fd = command->pending_length ? command->in : -1, .events = POLLOUT },
		};
		int n = poll(fds, sizeof(fds) / sizeof(fds[0]), ended ? 0 : -1);

		if (n < 0 && errno != EINTR)
			die("poll");
		if (n < 0)
			continue;
		if (fds[2].revents && !forward_output(command->out, VM_STDOUT))
			command->out = -1;
		if (fds[3].revents && !forward_output(command->err, VM_STDERR))
			command->err = -1;
		if (fds[1].revents)
			reap(command, signals);
		/*
		 * Nobody is there: for a moment after the system slept, and on some kernels for
		 * good.
		 */
		if (fds[0].revents & POLLHUP)
			usleep(10000);
		else if (fds[0].revents)
			handle_message(command);
		if (fds[4].revents)
			feed_stdin(command);
		if (ended && !fds[2].revents && !fds[3].revents)
			return;
	}
}

int main(int argc, char **argv)
{
	static char payload[VM_MAX_PAYLOAD];
	struct command command = { .in = -1, .out = -1, .err = -1 };
	struct vm_header header;
	struct vm_exit result;
	sigset_t child;
	int signals;

	if (argc != 2) {
		fprintf(stderr, "usage: guest PORT (tools/vm/init calls it)\n");
		return 2;
	}

	/* The host's files do not survive the system's sleep; this does. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("memory");
	port = open(argv[1], O_RDWR | O_CLOEXEC);
	if (port < 0)
		die("%s", argv[1]);
	command.pending = malloc(VM_STDIN_WINDOW);
	if (!command.pending)
		die("memory");
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	signal(SIGPIPE, SIG_IGN);
	signals = signalfd(-1, &child, SFD_CLOEXEC);
	if (signals < 0)
		die("signalfd");

	send_message(VM_HELLO, NULL, 0);
	header = receive_message(payload);
	if (header.type != VM_RUN) {
		errno = EPROTO;
		die("message type %u", header.type);
	}
	start_command(&command, payload, header.length);
	serve(&command, signals);

	/*
	 * Processes that the command left behind must not write any more when the host reads the
	 * tree.
	 */
	kill(-1, SIGKILL);
	sync();
	result.status = command.status;
	send_message(VM_EXIT, &result, sizeof(result));
	for (;;)
		pause();
}
