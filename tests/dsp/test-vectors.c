// SPDX-License-Identifier: MIT
/*
 * Which calls the DSP computes with vectors is what nn_call_has_vectors() says of them, before they
 * run: users are told that. The operators' own random calls, with the portable kernels wrapped
 * (build.mk): each says that it was called, and does nothing. Runs in qemu-hexagon.
 *
 * The outputs are of no interest: test-kernels sees to them.
 */
#include "random-call.h"

#define MOST_PRINTED	5u

static struct guarded output;
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));
static uint32_t portable_calls;

#define NN_OPCODE(ID, name, number, where)				\
int __wrap_nn_##name##_portable(const struct nn_call *of);		\
int __wrap_nn_##name##_portable(const struct nn_call *of)		\
{									\
	(void)of;							\
	portable_calls++;						\
	return 0;							\
}
#include "dsp/program/operators.h"

/* How many calls there were, and with how many of them the rule was wrong. */
struct seen {
	uint32_t calls, vectors, wrong;
};

static void print_tensor(const char *name, const struct nn_tensor *tensor)
{
	print("# %s: type %u, rank %u, %ux%ux", name, tensor->type, tensor->rank, tensor->dims[0],
	      tensor->dims[1]);
	print("%ux%ux%u, pitch %u\n", tensor->dims[2], tensor->dims[3], tensor->dims[4],
	      tensor->pitch);
}

static void print_call(bool has_vectors)
{
	print("# %s, as its rule does not say\n",
	      has_vectors ? "runs in portable C" : "runs with vectors");
	print_tensor("input", &call.input[0]);
	if (call.input[1].type)
		print_tensor("second input", &call.input[1]);
	print_tensor("output", &call.output[0]);
	print("# parameters");
	for (uint32_t i = 0; i < COUNT(op.words); i++)
		print(" %x", op.words[i]);
	print("\n");
}

/* The rule is asked as the library asks: it sees no data. */
static bool ask_rule(void)
{
	struct nn_call blind = call;

	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++)
		blind.input[i].data = NULL;
	for (uint32_t i = 0; i < NN_MAX_OP_OUTPUTS; i++)
		blind.output[i].data = NULL;
	blind.run = NULL;
	blind.scratch = NULL;
	blind.scratch_size = 0;
	return nn_call_has_vectors(&blind);
}

/*
 * Weights that are none, which some random calls have, are left to portable C whatever the rule
 * says: the library writes none.
 */
static void settle_weights(void)
{
	for (uint32_t i = 3; i < 5 && op.opcode == NN_OPCODE_RESIZE_LINEAR; i++) {
		struct nn_tensor *weights = &call.input[i];

		for (uint32_t k = 0; k < weights->bytes / 4; k++)
			((uint32_t *)weights->data)[k] = bits_of(0.5f);
	}
}

static void try_call(struct seen *seen)
{
	bool has_vectors;

	settle_weights();

	/* Kernels are not asked for nothing. */
	if (!call.output[0].dims[0])
		return;
	has_vectors = ask_rule();
	call.output[0].data = guarded_place(&output, span_of(&call.output[0]),
					    nn_type_size(call.output[0].type));
	call.scratch = scratch;
	call.scratch_size = sizeof(scratch);
	portable_calls = 0;
	nn_kernels[op.opcode].run(&call);
	seen->calls++;
	seen->vectors += has_vectors;
	if (has_vectors == !portable_calls)
		return;
	/* Results of 65536 are looked up by a loop of its own, without vectors, as the rule says. */
	if (op.opcode == NN_OPCODE_TABLE_INT16 && !has_vectors)
		return;
	if (seen->wrong++ < MOST_PRINTED)
		print_call(has_vectors);
}

static bool try_opcode(enum nn_opcode opcode, uint32_t times)
{
	uint32_t calls = kernel_tests[opcode]->random_calls * times;
	struct seen seen = { 0 };

	for (uint32_t i = 0; i < calls; i++) {
		random_call(opcode, i);
		try_call(&seen);
	}
	for (uint32_t i = 0; i < calls / 2 && can_be_pitched(opcode); i++) {
		random_call(opcode, calls + i);
		if (random_pitches())
			try_call(&seen);
	}
	print("# %u calls, %u with vectors, %u otherwise than told\n", seen.calls, seen.vectors,
	      seen.wrong);
	return seen.calls && !seen.wrong;
}

/* An operator's name, or its beginning, and how many times as many calls. */
int main(int argc, char **argv)
{
	uint32_t tests = 0;

	random_calls_create();
	guarded_create(&output);
	for (uint32_t i = 0; i < NN_OPCODE_END; i++)
		tests += kernel_tests[i] && is_selected(nn_kernels[i].name, argv[1]);
	plan(tests);
	for (uint32_t i = 0; i < NN_OPCODE_END; i++) {
		if (kernel_tests[i] && is_selected(nn_kernels[i].name, argv[1]))
			result(try_opcode(i, random_times(argc, argv)), nn_kernels[i].name);
	}
	return finish_tests();
}
