// SPDX-License-Identifier: MIT
/* Jobs that succeed, or are cancelled, and what they count. */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>

#include "client.h"
#include "tests.h"

void test_copy_on_each_worker(struct rig *rig)
{
	check_works(rig, 0);
	check_works(rig, 1);
}

void test_empty_job(struct rig *rig)
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

/*
 * An empty command is answered at once, before a job and after one of the same space, which it
 * leaves alone.
 */
void test_empty_command(struct rig *rig)
{
	struct nnloop_cmd *entry;
	uint64_t id;
	int i;

	for (i = 0; i < 2; i++) {
		entry = rig_next_entry(rig, 0);
		id = rig_next_job_id(rig);
		rig->job_id++;
		entry->type = NNLOOP_CMD_EMPTY;
		entry->job.id = id;
		rig_ring_bell(rig, 0);
		check(rig_wait(rig, 0, id));
		check_equal(rig_read(rig, 0, NNLOOP_WREG_STATUS), NNLOOP_STATUS_OK);
		check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), NONE);
		check_equal(rig_read(rig, 0, NNLOOP_WREG_CURRENT_OP), NONE);
		check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 0);
		check_works(rig, 0);
	}
}

/* Jobs of the greatest length, so that the ring wraps in the middle of some. */
void test_many_passes(struct rig *rig)
{
	static struct pass pass[NNLOOP_MAX_PASSES];
	struct client client = make_client(rig, 9);
	unsigned int i, job;

	for (job = 0; job < 4; job++) {
		uint32_t progress = rig_read(rig, 0, NNLOOP_WREG_PROGRESS);

		memset(client.target, 0, CLIENT_PAGES * PAGE);
		pass[0] = copy_pass(&client, SOURCE, TARGET, 300 + job);
		for (i = 1; i < NNLOOP_MAX_PASSES; i++)
			pass[i] = pass[0];
		check_equal(rig_run(rig, 0, &client.space, pass, NNLOOP_MAX_PASSES - job),
			    NNLOOP_STATUS_OK);
		check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), NNLOOP_MAX_PASSES - job);
		check_equal(rig_read(rig, 0, NNLOOP_WREG_CURRENT_PASS), NNLOOP_MAX_PASSES - job - 1);
		check(!memcmp(client.source, client.target, 300 + job));

		/* A sign of life for each pass at least. */
		check(rig_read(rig, 0, NNLOOP_WREG_PROGRESS) - progress >= 2 * (NNLOOP_MAX_PASSES - job));
	}
}

/* A program, a profile record and a result that end where the window does. */
void test_end_of_window(struct rig *rig)
{
	struct client client = make_client(rig, 3);
	uint8_t *last = map_new(rig, &client.space, NNLOOP_WINDOW_END - PAGE, 1);
	struct copy copy = { SOURCE, NNLOOP_WINDOW_END - 128, 1, 128, 0, 0 };
	struct pass pass = { .count = NN_ARG_COUNT, .program = PROGRAM };

	pass.size = make_program(client.program, &copy, 1);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(last + PAGE - 128, client.source, 128));

	pass.arg[NN_ARG_PROFILE] = NNLOOP_WINDOW_END - 2 * sizeof(struct nn_profile_record);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	pass.arg[NN_ARG_PROFILE] += 8;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.arg[NN_ARG_FLAGS] = NN_PASS_MEMORY;
	pass.arg[NN_ARG_PROFILE] -= 8;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	pass.arg[NN_ARG_PROFILE] -= 2 * sizeof(struct nn_memory_record);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	pass.arg[NN_ARG_FLAGS] = pass.arg[NN_ARG_PROFILE] = 0;

	copy.to = TARGET;
	pass.size = make_program(client.program, &copy, 1);
	pass.program = NNLOOP_WINDOW_END - pass.size;
	check_equal(pass.program % 8, 0);
	memcpy(last + PAGE - pass.size, client.program, pass.size);
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.target, client.source, 128));
}

/* More programs in one job than the firmware keeps copies of, each run several times. */
void test_many_programs(struct rig *rig)
{
	enum { PROGRAMS = 40, ROUNDS = 5, APART = 320 };
	static struct pass pass[PROGRAMS * ROUNDS];
	struct client client = make_client(rig, 4);
	unsigned int i;

	for (i = 0; i < PROGRAMS * ROUNDS; i++) {
		unsigned int p = i % PROGRAMS;
		struct copy copy = {
			SOURCE + 128 * p, TARGET + 128 * (PROGRAMS - p), 1, 100, 0, 0,
		};

		pass[i].program = PROGRAM + p * APART;
		pass[i].size = make_program(client.program + p * APART, &copy, 1);
		check(pass[i].size <= APART);
	}
	check_equal(rig_run(rig, 0, &client.space, pass, PROGRAMS * ROUNDS), NNLOOP_STATUS_OK);
	for (i = 0; i < PROGRAMS; i++)
		check(!memcmp(client.target + 128 * (PROGRAMS - i), client.source + 128 * i, 100));

	/* A program that changed between two jobs is not the old one. */
	pass[0] = copy_pass(&client, SOURCE + PAGE, TARGET, 50);
	check_equal(rig_run(rig, 0, &client.space, pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.target, client.source + PAGE, 50));

	/* One that the job itself overwrites stays what it was for that job. */
	pass[0] = copy_pass(&client, SOURCE, PROGRAM, sizeof(struct nn_program));
	pass[2] = pass[1] = pass[0];
	check_equal(rig_run(rig, 0, &client.space, pass, 3), NNLOOP_STATUS_OK);
	check_equal(rig_run(rig, 0, &client.space, pass, 1), NNLOOP_STATUS_BAD_PROGRAM);
}

/* While a long program is checked the driver sees that the worker gets on, and is heard. */
void test_long_program(struct rig *rig)
{
	enum { OPS = 1000, REPORTS = OPS / 16 };
	struct client client = make_client(rig, 3);
	struct pass pass = long_pass(rig, &client);
	uint32_t before = rig_read(rig, 0, NNLOOP_WREG_PROGRESS);
	struct nn_program *program = rig_at(rig, *rig_pte(rig, client.space.root, pass.program) &
						 NNLOOP_PTE_ADDRESS);
	struct nn_program_op *end = (void *)((uint8_t *)program + pass.size);

	/* Nothing of it runs: its last operator is none. */
	end[-1].opcode = NN_OPCODE_END;
	check_refused(rig, &client, &pass, NN_REASON_OPCODE);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), OPS - 1);
	check(rig_read(rig, 0, NNLOOP_WREG_PROGRESS) - before > 3 * REPORTS);
}

void test_profile(struct rig *rig)
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

	/* Nothing counts memory on this board. */
	pass[0].arg[NN_ARG_FLAGS] = NN_PASS_MEMORY;
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
	check(all_bytes((uint8_t *)(client.profile + 3), 0, 3 * sizeof(struct nn_memory_record) + 64));

	/*
	 * The counts are exact: the same again adds the same again. But to find room for a copy of
	 * the program may take a few packets more or less.
	 */
	check_equal(rig_run(rig, 0, &client.space, pass, PASSES), NNLOOP_STATUS_OK);
	for (i = 0; i < 3; i++) {
		check_equal(client.profile[i].calls, 2 * PASSES);
		check_equal(client.profile[i].hvx_instructions, 2 * first[i].hvx_instructions);
		if (i)
			check_equal(client.profile[i].packets, 2 * first[i].packets);
	}
	check(client.profile[0].packets > 2 * first[0].packets - 100);
	check(client.profile[0].packets < 2 * first[0].packets + 100);

	/* The cost of a pass beside its operators, and that of loading the program. */
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

void test_profile_address(struct rig *rig)
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

void test_cancel(struct rig *rig)
{
	struct client client = make_client(rig, 2);
	struct pass pass[2] = { long_pass(rig, &client) };
	uint64_t id;

	pass[1] = pass[0];
	id = rig_submit(rig, 0, &client.space, pass, 2);
	check(wait_progress(rig, 0));
	check(rig_read(rig, 0, NNLOOP_WREG_CURRENT_OP) < 1000);
	check_works(rig, 1);		/* meanwhile */
	rig_cancel(rig, 0, id ^ 1ull << 32);	/* another job */
	check(wait_progress(rig, 0));
	rig_cancel(rig, 0, id);
	check(rig_wait(rig, 0, id));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATUS), NNLOOP_STATUS_CANCELLED);
	check(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP) < 1000);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 0);
	check_works(rig, 0);

	/* Before it begins. */
	id = rig_next_job_id(rig);
	rig_cancel(rig, 0, id);
	check_equal(rig_run(rig, 0, &client.space, pass, 2), NNLOOP_STATUS_CANCELLED);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), NONE);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 0);
	check_works(rig, 0);
}
