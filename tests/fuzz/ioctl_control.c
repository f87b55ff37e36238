// SPDX-License-Identifier: GPL-2.0
/*
 * Control programs for the driver's fuzzer: loops in loops, of any kind of step, over programs that
 * are in other buffers, with totals and conditions in memory that others write to as well. Most are
 * right; some have a word changed.
 */
#include "ioctl.h"

#include <assert.h>

#include "dsp/program/nn_control.h"

#define MOST_STEPS	32
#define PROGRAMS	3
#define MOST_ROUNDS	3000u	/* of all loops: nobody has to wait for long */
#define WORDS		2048	/* behind the state: what steps look at */
#define WORD_COUNT	16

static_assert(sizeof(struct nn_control_state) <= WORDS);

/* In the order in which the format has them; the counts say how many there are. */
struct control {
	struct nn_control header;
	struct nn_control_program program[PROGRAMS];
	struct nn_control_step step[MOST_STEPS];
};

static struct nn_control_step *add_step(struct control *control, enum nn_control_kind kind)
{
	struct nn_control_step *step = &control->step[control->header.step_count++];

	step->kind = kind;
	return step;
}

static void add_run(struct control *control, unsigned int depth)
{
	struct nn_control_step *step = add_step(control, NN_CONTROL_RUN);

	step->number = below(PROGRAMS);
	if (depth && one_in(4)) {
		step->flags = NN_CONTROL_FIRST;
		step->level = 1 + below(depth);
	}
}

static void add_count(struct control *control, unsigned int loop)
{
	struct nn_control_step *step = add_step(control, NN_CONTROL_COUNT);

	step->number = below(NN_MAX_COUNTS);
	switch (below(3)) {
	case 0:
		step->flags = NN_CONTROL_FIRST;
		break;
	case 1:
		step->source = NN_CONTROL_ROWS;
		step->target = below(NN_MAX_COUNTS);
		break;
	default:
		step->loop = loop;
		step->rows = 1 + below(2);
	}
}

static void set_total(struct nn_control_step *enter, __u32 word)
{
	static const __u8 types[] = { NN_TYPE_BOOL, NN_TYPE_INT32, NN_TYPE_INT64 };

	enter->source = below(NN_CONTROL_SOURCES);
	enter->rows = 1 + below(3);
	enter->most = below(64);
	enter->flags = random_next() & (NN_CONTROL_CLIPPED | NN_CONTROL_SKIPS);
	switch (enter->source) {
	case NN_CONTROL_MEMORY:
		enter->type = types[below(ARRAY_SIZE(types))];
		enter->address = word;
		break;
	case NN_CONTROL_ROWS:
		enter->number = 1 + below(NN_LEVELS - 1);
		break;
	default:
		enter->number = below(6);
	}
}

/* Steps of a body at this depth; `words`: the address of what they look at. */
static void add_steps(struct control *control, unsigned int depth, __u32 words)
{
	do {
		struct nn_control_step *step;
		__u32 word = words + 8 * below(WORD_COUNT);
		unsigned int at = control->header.step_count, loop;

		/* Three steps are the most here, and each loop around has to end, and may count. */
		if (at + 3 + 2 * depth > MOST_STEPS)
			return;
		switch (below(4)) {
		case 0:
			if (depth == NN_MAX_LEVELS)
				break;
			loop = control->header.loop_count++;
			set_total(add_step(control, NN_CONTROL_ENTER), word);
			add_steps(control, depth + 1, words);
			control->step[at].level = depth + 1;
			control->step[at].loop = loop;
			control->step[at].target = control->header.step_count;
			step = add_step(control, NN_CONTROL_END);
			step->level = depth + 1;
			step->loop = loop;
			step->target = at;
			if (one_in(2)) {
				step->address = words + 8 * below(WORD_COUNT);
				step->most = one_in(4) ? ~0u : below(64);
				step->flags = one_in(8) * NN_CONTROL_STRICT;
			}
			if (one_in(2))
				add_count(control, loop);
			break;
		case 1:
			step = add_step(control, NN_CONTROL_SKIP);
			step->address = word;
			step->target = at + 2;
			add_run(control, depth);
			break;
		default:
			add_run(control, depth);
		}
	} while (!one_in(3));
}

/* Buffers with programs, if there are some. */
static void set_programs(struct client *client, struct control *control)
{
	unsigned int i, k;

	control->header.program_count = PROGRAMS;
	for (i = 0; i < PROGRAMS; i++) {
		const struct object *bo = pick(client->bos);

		for (k = 0; k < 8 && (!bo->program_size || bo->is_control); k++)
			bo = pick(client->bos);
		control->program[i].address = bo->iova;
		control->program[i].size = bo->program_size ?: 64;
	}
}

/*
 * The place of a job that begins, and what steps look at. 0 or -errno. Another thread may have put
 * another buffer in the place of this one meanwhile: its size is read once.
 */
static int write_state(struct client *client, const struct object *bo)
{
	__u64 *words, size = bo->size;
	unsigned int i;
	void *at;

	if (size < WORDS + WORD_COUNT * sizeof(*words))
		return -ENOSPC;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, client->fd, bo->offset);
	if (at == MAP_FAILED)
		return -errno;
	memset(at, 0, sizeof(struct nn_control_state));
	words = at + WORDS;
	for (i = 0; i < WORD_COUNT; i++)
		words[i] = one_in(16) ? random_next() : below(4);
	return munmap(at, size) ? -errno : 0;
}

int call_control(struct client *client)
{
	struct object *bo = pick(client->bos), *state = pick(client->bos);
	struct control control = { .header = {
		.magic = NN_CONTROL_MAGIC,
		.version = NN_CONTROL_VERSION,
		.state = state->iova,
		.limit = 1 + below(MOST_ROUNDS),
	} };
	__u32 size;
	int ret = write_state(client, state);

	if (ret)
		return ret;
	set_programs(client, &control);
	add_steps(&control, 0, state->iova + WORDS);
	size = offsetof(struct control, step) + control.header.step_count * sizeof(*control.step);
	control.header.size = size;
	return put_program(client, bo, (void *)&control, size, true);
}
