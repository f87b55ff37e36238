// SPDX-License-Identifier: MIT
/* Clients of the board: their memory, their programs, and the checks that most tests make. */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

bool failed;

static uint32_t copy_span(uint32_t count, uint32_t block, uint32_t stride)
{
	return (count - 1) * stride + block;
}

uint32_t make_program(void *buffer, const struct copy *copy, uint32_t count)
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

void *map_new(struct rig *rig, const struct space *space, uint32_t address, unsigned int pages)
{
	uint64_t dma = rig_pages(rig, pages);

	rig_map(rig, space, address, dma, pages, 0);
	return rig_at(rig, dma);
}

struct client make_client(struct rig *rig, uint8_t seed)
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

struct pass copy_pass(struct client *client, uint32_t from, uint32_t to, uint32_t size)
{
	struct copy copy = { from, to, 1, size, 0, 0 };
	struct pass pass = { .program = PROGRAM };

	pass.size = make_program(client->program, &copy, 1);
	return pass;
}

bool all_bytes(const uint8_t *p, uint8_t value, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (p[i] != value)
			return false;
	return true;
}

void check_works(struct rig *rig, unsigned int worker)
{
	struct client client = make_client(rig, (uint8_t)(3 + worker));
	struct pass pass = copy_pass(&client, SOURCE, TARGET, 2 * PAGE + 77);

	check_equal(rig_run(rig, worker, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check_equal(rig_read(rig, worker, NNLOOP_WREG_FAIL_OP), NONE);
	check_equal(rig_read(rig, worker, NNLOOP_WREG_CURRENT_OP), NONE);
	check(!memcmp(client.source, client.target, 2 * PAGE + 77));
	check(all_bytes(client.target + 2 * PAGE + 77, 0, 100));
}

void check_refused(struct rig *rig, const struct client *client, const struct pass *pass,
		   uint32_t reason)
{
	check_equal(rig_run(rig, 0, &client->space, pass, 1), NNLOOP_STATUS_BAD_PROGRAM);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_REASON), reason);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 0);
}

void check_faults(struct rig *rig, unsigned int worker, const struct client *client,
		  const struct pass *pass, uint32_t address, uint32_t access)
{
	check_equal(rig_run(rig, worker, &client->space, pass, 1), NNLOOP_STATUS_FAULT);
	check_equal(rig_read(rig, worker, NNLOOP_WREG_FAULT_ADDR), address);
	check_equal(rig_read(rig, worker, NNLOOP_WREG_FAULT_ACCESS), access);
	check_equal(rig_read(rig, worker, NNLOOP_WREG_PASSES_DONE), 0);
}

struct pass long_pass(struct rig *rig, struct client *client)
{
	enum { OPS = 1000 };
	static struct copy copy[OPS];
	struct pass pass = { .program = PROGRAM + 0x100000 };
	unsigned int i;
	void *program;

	for (i = 0; i < OPS; i++)
		copy[i] = (struct copy){ SOURCE, TARGET + 0x100000, 200000, 5, 0, 5 };
	map_new(rig, &client->space, TARGET + 0x100000, 256);
	program = map_new(rig, &client->space, pass.program, 128);
	pass.size = make_program(program, copy, OPS);
	check(pass.size <= 128 * PAGE);
	return pass;
}

bool wait_progress(struct rig *rig, unsigned int worker)
{
	uint32_t before = rig_read(rig, worker, NNLOOP_WREG_PROGRESS);
	int i;

	for (i = 0; i < RIG_PATIENCE_MS; i++) {
		if (rig_read(rig, worker, NNLOOP_WREG_CURRENT_OP) != NONE &&
		    rig_read(rig, worker, NNLOOP_WREG_PROGRESS) - before > 2)
			return true;
		usleep(1000);
	}
	return false;
}
