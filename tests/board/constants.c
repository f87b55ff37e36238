// SPDX-License-Identifier: MIT
/*
 * Programs that a client says are constant: checked once, and never another's, nor used for what is
 * not there any more.
 */
#define _GNU_SOURCE
#include <string.h>

#include "client.h"
#include "tests.h"

#define BYTES	64

/* One that copies BYTES of the client's memory from place `from` of its source. */
static struct pass constant_pass(struct client *client, unsigned int from)
{
	struct pass pass = copy_pass(client, SOURCE + 128 * from, TARGET, BYTES);

	pass.count = NN_ARG_COUNT;
	pass.arg[NN_ARG_FLAGS] = NN_PASS_CONSTANT;
	return pass;
}

/* The index of the element that a job of this pass copied from; -1: none of the first 8. */
static int copied_from(struct rig *rig, struct client *client, const struct pass *pass)
{
	unsigned int i;

	memset(client->target, 0, BYTES);
	if (rig_run(rig, 0, &client->space, pass, 1) != NNLOOP_STATUS_OK)
		return -1;
	for (i = 0; i < 8; i++) {
		if (!memcmp(client->target, client->source + 128 * i, BYTES))
			return i;
	}
	return -1;
}

void test_constant_program(struct rig *rig)
{
	struct client client = make_client(rig, 11);
	struct pass constant = constant_pass(&client, 0), pass;

	check_equal(copied_from(rig, &client, &constant), 0);
	/* It is not, and is not looked at. */
	pass = copy_pass(&client, SOURCE + 128, TARGET, BYTES);
	check_equal(copied_from(rig, &client, &constant), 0);
	memset(client.program, 0xff, pass.size);
	check_equal(copied_from(rig, &client, &constant), 0);
	/* Who does not say so gets what is there. */
	check_refused(rig, &client, &pass, NN_REASON_HEADER);
	pass = copy_pass(&client, SOURCE + 256, TARGET, BYTES);
	check_equal(copied_from(rig, &client, &pass), 2);
	pass = copy_pass(&client, SOURCE + 384, TARGET, BYTES);
	check_equal(copied_from(rig, &client, &pass), 3);
	/* Something was taken away from the client: perhaps the program. */
	client.space.client_generation++;
	check_equal(copied_from(rig, &client, &constant), 3);

	/* A program that was refused is not kept. */
	client.space.client_generation++;
	((struct nn_program *)client.program)->magic ^= 1;
	check_refused(rig, &client, &constant, NN_REASON_HEADER);
	((struct nn_program *)client.program)->magic ^= 1;
	check_equal(copied_from(rig, &client, &constant), 3);

	/* Nor is what is of a client that the driver does not name. */
	client.space.client = 0;
	check_equal(copied_from(rig, &client, &constant), 3);
	copy_pass(&client, SOURCE + 512, TARGET, BYTES);
	check_equal(copied_from(rig, &client, &constant), 4);

	constant.arg[NN_ARG_FLAGS] = NN_PASS_MEMORY << 1;
	check_refused(rig, &client, &constant, NN_REASON_HEADER);
	constant.arg[NN_ARG_FLAGS] = ~0u;
	check_refused(rig, &client, &constant, NN_REASON_HEADER);
	check_works(rig, 0);
}

void test_constant_program_of_another(struct rig *rig)
{
	struct client mine = make_client(rig, 12), theirs = make_client(rig, 13);
	struct pass pass = constant_pass(&mine, 0);

	constant_pass(&theirs, 1);
	check_equal(copied_from(rig, &mine, &pass), 0);
	/* Programs of one size at one address, and the same count of changes. */
	check_equal(mine.space.client_generation, theirs.space.client_generation);
	check_equal(copied_from(rig, &theirs, &pass), 1);
	check_equal(copied_from(rig, &mine, &pass), 0);

	/* The one is gone, and the other comes with its number of the space. */
	theirs.space.id = mine.space.id;
	theirs.space.generation = mine.space.generation + 1;
	theirs.space.client = mine.space.client + 1000;
	memcpy(theirs.program, mine.program, pass.size);
	constant_pass(&theirs, 2);
	check_equal(copied_from(rig, &theirs, &pass), 2);
	check_works(rig, 0);
}

void test_constant_program_without_memory(struct rig *rig)
{
	struct client client = make_client(rig, 14);
	struct pass pass = constant_pass(&client, 0);
	uint64_t *pte = rig_pte(rig, client.space.root, TARGET), kept = *pte;

	check_equal(copied_from(rig, &client, &pass), 0);
	/* The copy gives no access to what it names. */
	*pte = 0;
	client.space.generation++;
	check_faults(rig, 0, &client, &pass, TARGET, NNLOOP_ACCESS_WRITE);
	*pte = kept | NNLOOP_PTE_READ_ONLY;
	client.space.generation++;
	check_faults(rig, 0, &client, &pass, TARGET, NNLOOP_ACCESS_WRITE);
	*pte = kept;
	client.space.generation++;
	check_equal(copied_from(rig, &client, &pass), 0);

	/* A program that is gone is missed as ever. */
	pte = rig_pte(rig, client.space.root, PROGRAM);
	kept = *pte;
	*pte = 0;
	client.space.generation++;
	client.space.client_generation++;
	check_faults(rig, 0, &client, &pass, PROGRAM, NNLOOP_ACCESS_READ);
	/* And what a fault gave instead is not kept. */
	*pte = kept;
	client.space.generation++;
	check_equal(copied_from(rig, &client, &pass), 0);
	check_works(rig, 0);
}

/* More than there is room for copies: those that come later take the place of others. */
void test_constant_programs_without_room(struct rig *rig)
{
	enum { PROGRAMS = 5, COPIES = 3800, PAGES = 256, ROUNDS = 3 };
	static struct copy copy[COPIES];
	const uint32_t address = 0xc0000000;
	struct client client = make_client(rig, 15);
	uint8_t *memory = map_new(rig, &client.space, address, PROGRAMS * PAGES);
	struct pass small = constant_pass(&client, 0), pass[PROGRAMS];
	unsigned int i, round;

	for (i = 0; i < PROGRAMS; i++) {
		unsigned int k;

		for (k = 0; k < COPIES; k++)
			copy[k] = (struct copy){ SOURCE + 128 * (i + 1), TARGET, 1, BYTES, 0, 0 };
		pass[i] = small;
		pass[i].program = address + i * PAGES * PAGE;
		pass[i].size = make_program(memory + i * PAGES * PAGE, copy, COPIES);
		check(pass[i].size <= PAGES * PAGE);
	}
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < PROGRAMS; i++) {
			check_equal(copied_from(rig, &client, &pass[i]), i + 1);
			check_equal(copied_from(rig, &client, &pass[i]), i + 1);
			check_equal(copied_from(rig, &client, &small), 0);
		}
	}
	check_works(rig, 0);
}
