// SPDX-License-Identifier: MIT
/* Programs, arguments and ring entries that the firmware must refuse. */
#define _GNU_SOURCE
#include <string.h>

#include "client.h"
#include "tests.h"

void test_bad_program(struct rig *rig)
{
	struct client client = make_client(rig, 6);
	struct pass good = copy_pass(&client, SOURCE, TARGET, 64);
	struct pass pass = good, three[3];
	struct nn_program *program = (void *)client.program;
	struct nn_program_region *region = (void *)(program + 1);
	unsigned int i;

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

	/* Arguments of row counts, which this program has none of: fine as long as they are zero. */
	pass.count = NNLOOP_MAX_ARGS;
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	memset(client.target, 0, 64);
	for (i = NN_ARG_COUNT; i < NNLOOP_MAX_ARGS; i++) {
		pass.arg[i] = 1;
		check_refused(rig, &client, &pass, NN_REASON_HEADER);
		program->version = NN_PROGRAM_VERSION_COUNTS;
		check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
		memset(client.target, 0, 64);
		program->version = NN_PROGRAM_VERSION;
		pass.arg[i] = 0;
	}
	pass.count = NNLOOP_MAX_ARGS + 1;
	check_refused(rig, &client, &pass, NN_REASON_HEADER);

	/* In the third pass: the first two are done. */
	three[0] = good;
	three[1] = good;
	three[2] = good;
	three[2].program = 8;
	check_equal(rig_run(rig, 0, &client.space, three, 3), NNLOOP_STATUS_BAD_PROGRAM);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 2);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), NONE);

	/* The check was of a program of that size, not of any that begins there. */
	three[1].size--;
	check_equal(rig_run(rig, 0, &client.space, three, 2), NNLOOP_STATUS_BAD_PROGRAM);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 1);

	check(all_bytes(client.target + 64, 0, CLIENT_PAGES * PAGE - 64));
	check_works(rig, 0);
}

void test_garbage_in_ring(struct rig *rig)
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
