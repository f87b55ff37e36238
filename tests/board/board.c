// SPDX-License-Identifier: MIT
/*
 * The virtual board as a driver sees it: registers, doorbells, interrupts, jobs, SMMU faults, and
 * what happens when one of its processes dies. Runs the real vdsp, SMMU and firmware; needs no VM.
 * Prints TAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rig.h"

#define PAGE	4096u
#define NONE	(~0u)

/* Where tests put things in a client's window. */
#define PROGRAM	0x80000000u
#define SOURCE	0x90000000u
#define TARGET	0xa0000000u
#define PROFILE	0xb0000000u

static bool failed;

#define check(condition)							\
do {										\
	if (!(condition)) {							\
		printf("# %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);	\
		failed = true;							\
	}									\
} while (0)

#define check_equal(left, right)						\
do {										\
	unsigned long long left_ = (left), right_ = (right);			\
	if (left_ != right_) {							\
		printf("# %s:%d: %s is %#llx, not %#llx\n", __FILE__, __LINE__,	\
		       #left, left_, right_);					\
		failed = true;							\
	}									\
} while (0)

/* One block copy: an operator of a test program. */
struct copy {
	uint32_t from, to;	/* addresses of the regions */
	uint32_t count, block, from_stride, to_stride;
};

static uint32_t copy_span(uint32_t count, uint32_t block, uint32_t stride)
{
	return (count - 1) * stride + block;
}

/*
 * Write a program of COPY operators into `buffer`; its size. Each operator has two regions and two
 * tensors of one row.
 */
static uint32_t make_program(void *buffer, const struct copy *copy, uint32_t count)
{
	struct nn_program *program = buffer;
	struct nn_program_region *region = (void *)(program + 1);
	struct nn_program_tensor *tensor = (void *)(region + 2 * count);
	struct nn_program_op *op = (void *)(tensor + 2 * count);
	uint32_t size = (uint8_t *)(op + count) - (uint8_t *)buffer;
	uint32_t i, k;

	memset(buffer, 0, size);
	program->magic = NN_PROGRAM_MAGIC;
	program->version = NN_PROGRAM_VERSION;
	program->size = size;
	program->region_count = 2 * count;
	program->tensor_count = 2 * count;
	program->op_count = count;
	for (i = 0; i < 2 * count; i++) {
		const struct copy *c = &copy[i / 2];

		region[i].base = i % 2 ? c->to : c->from;
		region[i].size = copy_span(c->count, c->block,
					   i % 2 ? c->to_stride : c->from_stride);
		region[i].flags = i % 2 ? NN_REGION_WRITABLE : 0;
		tensor[i].type = NN_TYPE_UINT8;
		tensor[i].rank = 2;
		tensor[i].place = NN_PLACE_REGION;
		tensor[i].source = i;
		tensor[i].dims[0] = 1;
		tensor[i].dims[1] = region[i].size;
	}
	for (i = 0; i < count; i++) {
		op[i].opcode = NN_OPCODE_COPY;
		op[i].node = i + 1;
		for (k = 0; k < NN_MAX_OP_INPUTS; k++)
			op[i].input[k] = NN_NO_TENSOR;
		for (k = 0; k < NN_MAX_OP_OUTPUTS; k++)
			op[i].output[k] = NN_NO_TENSOR;
		op[i].input[0] = 2 * i;
		op[i].output[0] = 2 * i + 1;
		op[i].copy.count = copy[i].count;
		op[i].copy.block = copy[i].block;
		op[i].copy.src_stride = copy[i].from_stride;
		op[i].copy.dst_stride = copy[i].to_stride;
	}
	return size;
}

/*
 * A client: a space with one page of program, SOURCE, TARGET and PROFILE pages mapped, and their
 * contents.
 */
struct client {
	struct space space;
	uint8_t *program;
	uint8_t *source;
	uint8_t *target;
	struct nn_profile_record *profile;
};

#define CLIENT_PAGES	4	/* of each */

static void *map_new(struct rig *rig, const struct space *space, uint32_t address,
		     unsigned int pages)
{
	uint64_t dma = rig_pages(rig, pages);

	rig_map(rig, space, address, dma, pages, 0);
	return rig_at(rig, dma);
}

static struct client make_client(struct rig *rig, uint8_t seed)
{
	struct client client = { .space = rig_space(rig) };
	unsigned int i;

	client.program = map_new(rig, &client.space, PROGRAM, CLIENT_PAGES);
	client.source = map_new(rig, &client.space, SOURCE, CLIENT_PAGES);
	client.target = map_new(rig, &client.space, TARGET, CLIENT_PAGES);
	client.profile = map_new(rig, &client.space, PROFILE, CLIENT_PAGES);
	for (i = 0; i < CLIENT_PAGES * PAGE; i++)
		client.source[i] = (uint8_t)(seed + i * 7 + i / 251);
	return client;
}

/* The simplest pass: copy `size` bytes. */
static struct pass copy_pass(struct client *client, uint32_t from, uint32_t to, uint32_t size)
{
	struct copy copy = { from, to, 1, size, 0, 0 };
	struct pass pass = { .program = PROGRAM };

	pass.size = make_program(client->program, &copy, 1);
	return pass;
}

static bool all_bytes(const uint8_t *p, uint8_t value, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (p[i] != value)
			return false;
	return true;
}

/* That the worker takes jobs and gets them right. */
static void check_works(struct rig *rig, unsigned int worker)
{
	struct client client = make_client(rig, (uint8_t)(3 + worker));
	struct pass pass = copy_pass(&client, SOURCE, TARGET, 2 * PAGE + 77);

	check_equal(rig_run(rig, worker, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.source, client.target, 2 * PAGE + 77));
	check(all_bytes(client.target + 2 * PAGE + 77, 0, 100));
}

static void check_refused(struct rig *rig, const struct client *client, const struct pass *pass,
			  uint32_t reason)
{
	check_equal(rig_run(rig, 0, &client->space, pass, 1), NNLOOP_STATUS_BAD_PROGRAM);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_REASON), reason);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 0);
}

static void check_faults(struct rig *rig, unsigned int worker, const struct client *client,
			 const struct pass *pass, uint32_t address, uint32_t access)
{
	check_equal(rig_run(rig, worker, &client->space, pass, 1), NNLOOP_STATUS_FAULT);
	check_equal(rig_read(rig, worker, NNLOOP_WREG_FAULT_ADDR), address);
	check_equal(rig_read(rig, worker, NNLOOP_WREG_FAULT_ACCESS), access);
	check_equal(rig_read(rig, worker, NNLOOP_WREG_PASSES_DONE), 0);
}

static void test_registers(struct rig *rig)
{
	check_equal(rig->registers[NNLOOP_REG_MAGIC / 4], NNLOOP_MAGIC);
	check_equal(rig->registers[NNLOOP_REG_VERSION / 4], NNLOOP_HW_VERSION);
	check_equal(rig->registers[NNLOOP_REG_WORKERS / 4], rig->workers);
	check(rig->registers[NNLOOP_REG_BOARD_EPOCH / 4]);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_OFF);
	check_equal(rig_read(rig, 1, NNLOOP_WREG_STATE), NNLOOP_STATE_OFF);
}

static void test_start_and_reset(struct rig *rig)
{
	uint32_t epoch;

	if (!rig_boot(rig, 0) || !rig_boot(rig, 1)) {
		printf("Bail out! a worker does not start\n");
		exit(1);
	}
	check_equal(rig->registers[NNLOOP_REG_FIRMWARE_VERSION / 4], NNLOOP_FIRMWARE_VERSION);
	epoch = rig_read(rig, 0, NNLOOP_WREG_EPOCH);
	check(epoch);

	check(rig_request(rig, 0, NNLOOP_REQUEST_RESET));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_OFF);
	check_equal(rig_worker_pid(rig, 0), 0);
	check(rig_worker_pid(rig, 1));
	check(rig_request(rig, 0, NNLOOP_REQUEST_RESET));
	check(rig_boot(rig, 0));
	check(rig_read(rig, 0, NNLOOP_WREG_EPOCH) != epoch);
	check(rig_request(rig, 0, 77));	/* unknown: acknowledged, ignored */
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_READY);
}

static void test_copy_on_each_worker(struct rig *rig)
{
	check_works(rig, 0);
	check_works(rig, 1);
}

static void test_empty_job(struct rig *rig)
{
	struct client client = make_client(rig, 0);
	struct timespec begin, end;
	struct pass pass = { .program = PROGRAM };
	int i;

	pass.size = make_program(client.program, NULL, 0);
	check_equal(rig_run(rig, 0, &client.space, &pass, 0), NNLOOP_STATUS_OK);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < 200; i++)
		check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("# %.0f us from doorbell to interrupt for a job that does nothing\n",
	       ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / 200e3);
}

/* Jobs of the greatest length, so that the ring wraps in the middle of some. */
static void test_many_passes(struct rig *rig)
{
	static struct pass pass[NNLOOP_MAX_PASSES];
	struct client client = make_client(rig, 9);
	unsigned int i, job;

	for (job = 0; job < 4; job++) {
		memset(client.target, 0, CLIENT_PAGES * PAGE);
		pass[0] = copy_pass(&client, SOURCE, TARGET, 300 + job);
		for (i = 1; i < NNLOOP_MAX_PASSES; i++)
			pass[i] = pass[0];
		check_equal(rig_run(rig, 0, &client.space, pass, NNLOOP_MAX_PASSES - job),
			    NNLOOP_STATUS_OK);
		check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), NNLOOP_MAX_PASSES - job);
		check(!memcmp(client.source, client.target, 300 + job));
	}
}

/* More programs in one job than the firmware keeps copies of, each run several times. */
static void test_many_programs(struct rig *rig)
{
	enum { PROGRAMS = 12, ROUNDS = 5 };
	static struct pass pass[PROGRAMS * ROUNDS];
	struct client client = make_client(rig, 4);
	unsigned int i;

	for (i = 0; i < PROGRAMS * ROUNDS; i++) {
		unsigned int p = i % PROGRAMS;
		struct copy copy = {
			SOURCE + 128 * p, TARGET + 128 * (PROGRAMS - p), 1, 100, 0, 0,
		};

		pass[i].program = PROGRAM + p * 512;
		pass[i].size = make_program(client.program + p * 512, &copy, 1);
		check(pass[i].size <= 512);
	}
	check_equal(rig_run(rig, 0, &client.space, pass, PROGRAMS * ROUNDS), NNLOOP_STATUS_OK);
	for (i = 0; i < PROGRAMS; i++)
		check(!memcmp(client.target + 128 * (PROGRAMS - i), client.source + 128 * i, 100));

	/* A program that changed between two jobs is not the old one. */
	pass[0] = copy_pass(&client, SOURCE + PAGE, TARGET, 50);
	check_equal(rig_run(rig, 0, &client.space, pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.target, client.source + PAGE, 50));
}

static void test_profile(struct rig *rig)
{
	enum { PASSES = 10 };
	struct client client = make_client(rig, 1);
	struct nn_profile_record first[3];
	struct copy copy[2] = {
		{ SOURCE, TARGET, 1, 2 * PAGE, 0, 0 },
		{ SOURCE, TARGET + 3 * PAGE, 1, 16, 0, 0 },
	};
	struct pass pass[PASSES] = { { .program = PROGRAM, .count = NN_ARG_COUNT } };
	uint64_t packets;
	unsigned int i;

	pass[0].arg[NN_ARG_PROFILE] = PROFILE;
	pass[0].size = make_program(client.program, copy, 2);
	for (i = 1; i < PASSES; i++)
		pass[i] = pass[0];

	check_equal(rig_run(rig, 0, &client.space, pass, PASSES), NNLOOP_STATUS_OK);
	memcpy(first, client.profile, sizeof(first));
	for (i = 0; i < 3; i++) {
		check_equal(first[i].calls, PASSES);
		check(first[i].packets > 0);
		check(first[i].instructions >= first[i].packets);
	}
	/* 2 pages are 64 vectors, each one load and one store at least. */
	check(first[1].hvx_instructions >= 128 * PASSES);
	check(first[1].packets > first[2].packets);
	check(first[0].packets > first[1].packets + first[2].packets);
	check(all_bytes((uint8_t *)(client.profile + 3), 0, 64));

	/* The counts are exact: the same again adds the same again. */
	check_equal(rig_run(rig, 0, &client.space, pass, PASSES), NNLOOP_STATUS_OK);
	for (i = 0; i < 3; i++) {
		check_equal(client.profile[i].calls, 2 * PASSES);
		check_equal(client.profile[i].packets, 2 * first[i].packets);
		check_equal(client.profile[i].hvx_instructions, 2 * first[i].hvx_instructions);
	}

	/* What a pass costs beside its operators, and what it costs to load the program. */
	memset(client.profile, 0, PAGE);
	pass[0].size = make_program(client.program, NULL, 0);
	for (i = 1; i < PASSES; i++)
		pass[i] = pass[0];
	check_equal(rig_run(rig, 0, &client.space, pass, 1), NNLOOP_STATUS_OK);
	packets = client.profile->packets;
	check_equal(rig_run(rig, 0, &client.space, pass, PASSES), NNLOOP_STATUS_OK);
	printf("# an empty pass: %llu packets when it is the first of a job, %llu after that\n",
	       (unsigned long long)packets,
	       (unsigned long long)(client.profile->packets - 2 * packets) / (PASSES - 1));

	/* Two programs in turn. */
	memset(client.profile, 0, PAGE);
	for (i = 1; i < PASSES; i += 2) {
		pass[i].program = PROGRAM + 64;
		pass[i].size = make_program(client.program + 64, NULL, 0);
	}
	check_equal(rig_run(rig, 0, &client.space, pass, PASSES), NNLOOP_STATUS_OK);
	printf("# two empty programs in turn: %llu packets a pass after the first two\n",
	       (unsigned long long)(client.profile->packets - 2 * packets) / (PASSES - 2));
}

static void test_profile_address(struct rig *rig)
{
	struct client client = make_client(rig, 1);
	struct pass pass = copy_pass(&client, SOURCE, TARGET, 16);

	pass.count = NN_ARG_COUNT;
	pass.arg[NN_ARG_PROFILE] = PROFILE + 4;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.arg[NN_ARG_PROFILE] = 0x70000000;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.arg[NN_ARG_PROFILE] = NNLOOP_WINDOW_END - 32;	/* room for one record, not two */
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.arg[NN_ARG_PROFILE] = PROFILE + 64 * PAGE;		/* nothing there */
	check_faults(rig, 0, &client, &pass, PROFILE + 64 * PAGE + 32, NNLOOP_ACCESS_READ);
}

/* A pass that takes many seconds: 1000 operators that copy a MiB in small pieces each. */
static struct pass long_pass(struct rig *rig, struct client *client)
{
	enum { OPS = 1000 };
	static struct copy copy[OPS];
	struct pass pass = { .program = PROGRAM + 0x100000 };
	unsigned int i;
	void *program;

	for (i = 0; i < OPS; i++)
		copy[i] = (struct copy){ SOURCE, TARGET + 0x100000, 200000, 5, 0, 5 };
	map_new(rig, &client->space, TARGET + 0x100000, 256);
	program = map_new(rig, &client->space, pass.program, 64);
	pass.size = make_program(program, copy, OPS);
	check(pass.size <= 64 * PAGE);
	return pass;
}

static bool wait_progress(struct rig *rig, unsigned int worker)
{
	uint32_t before = rig_read(rig, worker, NNLOOP_WREG_PROGRESS);
	int i;

	for (i = 0; i < 10000; i++) {
		if (rig_read(rig, worker, NNLOOP_WREG_PROGRESS) - before > 2)
			return true;
		usleep(1000);
	}
	return false;
}

static void cancel(struct rig *rig, unsigned int worker, uint64_t id)
{
	rig_write(rig, worker, NNLOOP_WREG_CANCEL_LO, (uint32_t)id);
	rig_write(rig, worker, NNLOOP_WREG_CANCEL_HI, (uint32_t)(id >> 32));
}

static void test_cancel(struct rig *rig)
{
	struct client client = make_client(rig, 2);
	struct pass pass[2] = { long_pass(rig, &client) };
	uint64_t id;

	pass[1] = pass[0];
	id = rig_submit(rig, 0, &client.space, pass, 2);
	check(wait_progress(rig, 0));
	check(rig_read(rig, 0, NNLOOP_WREG_CURRENT_OP) < 1000);
	check_works(rig, 1);		/* meanwhile */
	cancel(rig, 0, id ^ 1ull << 32);	/* another job */
	check(wait_progress(rig, 0));
	cancel(rig, 0, id);
	check(rig_wait(rig, 0, id));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATUS), NNLOOP_STATUS_CANCELLED);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 0);
	check_works(rig, 0);

	/* Before it begins. */
	id = rig_next_job_id(rig);
	cancel(rig, 0, id);
	check_equal(rig_run(rig, 0, &client.space, pass, 2), NNLOOP_STATUS_CANCELLED);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 0);
	check_works(rig, 0);
}

static void test_bad_program(struct rig *rig)
{
	struct client client = make_client(rig, 6);
	struct pass good = copy_pass(&client, SOURCE, TARGET, 64);
	struct pass pass = good, three[3];
	struct nn_program *program = (void *)client.program;
	struct nn_program_region *region = (void *)(program + 1);

	pass.size = good.size - 1;
	check_refused(rig, &client, &pass, NN_REASON_HEADER);
	pass.size = sizeof(struct nn_program) - 1;
	check_refused(rig, &client, &pass, NN_REASON_HEADER);
	pass.size = 0;
	check_refused(rig, &client, &pass, NN_REASON_HEADER);
	pass.size = NN_PROGRAM_MAX_SIZE + 1;
	check_refused(rig, &client, &pass, NN_REASON_HEADER);

	pass = good;
	pass.program = PROGRAM + 4;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.program = 0;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.program = 0x10000000;		/* the firmware's own code */
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.program = NNLOOP_WINDOW_BASE - 8;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.program = NNLOOP_WINDOW_END - 8;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.program = NNLOOP_SYSTEM_BASE + 0x100000;	/* the ring */
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.program = PROGRAM;
	pass.size = 0xfffffff0;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);

	pass = good;
	program->magic ^= 1;
	check_refused(rig, &client, &pass, NN_REASON_HEADER);
	program->magic ^= 1;

	region[1].base = NNLOOP_SYSTEM_BASE + 0x100000;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	region[1].base = 0x10000000;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	region[1].base = 0x70000000;			/* the registers */
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	region[1].base = NNLOOP_WINDOW_END - 128;
	region[1].size = 129;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	region[1].base = TARGET;
	region[1].size = 0xfffff000;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	region[1].size = 64;

	pass.count = NN_ARG_COUNT + 1;
	check_refused(rig, &client, &pass, NN_REASON_HEADER);

	/* In the third pass: the first two are done. */
	three[0] = good;
	three[1] = good;
	three[2] = good;
	three[2].program = 8;
	check_equal(rig_run(rig, 0, &client.space, three, 3), NNLOOP_STATUS_BAD_PROGRAM);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 2);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), NONE);

	check(all_bytes(client.target + 64, 0, CLIENT_PAGES * PAGE - 64));
	check_works(rig, 0);
}

static void test_garbage_in_ring(struct rig *rig)
{
	struct client client = make_client(rig, 6);
	struct pass pass = copy_pass(&client, SOURCE, TARGET, 64);
	struct nnloop_cmd *entry;
	uint64_t id;

	/* Zeros instead of a job. */
	rig_next_entry(rig, 0);
	rig_ring_bell(rig, 0);
	check(rig_wait(rig, 0, 0));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATUS), NNLOOP_STATUS_BAD_PROGRAM);

	/* A job that says it has more passes than there are. */
	entry = rig_next_entry(rig, 0);
	entry->type = NNLOOP_CMD_JOB;
	entry->count = 0xffffffff;
	entry->job.id = 0x600000001;
	entry->job.root = client.space.root;
	entry->job.space = client.space.id;
	rig_ring_bell(rig, 0);
	check(rig_wait(rig, 0, 0x600000001));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATUS), NNLOOP_STATUS_BAD_PROGRAM);

	/* A job without a space. */
	entry = rig_next_entry(rig, 0);
	entry->type = NNLOOP_CMD_JOB;
	entry->job.id = 0x600000002;
	rig_ring_bell(rig, 0);
	check(rig_wait(rig, 0, 0x600000002));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATUS), NNLOOP_STATUS_BAD_PROGRAM);

	/* More arguments than an entry holds. */
	pass.count = 0x80000000;
	check_refused(rig, &client, &pass, NN_REASON_HEADER);

	/* A job where a pass should be. */
	entry = rig_next_entry(rig, 0);
	entry->type = NNLOOP_CMD_JOB;
	entry->count = 1;
	entry->job.id = 0x600000003;
	entry->job.root = client.space.root;
	entry->job.space = client.space.id;
	entry = rig_next_entry(rig, 0);
	entry->type = NNLOOP_CMD_JOB;
	rig_ring_bell(rig, 0);
	check(rig_wait(rig, 0, 0x600000003));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATUS), NNLOOP_STATUS_BAD_PROGRAM);

	/* TAIL far ahead. */
	id = rig_submit(rig, 0, &client.space, &pass, 0);
	check(rig_wait(rig, 0, id));
	rig->tail[0] += 3 * NNLOOP_RING_ENTRIES;
	rig_ring_bell(rig, 0);
	check(rig_wait_register(rig, 0, 0, NNLOOP_WREG_RING_HEAD, rig->tail[0]));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATUS), NNLOOP_STATUS_BAD_PROGRAM);
	check_works(rig, 0);
}

static void test_fault_unmapped(struct rig *rig)
{
	struct client client = make_client(rig, 7);
	uint32_t beyond = CLIENT_PAGES * PAGE;
	struct copy copy[3] = {
		{ SOURCE, TARGET, 1, 256, 0, 0 },
		{ SOURCE + beyond + 0x180, TARGET + PAGE, 1, 256, 0, 0 },
		{ SOURCE, TARGET + 2 * PAGE, 1, 256, 0, 0 },
	};
	struct pass pass = { .program = PROGRAM };

	/* A read, in the second of three operators. The third does not run. */
	pass.size = make_program(client.program, copy, 3);
	check_faults(rig, 0, &client, &pass, SOURCE + beyond + 0x180, NNLOOP_ACCESS_READ);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), 1);
	check(!memcmp(client.target, client.source, 256));
	check(all_bytes(client.target + PAGE, 0, 3 * PAGE));

	/* A write. */
	pass = copy_pass(&client, SOURCE, TARGET + beyond + 0x80, 640);
	check_faults(rig, 0, &client, &pass, TARGET + beyond + 0x80, NNLOOP_ACCESS_WRITE);

	/* A program that is not there, or ends where nothing is. */
	pass.program = PROGRAM + beyond;
	check_faults(rig, 0, &client, &pass, PROGRAM + beyond, NNLOOP_ACCESS_READ);

	/*
	 * What was a fault is not one after it was mapped, and what the faulty job wrote there is
	 * gone.
	 */
	rig_map(rig, &client.space, TARGET + beyond, rig_pages(rig, 1), 1, 0);
	pass = copy_pass(&client, TARGET + beyond + 0x80, TARGET, 640);
	memset(client.target, 0xee, 640);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(all_bytes(client.target, 0, 640));
}

/*
 * A page that was mapped, used, and freed: its entry is cleared, the generation bumped, its memory
 * another's.
 */
static void test_fault_freed(struct rig *rig)
{
	struct client client = make_client(rig, 8);
	struct pass pass = copy_pass(&client, SOURCE + PAGE, TARGET, PAGE);
	uint64_t *pte = rig_pte(rig, client.space.root, SOURCE + PAGE);

	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.target, client.source + PAGE, PAGE));
	*pte &= ~NNLOOP_PTE_VALID;	/* the rest of it is still there */
	client.space.generation++;
	memset(client.target, 0, PAGE);
	check_faults(rig, 0, &client, &pass, SOURCE + PAGE, NNLOOP_ACCESS_READ);
	check(all_bytes(client.target, 0, PAGE));

	/* Its neighbours are still there. */
	pass = copy_pass(&client, SOURCE, TARGET, PAGE);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.target, client.source, PAGE));
	pass = copy_pass(&client, SOURCE + 2 * PAGE, TARGET, PAGE);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.target, client.source + 2 * PAGE, PAGE));

	/* The page next to a freed one, with an access that begins in the good one. */
	pass = copy_pass(&client, SOURCE, TARGET, PAGE + 128);
	check_faults(rig, 0, &client, &pass, SOURCE + PAGE, NNLOOP_ACCESS_READ);
}

/* Two clients have memory at addresses of their own; neither can name the other's. */
static void test_fault_other_client(struct rig *rig)
{
	struct client victim = make_client(rig, 11), thief = make_client(rig, 12);
	uint8_t before[PAGE];
	uint8_t *secret = map_new(rig, &victim.space, 0xc0000000, 1);
	struct pass pass;

	memset(secret, 0x5a, PAGE);
	pass = copy_pass(&victim, 0xc0000000, TARGET, PAGE);
	check_equal(rig_run(rig, 0, &victim.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(victim.target, secret, PAGE));

	pass = copy_pass(&thief, 0xc0000000, TARGET, PAGE);
	check_faults(rig, 0, &thief, &pass, 0xc0000000, NNLOOP_ACCESS_READ);
	check(all_bytes(thief.target, 0, PAGE));
	pass = copy_pass(&thief, SOURCE, 0xc0000000, PAGE);
	check_faults(rig, 0, &thief, &pass, 0xc0000000, NNLOOP_ACCESS_WRITE);
	check(all_bytes(secret, 0x5a, PAGE));

	/* The same addresses are different memory, whoever ran before. */
	memcpy(before, victim.target, PAGE);
	pass = copy_pass(&thief, SOURCE, TARGET, PAGE);
	check_equal(rig_run(rig, 0, &thief.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(thief.target, thief.source, PAGE));
	check(!memcmp(victim.target, before, PAGE));
}

static void test_fault_read_only(struct rig *rig)
{
	struct client client = make_client(rig, 13);
	uint64_t *pte = rig_pte(rig, client.space.root, TARGET + PAGE);
	struct copy copy[2] = {
		{ TARGET + PAGE, TARGET, 1, 128, 0, 0 },
		{ SOURCE, TARGET + PAGE + 0x200, 1, 128, 0, 0 },
	};
	struct pass pass = { .program = PROGRAM };

	memset(client.target, 0x77, CLIENT_PAGES * PAGE);
	*pte |= NNLOOP_PTE_READ_ONLY;
	pass.size = make_program(client.program, copy, 2);
	check_faults(rig, 0, &client, &pass, TARGET + PAGE + 0x200, NNLOOP_ACCESS_WRITE);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), 1);
	check(all_bytes(client.target, 0x77, CLIENT_PAGES * PAGE));

	/* Without a read before. */
	pass = copy_pass(&client, SOURCE, TARGET + PAGE, 256);
	check_faults(rig, 0, &client, &pass, TARGET + PAGE, NNLOOP_ACCESS_WRITE);
	check(all_bytes(client.target, 0x77, CLIENT_PAGES * PAGE));

	/* A write that runs into it. */
	pass = copy_pass(&client, SOURCE, TARGET, PAGE + 256);
	check_faults(rig, 0, &client, &pass, TARGET + PAGE, NNLOOP_ACCESS_WRITE);
	check(!memcmp(client.target, client.source, PAGE));
	check(all_bytes(client.target + PAGE, 0x77, 3 * PAGE));

	/* Writable again: nothing has to be announced. Lowered: the generation says so. */
	pass = copy_pass(&client, TARGET + PAGE, TARGET, 256);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	*pte &= ~NNLOOP_PTE_READ_ONLY;
	pass = copy_pass(&client, SOURCE, TARGET + PAGE, 256);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.target + PAGE, client.source, 256));
	*pte |= NNLOOP_PTE_READ_ONLY;
	client.space.generation++;
	check_faults(rig, 0, &client, &pass, TARGET + PAGE, NNLOOP_ACCESS_WRITE);
}

/* Tables that no driver would write. */
static void test_broken_page_table(struct rig *rig)
{
	static const uint64_t roots[] = {
		0, 1, 0xfff, RIG_RAM_BASE - PAGE, RIG_RAM_BASE + RIG_RAM_SIZE,
		RIG_RAM_BASE + RIG_RAM_SIZE - 8, 0x000ffffffffff000, ~0ull,
	};
	struct client client = make_client(rig, 14);
	struct pass pass = copy_pass(&client, SOURCE, TARGET, 64);
	struct client broken = client;
	uint64_t *pte = rig_pte(rig, client.space.root, SOURCE);
	uint64_t *root = rig_at(rig, client.space.root);
	uint64_t *middle = rig_at(rig, root[2] & NNLOOP_PTE_ADDRESS);
	uint64_t saved;
	unsigned int i;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		broken.space.root = roots[i];
		check_faults(rig, 0, &broken, &pass, PROGRAM, NNLOOP_ACCESS_READ);
	}
	saved = *pte;
	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		*pte = (roots[i] & NNLOOP_PTE_ADDRESS) | NNLOOP_PTE_VALID;
		if (*pte == (RIG_RAM_BASE + RIG_RAM_SIZE - PAGE) + NNLOOP_PTE_VALID)
			continue;	/* the last page is memory */
		client.space.generation++;
		check_faults(rig, 0, &client, &pass, SOURCE, NNLOOP_ACCESS_READ);
	}
	*pte = saved;

	/* A table that is its own child, then one that is not memory. */
	saved = root[2];
	root[2] = client.space.root | NNLOOP_PTE_VALID;
	client.space.generation++;
	check_faults(rig, 0, &client, &pass, PROGRAM, NNLOOP_ACCESS_READ);
	root[2] = saved;
	saved = middle[(SOURCE >> 21) & 511];
	middle[(SOURCE >> 21) & 511] = 0x000ffffffffff000 | NNLOOP_PTE_VALID;
	client.space.generation++;
	check_faults(rig, 0, &client, &pass, SOURCE, NNLOOP_ACCESS_READ);
	middle[(SOURCE >> 21) & 511] = saved & ~NNLOOP_PTE_VALID;
	client.space.generation++;
	check_faults(rig, 0, &client, &pass, SOURCE, NNLOOP_ACCESS_READ);
	middle[(SOURCE >> 21) & 511] = saved;
	client.space.generation++;
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.target, client.source, 64));
}

/* One job touches more pages than the host lets one process map apart from each other. */
static void test_scattered_pages(struct rig *rig)
{
	enum { PAGES = 70000, FRAMES = 4096, BASE = 0x94000000 };
	struct client client = make_client(rig, 15);
	uint64_t frames = rig_pages(rig, FRAMES);
	uint32_t *frame = rig_at(rig, frames);
	uint32_t *target = map_new(rig, &client.space, 0xc0000000, PAGES * 4 / PAGE + 1);
	struct copy copy = { BASE, 0xc0000000, PAGES, 4, PAGE, 4 };
	struct pass pass = { .program = PROGRAM };
	unsigned int i, wrong = 0;

	for (i = 0; i < FRAMES; i++)
		frame[i * PAGE / 4] = i * 2654435761u;
	for (i = 0; i < PAGES; i++)
		rig_map(rig, &client.space, BASE + i * PAGE,
			frames + (uint64_t)(i * 7919 % FRAMES) * PAGE, 1, 0);
	pass.size = make_program(client.program, &copy, 1);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	for (i = 0; i < PAGES; i++)
		wrong += target[i] != (i * 7919 % FRAMES) * 2654435761u;
	check_equal(wrong, 0);
	check_works(rig, 0);
}

static bool gone(pid_t pid)
{
	int i;

	for (i = 0; i < 500; i++) {
		if (kill(pid, 0) && errno == ESRCH)
			return true;
		usleep(10000);
	}
	return false;
}

static void test_worker_killed(struct rig *rig)
{
	struct client client = make_client(rig, 16);
	struct pass pass = long_pass(rig, &client);
	uint32_t epoch = rig_read(rig, 0, NNLOOP_WREG_EPOCH);
	pid_t pid = rig_worker_pid(rig, 0);
	uint64_t id;

	id = rig_submit(rig, 0, &client.space, &pass, 1);
	check(wait_progress(rig, 0));
	check(pid > 0 && !kill(pid, SIGKILL));
	check(rig_wait_register(rig, rig->workers, 0, NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD));
	check(rig_read(rig, 0, NNLOOP_WREG_DONE_ID_LO) != (uint32_t)id);
	check_works(rig, 1);

	/* START alone does nothing for a dead one. */
	check(rig_request(rig, 0, NNLOOP_REQUEST_START));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_DEAD);
	check(rig_boot(rig, 0));
	check(rig_read(rig, 0, NNLOOP_WREG_EPOCH) != epoch);
	check_works(rig, 0);
}

/* A worker that runs, reset by the driver: it is gone when the board says so. */
static void test_reset_in_mid_job(struct rig *rig)
{
	struct client client = make_client(rig, 17);
	struct pass pass = long_pass(rig, &client);
	pid_t pid = rig_worker_pid(rig, 0);

	rig_submit(rig, 0, &client.space, &pass, 1);
	check(wait_progress(rig, 0));
	check(rig_request(rig, 0, NNLOOP_REQUEST_RESET));
	check(kill(pid, 0) && errno == ESRCH);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_OFF);
	check(rig_boot(rig, 0));
	check_works(rig, 0);
}

/*
 * A driver that starts a worker without a ring: the firmware gives up, and the board says so. One
 * that starts it without a page table for the ring: a fault like any other.
 */
static void test_bad_ring(struct rig *rig)
{
	uint64_t root = rig->system_root;

	check(rig_request(rig, 1, NNLOOP_REQUEST_RESET));
	rig_write(rig, 1, NNLOOP_WREG_RING_BASE, NNLOOP_SYSTEM_END - PAGE);
	check(rig_request(rig, 1, NNLOOP_REQUEST_START));
	check(rig_wait_register(rig, rig->workers, 1, NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD));

	rig->system_root = RIG_RAM_BASE - PAGE;
	check(rig_boot(rig, 1));
	rig_next_entry(rig, 1);
	rig_ring_bell(rig, 1);
	check(rig_wait(rig, 1, 0));
	check_equal(rig_read(rig, 1, NNLOOP_WREG_STATUS), NNLOOP_STATUS_FAULT);
	check(rig_read(rig, 1, NNLOOP_WREG_FAULT_ADDR) >= NNLOOP_SYSTEM_BASE);
	check_equal(rig_read(rig, 1, NNLOOP_WREG_FAULT_ACCESS), NNLOOP_ACCESS_READ);

	rig->system_root = root;
	check(rig_boot(rig, 1));
	check_works(rig, 1);
}

static void test_vm_ends(struct rig *rig)
{
	pid_t worker[2] = { rig_worker_pid(rig, 0), rig_worker_pid(rig, 1) };

	check(worker[0] > 0 && worker[1] > 0);
	check_equal(rig_close(rig), 0);
	check(gone(worker[0]) && gone(worker[1]));
}

static void test_board_killed(struct rig *rig)
{
	pid_t worker;

	rig_open(rig, 1);
	check(rig_boot(rig, 0));
	check_works(rig, 0);
	worker = rig_worker_pid(rig, 0);
	check(worker > 0);
	kill(rig->vdsp, SIGKILL);
	check(gone(worker));
	check_equal(rig_close(rig), -1);
}

/*
 * Run vdsp, in the build folder, with a command line that it must refuse; what it says must contain
 * `text`.
 */
static void check_usage(const char *arguments, const char *text)
{
	char command[4096], output[4096] = "";
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "cd '%s' && ./vdsp %s 2>&1", rig_built(""), arguments);
	pipe = popen(command, "r");
	check(pipe);
	if (!pipe)
		return;
	output[fread(output, 1, sizeof(output) - 1, pipe)] = '\0';
	status = pclose(pipe);
	check(WIFEXITED(status) && WEXITSTATUS(status));
	check(strstr(output, text));
	if (!strstr(output, text))
		printf("# vdsp %s said: %s\n", arguments, output);
}

static void test_usage(struct rig *rig)
{
	(void)rig;
	check_usage("", "--socket is missing");
	check_usage("--nonsense", "usage");
	check_usage("--socket /tmp/x stray", "unexpected argument \"stray\"");
	check_usage("--socket /tmp/x --workers 9", "from 1 to 8");
	check_usage("--socket /tmp/x --workers 0x", "--workers must be a number");
	check_usage("--socket /tmp/x", "--firmware is missing");
	check_usage("--socket /tmp/x --firmware /nonexistent", "/nonexistent: No such file");
	check_usage("--socket /tmp/x --firmware /bin/sh", "--smmu is missing");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh", "--ram is missing");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --ram /nonexistent",
		    "--ram: /nonexistent: No such file");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --ram /dev/null",
		    "is empty");
	check_usage("--socket /nonexistent/x --firmware /bin/sh --smmu /bin/sh --ram firmware.elf",
		    "cannot listen on /nonexistent/x");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --ram firmware.elf"
		    " --vm-pid 2147483646", "--vm-pid: 2147483646: No such process");
}

/* With --vm-pid, the board ends when that process ends, even before a VM has connected. */
static void test_vm_process_ends(struct rig *rig)
{
	char command[1024];

	(void)rig;
	snprintf(command, sizeof(command),
		 "cd '%s' && sleep 600 & vm=$!; cd '%s' && ./vdsp --socket vm-pid.socket"
		 " --ram firmware.elf --firmware firmware.elf --smmu smmu.so --vm-pid $vm"
		 " >/dev/null & board=$!; sleep 0.2; kill -0 $board && kill $vm && wait $board",
		 rig_built(""), rig_built(""));
	check_equal(system(command), 0);
}

static const struct {
	const char *name;
	void (*run)(struct rig *rig);
} tests[] = {
	{ "vdsp refuses a bad command line in a sentence", test_usage },
	{ "the process named by --vm-pid ends: the board goes", test_vm_process_ends },
	{ "the board killed: all workers go", test_board_killed },
	{ "registers before anything runs", test_registers },
	{ "start, reset, epoch", test_start_and_reset },
	{ "a program runs on each worker", test_copy_on_each_worker },
	{ "a job without work", test_empty_job },
	{ "jobs of 1023 passes", test_many_passes },
	{ "a job with 12 programs", test_many_programs },
	{ "profile records add up and are repeatable", test_profile },
	{ "a bad profile address", test_profile_address },
	{ "cancel", test_cancel },
	{ "bad programs are refused", test_bad_program },
	{ "garbage in the ring", test_garbage_in_ring },
	{ "fault: an address without a page", test_fault_unmapped },
	{ "fault: a freed page", test_fault_freed },
	{ "fault: another client's page", test_fault_other_client },
	{ "fault: a write to a read-only page", test_fault_read_only },
	{ "broken page tables", test_broken_page_table },
	{ "70000 scattered pages", test_scattered_pages },
	{ "a worker killed in mid-job", test_worker_killed },
	{ "reset in mid-job", test_reset_in_mid_job },
	{ "a ring that is not there", test_bad_ring },
	{ "the VM ends: board and workers go", test_vm_ends },
};

#define TESTS	(sizeof(tests) / sizeof(tests[0]))
#define OPENED_BY	"registers before anything runs"

int main(void)
{
	static struct rig rig;
	unsigned int i, failures = 0;

	setlinebuf(stdout);
	printf("TAP version 13\n1..%zu\n", TESTS);
	for (i = 0; i < TESTS; i++) {
		/* From here on all tests share one board. */
		if (!strcmp(tests[i].name, OPENED_BY))
			rig_open(&rig, 2);
		failed = false;
		tests[i].run(&rig);
		printf("%sok %u - %s\n", failed ? "not " : "", i + 1, tests[i].name);
		failures += failed;
	}
	return failures ? 1 : 0;
}
