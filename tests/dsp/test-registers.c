// SPDX-License-Identifier: MIT
/*
 * Each assembly function keeps what the ABI says belongs to its caller: r16 to r27, the stack and
 * frame pointers and the words above its frame. The operators' own random calls run the vector
 * kernels, with wrapped-functions.S between a kernel and its assembly. Where all calls are made, a
 * function that none of them reaches fails, too. Runs in qemu-hexagon.
 *
 * The outputs are of no interest: test-kernels sees to them.
 */
#include "left-to-portable.h"
#include "random-call.h"

#define MOST_ROUNDS	20u
#define ROUNDS_OF_ALL	2u
#define FEWER_CALLS	2	/* so many times, if not all tests are wanted */

static uint32_t times; /* 1, or more where all are wanted */

#define STACK_POINTER	12
#define FRAME_POINTER	13
#define ABOVE		14

/* As wrapped-functions.S has them, in the order of their names. */
extern struct wrapped_function {
	const char *name;
	uint32_t calls;
	uint32_t changed[18];	/* r16 to r27, r29, r30 and the stack: bits that were not kept */
} wrapped_functions[], wrapped_functions_end[];

static struct guarded output, inputs[2];
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

static void run_kernel(const struct nn_kernel *kernel)
{
	end_when_left(kernel);
	kernel->run(&call);
}

/* The first two inputs at vectors' beginnings, which random calls seldom have. */
static void align_inputs(void)
{
	for (uint32_t i = 0; i < COUNT(inputs); i++) {
		struct nn_tensor *in = &call.input[i];
		const uint8_t *data = in->data;

		if (!in->type || in->packed)
			continue;
		in->data = guarded_place(&inputs[i], span_of(in), 128);
		copy_elements(in, in->data, data);
	}
}

static bool change_sign(struct nn_tensor *tensor)
{
	bool is_unsigned = tensor->type == NN_TYPE_UINT8;

	if ((!is_unsigned && tensor->type != NN_TYPE_INT8) || tensor->packed)
		return false;
	tensor->type = is_unsigned ? NN_TYPE_INT8 : NN_TYPE_UINT8;
	tensor->zero_point += is_unsigned ? -128 : 128;
	return true;
}

static void change_signs(void)
{
	bool is_unsigned = call.output[0].type == NN_TYPE_UINT8;

	change_sign(&call.input[0]);
	change_sign(&call.input[1]);
	if (change_sign(&call.output[0])) {
		op.out_min += is_unsigned ? -128 : 128;
		op.out_max += is_unsigned ? -128 : 128;
	}
}

/* All there is of the memory that a kernel may use, or so little that small operands go in parts. */
static void choose_memory(void)
{
	run.l2_bytes = random_below(3) ? 0 : PICK(1 << 10, 4 << 10, 16 << 10);
	call.scratch = scratch;
	call.scratch_size = random_below(3) ? NN_SCRATCH_SIZE :
					      random_range(2 << 10, 64 << 10) / 128 * 128;
}

/*
 * Runs the call, half of the time with aligned operands; the same with the other type of bytes, if
 * the kernel has that, so that what is rare does not have to come about for both; and in place of
 * the inputs that allow it.
 */
static void run_call(const struct nn_kernel *kernel, const struct kernel_test *test)
{
	uint32_t bytes = span_of(&call.output[0]);
	bool is_aligned = random_below(2);

	choose_memory();
	if (is_aligned)
		align_inputs();
	call.output[0].data = guarded_place(&output, bytes,
					    is_aligned ? 128 : nn_type_size(call.output[0].type));
	run_kernel(kernel);
	change_signs();
	if (kernel->check(&call))
		change_signs();
	else
		run_kernel(kernel);
	for (uint32_t i = 0; i < test->in_place; i++) {
		if (!can_be_in_place(&call.input[i]))
			continue;
		copy_elements(&call.input[i], call.output[0].data, call.input[i].data);
		call.input[i].data = call.output[0].data;
		run_kernel(kernel);
	}
}

static void run_round(enum nn_opcode opcode, uint32_t round)
{
	const struct kernel_test *test = kernel_tests[opcode];
	const struct nn_kernel *kernel = &nn_kernels[opcode];
	uint32_t half = (test->random_calls + 1) / 2, number = round * half;
	uint32_t count = times > 1 ? half : (half + FEWER_CALLS - 1) / FEWER_CALLS, i;

	for (i = 0; i < count; i++) {
		random_call(opcode, number + i);
		run_call(kernel, test);
	}
	for (i = 0; i < count / 2 && can_be_pitched(opcode); i++) {
		random_call(opcode, number + MOST_ROUNDS * half + i);
		if (random_pitches())
			run_call(kernel, test);
	}
}

static uint32_t calls_of_all(void)
{
	uint32_t calls = 0;

	for (const struct wrapped_function *f = wrapped_functions; f < wrapped_functions_end; f++)
		calls += f->calls;
	return calls;
}

static bool are_all_reached(void)
{
	for (const struct wrapped_function *f = wrapped_functions; f < wrapped_functions_end; f++) {
		if (!f->calls)
			return false;
	}
	return true;
}

/*
 * Rounds of half the operators' calls: two of all, and, if all tests are wanted, more of depthwise
 * convolutions and maxima, whose functions are most, and some of them rare, until each function has
 * been reached.
 */
static void run_rounds(void)
{
	uint32_t round, i;

	for (round = 0; round < MOST_ROUNDS; round++) {
		if (round >= ROUNDS_OF_ALL && (times == 1 || are_all_reached()))
			break;

		for (i = 0; i < NN_OPCODE_END; i++) {
			if (!kernel_tests[i] || nn_kernels[i].run == nn_kernels_portable[i].run ||
			    (round >= ROUNDS_OF_ALL && i != NN_OPCODE_DEPTHWISE_CONV2D &&
			     i != NN_OPCODE_MAX_POOL))
				continue;
			run_round(i, round);
		}
	}
	print("# %u rounds, %u calls\n", round, calls_of_all());
}

static bool keeps_registers(const struct wrapped_function *function)
{
	bool ok = true;

	for (uint32_t i = 0; i < COUNT(function->changed); i++) {
		if (!function->changed[i])
			continue;
		ok = false;
		if (i < STACK_POINTER)
			print("# %s changes r%u\n", function->name, 16 + i);
		else if (i < ABOVE)
			print("# %s changes r%u\n", function->name, 29 + i - STACK_POINTER);
		else
			print("# %s writes to its caller's stack\n", function->name);
	}
	if (!function->calls)
		print("# %s call of the operators' tests reaches %s\n", times > 1 ? "no" : "a rare",
		      function->name);
	return ok && (function->calls || times == 1);
}

/* `test-registers "" TIMES`: as test-kernels. */
int main(int argc, char **argv)
{
	times = random_times(argc, argv);
	random_calls_create();
	guarded_create(&output);
	for (uint32_t i = 0; i < COUNT(inputs); i++)
		guarded_create(&inputs[i]);
	plan(wrapped_functions_end - wrapped_functions);
	run_rounds();
	for (const struct wrapped_function *f = wrapped_functions; f < wrapped_functions_end; f++)
		result(keeps_registers(f), f->name);
	return finish_tests();
}
