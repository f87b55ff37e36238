// SPDX-License-Identifier: MIT
/*
 * Jobs that several workers run together: equal results, what each of them counts and says, waiting
 * that costs nothing, and how it ends when one of them faults, dies, or is told something else.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "tests.h"

#define WORKERS	4
#define STEPS	20
#define OPS	(1 + 2 * STEPS)
#define BYTES	8064u	/* 63 vectors: where a region begins is a multiple */
#define MIDDLE	(TARGET + 2 * PAGE)

static const struct gang all = { .count = WORKERS, .worker = { 2, 0, 3, 1 } };

static bool open_board(struct rig *rig)
{
	unsigned int i;

	rig_open(rig, WORKERS);
	for (i = 0; i < WORKERS; i++)
		check(rig_boot(rig, i));
	return !failed;
}

/* Returns by how much a step turns the bytes. */
static uint32_t turn(unsigned int step)
{
	return 1000 + 517 * step;
}

/*
 * A pass that copies the source to the target and then turns it around, from one half of the target
 * to the other: workers read what others have written, and overwrite what others have read.
 */
static struct pass turning_pass(struct client *client)
{
	struct copy copy[OPS] = { { SOURCE, TARGET, 84, BYTES / 84, BYTES / 84, BYTES / 84 } };
	struct pass pass = { .program = PROGRAM, .count = NN_ARG_COUNT };
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		uint32_t from = i % 2 ? MIDDLE : TARGET, to = i % 2 ? TARGET : MIDDLE;
		uint32_t by = turn(i) % BYTES / 128 * 128;

		copy[1 + 2 * i] = (struct copy){ from + by, to, 1, BYTES - by, 0, 0 };
		copy[2 + 2 * i] = (struct copy){ from, to + BYTES - by, 1, by, 0, 0 };
	}
	pass.size = make_program(client->program, copy, OPS);
	check(pass.size <= CLIENT_PAGES * PAGE);
	return pass;
}

static bool is_turned(const struct client *client)
{
	uint32_t by = 0, i;

	for (i = 0; i < STEPS; i++)
		by += turn(i) % BYTES / 128 * 128;
	for (i = 0; i < BYTES; i++) {
		if (client->target[i] != client->source[(i + by) % BYTES])
			return false;
	}
	return true;
}

/* Checks that all parts of a job end so. */
static void check_ended(struct rig *rig, const struct gang *gang, uint64_t id, uint32_t status,
			uint32_t passes)
{
	unsigned int i;

	for (i = 0; i < gang->count; i++) {
		check(rig_wait(rig, gang->worker[i], id));
		check_equal(rig_read(rig, gang->worker[i], NNLOOP_WREG_STATUS), status);
		check_equal(rig_read(rig, gang->worker[i], NNLOOP_WREG_PASSES_DONE), passes);
	}
}

/* All workers run a job to a good end. */
static void check_done(struct rig *rig, const struct client *client, const struct pass *pass,
		       unsigned int passes)
{
	uint64_t id = rig_submit_gang(rig, &all, &client->space, pass, passes);

	check_ended(rig, &all, id, NNLOOP_STATUS_OK, passes);
}

/* The same with a job of a gang's that turns bytes. */
static void check_turns(struct rig *rig, const struct gang *gang, unsigned int passes)
{
	struct client client = make_client(rig, (uint8_t)(11 * passes + gang->count));
	static struct pass pass[NNLOOP_MAX_PASSES];
	unsigned int i;

	pass[0] = turning_pass(&client);
	for (i = 1; i < passes; i++)
		pass[i] = pass[0];
	check_ended(rig, gang, rig_submit_gang(rig, gang, &client.space, pass, passes),
		    NNLOOP_STATUS_OK, passes);
	check(is_turned(&client));
	for (i = 0; i < gang->count; i++) {
		uint32_t phase = rig_read(rig, gang->worker[i], NNLOOP_WREG_PHASE);

		check_equal(phase & ~NNLOOP_PHASE_BARRIERS, NNLOOP_PHASE_ENDED);
		check_equal(phase & NNLOOP_PHASE_BARRIERS, passes * OPS);
	}
}

/* Gangs of each size, whoever is first, do one job behind the other. */
void test_gang(struct rig *rig)
{
	static const struct gang gang[] = {
		{ .count = 2, .worker = { 3, 1 } },
		{ .count = 3, .worker = { 1, 3, 2 } },
		{ .count = 4, .worker = { 0, 1, 2, 3 } },
		{ .count = 4, .worker = { 2, 0, 3, 1 } },
	};
	unsigned int i, k;

	if (!open_board(rig))
		return;
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 4; i++)
			check_turns(rig, &gang[i], 1 + k * 5 + i);
	}
	check_turns(rig, &all, 200);
	for (i = 0; i < WORKERS; i++)
		check_works(rig, i);
}

/* Passes without an operator, and a job without passes. */
void test_gang_without_work(struct rig *rig)
{
	struct client client = make_client(rig, 5);
	struct pass pass[3] = { { .program = PROGRAM } };

	pass[0].size = make_program(client.program, NULL, 0);
	pass[2] = pass[1] = pass[0];
	check_done(rig, &client, pass, 3);
	check_done(rig, &client, pass, 0);
}

/*
 * Each worker has records of its own, the same in each run, of the operators that it has a share
 * in. These write so many vectors that it is them that count, however few packets each one takes.
 */
void test_gang_profile(struct rig *rig)
{
	enum { COPIES = 4, RECORDS = 1 + COPIES + 1 };
	enum { BLOCKS = 8192, BLOCK = 128, BLOCKS_AT = TARGET + 0x100000 };
	struct client client = make_client(rig, 6);
	struct pass pass = { .program = PROGRAM, .count = NN_ARG_COUNT };
	struct nn_profile_record alone[RECORDS], first[WORKERS][RECORDS];
	struct nn_profile_record (*record)[RECORDS] = (void *)client.profile;
	struct copy copy[COPIES + 1];
	uint64_t longest = 0, all_packets = 0, id;
	unsigned int i, op, round;

	map_new(rig, &client.space, BLOCKS_AT, BLOCKS * BLOCK / PAGE);
	for (i = 0; i < COPIES; i++)
		copy[i] = (struct copy){ SOURCE, BLOCKS_AT, BLOCKS, BLOCK, 0, BLOCK };
	/* And one that cannot be divided. */
	copy[COPIES] = (struct copy){ SOURCE, TARGET, 1, 16, 0, 0 };
	pass.size = make_program(client.program, copy, COPIES + 1);
	pass.arg[NN_ARG_PROFILE] = PROFILE;
	for (round = 0; round < 2; round++) {
		struct pass twice[2] = { pass, pass };

		/* The second pass of a job, whose program has been checked. */
		twice[0].arg[NN_ARG_PROFILE] = 0;
		memset(record, 0, sizeof(first));
		check_equal(rig_run(rig, 0, &client.space, twice, 2), NNLOOP_STATUS_OK);
		memcpy(alone, record, sizeof(alone));
		check(all_bytes((uint8_t *)record[1], 0, sizeof(alone)));
		memset(record, 0, sizeof(first));
		check_done(rig, &client, twice, 2);
		if (round)
			check(!memcmp(first, record, sizeof(first)));
		memcpy(first, record, sizeof(first));
	}
	for (i = 0; i < WORKERS; i++) {
		check_equal(record[i][0].calls, 1);
		if (record[i][0].packets > longest)
			longest = record[i][0].packets;
		all_packets += record[i][0].packets;
		for (op = 0; op <= COPIES; op++)
			check_equal(record[i][1 + op].calls, op < COPIES || !i);
	}
	printf("# %llu packets alone, %llu the longest of %u workers, %llu in all\n",
	       (unsigned long long)alone->packets, (unsigned long long)longest, WORKERS,
	       (unsigned long long)all_packets);
	check(alone->packets > COPIES * BLOCKS);
	check(longest * 3 < alone->packets);

	/* Behind each worker's are its records of memory, which nothing counts here. */
	pass.arg[NN_ARG_FLAGS] = NN_PASS_MEMORY;
	memset(client.profile, 0, CLIENT_PAGES * PAGE);
	check_done(rig, &client, &pass, 1);
	for (i = 0; i < WORKERS; i++) {
		uint32_t memory = RECORDS * sizeof(struct nn_memory_record);
		uint8_t *set = (uint8_t *)client.profile + i * (sizeof(alone) + memory);

		check_equal(((struct nn_profile_record *)set)->calls, 1);
		check(all_bytes(set + sizeof(alone), 0, memory));
	}

	/* A set that would end outside of the window is refused by whose it is. */
	pass.arg[NN_ARG_FLAGS] = 0;
	pass.arg[NN_ARG_PROFILE] = NNLOOP_WINDOW_END - 2 * sizeof(alone);
	map_new(rig, &client.space, NNLOOP_WINDOW_END - PAGE, 1);
	id = rig_submit_gang(rig, &all, &client.space, &pass, 1);
	for (i = 0; i < WORKERS; i++) {
		check(rig_wait(rig, all.worker[i], id));
		if (i < 2)
			check_equal(rig_read(rig, all.worker[i], NNLOOP_WREG_STATUS),
				    NNLOOP_STATUS_ALONE);
		else
			check_equal(rig_read(rig, all.worker[i], NNLOOP_WREG_FAIL_REASON),
				    NN_REASON_ADDRESS);
	}
}

/* Processor time that a worker has used so far, in ticks of the clock. */
static unsigned long ticks_of(struct rig *rig, unsigned int worker)
{
	/* Words 14 and 15; none of those before has a space in it. */
	char path[64], word[64] = "";
	unsigned long ticks = 0;
	unsigned int i;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", rig_worker_pid(rig, worker));
	file = fopen(path, "re");
	check(file);
	for (i = 1; file && i <= 15 && fscanf(file, "%63s", word) == 1; i++)
		ticks += i >= 14 ? strtoul(word, NULL, 10) : 0;
	if (file)
		fclose(file);
	check_equal(i, 16);
	return ticks;
}

/*
 * The others wait for the one that comes last, however old its words are: those of a job that had
 * more barriers. They sleep meanwhile.
 */
void test_gang_waits(struct rig *rig)
{
	struct client client = make_client(rig, 7);
	struct pass pass = turning_pass(&client);
	unsigned long before[WORKERS];
	unsigned int late, i;
	uint64_t id;

	check_turns(rig, &all, 3);
	for (late = 0; late < WORKERS; late++) {
		id = rig_next_job_id(rig);
		rig->job_id++;
		memset(client.target, 0, CLIENT_PAGES * PAGE);
		for (i = 0; i < WORKERS; i++) {
			rig_put_part(rig, &all, i, id, &client.space, &pass, 1);
			if (i != late)
				rig_ring_bell(rig, all.worker[i]);
		}
		usleep(50000);
		for (i = 0; i < WORKERS; i++)
			before[i] = ticks_of(rig, all.worker[i]);
		sleep(1);
		for (i = 0; i < WORKERS; i++) {
			/* A tenth of that time would be something. */
			check((ticks_of(rig, all.worker[i]) - before[i]) * 10 <
			      (unsigned long)sysconf(_SC_CLK_TCK));
			check(rig_read(rig, all.worker[i], NNLOOP_WREG_DONE_ID_LO) != (uint32_t)id);
		}
		check(all_bytes(client.target, 0, CLIENT_PAGES * PAGE));
		rig_ring_bell(rig, all.worker[late]);
		check_ended(rig, &all, id, NNLOOP_STATUS_OK, 1);
		check(is_turned(&client));
	}
}

/* The share of one worker is memory that is not there. */
void test_gang_fault(struct rig *rig)
{
	enum { HOLE = TARGET + 0x200000, PAGES = 8 };
	struct client client = make_client(rig, 8);
	struct copy copy[3] = {
		{ SOURCE, TARGET, 1, 4 * PAGE, 0, 0 },
		{ SOURCE, HOLE, PAGES, 512, 512, PAGE },
		{ SOURCE, TARGET, 1, 4 * PAGE, 0, 0 },
	};
	struct pass pass = { .program = PROGRAM };
	uint64_t dma = rig_pages(rig, PAGES), id;
	unsigned int victim, last, i;
	uint32_t status;

	for (last = 0; last < 2; last++) {
		pass.size = make_program(client.program, copy, 3 - last);
		for (victim = 0; victim < WORKERS; victim++) {
			uint32_t hole = HOLE + victim * (PAGES / WORKERS) * PAGE;

			rig_map(rig, &client.space, HOLE, dma, PAGES, 0);
			*rig_pte(rig, client.space.root, hole) = 0;
			client.space.generation++;
			id = rig_submit_gang(rig, &all, &client.space, &pass, 1);
			for (i = 0; i < WORKERS; i++) {
				check(rig_wait(rig, all.worker[i], id));
				status = rig_read(rig, all.worker[i], NNLOOP_WREG_STATUS);
				if (i == victim)
					check_equal(status, NNLOOP_STATUS_FAULT);
				/* In the last operator one may have no more to wait for. */
				else
					check(status == NNLOOP_STATUS_ALONE ||
					      (last && status == NNLOOP_STATUS_OK));
			}
			i = all.worker[victim];
			check_equal(rig_read(rig, i, NNLOOP_WREG_FAULT_ADDR), hole);
			check_equal(rig_read(rig, i, NNLOOP_WREG_FAULT_ACCESS),
				    NNLOOP_ACCESS_WRITE);
			check_equal(rig_read(rig, i, NNLOOP_WREG_FAIL_OP), 1);
			check_equal(rig_read(rig, i, NNLOOP_WREG_PASSES_DONE), 0);
		}
	}
	check_turns(rig, &all, 2);
}

/* All are told; one that is at work, and those that wait for one that never comes. */
void test_gang_cancel(struct rig *rig)
{
	struct client client = make_client(rig, 9);
	struct pass pass = long_pass(rig, &client);
	unsigned int i;
	uint64_t id;

	id = rig_submit_gang(rig, &all, &client.space, &pass, 1);
	check(wait_progress(rig, all.worker[0]));
	for (i = 0; i < WORKERS; i++)
		rig_cancel(rig, all.worker[i], id);
	for (i = 0; i < WORKERS; i++) {
		uint32_t status;

		check(rig_wait(rig, all.worker[i], id));
		status = rig_read(rig, all.worker[i], NNLOOP_WREG_STATUS);
		/* Who is not told before another has ended is alone. */
		check(status == NNLOOP_STATUS_CANCELLED || status == NNLOOP_STATUS_ALONE);
	}
	id = rig_next_job_id(rig);
	rig->job_id++;
	for (i = 1; i < WORKERS; i++) {
		rig_put_part(rig, &all, i, id, &client.space, &pass, 1);
		rig_ring_bell(rig, all.worker[i]);
	}
	usleep(20000);
	/* Another job's number is nothing to them. */
	for (i = 1; i < WORKERS; i++)
		rig_cancel(rig, all.worker[i], id ^ 1);
	usleep(20000);
	for (i = 1; i < WORKERS; i++)
		check(rig_read(rig, all.worker[i], NNLOOP_WREG_DONE_ID_LO) != (uint32_t)id);
	rig_cancel(rig, all.worker[1], id);
	check(rig_wait(rig, all.worker[1], id));
	check_equal(rig_read(rig, all.worker[1], NNLOOP_WREG_STATUS), NNLOOP_STATUS_CANCELLED);
	/* And one that has ended leaves nobody waiting. */
	for (i = 2; i < WORKERS; i++) {
		check(rig_wait(rig, all.worker[i], id));
		check_equal(rig_read(rig, all.worker[i], NNLOOP_WREG_STATUS), NNLOOP_STATUS_ALONE);
	}
	check_turns(rig, &all, 2);
}

/* One dies, or is reset, before it begins or in the middle: the others do not wait for it. */
void test_gang_loses_one(struct rig *rig)
{
	struct client client = make_client(rig, 10);
	struct pass pass = long_pass(rig, &client);
	unsigned int lost, i;
	uint64_t id;

	for (lost = 0; lost < WORKERS; lost++) {
		unsigned int worker = all.worker[lost];

		if (lost % 2)
			check(!kill(rig_worker_pid(rig, worker), SIGSTOP));
		id = rig_submit_gang(rig, &all, &client.space, &pass, 1);
		if (lost % 2)
			usleep(50000);
		else
			check(wait_progress(rig, worker));
		if (lost < 2)
			check(!kill(rig_worker_pid(rig, worker), SIGKILL));
		else
			check(rig_request(rig, worker, NNLOOP_REQUEST_RESET));
		for (i = 0; i < WORKERS; i++) {
			if (i == lost)
				continue;
			check(rig_wait(rig, all.worker[i], id));
			check_equal(rig_read(rig, all.worker[i], NNLOOP_WREG_STATUS),
				    NNLOOP_STATUS_ALONE);
		}
		check(rig_boot(rig, worker));
		check_equal(rig_read(rig, worker, NNLOOP_WREG_PHASE), 0);
		check_equal(rig_read(rig, worker, NNLOOP_WREG_PHASE_JOB_LO), 0);
		check_equal(rig_read(rig, worker, NNLOOP_WREG_PHASE_JOB_HI), 0);
		check_turns(rig, &all, 2);
	}
}

/* The first is asked to make way; all leave the job off behind the same pass, and it can go on. */
void test_gang_yields(struct rig *rig)
{
	enum { PASSES = 400 };
	struct client client = make_client(rig, 11);
	static struct pass pass[PASSES];
	uint32_t done = 0, before;
	unsigned int i, rounds = 0;
	uint64_t id;

	pass[0] = turning_pass(&client);
	for (i = 1; i < PASSES; i++)
		pass[i] = pass[0];
	/* Some of them have no operator with a barrier. */
	for (i = 0; i < PASSES; i += 3) {
		pass[i].program = PROGRAM + 3 * PAGE;
		pass[i].size = make_program(client.program + 3 * PAGE, NULL, 0);
	}
	while (done < PASSES) {
		id = rig_submit_gang(rig, &all, &client.space, pass + done, PASSES - done);
		/* The others do not look. */
		for (i = 1; i < WORKERS; i++) {
			rig_write(rig, all.worker[i], NNLOOP_WREG_YIELD_LO, (uint32_t)id);
			rig_write(rig, all.worker[i], NNLOOP_WREG_YIELD_HI, (uint32_t)(id >> 32));
		}
		usleep(20000);
		rig_write(rig, all.worker[0], NNLOOP_WREG_YIELD_LO, (uint32_t)id);
		rig_write(rig, all.worker[0], NNLOOP_WREG_YIELD_HI, (uint32_t)(id >> 32));
		for (i = 0; i < WORKERS; i++)
			check(rig_wait(rig, all.worker[i], id));
		before = done;
		done += rig_read(rig, all.worker[0], NNLOOP_WREG_PASSES_DONE);
		check(done > before);
		check_ended(rig, &all, id, done < PASSES ? NNLOOP_STATUS_YIELDED : NNLOOP_STATUS_OK,
			    done - before);
		if (done == before)
			break;
		rounds++;
	}
	printf("# %u passes in %u rounds\n", done, rounds);
	check(rounds > 1);
	check(is_turned(&client));
}

/* Has any but the first ended a job of two passes while the first is at work on pass 0? */
static bool ends_too_soon(struct rig *rig, uint64_t id)
{
	bool ended = false, at_work;
	unsigned int i;

	do {
		for (i = 1; i < WORKERS; i++)
			ended |= rig_read(rig, all.worker[i], NNLOOP_WREG_DONE_ID_LO) ==
				 (uint32_t)id;
		at_work = rig_read(rig, all.worker[0], NNLOOP_WREG_DONE_ID_LO) != (uint32_t)id &&
			  !rig_read(rig, all.worker[0], NNLOOP_WREG_PASSES_DONE);
	} while (at_work && !ended);
	return at_work;
}

/* A second pass that is refused, for this reason. */
static struct pass refused_pass(struct client *client, uint32_t reason)
{
	const struct copy copy = { SOURCE, TARGET, 1, 64, 0, 0 };
	struct pass pass = { .program = PROGRAM + 3 * PAGE, .count = NN_ARG_COUNT };
	struct nn_program *program = (void *)(client->program + 3 * PAGE);
	struct nn_program_tensor *tensor = (void *)((struct nn_program_region *)(program + 1) + 2);

	pass.size = make_program(program, &copy, 1);
	if (reason == NN_REASON_HEADER)
		program->magic++;
	if (reason == NN_REASON_ADDRESS)
		pass.arg[NN_ARG_PROFILE] = 4;
	if (reason == NN_REASON_ROWS) {
		tensor[0].level = tensor[1].level = 1;
		pass.arg[NN_ARG_ROWS(1)] = 2;
	}
	return pass;
}

/*
 * A pass is refused when the one before has been done by all, though three of them have no share in
 * that.
 */
void test_gang_refused_pass(struct rig *rig)
{
	static const uint32_t reason[] = { NN_REASON_HEADER, NN_REASON_ADDRESS, NN_REASON_ROWS };
	struct client client = make_client(rig, 15);
	struct pass pass[2] = { long_pass(rig, &client) };
	struct nn_program *program = rig_at(rig, *rig_pte(rig, client.space.root, pass[0].program) &
						 NNLOOP_PTE_ADDRESS);
	struct nn_program_op *op = (void *)((uint8_t *)program + pass[0].size);
	unsigned int way, i;
	uint64_t id;

	/* One block cannot be divided. */
	for (i = 0; i < program->op_count; i++)
		(--op)->copy.count = 1;
	for (way = 0; way < 30; way++) {
		pass[1] = refused_pass(&client, reason[way % 3]);
		id = rig_submit_gang(rig, &all, &client.space, pass, 2);
		check(!ends_too_soon(rig, id));
		for (i = 0; i < WORKERS; i++) {
			check(rig_wait(rig, all.worker[i], id));
			check_equal(rig_read(rig, all.worker[i], NNLOOP_WREG_STATUS),
				    NNLOOP_STATUS_BAD_PROGRAM);
			check_equal(rig_read(rig, all.worker[i], NNLOOP_WREG_FAIL_REASON),
				    reason[way % 3]);
			check_equal(rig_read(rig, all.worker[i], NNLOOP_WREG_PASSES_DONE), 1);
		}
	}
	check_turns(rig, &all, 2);
}

/* A client whose program is another one for each worker harms itself alone: none waits for ever. */
void test_gang_disagrees(struct rig *rig)
{
	struct client client = make_client(rig, 12);
	struct pass pass = turning_pass(&client), other = pass;
	unsigned int i, longer;
	uint64_t id;

	other.program += 3 * PAGE;
	for (longer = 0; longer < WORKERS; longer++) {
		struct copy copy[2] = {
			{ SOURCE, TARGET, 1, PAGE, 0, 0 }, { SOURCE, TARGET, 1, PAGE, 0, 0 },
		};
		unsigned int alone = 0;

		other.size = make_program(client.program + 3 * PAGE, copy, longer % 3);
		id = rig_next_job_id(rig);
		rig->job_id++;
		for (i = 0; i < WORKERS; i++) {
			rig_put_part(rig, &all, i, id, &client.space,
				     i == longer ? &pass : &other, 1);
			rig_ring_bell(rig, all.worker[i]);
		}
		for (i = 0; i < WORKERS; i++) {
			check(rig_wait(rig, all.worker[i], id));
			alone += rig_read(rig, all.worker[i], NNLOOP_WREG_STATUS) ==
				 NNLOOP_STATUS_ALONE;
		}
		check_equal(alone, 1);
	}
	check_turns(rig, &all, 2);
}

/* A driver that says who is in a gang and is wrong. */
void test_gang_garbage(struct rig *rig)
{
	static const struct {
		uint32_t count, index;
		uint8_t worker[NNLOOP_MAX_WORKERS];
	} wrong[] = {
		{ 2, 2, { 0, 1 } },		/* more than there are */
		{ 2, 1, { 0, 1 } },		/* not this one, which is 0 */
		{ 3, 0, { 0, 1, 1 } },		/* one is in it twice */
		{ 3, 0, { 0, 1, 0 } },
		{ 2, 0, { 0, WORKERS } },	/* one that there is not */
		{ 2, 0, { 0, 200 } },
		{ NNLOOP_MAX_WORKERS + 1, 0, { 0, 1, 2, 3, 4, 5, 6, 7 } },
		{ ~0u, 0, { 0, 1 } },
		{ 1, 1, { 0, 1 } },
		{ 0, 1, { 0, 1 } },
	};
	struct client client = make_client(rig, 13);
	struct pass pass = copy_pass(&client, SOURCE, TARGET, 16);
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const struct gang one = { .count = 1 };
		struct nnloop_cmd *job = rig_next_entry(rig, 0);
		uint64_t id = rig_next_job_id(rig);

		rig->tail[0]--;
		rig->job_id++;
		rig_put_part(rig, &one, 0, id, &client.space, &pass, 1);
		job->job.gang_count = wrong[i].count;
		job->job.gang_index = wrong[i].index;
		memcpy(job->job.gang_worker, wrong[i].worker, sizeof(wrong[i].worker));
		rig_ring_bell(rig, 0);
		check(rig_wait(rig, 0, id));
		check_equal(rig_read(rig, 0, NNLOOP_WREG_STATUS), NNLOOP_STATUS_BAD_PROGRAM);
		check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_REASON), NN_REASON_HEADER);
	}
	check_turns(rig, &all, 1);
}

/* Whoever is in them, and however late. Sometimes one is told to give up. */
void test_gangs_at_random(struct rig *rig)
{
	enum { JOBS = 400 };
	struct client client = make_client(rig, 14);
	struct pass pass[3] = { turning_pass(&client) };
	unsigned int n, i, k, of[NNLOOP_MAX_WORKERS + 1] = { 0 }, cancelled = 0;

	pass[2] = pass[1] = pass[0];
	srand(1);
	for (n = 0; n < JOBS && !failed; n++) {
		unsigned int passes = 1 + rand() % 3, order[WORKERS] = { 0, 1, 2, 3 };
		struct gang gang = { .count = 1 + rand() % WORKERS };
		uint64_t id = rig_next_job_id(rig);
		bool cancel = rand() % 5 == 0;

		for (i = 0; i < WORKERS; i++) {
			unsigned int swap = order[i], with = i + rand() % (WORKERS - i);

			order[i] = order[with];
			order[with] = swap;
		}
		memcpy(gang.worker, order, sizeof(order));
		rig->job_id++;
		memset(client.target, 0, CLIENT_PAGES * PAGE);
		for (i = 0; i < gang.count; i++) {
			rig_put_part(rig, &gang, i, id, &client.space, pass, passes);
			if (rand() % 4 == 0)
				usleep(rand() % 3000);
			rig_ring_bell(rig, gang.worker[i]);
		}
		for (k = rand() % gang.count; cancel && k < gang.count; k++)
			rig_cancel(rig, gang.worker[k], id);
		for (i = 0; i < gang.count; i++)
			check(rig_wait(rig, gang.worker[i], id));
		if (cancel) {
			cancelled++;
			continue;
		}
		of[gang.count]++;
		check_ended(rig, &gang, id, NNLOOP_STATUS_OK, passes);
		check(is_turned(&client));
	}
	printf("# jobs of 1 to 4 workers: %u, %u, %u, %u; cancelled: %u\n", of[1], of[2], of[3], of[4],
	       cancelled);
	check(of[1] && of[2] && of[3] && of[4] && cancelled);
	check_turns(rig, &all, 2);
	check_equal(rig_close(rig), 0);
}
