// SPDX-License-Identifier: MIT
/*
 * Control programs: they run, make room between two steps and go on elsewhere, are cancelled at any
 * of them, fault and are refused; and a client that writes to all of it meanwhile harms nobody else.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "dsp/program/nn_control.h"
#include "tests.h"

/* In the client's program pages. */
#define CONTROL	(PROGRAM + PAGE)
#define STATE	(PROGRAM + 2 * PAGE)
#define WORDS	(PROGRAM + 3 * PAGE)	/* what steps look at */
#define ROW	128u
#define ROWS	100u
#define NOWHERE	0xd0000000u

struct parts {
	struct nn_control header;
	struct nn_control_program program[2];
	struct nn_control_step step[16];
};

static struct parts *parts_of(const struct client *client)
{
	return (void *)(client->program + (CONTROL - PROGRAM));
}

static volatile struct nn_control_state *state_of(const struct client *client)
{
	return (void *)(client->program + (STATE - PROGRAM));
}

static volatile int32_t *words_of(const struct client *client)
{
	return (void *)(client->program + (WORDS - PROGRAM));
}

/* Two programs of a copy: of the rows of a loop's iteration, and of one byte. */
static void write_programs(const struct client *client)
{
	struct parts *parts = parts_of(client);
	struct copy copy = { SOURCE, TARGET, 1, ROW, 0, 0 };
	struct {
		struct nn_program header;
		struct nn_program_region region[2];
		struct nn_program_tensor tensor[4];
		struct nn_program_op op;
	} rows;
	unsigned int i;

	make_program(&rows, &copy, 1);
	memmove(&rows.op, &rows.tensor[2], sizeof(rows.op));
	rows.header.tensor_count = 4;
	rows.header.size = sizeof(rows);
	for (i = 0; i < 2; i++) {
		rows.region[i].size = ROWS * ROW;
		rows.tensor[i].dims[0] = ROWS;
		rows.tensor[i].dims[1] = ROW;
		rows.tensor[i].source = i;
		rows.tensor[2 + i] = rows.tensor[i];
		rows.tensor[2 + i].level = 1;
		rows.tensor[2 + i].place = NN_PLACE_VIEW;
	}
	rows.op.input[0] = 2;
	rows.op.output[0] = 3;
	memcpy(client->program, &rows, sizeof(rows));
	parts->program[0] = (struct nn_control_program){ PROGRAM, sizeof(rows) };
	/* Words of the client's become true by themselves when a pass copies 1 to them. */
	copy = (struct copy){ WORDS + 256, WORDS, 1, 4, 0, 0 };
	parts->program[1] = (struct nn_control_program){ PROGRAM + 2048, 0 };
	parts->program[1].size = make_program(client->program + 2048, &copy, 1);
}

static struct pass finish(const struct client *client)
{
	struct parts *parts = parts_of(client);
	struct pass pass = { .program = CONTROL, .count = NN_ARG_COUNT };

	parts->header.magic = NN_CONTROL_MAGIC;
	parts->header.version = NN_CONTROL_VERSION;
	parts->header.program_count = 2;
	parts->header.state = STATE;
	parts->header.limit = ~0u;
	parts->header.size = offsetof(struct parts, step) + parts->header.step_count * sizeof(*parts->step);
	memset((void *)state_of(client), 0, sizeof(struct nn_control_state));
	pass.size = parts->header.size;
	pass.arg[NN_ARG_FLAGS] = NN_PASS_CONTROL;
	return pass;
}

/*
 * A loop over as many rows as the first word says, of two at a time, in a while that ends when
 * program 1 has copied a zero to the second word.
 */
static struct pass rows_pass(const struct client *client)
{
	struct parts *parts = parts_of(client);
	volatile int32_t *words = words_of(client);

	write_programs(client);
	words[0] = ROWS;
	words[1] = 1;
	words[64] = ROWS;
	memcpy(parts->step, (struct nn_control_step[]){
		{ .kind = NN_CONTROL_ENTER, .level = 1, .loop = 0, .source = NN_CONTROL_MEMORY, .type = NN_TYPE_INT32,
		  .flags = NN_CONTROL_CLIPPED | NN_CONTROL_SKIPS, .address = WORDS, .rows = 3, .most = ROWS, .target = 5 },
		{ .kind = NN_CONTROL_RUN, .number = 0 },
		{ .kind = NN_CONTROL_SKIP, .address = WORDS + 8, .target = 4 },
		{ .kind = NN_CONTROL_RUN, .number = 0 },
		{ .kind = NN_CONTROL_RUN, .flags = NN_CONTROL_FIRST, .level = 1, .number = 1 },
		{ .kind = NN_CONTROL_END, .level = 1, .loop = 0 },
		{ .kind = NN_CONTROL_COUNT, .loop = 0, .number = 3, .rows = 1 },
		{ .kind = NN_CONTROL_ENTER, .level = 1, .loop = 1, .source = NN_CONTROL_ROWS, .number = NN_LEVEL_OF_COUNT(3),
		  .flags = NN_CONTROL_CLIPPED, .rows = 9, .most = ROWS, .target = 9 },
		{ .kind = NN_CONTROL_RUN, .number = 0 },
		{ .kind = NN_CONTROL_END, .level = 1, .loop = 1, .target = 7 },
	}, 10 * sizeof(*parts->step));
	parts->header.step_count = 10;
	parts->header.loop_count = 2;
	return finish(client);
}

static void check_rows(const struct client *client, uint32_t rows)
{
	volatile struct nn_control_state *state = state_of(client);

	check(!memcmp(client->source, client->target, rows * ROW));
	check(all_bytes(client->target + rows * ROW, 0, ROWS * ROW - rows * ROW));
	check_equal(state->progress, NN_CONTROL_DONE);
	check_equal(state->loop[0].prev_outer, rows);
	check_equal(state->count[3].rows, rows);
	check_equal(state->running.passes, (rows + 2) / 3 + (rows > 0) + (rows ? (rows + 8) / 9 : 1));
}

void test_control(struct rig *rig)
{
	static const uint32_t rows[] = { 0, 1, 50, ROWS };
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct client client = make_client(rig, (uint8_t)(20 + i));
		struct pass pass = rows_pass(&client), three[3];

		words_of(&client)[0] = (int32_t)rows[i];
		check_equal(rig_run(rig, i % 2, &client.space, &pass, 1), NNLOOP_STATUS_OK);
		check_equal(rig_read(rig, i % 2, NNLOOP_WREG_PASSES_DONE), 1);
		check_rows(&client, rows[i]);

		/* Between two passes of another kind, and counted. */
		three[0] = three[2] = copy_pass(&client, SOURCE, TARGET, 64);
		three[1] = rows_pass(&client);
		three[0].size = three[2].size = parts_of(&client)->program[1].size;
		three[0].program = three[2].program = PROGRAM + 2048;
		three[1].arg[NN_ARG_PROFILE] = PROFILE;
		check_equal(rig_run(rig, i % 2, &client.space, three, 3), NNLOOP_STATUS_OK);
		check_equal(client.profile->calls, 1);
		check(client.profile->packets > 1000);
		check_rows(&client, ROWS);
	}
}

/* Asks for room before each step, and goes on elsewhere. */
static unsigned int leave_and_go_on(struct rig *rig, const struct client *client, const struct pass *pass)
{
	unsigned int rounds = 0;
	uint32_t status;

	do {
		uint64_t id = rig_next_job_id(rig);
		unsigned int worker = rounds++ % 2;

		rig_write(rig, worker, NNLOOP_WREG_YIELD_LO, (uint32_t)id);
		rig_write(rig, worker, NNLOOP_WREG_YIELD_HI, (uint32_t)(id >> 32));
		status = rig_run(rig, worker, &client->space, pass, 1);
		check(status != NNLOOP_STATUS_YIELDED || !rig_read(rig, worker, NNLOOP_WREG_PASSES_DONE));
	} while (status == NNLOOP_STATUS_YIELDED && rounds < 1000);
	check_equal(status, NNLOOP_STATUS_OK);
	return rounds;
}

void test_control_leaves(struct rig *rig)
{
	struct client client = make_client(rig, 31);
	struct pass pass = rows_pass(&client);

	/* Each ENTER, END and RUN but the first is a place to leave it at. */
	check_equal(leave_and_go_on(rig, &client, &pass), 2 + 34 + 1 + 12 + 34 + 12);
	check_rows(&client, ROWS);
}

/* A while without an end: of nothing, or of a program. */
static struct pass endless_pass(const struct client *client, bool runs)
{
	struct parts *parts = parts_of(client);

	write_programs(client);
	words_of(client)[1] = 1;
	memcpy(parts->step, (struct nn_control_step[]){
		{ .kind = NN_CONTROL_ENTER, .level = 1, .source = NN_CONTROL_CONSTANT, .number = 1, .rows = 1, .most = 1, .target = 3 },
		{ .kind = NN_CONTROL_RUN, .number = 1, .level = !runs, .flags = runs ? 0 : NN_CONTROL_FIRST },
		{ .kind = NN_CONTROL_SKIP, .address = WORDS + 4, .target = 3 },
		{ .kind = NN_CONTROL_END, .level = 1, .address = WORDS + 4, .most = 0xffffffff, .target = 0 },
	}, 4 * sizeof(*parts->step));
	parts->header.step_count = 4;
	parts->header.loop_count = 1;
	return finish(client);
}

void test_control_cancel(struct rig *rig)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct client client = make_client(rig, (uint8_t)(41 + i));
		struct pass pass = endless_pass(&client, i % 2);
		uint32_t before, status;
		uint64_t id = rig_submit(rig, 0, &client.space, &pass, 1);

		before = rig_read(rig, 0, NNLOOP_WREG_PROGRESS);
		usleep(20000);
		check(rig_read(rig, 0, NNLOOP_WREG_PROGRESS) - before > 100);
		check(i % 2 == 0 || state_of(&client)->running.passes > 100);
		/* Cancelled, or told in memory to end. */
		if (i < 2)
			rig_cancel(rig, 0, id);
		else
			words_of(&client)[1] = 0;
		check(rig_wait(rig, 0, id));
		status = rig_read(rig, 0, NNLOOP_WREG_STATUS);
		check_equal(status, i < 2 ? NNLOOP_STATUS_CANCELLED : NNLOOP_STATUS_OK);
	}
	check_works(rig, 0);
}

static void check_step_refused(struct rig *rig, const struct client *client, const struct pass *pass, uint32_t reason,
			       uint32_t step)
{
	check_refused(rig, client, pass, reason);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), step);
	check(all_bytes(client->target, 0, ROWS * ROW));
}

void test_control_refused(struct rig *rig)
{
	struct client client = make_client(rig, 51);
	struct pass pass = rows_pass(&client), other;
	struct parts *parts = parts_of(&client), good = *parts;
	unsigned int i;

	parts->header.magic++;
	check_step_refused(rig, &client, &pass, NN_REASON_HEADER, NONE);
	*parts = good;
	parts->header.version++;
	check_step_refused(rig, &client, &pass, NN_REASON_VERSION, NONE);
	*parts = good;
	parts->step[4].level = 2;
	check_step_refused(rig, &client, &pass, NN_REASON_STEP, 4);
	*parts = good;
	for (i = 0; i < 10; i++) {
		if (!parts->step[i].address)
			continue;
		parts->step[i].address = NNLOOP_SYSTEM_BASE;
		check_step_refused(rig, &client, &pass, NN_REASON_ADDRESS, i);
		parts->step[i].address = NNLOOP_WINDOW_BASE - 4;
		check_step_refused(rig, &client, &pass, NN_REASON_ADDRESS, i);
		*parts = good;
	}
	parts->header.state += 64;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	parts->header.state = NNLOOP_WINDOW_END - 128;
	check_refused(rig, &client, &pass, NN_REASON_ADDRESS);
	*parts = good;
	for (i = 0; i < NNLOOP_MAX_ARGS; i++) {
		if (i == NN_ARG_PROFILE || i == NN_ARG_FLAGS)
			continue;
		other = pass;
		other.count = NNLOOP_MAX_ARGS;
		other.arg[i] = 1;
		check_step_refused(rig, &client, &other, NN_REASON_HEADER, NONE);
	}
	other = pass;
	other.arg[NN_ARG_FLAGS] |= 8;
	check_step_refused(rig, &client, &other, NN_REASON_HEADER, NONE);
	other = pass;
	other.arg[NN_ARG_PROFILE] = NNLOOP_WINDOW_END;
	check_step_refused(rig, &client, &other, NN_REASON_ADDRESS, NONE);
	other = pass;
	other.program += 4;
	check_step_refused(rig, &client, &other, NN_REASON_ADDRESS, NONE);
	state_of(&client)->progress = NN_CONTROL_DONE;
	check_step_refused(rig, &client, &pass, NN_REASON_STATE, NONE);
	state_of(&client)->progress = NN_CONTROL_GOES_ON;
	state_of(&client)->step = 10;
	check_step_refused(rig, &client, &pass, NN_REASON_STATE, NONE);

	/* While it runs: the state says at which step. */
	pass = rows_pass(&client);
	words_of(&client)[0] = -1;
	check_step_refused(rig, &client, &pass, NN_REASON_TRIPS, 0);
	words_of(&client)[0] = ROWS + 1;
	check_step_refused(rig, &client, &pass, NN_REASON_TRIPS, 0);
	pass = rows_pass(&client);
	parts->program[1].size--;
	check_refused(rig, &client, &pass, NN_REASON_HEADER);
	check_equal(state_of(&client)->running.step, 4);
	check_works(rig, 0);
}

void test_control_faults(struct rig *rig)
{
	struct client client = make_client(rig, 61);
	struct pass pass = rows_pass(&client);
	struct parts *parts = parts_of(&client), good = *parts;
	unsigned int i;

	for (i = 0; i < 3; i += 2) {
		parts->step[i].address = NOWHERE;
		check_faults(rig, 0, &client, &pass, NOWHERE, NNLOOP_ACCESS_READ);
		*parts = good;
		memset((void *)state_of(&client), 0, sizeof(struct nn_control_state));
	}
	parts->header.state = NOWHERE;
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_FAULT);
	*parts = good;
	parts->program[0].address = NOWHERE;
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_FAULT);
	*parts = good;
	pass.program = NOWHERE;
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_FAULT);
	check_works(rig, 0);
}

static uint32_t next_random(void)
{
	static uint32_t seed = 12345;

	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

/* Writes to what steps look at, to the state or to the steps. */
static void interfere(const struct client *client)
{
	uint32_t place = next_random(), value = next_random();

	switch (next_random() % 8) {
	case 0:
		((volatile uint8_t *)parts_of(client))[place % sizeof(struct parts)] = value;
		break;
	case 1:
	case 2:
		((volatile uint8_t *)state_of(client))[place % 256] = value;
		break;
	default:
		words_of(client)[place % 3] = value % 4 ? value % ROWS : value;
	}
}

/* Workers that find other words, because the client writes to them, end somehow, all of them. */
static void interfere_with_gang(struct rig *rig, const struct gang *all, const struct client *client)
{
	unsigned int round, i, alone = 0;

	for (round = 0; round < 100; round++) {
		struct pass pass;
		uint64_t id;

		memset(parts_of(client), 0, sizeof(struct parts));
		pass = round % 2 ? rows_pass(client) : endless_pass(client, round % 4 == 2);
		id = rig_submit_gang(rig, all, &client->space, &pass, 1);
		usleep(300);
		for (i = 0; i < 300; i++)
			interfere(client);
		usleep(300);
		for (i = 0; i < 4; i++)
			rig_cancel(rig, i, id);
		for (i = 0; i < 4; i++) {
			check(rig_wait(rig, i, id));
			alone += rig_read(rig, i, NNLOOP_WREG_STATUS) == NNLOOP_STATUS_ALONE;
		}
		if (failed)
			return;
	}
	printf("# %u of 400 were left alone\n", alone);
}

/* The same, run by four workers together. */
void test_control_gang(struct rig *shared)
{
	static const struct gang all = { .count = 4, .worker = { 2, 0, 3, 1 } };
	struct client client;
	unsigned int i, rounds = 0;
	static struct rig rig;
	struct pass pass;
	uint32_t status;
	uint64_t id;

	(void)shared;
	rig_open(&rig, 4);
	for (i = 0; i < 4; i++)
		check(rig_boot(&rig, i));

	client = make_client(&rig, 71);
	pass = rows_pass(&client);
	id = rig_submit_gang(&rig, &all, &client.space, &pass, 1);
	for (i = 0; i < 4; i++) {
		check(rig_wait(&rig, i, id));
		check_equal(rig_read(&rig, i, NNLOOP_WREG_STATUS), NNLOOP_STATUS_OK);
	}
	check_rows(&client, ROWS);

	memset(client.target, 0, ROWS * ROW);
	pass = rows_pass(&client);
	do {
		/* Some of the rounds by one worker alone. */
		unsigned int count = rounds++ % 3 ? 4 : 1;

		id = rig_next_job_id(&rig);
		rig_write(&rig, 2, NNLOOP_WREG_YIELD_LO, (uint32_t)id);
		rig_write(&rig, 2, NNLOOP_WREG_YIELD_HI, (uint32_t)(id >> 32));
		if (count == 1)
			rig_submit(&rig, 2, &client.space, &pass, 1);
		else
			rig_submit_gang(&rig, &all, &client.space, &pass, 1);
		check(rig_wait(&rig, 2, id));
		status = rig_read(&rig, 2, NNLOOP_WREG_STATUS);
		for (i = 0; i < 4 && count > 1; i++) {
			check(rig_wait(&rig, i, id));
			check_equal(rig_read(&rig, i, NNLOOP_WREG_STATUS), status);
			check_equal(rig_read(&rig, i, NNLOOP_WREG_PASSES_DONE), status == NNLOOP_STATUS_OK);
		}
	} while (status == NNLOOP_STATUS_YIELDED && rounds < 1000);
	check_equal(status, NNLOOP_STATUS_OK);
	check(rounds > 50);
	check_rows(&client, ROWS);

	pass = endless_pass(&client, true);
	id = rig_submit_gang(&rig, &all, &client.space, &pass, 1);
	usleep(20000);
	for (i = 0; i < 4; i++)
		rig_cancel(&rig, i, id);
	for (i = 0; i < 4; i++)
		check(rig_wait(&rig, i, id));
	/* A loop without an end is left off by itself before a count of barriers comes round. */
	pass = endless_pass(&client, false);
	id = rig_submit_gang(&rig, &all, &client.space, &pass, 1);
	for (i = 0; i < 4; i++) {
		check(rig_wait(&rig, i, id));
		check_equal(rig_read(&rig, i, NNLOOP_WREG_STATUS), NNLOOP_STATUS_YIELDED);
		check((rig_read(&rig, i, NNLOOP_WREG_PHASE) & NNLOOP_PHASE_BARRIERS) < 20000);
	}
	check_equal(state_of(&client)->progress, NN_CONTROL_GOES_ON);
	check(state_of(&client)->iterations > 5000);
	interfere_with_gang(&rig, &all, &client);
	check_works(&rig, 3);
	rig_close(&rig);
}

/*
 * A worker dies, or is reset, in the middle of a control program: of a gang the others do not wait for
 * it. Once it is there again all of them run control programs, from where a new state says.
 */
void test_control_loses_one(struct rig *shared)
{
	static const struct gang all = { .count = 4, .worker = { 2, 0, 3, 1 } }, one = { .count = 1, .worker = { 1 } };
	struct client client;
	unsigned int round, i;
	static struct rig rig;

	(void)shared;
	rig_open(&rig, 4);
	for (i = 0; i < 4; i++)
		check(rig_boot(&rig, i));
	client = make_client(&rig, 91);
	/* Each of four, then one alone; killed and reset in turn, in a loop of nothing and in one of passes. */
	for (round = 0; round < 8 && !failed; round++) {
		const struct gang *gang = round < 4 ? &all : &one;
		unsigned int lost = gang->worker[round % gang->count];
		struct pass pass = endless_pass(&client, round / 2 % 2);
		uint64_t id = gang == &all ? rig_submit_gang(&rig, gang, &client.space, &pass, 1) :
					     rig_submit(&rig, lost, &client.space, &pass, 1);

		usleep(20000);
		if (round % 2)
			check(rig_request(&rig, lost, NNLOOP_REQUEST_RESET));
		else
			check(!kill(rig_worker_pid(&rig, lost), SIGKILL));
		for (i = 0; i < gang->count; i++) {
			if (gang->worker[i] == lost)
				continue;
			check(rig_wait(&rig, gang->worker[i], id));
			check_equal(rig_read(&rig, gang->worker[i], NNLOOP_WREG_STATUS), NNLOOP_STATUS_ALONE);
		}
		check(rig_boot(&rig, lost));
		memset(client.target, 0, ROWS * ROW);
		pass = rows_pass(&client);
		check_equal(rig_run(&rig, lost, &client.space, &pass, 1), NNLOOP_STATUS_OK);
		check_rows(&client, ROWS);
		memset(client.target, 0, ROWS * ROW);
		pass = rows_pass(&client);
		id = rig_submit_gang(&rig, &all, &client.space, &pass, 1);
		for (i = 0; i < 4; i++) {
			check(rig_wait(&rig, i, id));
			check_equal(rig_read(&rig, i, NNLOOP_WREG_STATUS), NNLOOP_STATUS_OK);
		}
		check_rows(&client, ROWS);
	}
	rig_close(&rig);
}

/* A client that does so while they run: the job ends, some way, and may be gone on with. */
void test_control_at_random(struct rig *rig)
{
	struct client client = make_client(rig, 81);
	unsigned int round, statuses[6] = { 0 };
	struct pass pass = { 0 };
	uint32_t status = 0;

	for (round = 0; round < 400; round++) {
		unsigned int i, writes = next_random() % 100, wait = round % 4 ? 300 : 0;
		uint64_t id;

		if (status != NNLOOP_STATUS_YIELDED) {
			memset(parts_of(&client), 0, sizeof(struct parts));
			pass = round % 2 ? rows_pass(&client) : endless_pass(&client, round % 4 == 2);
		}
		id = rig_submit(rig, 0, &client.space, &pass, 1);
		usleep(wait);
		for (i = 0; i < writes; i++)
			interfere(&client);
		if (round % 3) {
			rig_write(rig, 0, NNLOOP_WREG_YIELD_LO, (uint32_t)id);
			rig_write(rig, 0, NNLOOP_WREG_YIELD_HI, (uint32_t)(id >> 32));
		}
		usleep(wait);
		rig_cancel(rig, 0, id);
		check(rig_wait(rig, 0, id));
		if (failed)
			return;
		status = rig_read(rig, 0, NNLOOP_WREG_STATUS);
		statuses[status]++;
	}
	printf("# %u ended well, %u cancelled, %u refused, %u faulted, %u left off\n", statuses[NNLOOP_STATUS_OK],
	       statuses[NNLOOP_STATUS_CANCELLED], statuses[NNLOOP_STATUS_BAD_PROGRAM], statuses[NNLOOP_STATUS_FAULT],
	       statuses[NNLOOP_STATUS_YIELDED]);
	check(statuses[NNLOOP_STATUS_OK] && statuses[NNLOOP_STATUS_BAD_PROGRAM] && statuses[NNLOOP_STATUS_YIELDED]);
	check_works(rig, 0);
}
