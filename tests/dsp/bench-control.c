// SPDX-License-Identifier: MIT
/*
 * Packets that control programs take beside the programs that they run, counted by qemu-hexagon, and
 * what they may take at most. bench-passes.c runs the jobs.
 */
#include "dsp/firmware/runtime.h"
#include "dsp/program/control.h"
#include "bench-passes.h"
#include "harness.h"

#define MANY	100u
#define PASSES_PROFILE	(PROFILE + (uint32_t)sizeof(struct nn_profile_record))

static struct {
	struct nn_control header;
	struct nn_control_program program;
	struct nn_control_step step[4 * MANY];
} parts;

static struct nn_control_step *add(uint8_t kind)
{
	struct nn_control_step *step = &parts.step[parts.header.step_count++];

	*step = (struct nn_control_step){ .kind = kind };
	return step;
}

static void begin(void)
{
	memset(&parts, 0, sizeof(parts));
	parts.header = (struct nn_control){ .magic = NN_CONTROL_MAGIC, .version = NN_CONTROL_VERSION,
					    .program_count = 1, .state = STATE, .limit = ~0u };
	parts.program = (struct nn_control_program){ PROGRAM, sizeof(struct nn_program) };
}

/* A loop of `total` rows, around what comes before end_loop(). */
static uint32_t begin_loop(uint32_t total)
{
	uint32_t index = parts.header.step_count;
	struct nn_control_step *enter = add(NN_CONTROL_ENTER);

	enter->level = 1;
	enter->loop = parts.header.loop_count++;
	enter->number = enter->most = total;
	enter->rows = 1;
	return index;
}

static void end_loop(uint32_t enter)
{
	struct nn_control_step *end = add(NN_CONTROL_END);

	end->level = 1;
	end->loop = parts.step[enter].loop;
	end->target = enter;
	parts.step[enter].target = parts.header.step_count - 1;
}

/* The packets of a job of this control program, with its record at `profile`, or without: 0. */
static uint32_t packets_counted(uint32_t profile)
{
	parts.header.size = sizeof(parts.header) + sizeof(parts.program) +
			    parts.header.step_count * sizeof(*parts.step);
	memcpy((void *)CONTROL, &parts, parts.header.size);
	memset((void *)STATE, 0, sizeof(struct nn_control_state));
	return control_packets(parts.header.size, profile);
}

static uint32_t packets(void)
{
	return packets_counted(0);
}

static bool say(const char *what, uint32_t count, uint32_t most)
{
	print("%s: %u packets\n", what, count);
	if (count > most)
		print("that is more than the %u that it may take\n", most);
	return count <= most;
}

/* Packets for each of MANY more iterations of a loop with this step in it; 0: none. */
static uint32_t of_an_iteration(uint8_t kind)
{
	uint32_t count[2];

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t enter;

		begin();
		enter = begin_loop(MANY + i * MANY);
		if (kind == NN_CONTROL_SKIP) {
			*add(kind) = (struct nn_control_step){ .kind = kind, .address = FALSE, .target = 3 };
			add(NN_CONTROL_RUN);
		} else if (kind) {
			add(kind);
		}
		end_loop(enter);
		count[i] = packets();
	}
	return (count[1] - count[0]) / MANY;
}

/* Packets of a loop that is not entered, or counted, in each iteration of another. */
static uint32_t of_nothing(bool is_while)
{
	uint32_t count[2];

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t outer, enter;

		begin();
		outer = begin_loop(MANY + i * MANY);
		enter = begin_loop(0);
		parts.step[enter].level = 2;
		parts.step[enter].flags = NN_CONTROL_SKIPS;
		add(NN_CONTROL_RUN);
		end_loop(enter);
		parts.step[parts.header.step_count - 1].level = 2;
		if (is_while) {
			parts.step[enter].source = NN_CONTROL_MEMORY;
			parts.step[enter].type = NN_TYPE_BOOL;
			parts.step[enter].address = FALSE;
			parts.step[enter].most = 1;
			parts.step[parts.header.step_count - 1].address = FALSE;
			parts.step[parts.header.step_count - 1].most = 5;
		} else {
			*add(NN_CONTROL_COUNT) = (struct nn_control_step){
				.kind = NN_CONTROL_COUNT, .loop = 1, .rows = 1,
			};
		}
		end_loop(outer);
		count[i] = packets();
	}
	return (count[1] - count[0]) / MANY;
}

/*
 * The packets beside the passes of a loop of MANY iterations, each with a pass and so many steps more, as
 * the records of the whole and of the passes have them.
 */
static uint32_t beside_passes(uint32_t more)
{
	volatile struct nn_profile_record *whole = (void *)PROFILE, *passes = (void *)PASSES_PROFILE;
	uint32_t enter;

	begin();
	enter = begin_loop(MANY);
	add(NN_CONTROL_RUN)->address = PASSES_PROFILE;
	while (more--)
		*add(NN_CONTROL_COUNT) = (struct nn_control_step){ .kind = NN_CONTROL_COUNT, .flags = NN_CONTROL_FIRST };
	end_loop(enter);
	memset((void *)PROFILE, 0, 2 * sizeof(*whole));
	packets_counted(PROFILE);
	return whole->packets - passes->packets;
}

/* Counts of passes leave out what is between them: that is in the record of the whole alone. */
static bool counts_control(void)
{
	uint32_t few = beside_passes(0), many = beside_passes(10);

	if (many >= few + 10 * MANY)
		return true;
	print("control: %u packets are beside the passes, and %u with %u steps more between them\n",
	      few, many, 10 * MANY);
	return false;
}

bool bench_control(void)
{
	uint32_t end = of_an_iteration(0);
	bool good = true;

	good &= say("control: an empty pass", of_an_iteration(NN_CONTROL_RUN) - end, 120);
	good &= say("control: an iteration of nothing", end, 60);
	good &= say("control: an iteration that is skipped", of_an_iteration(NN_CONTROL_SKIP), 60);
	good &= say("control: a loop of no iterations, and its count", of_nothing(false) - end, 120);
	good &= say("control: a WHILE that does nothing", of_nothing(true) - end, 200);
	begin();
	good &= say("control: a pass of no steps", packets(), 1000);
	return counts_control() && good;
}
