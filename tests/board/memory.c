// SPDX-License-Identifier: MIT
/* A board that counts what passes behind an L2 cache (vdsp --cache). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "tests.h"

#define SIZE	(64u << 10)

/* Whether a shell's command exits with 0 and says `text`; what it says is short. */
static bool says(const char *command, const char *text)
{
	char output[1024] = "";
	FILE *pipe = popen(command, "r");

	if (!pipe)
		return false;
	output[fread(output, 1, sizeof(output) - 1, pipe)] = '\0';
	if (pclose(pipe) || !strstr(output, text)) {
		printf("# %s", output);
		return false;
	}
	return true;
}

static bool has_plugins(void)
{
	char command[4096];

	snprintf(command, sizeof(command), "qemu-hexagon -plugin '%s',probe=on /nowhere 2>&1",
		 rig_built("cache.so"));
	return !system(command);
}

/* A QEMU that always fails. */
void test_memory_refused(struct rig *rig)
{
	char command[4096];

	(void)rig;
	snprintf(command, sizeof(command),
		 "cd '%s' && folder=$(mktemp -d) && ln -s /bin/false $folder/qemu-hexagon &&"
		 " ! PATH=$folder:$PATH timeout 20 ./vdsp --socket $folder/socket --ram firmware.elf"
		 " --firmware firmware.elf --smmu smmu --cache 64K 2>&1 && rm -r $folder",
		 rig_built(""));
	check(says(command, "--cache 64K needs a qemu-hexagon that loads plugins"));
}

/* Two copies, of two pages and of one: 24 KiB are read, as many written. */
void test_memory(struct rig *rig)
{
	const uint32_t bytes[3] = { 3 * PAGE, 2 * PAGE, PAGE };
	struct copy copy[2] = {
		{ SOURCE, TARGET, 1, 2 * PAGE, 0, 0 },
		{ SOURCE + 2 * PAGE, TARGET + 2 * PAGE, 1, PAGE, 0, 0 },
	};
	struct pass pass = { .program = PROGRAM, .count = NN_ARG_COUNT };
	struct nn_memory_record *memory;
	struct client client;
	unsigned int i;

	if (!has_plugins()) {
		printf("# not tested: this qemu-hexagon loads no plugins\n");
		return;
	}
	rig_open_with(rig, 1, NULL, "64K");
	check(rig_boot(rig, 0));
	client = make_client(rig, 1);
	memory = (void *)(client.profile + 3);
	pass.arg[NN_ARG_PROFILE] = PROFILE;
	pass.arg[NN_ARG_FLAGS] = NN_PASS_MEMORY;
	pass.size = make_program(client.program, copy, 2);

	/* The firmware's own lines are few. */
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(!memcmp(client.target, client.source, 3 * PAGE));
	for (i = 0; i < 3; i++) {
		check_equal(memory[i].size, SIZE);
		check(memory[i].fetched >= bytes[i] && memory[i].fetched < bytes[i] + 2 * PAGE);
		check(memory[i].allocated >= bytes[i] && memory[i].allocated < bytes[i] + PAGE);
		check_equal(memory[i].fetched % 128, 0);
	}
	check(memory[0].fetched >= memory[1].fetched + memory[2].fetched);

	/* Now all of it is there. Records add up. */
	memset(client.profile, 0, 3 * (sizeof(*client.profile) + sizeof(*memory)));
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	for (i = 1; i < 3; i++)
		check(memory[i].fetched < 1024 && memory[i].allocated < 1024);

	/* Without the flag nothing is written there. */
	memset(client.profile, 0, 3 * (sizeof(*client.profile) + sizeof(*memory)));
	pass.arg[NN_ARG_FLAGS] = 0;
	check_equal(rig_run(rig, 0, &client.space, &pass, 1), NNLOOP_STATUS_OK);
	check(client.profile[0].calls == 1 && all_bytes((uint8_t *)memory, 0, 3 * sizeof(*memory)));
	check_equal(rig_close(rig), 0);
}
