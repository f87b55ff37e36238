// SPDX-License-Identifier: MIT
/* A board without a VM. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rig.h"

#define PAGE		4096u
#define RING_PAGES	(NNLOOP_RING_ENTRIES * sizeof(struct nnloop_cmd) / PAGE)
#define RING_BASE(w)	(NNLOOP_SYSTEM_BASE + 0x100000u * ((w) + 1))
#define STRING(x)	#x
#define STRING_OF(x)	STRING(x)

static void __attribute__((noreturn, format(printf, 1, 2))) broken(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("Bail out! ");
	vprintf(format, args);
	printf("\n");
	fflush(stdout);
	exit(1);
}

const char *rig_built(const char *name)
{
	static char path[PATH_MAX + 64];
	char *slash;
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
	int up;

	if (length < 0)
		broken("cannot find the build folder");
	path[length] = '\0';
	for (up = 0; up < 2; up++) {	/* $(O)/tests/board */
		slash = strrchr(path, '/');
		*slash = '\0';
	}
	strcat(path, "/");
	strcat(path, name);
	return path;
}

static void file_in(const struct rig *rig, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", rig->folder, name);
}

static int receive_message(int connection, int64_t *value)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = value, .iov_len = sizeof(*value) };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(connection, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) != sizeof(*value))
		broken("the board hung up during the introduction");
	if (CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

/* Does with the server's messages what QEMU's ivshmem-doorbell device does. */
static void be_introduced(struct rig *rig)
{
	unsigned int ours = 0, theirs = 0;
	int64_t value, own_id;
	int fd;

	if (receive_message(rig->connection, &value) >= 0 || value)
		broken("protocol version %lld", (long long)value);
	if (receive_message(rig->connection, &own_id) >= 0 || own_id < 0)
		broken("own id %lld", (long long)own_id);
	fd = receive_message(rig->connection, &value);
	if (fd < 0 || value != -1)
		broken("no shared memory");
	rig->registers = mmap(NULL, NNLOOP_REGS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (rig->registers == MAP_FAILED)
		broken("cannot map the registers");
	while (ours <= rig->workers) {
		fd = receive_message(rig->connection, &value);
		if (fd < 0)
			broken("an eventfd is missing");
		if (value == own_id)
			rig->interrupt[ours++] = fd;
		else if (theirs <= rig->workers)
			rig->doorbell[theirs++] = fd;
	}
	if (theirs != rig->workers + 1)
		broken("%u doorbells instead of %u", theirs, rig->workers + 1);
}

static void start_board(struct rig *rig, const char *smmu, const char *cache)
{
	char path[5][PATH_MAX], workers[16], ready[16] = "";
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int output[2];

	file_in(rig, "socket", path[0], PATH_MAX);
	file_in(rig, "ram", path[1], PATH_MAX);
	file_in(rig, "pids", path[2], PATH_MAX);
	strcpy(path[3], rig_built("firmware.elf"));
	strcpy(path[4], smmu ? smmu : rig_built("smmu"));
	snprintf(workers, sizeof(workers), "%u", rig->workers);
	if (pipe2(output, O_CLOEXEC))
		broken("pipe: %s", strerror(errno));
	fflush(stdout);
	rig->vdsp = fork();
	if (rig->vdsp < 0)
		broken("fork: %s", strerror(errno));
	if (!rig->vdsp) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(output[1], 1);
		execl(rig_built("vdsp"), "vdsp", "--socket", path[0], "--ram", path[1],
		      "--ram-base", STRING_OF(RIG_RAM_BASE), "--workers", workers, "--firmware",
		      path[3], "--smmu", path[4], "--pids", path[2],
		      cache ? "--cache" : NULL, cache, NULL);
		_exit(127);
	}
	close(output[1]);
	if (read(output[0], ready, sizeof(ready) - 1) <= 0 || strcmp(ready, "ready\n"))
		broken("vdsp did not get ready");
	close(output[0]);
	unlink(path[1]);	/* both have it open: nothing big is ever left behind */

	strcpy(address.sun_path, path[0]);
	rig->connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(rig->connection, (struct sockaddr *)&address, sizeof(address)))
		broken("connect: %s", strerror(errno));
	be_introduced(rig);
}

void rig_open(struct rig *rig, unsigned int workers)
{
	rig_open_with(rig, workers, NULL, NULL);
}

void rig_open_with(struct rig *rig, unsigned int workers, const char *smmu, const char *cache)
{
	char path[PATH_MAX];
	unsigned int i;
	int fd;

	memset(rig, 0, sizeof(*rig));
	rig->workers = workers;
	rig->patience_ms = RIG_PATIENCE_MS;
	strcpy(rig->folder, "/tmp/nnloop-board-XXXXXX");
	if (!mkdtemp(rig->folder))
		broken("mkdtemp: %s", strerror(errno));
	file_in(rig, "ram", path, sizeof(path));
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, RIG_RAM_SIZE))
		broken("cannot make %s: %s", path, strerror(errno));
	rig->ram = mmap(NULL, RIG_RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (rig->ram == MAP_FAILED)
		broken("cannot map %s: %s", path, strerror(errno));
	rig->ram_used = PAGE;	/* address 0 of the memory stays unused */

	rig->system_root = rig_pages(rig, 1);
	for (i = 0; i < workers; i++) {
		struct space system = { .root = rig->system_root };

		rig->ring[i] = rig_pages(rig, RING_PAGES);
		rig_map(rig, &system, RING_BASE(i), rig->ring[i], RING_PAGES, 0);
	}
	start_board(rig, smmu, cache);
}

int rig_close(struct rig *rig)
{
	const char *const left[] = { "pids", "socket" };
	char path[PATH_MAX];
	unsigned int i;
	int status;

	close(rig->connection);
	waitpid(rig->vdsp, &status, 0);
	for (i = 0; i <= rig->workers; i++) {
		close(rig->doorbell[i]);
		close(rig->interrupt[i]);
	}
	munmap((void *)rig->registers, NNLOOP_REGS_SIZE);
	munmap(rig->ram, RIG_RAM_SIZE);
	for (i = 0; i < 2; i++) {
		file_in(rig, left[i], path, sizeof(path));
		unlink(path);
	}
	rmdir(rig->folder);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

uint32_t rig_read(struct rig *rig, unsigned int worker, uint32_t reg)
{
	return __atomic_load_n(&rig->registers[(NNLOOP_WORKER(worker) + reg) / 4],
			       __ATOMIC_ACQUIRE);
}

void rig_write(struct rig *rig, unsigned int worker, uint32_t reg, uint32_t value)
{
	__atomic_store_n(&rig->registers[(NNLOOP_WORKER(worker) + reg) / 4], value,
			 __ATOMIC_SEQ_CST);
}

uint64_t rig_pages(struct rig *rig, unsigned int count)
{
	uint64_t offset = rig->ram_used;

	if (count > (RIG_RAM_SIZE - offset) / PAGE)
		broken("the test's memory is too small");
	rig->ram_used += (uint64_t)count * PAGE;
	return RIG_RAM_BASE + offset;
}

void *rig_at(struct rig *rig, uint64_t dma)
{
	return rig->ram + (dma - RIG_RAM_BASE);
}

struct space rig_space(struct rig *rig)
{
	static uint32_t id;

	id++;
	return (struct space){
		.root = rig_pages(rig, 1), .id = id, .generation = 1, .client = id,
	};
}

uint64_t *rig_pte(struct rig *rig, uint64_t root, uint32_t address)
{
	const uint32_t index[3] = {
		address >> 30, (address >> 21) & 511, (address >> 12) & 511,
	};
	uint64_t *table = rig_at(rig, root);
	int level;

	for (level = 0; level < 2; level++) {
		uint64_t *entry = &table[index[level]];

		if (!(*entry & NNLOOP_PTE_VALID))
			*entry = rig_pages(rig, 1) | NNLOOP_PTE_VALID;
		table = rig_at(rig, *entry & NNLOOP_PTE_ADDRESS);
	}
	return &table[index[2]];
}

void rig_map(struct rig *rig, const struct space *space, uint32_t address, uint64_t dma,
	     unsigned int count, uint64_t flags)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		*rig_pte(rig, space->root, address + i * PAGE) =
			(dma + (uint64_t)i * PAGE) | flags | NNLOOP_PTE_VALID;
}

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000ll + time.tv_nsec / 1000000;
}

bool rig_wait_register(struct rig *rig, unsigned int vector, unsigned int worker, uint32_t reg,
		       uint32_t value)
{
	struct pollfd interrupt = { .fd = rig->interrupt[vector], .events = POLLIN };
	int64_t end = now_ms() + rig->patience_ms;
	uint64_t count;

	while (rig_read(rig, worker, reg) != value) {
		int64_t left = end - now_ms();

		if (left <= 0 || poll(&interrupt, 1, left) <= 0) {
			rig->patience_ms = RIG_PATIENCE_LOST_MS;
			return rig_read(rig, worker, reg) == value;
		}
		if (read(interrupt.fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
			broken("cannot read an eventfd: %s", strerror(errno));
	}
	return true;
}

static void ring(struct rig *rig, unsigned int vector)
{
	uint64_t one = 1;

	if (write(rig->doorbell[vector], &one, sizeof(one)) < 0)
		broken("cannot ring: %s", strerror(errno));
}

bool rig_request(struct rig *rig, unsigned int worker, uint32_t request)
{
	uint32_t word = ++rig->tag << 8 | request;

	rig_write(rig, worker, NNLOOP_WREG_REQUEST, word);
	ring(rig, rig->workers);
	return rig_wait_register(rig, rig->workers, worker, NNLOOP_WREG_ACK, word);
}

bool rig_boot(struct rig *rig, unsigned int worker)
{
	if (!rig_request(rig, worker, NNLOOP_REQUEST_RESET))
		return false;
	rig_write(rig, worker, NNLOOP_WREG_SYSTEM_ROOT_LO, (uint32_t)rig->system_root);
	rig_write(rig, worker, NNLOOP_WREG_SYSTEM_ROOT_HI, (uint32_t)(rig->system_root >> 32));
	rig_write(rig, worker, NNLOOP_WREG_RING_BASE, RING_BASE(worker));
	rig_write(rig, worker, NNLOOP_WREG_RING_HEAD, 0);
	rig_write(rig, worker, NNLOOP_WREG_RING_TAIL, 0);
	rig_write(rig, worker, NNLOOP_WREG_CANCEL_LO, 0);
	rig_write(rig, worker, NNLOOP_WREG_CANCEL_HI, 0);
	rig->tail[worker] = 0;
	return rig_request(rig, worker, NNLOOP_REQUEST_START) &&
	       rig_wait_register(rig, worker, worker, NNLOOP_WREG_STATE, NNLOOP_STATE_READY);
}

struct nnloop_cmd *rig_next_entry(struct rig *rig, unsigned int worker)
{
	struct nnloop_cmd *entries = rig_at(rig, rig->ring[worker]);
	struct nnloop_cmd *entry = &entries[rig->tail[worker]++ % NNLOOP_RING_ENTRIES];

	memset(entry, 0, sizeof(*entry));
	return entry;
}

void rig_ring_bell(struct rig *rig, unsigned int worker)
{
	rig_write(rig, worker, NNLOOP_WREG_RING_TAIL, rig->tail[worker]);
	ring(rig, worker);
}

uint64_t rig_next_job_id(const struct rig *rig)
{
	return (rig->job_id + 1) | 0x500000000ull;	/* both halves count */
}

void rig_put_part(struct rig *rig, const struct gang *gang, unsigned int index, uint64_t id,
		  const struct space *space, const struct pass *pass, unsigned int count)
{
	unsigned int worker = gang->worker[index], i, k;
	struct nnloop_cmd *entry = rig_next_entry(rig, worker);

	entry->type = NNLOOP_CMD_JOB;
	entry->count = count;
	entry->job.id = id;
	entry->job.root = space->root;
	entry->job.space = space->id;
	entry->job.generation = space->generation;
	entry->job.client = space->client;
	entry->job.client_generation = space->client_generation;
	if (gang->count > 1) {
		entry->job.gang_count = gang->count;
		entry->job.gang_index = index;
		for (i = 0; i < gang->count; i++)
			entry->job.gang_worker[i] = gang->worker[i];
	}
	for (i = 0; i < count; i++) {
		entry = rig_next_entry(rig, worker);
		entry->type = NNLOOP_CMD_PASS;
		entry->count = pass[i].count;
		entry->pass.program = pass[i].program;
		entry->pass.program_size = pass[i].size;
		for (k = 0; k < NNLOOP_MAX_ARGS; k++)
			entry->pass.arg[k] = pass[i].arg[k];
	}
}

uint64_t rig_submit_gang(struct rig *rig, const struct gang *gang, const struct space *space,
			 const struct pass *pass, unsigned int count)
{
	uint64_t id = rig_next_job_id(rig);
	unsigned int i;

	rig->job_id++;
	for (i = 0; i < gang->count; i++) {
		rig_put_part(rig, gang, i, id, space, pass, count);
		rig_ring_bell(rig, gang->worker[i]);
	}
	return id;
}

uint64_t rig_submit(struct rig *rig, unsigned int worker, const struct space *space,
		    const struct pass *pass, unsigned int count)
{
	const struct gang alone = { .count = 1, .worker = { worker } };

	return rig_submit_gang(rig, &alone, space, pass, count);
}

bool rig_wait(struct rig *rig, unsigned int worker, uint64_t id)
{
	return rig_wait_register(rig, worker, worker, NNLOOP_WREG_RING_HEAD, rig->tail[worker]) &&
	       rig_read(rig, worker, NNLOOP_WREG_DONE_ID_LO) == (uint32_t)id &&
	       rig_read(rig, worker, NNLOOP_WREG_DONE_ID_HI) == (uint32_t)(id >> 32);
}

uint32_t rig_run(struct rig *rig, unsigned int worker, const struct space *space,
		 const struct pass *pass, unsigned int count)
{
	uint64_t id = rig_submit(rig, worker, space, pass, count);

	return rig_wait(rig, worker, id) ? rig_read(rig, worker, NNLOOP_WREG_STATUS) : ~0u;
}

void rig_cancel(struct rig *rig, unsigned int worker, uint64_t id)
{
	rig_write(rig, worker, NNLOOP_WREG_CANCEL_LO, (uint32_t)id);
	rig_write(rig, worker, NNLOOP_WREG_CANCEL_HI, (uint32_t)(id >> 32));
	ring(rig, worker);
}

pid_t rig_worker_pid(struct rig *rig, unsigned int worker)
{
	char path[PATH_MAX], line[64];
	unsigned int number;
	int pid, found = 0;
	FILE *file;

	file_in(rig, "pids", path, sizeof(path));
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "worker %u %d", &number, &pid) == 2 && number == worker)
			found = pid;
	fclose(file);
	return found;
}
