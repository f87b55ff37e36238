// SPDX-License-Identifier: MIT
/*
 * vdsp, the virtual Hexagon board: a PCI function for one VM, or a board of this machine itself, and
 * the processes behind it.
 *
 * QEMU connects to the board's socket and gets, by the ivshmem protocol, the register page
 * (driver/nnloop_hw.h) as BAR2 and an eventfd for every doorbell and every interrupt. The doorbells
 * of the workers go straight to them. What is left for this process is little: to start and kill
 * workers when the driver asks, to tell the driver and the other workers when one has died, and to
 * end with the VM.
 *
 * With --local the driver is this machine's, and does QEMU's part (local.c). The rest is the same.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vdsp.h"
#include "ivshmem.h"

#define SIGN_MS	200	/* between two signs of life, at most */

static const char usage[] =
	"usage: vdsp --socket PATH --ram FILE --firmware ELF --smmu ELF [options]\n"
	"       vdsp --local[=DEVICE] --firmware ELF --smmu ELF [options]\n"
	"  --local           be a board of this machine, without a VM; DEVICE is /dev/nnloop-board\n"
	"  --socket PATH     Unix socket that the VM's ivshmem-doorbell device connects to\n"
	"  --ram FILE        the file that is the VM's memory (memory-backend-file, share=on)\n"
	"  --ram-base ADDR   guest physical address of its first byte (default 0)\n"
	"  --workers N       DSP hardware threads, 1 to 8 (default 2); the device has N + 1 vectors\n"
	"  --firmware ELF    what the workers run\n"
	"  --smmu ELF        what puts an SMMU beside QEMU into a worker\n"
	"  --cache SIZE      count what passes behind a memory of SIZE, 1K to 64M, nearest to the DSP:\n"
	"                    8 ways of 128-byte lines. Slower; nnloop bench prints it\n"
	"  --pids FILE       write the process ids there\n"
	"  --vm-pid PID      end when this process ends, too\n"
	"Prints \"ready\" when a VM can connect, serves that one VM and ends with it. With --local,\n"
	"prints \"ready\" when the board is attached, and serves until it is told to end.\n";

static void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("vdsp: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static uint64_t parse_number(const char *name, const char *text, uint64_t min, uint64_t max)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value < min || value > max)
		fail("%s must be a number from %" PRIu64 " to %" PRIu64 ", not \"%s\"", name, min,
		     max, text);
	return value;
}

static const char *usable_file(const char *name, const char *path, int mode)
{
	if (!path)
		fail("%s is missing (vdsp --help)", name);
	if (access(path, mode))
		fail("%s: %s: %s", name, path, strerror(errno));
	return path;
}

static char *find_qemu(void)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : "/usr/bin:/bin");
	char *state, *folder, *file;

	for (folder = strtok_r(copy, ":", &state); folder; folder = strtok_r(NULL, ":", &state)) {
		if (asprintf(&file, "%s/qemu-hexagon", folder) < 0)
			fail("out of memory");
		if (!access(file, X_OK)) {
			free(copy);
			return file;
		}
		free(file);
	}
	fail("qemu-hexagon not found: install the package qemu-user");
}

/* The memory of this machine's clients, instead of a VM's. */
static void open_local(struct board *board, const char *device, bool is_vm)
{
	const char *why;

	if (is_vm)
		fail("--local is without a VM, so without --socket, --ram, --ram-base and --vm-pid");
	board->ram_fd = local_open(device, &why);
	if (board->ram_fd < 0)
		fail("%s: %s", device, why);
}

static void open_ram(struct board *board, const char *path)
{
	struct stat status;

	if (!path)
		fail("--ram is missing (vdsp --help)");
	board->ram_fd = open(path, O_RDWR | O_CLOEXEC);
	if (board->ram_fd < 0 || fstat(board->ram_fd, &status))
		fail("--ram: %s: %s", path, strerror(errno));
	if (!status.st_size)
		fail("--ram: %s is empty; make it as large as the VM's memory first", path);
}

static void parse_options(struct board *board, int argc, char **argv, int *vm_pidfd)
{
	static const struct option options[] = {
		{ "local", optional_argument, NULL, 'l' },
		{ "socket", required_argument, NULL, 's' },
		{ "ram", required_argument, NULL, 'r' },
		{ "ram-base", required_argument, NULL, 'b' },
		{ "workers", required_argument, NULL, 'w' },
		{ "firmware", required_argument, NULL, 'f' },
		{ "smmu", required_argument, NULL, 'm' },
		{ "cache", required_argument, NULL, 'c' },
		{ "pids", required_argument, NULL, 'p' },
		{ "vm-pid", required_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *ram = NULL, *firmware = NULL, *smmu = NULL, *vm_pid = NULL, *cache = NULL;
	const char *local = NULL, *why;
	int option;

	board->worker_count = 2;
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'l':
			local = optarg ? optarg : "/dev/nnloop-board";
			break;
		case 's':
			board->socket_path = optarg;
			break;
		case 'r':
			ram = optarg;
			break;
		case 'b':
			board->ram_base = parse_number("--ram-base", optarg, 0, UINT64_MAX);
			break;
		case 'w':
			board->worker_count =
				parse_number("--workers", optarg, 1, NNLOOP_MAX_WORKERS);
			break;
		case 'f':
			firmware = optarg;
			break;
		case 'm':
			smmu = optarg;
			break;
		case 'c':
			cache = optarg;
			break;
		case 'p':
			board->pids_path = optarg;
			break;
		case 'v':
			vm_pid = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
	if (optind < argc)
		fail("unexpected argument \"%s\" (vdsp --help)", argv[optind]);
	if (!board->socket_path && !local)
		fail("--socket or --local is missing (vdsp --help)");
	board->firmware_path = usable_file("--firmware", firmware, R_OK);
	board->smmu_path = usable_file("--smmu", smmu, X_OK);
	board->qemu_path = find_qemu();
	why = cache ? memory_model(board, cache) : NULL;
	if (why)
		fail("--cache %s %s", cache, why);
	if (local)
		open_local(board, local, board->socket_path || ram || board->ram_base || vm_pid);
	else
		open_ram(board, ram);

	/* The SMMU maps single pages of the memory. */
	if (sysconf(_SC_PAGESIZE) != 1 << NNLOOP_PAGE_SHIFT)
		fail("the board needs a host with pages of 4 KiB, this one has %ld KiB",
		     sysconf(_SC_PAGESIZE) / 1024);

	*vm_pidfd = -1;
	if (vm_pid) {
		*vm_pidfd = pidfd_open(parse_number("--vm-pid", vm_pid, 1, INT_MAX), 0);
		if (*vm_pidfd < 0)
			fail("--vm-pid: %s: %s", vm_pid, strerror(errno));
	}
}

static void make_registers(struct board *board)
{
	struct timespec time;
	uint32_t epoch;

	board->registers_fd = memfd_create("nnloop-registers", MFD_CLOEXEC);
	if (board->registers_fd < 0 || ftruncate(board->registers_fd, NNLOOP_REGS_SIZE))
		fail("cannot make the register page: %s", strerror(errno));
	board->registers = mmap(NULL, NNLOOP_REGS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
				board->registers_fd, 0);
	if (board->registers == MAP_FAILED)
		fail("cannot map the register page: %s", strerror(errno));

	/* Milliseconds differ from start to start, and come round after 49 days. */
	clock_gettime(CLOCK_REALTIME, &time);
	epoch = (uint32_t)(time.tv_sec * 1000 + time.tv_nsec / 1000000);
	board_write(board, NNLOOP_REG_VERSION, NNLOOP_HW_VERSION);
	board_write(board, NNLOOP_REG_WORKERS, board->worker_count);
	board_write(board, NNLOOP_REG_DSP_PEER, IVSHMEM_PEER_DSP);
	board_write(board, NNLOOP_REG_BOARD_EPOCH, epoch ? epoch : 1);
	board_write(board, NNLOOP_REG_MAGIC, NNLOOP_MAGIC);
}

static void make_eventfds(struct board *board)
{
	unsigned int i;

	for (i = 0; i <= board->worker_count; i++) {
		board->doorbell[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		board->interrupt[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (board->doorbell[i] < 0 || board->interrupt[i] < 0)
			fail("cannot make an eventfd: %s", strerror(errno));
	}
}

static int watch_signals(void)
{
	sigset_t watched;
	int fd;

	sigemptyset(&watched);
	sigaddset(&watched, SIGCHLD);
	sigaddset(&watched, SIGTERM);
	sigaddset(&watched, SIGINT);
	sigaddset(&watched, SIGHUP);
	sigprocmask(SIG_BLOCK, &watched, NULL);
	fd = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		fail("cannot watch signals: %s", strerror(errno));
	return fd;
}

/* Whether one of the signals that arrived asks the board to end. */
static bool told_to_end(int signals)
{
	struct signalfd_siginfo info;
	bool end = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		end |= info.ssi_signo != SIGCHLD;
	return end;
}

static void raise_board_interrupt(struct board *board)
{
	const uint64_t one = 1;

	/* Fails only when 2^64 - 2 interrupts wait already. */
	if (write(board->interrupt[board->worker_count], &one, sizeof(one)) < 0)
		fprintf(stderr, "vdsp: interrupt lost: %s\n", strerror(errno));
}

/* One that waits for another at a barrier looks whether that is still there. */
static void ring_workers(struct board *board)
{
	const uint64_t one = 1;
	unsigned int i;

	/* A doorbell that is full rings, as above. */
	for (i = 0; i < board->worker_count; i++)
		if (write(board->doorbell[i], &one, sizeof(one)) < 0 && errno != EAGAIN)
			fprintf(stderr, "vdsp: doorbell lost: %s\n", strerror(errno));
}

/* Carry out what the driver has asked for. Whether there was anything. */
static bool serve_requests(struct board *board)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < board->worker_count; i++) {
		uint32_t request = worker_read(board, i, NNLOOP_WREG_REQUEST);

		if (request == worker_read(board, i, NNLOOP_WREG_ACK))
			continue;
		switch (request & 0xff) {
		case NNLOOP_REQUEST_RESET:
			worker_stop(board, i, NNLOOP_STATE_OFF);
			break;
		case NNLOOP_REQUEST_START:
			if (!board->worker[i].pid &&
			    worker_read(board, i, NNLOOP_WREG_STATE) == NNLOOP_STATE_OFF)
				worker_start(board, i);
			else
				fprintf(stderr, "vdsp: START of worker %u, which is not off\n", i);
			break;
		default:
			fprintf(stderr, "vdsp: unknown request %#x for worker %u\n", request, i);
		}
		worker_write(board, i, NNLOOP_WREG_ACK, request);
		any = true;
	}
	return any;
}

/* Wait for the VM to connect. -1: the board is to end. */
static int accept_vm(int listener, int signals, int vm_pidfd)
{
	struct pollfd fds[] = {
		{ .fd = listener, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
		{ .fd = vm_pidfd, .events = POLLIN },
	};
	int connection;

	for (;;) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			fail("poll: %s", strerror(errno));
		if ((fds[1].revents && told_to_end(signals)) || fds[2].revents)
			return -1;
		if (!fds[0].revents)
			continue;
		connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (connection >= 0)
			return connection;
		if (errno != EINTR && errno != ECONNABORTED)
			fail("accept: %s", strerror(errno));
	}
}

/*
 * How long to sleep if nothing happens. The driver looks for the sign of life only while it waits
 * for an answer. It rings before it does so, and then there is no answer yet only as long as a
 * worker is to come up: so a board of this machine, which could cost somebody's battery, sleeps.
 */
static int sleep_ms(const struct board *board)
{
	return board->socket_path || worker_is_booting(board) ? SIGN_MS : -1;
}

/*
 * Until the VM is gone, or the driver of this machine hangs up. Nothing in here may take long: the
 * driver looks for the sign of life. `connection` is QEMU's, or the driver's device. Whether the
 * board was told to end.
 */
static bool serve(struct board *board, int connection, int signals, int vm_pidfd)
{
	int doorbell = board->doorbell[board->worker_count];
	struct pollfd fds[] = {
		{ .fd = connection, .events = board->socket_path ? POLLIN : 0 },
		{ .fd = signals, .events = POLLIN },
		{ .fd = vm_pidfd, .events = POLLIN },
		{ .fd = doorbell, .events = POLLIN },
	};
	uint64_t rings;
	bool news;
	char byte;

	for (;;) {
		board_write(board, NNLOOP_REG_ALIVE, board_read(board, NNLOOP_REG_ALIVE) + 1);
		if (poll(fds, 4, sleep_ms(board)) < 0 && errno != EINTR)
			fail("poll: %s", strerror(errno));
		if ((fds[1].revents && told_to_end(signals)) || fds[2].revents)
			return true;
		/* Nobody there ever says anything: what can be read is the end. */
		if (fds[0].revents &&
		    (!board->socket_path || recv(connection, &byte, 1, MSG_DONTWAIT) <= 0))
			return false;
		if (fds[3].revents && read(doorbell, &rings, sizeof(rings)) < 0 && errno != EAGAIN)
			fail("cannot read the doorbell: %s", strerror(errno));
		news = worker_reap(board);
		if (serve_requests(board) || news) {
			ring_workers(board);
			raise_board_interrupt(board);
		}
	}
}

/* Serves one VM. */
static void serve_vm(struct board *board, int signals, int vm_pidfd)
{
	int listener, connection;

	listener = ivshmem_listen(board->socket_path);
	if (listener < 0)
		exit(1);
	puts("ready");
	fflush(stdout);

	connection = accept_vm(listener, signals, vm_pidfd);
	unlink(board->socket_path);
	close(listener);
	if (connection < 0)
		exit(0);
	if (ivshmem_introduce(connection, board->registers_fd, board->doorbell, board->interrupt,
			      board->worker_count + 1))
		fail("the VM hung up: %s", strerror(errno));
	serve(board, connection, signals, vm_pidfd);
}

/* Serves this machine. Whether it was told to end. */
static bool serve_local(struct board *board, int signals)
{
	const char *why = local_attach(board);

	if (why)
		fail("cannot be attached: %s", why);
	puts("ready");
	fflush(stdout);
	if (serve(board, board->ram_fd, signals, -1))
		return true;
	fprintf(stderr, "vdsp: the driver has given the board up: the kernel's log says why\n");
	return false;
}

int main(int argc, char **argv)
{
	static struct board board;
	bool well = true;
	int vm_pidfd, signals;
	unsigned int i;

	parse_options(&board, argc, argv, &vm_pidfd);
	make_registers(&board);
	make_eventfds(&board);
	signals = watch_signals();
	if (board.socket_path)
		serve_vm(&board, signals, vm_pidfd);
	else
		well = serve_local(&board, signals);
	for (i = 0; i < board.worker_count; i++)
		worker_stop(&board, i, NNLOOP_STATE_OFF);
	if (board.pids_path)
		unlink(board.pids_path);
	return well ? 0 : 1;
}
