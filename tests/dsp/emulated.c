// SPDX-License-Identifier: MIT
/*
 * A device for the library in place of /dev/nnloop: the firmware's jobs in qemu-hexagon, without
 * board, driver or VM. Packets are those of the DSP; only one job runs at a time. Linked before the
 * library, it is its device "hexagon".
 *
 * With NNLOOP_EMULATED_WORKERS=N in the environment, each pass is run by the shares of N workers
 * (dsp/program/share.h), in turn, and what is printed of each job is its longest chain: packets of the
 * kernels from the beginning of its passes to their end.
 *
 * With NNLOOP_EMULATED_LEAVES in the environment, control programs are left off before each step but the
 * first, as for others that wait, and gone on with by another job; how often is printed in the end.
 */
#include "emulated.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "device/device.h"

#define ALIGNMENT	4096u

struct emulated {
	struct nn_device device;
	uint8_t *window;		/* what the DSP has at NNLOOP_WINDOW_BASE */
	uint64_t used;			/* of it: memory that was freed is used again at its end only */
	struct emulated_control *control;
	uint64_t job, generation;	/* ids of jobs; how often memory was freed */
	pid_t emulator;
	int to, from;			/* pipes */
	bool shared;			/* by several workers */
};

struct nn_queue {
	struct emulated *emulated;
};

/* ---- Memory */

static int create(struct nn_device *device, uint64_t size, struct nn_block *block, struct nn_error *error)
{
	struct emulated *emulated = (struct emulated *)device;
	uint64_t rounded = (size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);

	*block = (struct nn_block){ 0 };
	if (size > EMULATED_WINDOW_SIZE || rounded > EMULATED_WINDOW_SIZE - emulated->used) {
		nn_error_set(error, -ENOSPC, "no memory in the emulator's window for %llu bytes",
			     (unsigned long long)size);
		return -ENOSPC;
	}
	block->data = emulated->window + emulated->used;
	block->size = rounded;
	block->address = NNLOOP_WINDOW_BASE + emulated->used;
	block->handle = 1;
	memset(block->data, 0, rounded);
	emulated->used += rounded;
	return 0;
}

static int create_dmabuf(struct nn_device *device, uint64_t size, int *fd, struct nn_error *error)
{
	(void)device;
	(void)size;
	*fd = -1;
	nn_error_set(error, -EOPNOTSUPP, "the emulated device has no dma-bufs");
	return -EOPNOTSUPP;
}

static int import(struct nn_device *device, int fd, uint64_t offset, uint64_t size, bool write,
		  struct nn_block *block, struct nn_error *error)
{
	(void)offset;
	(void)write;
	*block = (struct nn_block){ 0 };
	return create_dmabuf(device, size, &fd, error);
}

static int seal(struct nn_device *device, struct nn_block *block, struct nn_error *error)
{
	(void)device;
	(void)error;
	block->data = NULL;
	return 0;
}

static void destroy(struct nn_device *device, struct nn_block *block)
{
	struct emulated *emulated = (struct emulated *)device;

	if (block->address - NNLOOP_WINDOW_BASE + block->size == emulated->used)
		emulated->used -= block->size;
	emulated->generation++;
	*block = (struct nn_block){ 0 };
}

static void do_nothing(struct nn_device *device, const struct nn_block *block, bool write)
{
	(void)device;
	(void)block;
	(void)write;
}

/* ---- Queues */

static int create_queue(struct nn_device *device, struct nn_queue **queue, struct nn_error *error)
{
	*queue = calloc(1, sizeof(**queue));
	if (!*queue) {
		nn_error_set(error, -ENOMEM, "out of memory");
		return -ENOMEM;
	}
	(*queue)->emulated = (struct emulated *)device;
	return 0;
}

static void destroy_queue(struct nn_queue *queue)
{
	free(queue);
}

static void write_job(struct emulated *emulated, const struct nn_pass *passes, uint32_t count)
{
	struct nnloop_cmd *entry = emulated->control->ring;

	*entry = (struct nnloop_cmd){ .type = NNLOOP_CMD_JOB, .count = count };
	entry->job.id = ++emulated->job;
	entry->job.space = entry->job.client = 1;
	entry->job.client_generation = emulated->generation;
	for (uint32_t i = 0; i < count; i++) {
		*++entry = (struct nnloop_cmd){ .type = NNLOOP_CMD_PASS, .count = NN_ARG_COUNT };
		if (passes[i].control) {
			entry->pass.program = passes[i].control->address;
			entry->pass.program_size = passes[i].control->control->size;
			entry->pass.arg[NN_ARG_PROFILE] = passes[i].args[NN_ARG_PROFILE];
			entry->pass.arg[NN_ARG_FLAGS] = NN_PASS_CONSTANT | NN_PASS_CONTROL;
			continue;
		}
		entry->pass.program = passes[i].program->address;
		entry->pass.program_size = passes[i].program->program->size;
		memcpy(entry->pass.arg, passes[i].args, sizeof(entry->pass.arg));
		entry->pass.arg[NN_ARG_FLAGS] = NN_PASS_CONSTANT;
		if (passes[i].args[NN_ARG_PROFILE])
			entry->pass.arg[NN_ARG_FLAGS] |= NN_PASS_MEMORY;
	}
}

static int run_job(struct nn_job *job, const struct nn_watch *watch, uint32_t before)
{
	struct emulated *emulated = job->queue->emulated;
	struct nn_run_result *result = &job->result;
	uint32_t entries = 1 + job->count, done;

	if (atomic_load(watch->cancelled))
		return -ECANCELED;
	write_job(emulated, job->passes, job->count);
	emulated->control->chain = 0;
	if (write(emulated->to, &entries, sizeof(entries)) != sizeof(entries) ||
	    read(emulated->from, &done, sizeof(done)) != sizeof(done))
		return -EIO;
	result->passes_done = emulated->control->passes_done;
	result->fail_op = emulated->control->fail_op;
	result->fail_reason = emulated->control->fail_reason;
	if (emulated->shared)
		fprintf(stderr, "%u workers: %llu packets\n", emulated->control->workers,
			(unsigned long long)emulated->control->chain);
	watch->progress(watch->opaque, before + result->passes_done);
	return emulated->control->status == NNLOOP_STATUS_OK ? 0 : -EINVAL;
}

/* One after the other. What a job before could not do, none behind it does. */
static void run_jobs(struct nn_device *device, struct nn_job *jobs, uint32_t count, const struct nn_watch *watch)
{
	uint32_t before = 0;
	int error = 0;

	(void)device;
	for (uint32_t i = 0; i < count; i++) {
		jobs[i].result = (struct nn_run_result){ .fail_op = NN_SAME_OP };
		error = error ? -ECANCELED : run_job(&jobs[i], watch, before);
		jobs[i].error = error;
		before += jobs[i].result.passes_done;
	}
}

/* ---- The device */

static void close_device(struct nn_device *device)
{
	struct emulated *emulated = (struct emulated *)device;

	close(emulated->to);
	close(emulated->from);
	waitpid(emulated->emulator, NULL, 0);
	if (emulated->control->leaves_off)
		fprintf(stderr, "left off %u times\n", emulated->control->left_off);
	munmap(emulated->window, EMULATED_WINDOW_SIZE);
	munmap(emulated->control, EMULATED_CONTROL_SIZE);
	free(emulated);
}

static const struct nn_device_ops emulated_ops = {
	.close = close_device,
	.block_create = create,
	.constant_create = create,
	.dmabuf_create = create_dmabuf,
	.block_import = import,
	.block_seal = seal,
	.block_destroy = destroy,
	.block_begin = do_nothing,
	.block_end = do_nothing,
	.queue_create = create_queue,
	.queue_destroy = destroy_queue,
	.jobs_run = run_jobs,
};

static void *map_file(const char *name, size_t size, int *fd)
{
	void *memory;

	*fd = memfd_create(name, 0);
	if (*fd < 0 || ftruncate(*fd, size))
		return MAP_FAILED;
	/* Out of the way of the numbers that the emulator has them under. */
	*fd = dup2(*fd, *fd + 16);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *fd, 0);
	return memory;
}

/* Becomes the emulator, in the child. The program that it runs is beside this one. */
static void emulate(int window, int control, const int *to, const int *from, bool shared)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof("emulated-share.elf"));
	char *slash;

	if (length < 0)
		_exit(1);
	path[length] = 0;
	slash = strrchr(path, '/');
	strcpy(slash + 1, shared ? "emulated-share.elf" : "emulated-job.elf");
	dup2(to[0], 0);
	dup2(from[1], 1);
	dup2(window, EMULATED_WINDOW_FD);
	dup2(control, EMULATED_CONTROL_FD);
	for (int fd = EMULATED_CONTROL_FD + 1; fd < 64; fd++)
		close(fd);
	execlp("qemu-hexagon", "qemu-hexagon", path, NULL);
	_exit(1);
}

int nn_device_open_hexagon(const char *path, struct nn_device **result, struct nn_error *error)
{
	struct emulated *emulated = calloc(1, sizeof(*emulated));
	const char *workers = getenv("NNLOOP_EMULATED_WORKERS");
	int window, control, to[2], from[2];

	(void)path;
	if (!emulated || pipe(to) || pipe(from))
		goto no_memory;
	emulated->window = map_file("window", EMULATED_WINDOW_SIZE, &window);
	emulated->control = map_file("control", EMULATED_CONTROL_SIZE, &control);
	if (emulated->window == MAP_FAILED || emulated->control == MAP_FAILED)
		goto no_memory;
	emulated->shared = workers;
	emulated->control->workers = workers ? atoi(workers) : 1;
	emulated->control->leaves_off = getenv("NNLOOP_EMULATED_LEAVES") != NULL;
	emulated->emulator = fork();
	if (emulated->emulator < 0)
		goto no_memory;
	if (!emulated->emulator)
		emulate(window, control, to, from, emulated->shared);
	close(window);
	close(control);
	close(to[0]);
	close(from[1]);
	/* An emulator that died is an error of the run. */
	signal(SIGPIPE, SIG_IGN);
	emulated->to = to[1];
	emulated->from = from[0];
	emulated->device.ops = &emulated_ops;
	emulated->device.references = 1;
	emulated->device.info.kind = NN_DEVICE_HEXAGON;
	emulated->device.controls = true;
	emulated->device.pass_counts = 5;
	emulated->device.info.workers = 1;
	emulated->device.info.max_passes = NNLOOP_MAX_PASSES;
	strcpy(emulated->device.info.name, "Hexagon DSP, emulated without a board");
	*result = &emulated->device;
	return 0;
no_memory:
	/* The program ends here. */
	nn_error_set(error, -ENOMEM, "no memory or processes for the emulator: %s", strerror(errno));
	return -ENOMEM;
}
