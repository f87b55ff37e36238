// SPDX-License-Identifier: MIT
/* The SMMU: page by page what the page table says, and nothing else. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "tests.h"

void test_fault_unmapped(struct rig *rig)
{
	struct client client = make_client(rig, 7);
	uint32_t beyond = CLIENT_PAGES * PAGE;
	struct copy copy[3] = {
		{ SOURCE, TARGET, 1, 256, 0, 0 },
		{ SOURCE + beyond + 0x180, TARGET + PAGE, 1, 256, 0, 0 },
		{ SOURCE, TARGET + 2 * PAGE, 1, 256, 0, 0 },
	};
	struct pass pass = { .program = PROGRAM }, two[2];

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
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), NONE);

	/* The same after a pass whose operator has ended. */
	two[0] = copy_pass(&client, SOURCE, TARGET, 640);
	two[1] = pass;
	check_equal(rig_run(rig, 0, &client.space, two, 2), NNLOOP_STATUS_FAULT);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_FAIL_OP), NONE);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_PASSES_DONE), 1);

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
void test_fault_freed(struct rig *rig)
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

/* Runs a pass and returns REFILL_TIME. */
static uint32_t refill_time(struct rig *rig, struct client *client, uint32_t from, uint32_t to,
			    uint32_t size)
{
	struct pass pass = copy_pass(client, from, to, size);

	check_equal(rig_run(rig, 0, &client->space, &pass, 1), NNLOOP_STATUS_OK);
	return rig_read(rig, 0, NNLOOP_WREG_REFILL_TIME);
}

/*
 * From the time that a space is selected on, whatever job it is for: pages count when they are
 * first used, and never again.
 */
void test_refill_time(struct rig *rig)
{
	enum { MANY = 1024, TRIES = 20 };
	struct client few = make_client(rig, 21), many = make_client(rig, 22);
	uint32_t some, all, other;
	unsigned int i;

	map_new(rig, &many.space, 0xc0000000, MANY);
	map_new(rig, &many.space, 0xd0000000, MANY);
	/* The machine may stop in the shorter one, but not always. */
	for (i = 0; i < TRIES; i++) {
		some = refill_time(rig, &many, SOURCE, TARGET, PAGE);
		check_equal(refill_time(rig, &many, SOURCE, TARGET, PAGE), some);
		all = refill_time(rig, &many, 0xc0000000, 0xd0000000, MANY * PAGE);
		check(some > 0);
		check(all > some);
		check_equal(refill_time(rig, &many, 0xc0000000, 0xd0000000, MANY * PAGE), all);
		/* Begins anew, with what it takes to drop those. */
		other = refill_time(rig, &few, SOURCE, TARGET, PAGE);
		check(other > 0);
		if (other < all)
			return;
	}
	check(false);
}

/* Two clients have memory at addresses of their own; neither can name the other's. */
void test_fault_other_client(struct rig *rig)
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

void test_fault_read_only(struct rig *rig)
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
void test_broken_page_table(struct rig *rig)
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
void test_scattered_pages(struct rig *rig)
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

/* Memory that is a process's own, in KiB: pages of no file, and those of files in memory. */
static long own_memory(pid_t pid)
{
	char path[64], line[128];
	long kib, sum = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	file = fopen(path, "re");
	check(file);
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Pss_Anon: %ld", &kib) == 1 ||
		    sscanf(line, "Pss_Shmem: %ld", &kib) == 1)
			sum += kib;
	if (file)
		fclose(file);
	return sum;
}

/*
 * An operator that would touch each page of a GiB where nothing is: it ends at its next report, and
 * the pages that it has touched by then are one.
 */
void test_fault_storm(struct rig *rig)
{
	enum { PAGES = 1 << 18, BASE = 0x94000000, RESULT = 0xd8000000 };
	struct client client = make_client(rig, 18), other = make_client(rig, 19);
	struct copy read = { BASE, RESULT, PAGES, 4, PAGE, 4 };
	struct copy write = { RESULT, BASE, PAGES, 4, 4, PAGE };
	struct pass pass = { .program = PROGRAM };
	uint8_t *result = map_new(rig, &client.space, RESULT, PAGES * 4 / PAGE + 1);
	pid_t pid = rig_worker_pid(rig, 0);
	long before = 0;
	int i;

	memset(result, 0x99, PAGES * 4);
	for (i = 0; i < 2; i++) {
		/* By the second time all that this takes of the worker itself is there. */
		check_works(rig, 0);
		before = own_memory(pid);
		pass.size = make_program(client.program, &write, 1);
		check_faults(rig, 0, &client, &pass, BASE, NNLOOP_ACCESS_WRITE);
		printf("# %ld KiB before, %ld after\n", before, own_memory(pid));
	}
	check(own_memory(pid) < before + 1024);
	before = own_memory(pid);
	pass.size = make_program(client.program, &read, 1);
	check_faults(rig, 0, &client, &pass, BASE, NNLOOP_ACCESS_READ);
	check(own_memory(pid) < before + 1024);
	check(all_bytes(result, 0, 512));
	check(all_bytes(result + PAGES * 2, 0x99, PAGES * 2));

	/* Another client does not see what was written there. */
	memset(client.source, 0xee, CLIENT_PAGES * PAGE);
	pass = copy_pass(&client, SOURCE, BASE, 2 * PAGE);
	check_faults(rig, 0, &client, &pass, BASE, NNLOOP_ACCESS_WRITE);
	memset(other.target, 0x99, CLIENT_PAGES * PAGE);
	pass = copy_pass(&other, BASE + 7 * PAGE, TARGET, CLIENT_PAGES * PAGE);
	check_faults(rig, 0, &other, &pass, BASE + 7 * PAGE, NNLOOP_ACCESS_READ);
	check(all_bytes(other.target, 0, CLIENT_PAGES * PAGE));
	check_works(rig, 0);
}
