// SPDX-License-Identifier: MIT
/*
 * Every vector kernel against its portable twin, bit for bit, over random shapes, types, zero
 * points, clamps and scales. Operands lie at the ends of mapped memory, so that a byte read or
 * written too many faults or is found. Runs in qemu-hexagon.
 */
#include "dsp/firmware/counters.h"
#include "left-to-portable.h"
#include "random-call.h"

#define LEAST_SCRATCH	2048
#define BETWEEN		0xa5	/* the bytes of an output that are not its elements' */

static struct guarded vector_output, both, scratch;
static uint32_t wanted_l2_bytes;	/* by the call; 0: any */
static uint8_t portable_output[GUARDED_SIZE] __attribute__((aligned(128)));
static uint8_t portable_scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

/*
 * As much as there is on the board, or less, down to what has room for a few pixels: operands are
 * small here, and what does not fit is to go in parts.
 */
static uint32_t random_scratch_size(void)
{
	if (random_below(2))
		return NN_SCRATCH_SIZE;
	return random_range(LEAST_SCRATCH, PICK(4 << 10, 16 << 10, 64 << 10)) / 128 * 128;
}

/* Not known, or so small that even what is small here has to be divided to stay near. */
static uint32_t random_l2_bytes(void)
{
	return random_below(3) ? PICK(1 << 10, 2 << 10, 4 << 10, 16 << 10, 1 << 20) : 0;
}

static int run_with_scratch(const struct nn_kernel *vector, uint32_t size)
{
	call.scratch_size = size;
	call.scratch = guarded_place(&scratch, size, 128);
	end_when_left(vector);
	return vector->run(&call);
}

static int run_vector(const struct nn_kernel *vector, uint8_t *out)
{
	call.output[0].data = out;
	run.l2_bytes = wanted_l2_bytes ? wanted_l2_bytes : random_l2_bytes();
	return run_with_scratch(vector, random_scratch_size());
}

/* Compares what the vector kernel made with what is in portable_output. */
static bool is_as_portable(const uint8_t *out, const char *how)
{
	if (!guarded_check(&vector_output) || !guarded_check(&scratch))
		return false;
	if (is_output(out, portable_output, how))
		return true;
	print("# of %u bytes of scratch memory\n", call.scratch_size);
	return false;
}

static bool agrees_in_place(const struct nn_kernel *vector, struct nn_tensor *operand)
{
	uint8_t *input = operand->data, *out;
	uint32_t bytes = span_of(&call.output[0]);
	int ret;

	if (!can_be_in_place(operand))
		return true;
	out = guarded_place(&vector_output, bytes, nn_type_size(call.output[0].type));
	memset(out, BETWEEN, bytes);
	copy_elements(operand, out, input);
	operand->data = out;
	ret = run_vector(vector, out);
	operand->data = input;
	if (ret == LEFT_TO_PORTABLE)
		return guarded_check(&vector_output) && guarded_check(&scratch);
	if (ret)
		print("# in place, it ends with %d\n", ret);
	return !ret && is_as_portable(out, "in place");
}

static void spread(struct nn_tensor *tensor, uint8_t *data, uint32_t pitch)
{
	tensor->row_pitch = tensor->row_pitch / tensor->pitch * pitch;
	tensor->pitch = pitch;
	tensor->data = data;
}

static bool is_between(const uint8_t *at, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++) {
		if (at[i] != BETWEEN)
			return false;
	}
	return true;
}

/* Calls whose output was between the pixels of an input. */
static uint32_t between;

/*
 * The output's pixels lie between the first input's, each behind one, as those of a tensor do that
 * is made in the same Concat as what it is made of. One of both may have fewer.
 */
static bool agrees_between(const struct nn_kernel *vector)
{
	struct nn_tensor in = call.input[0], out = call.output[0];
	uint32_t in_pixel = nn_pixel_bytes(&in), out_pixel = nn_pixel_bytes(&out);
	uint32_t in_count = in.bytes / in_pixel, out_count = out.bytes / out_pixel;
	uint32_t count = in_count > out_count ? in_count : out_count;
	uint32_t pitch = in_pixel + out_pixel + random_below(2) * 64, bytes = count * pitch;
	uint8_t *at;
	bool good;
	int ret;

	if (!(nn_opcode_pitched_inputs(op.opcode) & 1) || !out_count ||
	    in_pixel % nn_type_size(out.type) || pitch % nn_type_size(out.type) ||
	    bytes > GUARDED_SIZE)
		return true;
	between++;
	at = guarded_place(&both, bytes, nn_type_size(out.type));
	memset(at, BETWEEN, bytes);
	for (uint32_t i = 0; i < in_count; i++)
		memcpy(at + i * pitch, in.data + i * in.pitch, in_pixel);
	spread(&call.input[0], at, pitch);
	spread(&call.output[0], at + in_pixel, pitch);
	ret = run_vector(vector, at + in_pixel);
	good = (!ret || ret == LEFT_TO_PORTABLE) && guarded_check(&both);
	for (uint32_t i = 0; i < count && good && !ret; i++, at += pitch) {
		good = i < in_count ? !memcmp(at, in.data + i * in.pitch, in_pixel) :
				      is_between(at, in_pixel);
		if (i < out_count)
			good &= !memcmp(at + in_pixel, portable_output + i * out.pitch, out_pixel);
		else
			good &= is_between(at + in_pixel, out_pixel);
		good &= is_between(at + in_pixel + out_pixel, pitch - in_pixel - out_pixel);
		if (!good)
			print("# pixel %u of %u, %u apart, is not as it should be (between)\n", i,
			      count, pitch);
	}
	call.input[0] = in;
	call.output[0] = out;
	return good;
}

/* Bytes of the output that nobody writes are not the same before. */
static bool is_written_whole(void)
{
	return nn_tensor_is_dense(&call.output[0]) && op.opcode != NN_OPCODE_COPY &&
	       op.opcode != NN_OPCODE_MOVE &&
	       !(op.opcode == NN_OPCODE_PIECE && op.piece.into);
}

/* Even with all the scratch memory that there is. */
static bool is_left;

/* Runs the call both ways. False, with a comment, where they differ. */
static bool twins_agree(const struct kernel_test *test)
{
	const struct nn_kernel *portable = &nn_kernels_portable[op.opcode];
	const struct nn_kernel *vector = &nn_kernels[op.opcode];
	uint32_t bytes = span_of(&call.output[0]), scratch_size;
	int ret, ret_vector;
	uint8_t *out;

	wanted_l2_bytes = run.l2_bytes;
	if (portable->check(&call)) {
		print("# %s: check() refuses the call: %u\n", portable->name,
		      portable->check(&call));
		return false;
	}
	/* Where it is aligned, results may go another way. */
	out = guarded_place(&vector_output, bytes,
			    random_below(2) ? 128 : nn_type_size(call.output[0].type));
	memset(out, BETWEEN, bytes);
	memset(portable_output, is_written_whole() ? 0xff - BETWEEN : BETWEEN, bytes);

	ret_vector = run_vector(vector, out);
	if (ret_vector == LEFT_TO_PORTABLE) {
		run.l2_bytes = 0;
		ret_vector = run_with_scratch(vector, NN_SCRATCH_SIZE);
	}
	is_left = ret_vector == LEFT_TO_PORTABLE;
	if (is_left)
		return guarded_check(&vector_output) && guarded_check(&scratch);

	scratch_size = call.scratch_size;
	keep_more_outputs();
	call.output[0].data = portable_output;
	call.scratch = portable_scratch;
	call.scratch_size = sizeof(portable_scratch);
	run.progress = NULL;
	ret = portable->run(&call);
	call.scratch_size = scratch_size;
	if (ret || ret_vector) {
		print("# it ends with %d, the vector kernel with %d\n", ret, ret_vector);
		return false;
	}
	if (!is_as_portable(out, "apart") || !are_more_outputs_kept("apart"))
		return false;
	for (uint32_t i = 0; i < test->in_place; i++) {
		if (!agrees_in_place(vector, &call.input[i]))
			return false;
	}
	return agrees_between(vector);
}

/* Whether the bytes between the output's pixels have not changed. */
static bool keeps_to_pixels(const uint8_t *out)
{
	const struct nn_tensor *output = &call.output[0];

	for (uint32_t i = 0; !nn_tensor_is_dense(output) && i < span_of(output); i++) {
		if (i % output->pitch >= nn_pixel_bytes(output) && out[i] != BETWEEN) {
			print("# byte %u, between pixels, was written\n", i);
			return false;
		}
	}
	return true;
}

/*
 * Scales that are anything are the client's own affair: the kernel ends, and keeps to its memory.
 */
static bool survives_any_scales(const struct kernel_test *test, const struct nn_kernel *vector)
{
	struct nn_tensor *scales = &call.input[test->scales];
	uint32_t flags = random_below(64);
	uint8_t *out;
	int ret;

	if (!test->scales || !scales->type)
		return true;
	random_fill(scales->data, scales->bytes);
	/* All ways there are, the same for all outputs; or any, as they have been filled with. */
	for (uint32_t i = 0; i < scales->dims[1] && flags < 32; i++)
		((uint32_t *)scales->data)[NN_SCALE_FLAGS * scales->dims[1] + i] = flags;
	out = guarded_place(&vector_output, span_of(&call.output[0]),
			    nn_type_size(call.output[0].type));
	memset(out, BETWEEN, span_of(&call.output[0]));
	ret = run_vector(vector, out);
	if (ret == LEFT_TO_PORTABLE)
		ret = 0;
	if (ret)
		print("# with any scales, it ends with %d\n", ret);
	return !ret && guarded_check(&vector_output) && guarded_check(&scratch) &&
	       keeps_to_pixels(out);
}

/*
 * An output that lies over an input otherwise than the operator allows has any bytes, and other
 * tensors have none of them: what a kernel reads may be something else when it reads it again, as
 * it is where a client writes to its memory while a job runs.
 */
static bool survives_overlap(void)
{
	const struct nn_kernel *kernel = random_below(2) ? &nn_kernels[op.opcode] :
							   &nn_kernels_portable[op.opcode];
	struct nn_tensor out = call.output[0], in;
	uint32_t i, size = nn_type_size(out.type);
	uint32_t in_bytes, out_bytes = span_of(&out), in_at, out_at = 0, bytes;
	uint8_t *at;
	int ret;

	if (op.opcode == NN_OPCODE_FILL)
		return true;
	do {
		i = random_below(NN_MAX_OP_INPUTS);
	} while (!call.input[i].type);
	in = call.input[i];
	in_bytes = span_of(&in);
	size = size < nn_type_size(in.type) ? nn_type_size(in.type) : size;
	size = in.packed ? 128 : size;
	/* The input begins within the output, often near its beginning, or the other way round. */
	in_at = random_below(out_bytes / size + 1) * size;
	if (random_below(2))
		in_at = random_below(3) * size;
	if (random_below(2)) {
		in_at = 0;
		out_at = random_below(random_below(2) ? 3 : in_bytes / size + 1) * size;
	}
	bytes = in_at + in_bytes > out_at + out_bytes ? in_at + in_bytes : out_at + out_bytes;
	if (bytes > GUARDED_SIZE)
		return true;
	at = guarded_place(&both, bytes, size);
	call.input[i].data = at + in_at;
	copy_elements(&in, at + in_at, in.data);
	ret = run_vector(kernel, at + out_at);
	call.input[i] = in;
	call.output[0] = out;
	if (ret == LEFT_TO_PORTABLE)
		ret = 0;
	if (ret)
		print("# with its output %d bytes behind input %u, it ends with %d\n",
		      (int32_t)(out_at - in_at), i, ret);
	return !ret && guarded_check(&both) && guarded_check(&scratch);
}

static void print_dims(const char *name, const struct nn_tensor *tensor)
{
	print("# %s: type %u zero %d [%u %u %u %u] pitch %u\n", name, tensor->type,
	      tensor->zero_point, tensor->dims[0], tensor->dims[1], tensor->dims[2],
	      tensor->dims[3], tensor->pitch);
}

static void print_call(void)
{
	const struct nn_window_params *w = &op.window;

	print_dims("input", &call.input[0]);
	print_dims("second input", &call.input[1]);
	print_dims("output", &call.output[0]);
	print("# kernel %u %u stride %u %u dilation %u %u", w->kernel_h, w->kernel_w, w->stride_h,
	      w->stride_w, w->dilation_h, w->dilation_w);
	print(" pad %u %u min %d max %d\n", w->pad_top, w->pad_left, op.out_min, op.out_max);
	print("# parameters");
	for (uint32_t i = 0; i < COUNT(op.words); i++)
		print(" %x", op.words[i]);
	print("\n");
}

/* Counts of an operator's calls, by what was seen of them. */
struct seen {
	uint32_t calls, empty, left, hvx, quick;
};

/* The call that was made: whether both kernels agree, and how the vector kernel does it. */
static bool try_call(const struct nn_kernel *kernel, const struct kernel_test *test,
		     struct seen *seen)
{
	uint32_t before, packets;

	seen->calls++;
	if (!twins_agree(test))
		return false;
	if (is_left) {
		seen->left++;
		return true;
	}
	if (!call.output[0].bytes) {
		seen->empty++;
		return true;
	}
	/*
	 * One more time for the vector kernel alone, to see that it is one, and how quick with all
	 * the scratch memory that there is.
	 */
	call.scratch = portable_scratch;
	call.scratch_size = sizeof(portable_scratch);
	before = counter_hvx_instructions();
	packets = counter_packets();
	kernel->run(&call);
	packets = counter_packets() - packets;
	seen->hvx += counter_hvx_instructions() - before != 0;
	if (test->most_packets)
		seen->quick += packets <= test->most_packets();
	return survives_any_scales(test, kernel) && (call_number % 2 || survives_overlap());
}

static void report(bool ok, const struct nn_kernel *kernel, const struct kernel_test *test,
		   const struct seen *seen, const char *of)
{
	if (!ok) {
		print("# call %u\n", call_number);
		print_call();
	}
	print("# %s%s: %u cases, %u empty, %u left to the portable kernel, %u with vector instructions\n",
	      kernel->name, of, seen->calls, seen->empty, seen->left, seen->hvx);
	result(ok, kernel->name);
	if (!test->is_scalar)
		result(seen->hvx > (seen->calls - seen->empty) / 2, "and it runs vector instructions");
}

static uint32_t times;	/* as many random calls as usual */

/* The number of calls that are made, where `whole` make a whole test. */
static uint32_t calls_of(uint32_t whole)
{
	return times * whole / 4;
}

static void test_kernel(const struct nn_kernel *kernel, const struct kernel_test *test)
{
	struct seen seen = { 0 };
	bool ok = true;

	while (seen.calls < calls_of(test->random_calls) && ok) {
		random_call(kernel - nn_kernels, seen.calls);
		ok = try_call(kernel, test, &seen);
	}
	report(ok, kernel, test, &seen, "");
	if (test->most_packets) {
		print("# %u of them as quick as assembly, should be %u\n", seen.quick,
		      calls_of(test->quick_calls));
		result(seen.quick >= calls_of(test->quick_calls), "and it runs its assembly");
	}
}

/* Whether an input of the call has its pixels apart, and they can be read by eight bytes. */
static bool has_strided_input(void)
{
	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++) {
		const struct nn_tensor *in = &call.input[i];

		if (in->type && !nn_tensor_is_dense(in) &&
		    ((uintptr_t)in->data | in->pitch | nn_pixel_bytes(in)) % 8 == 0)
			return true;
	}
	return false;
}

/* Others, whose operands have pitches. */
static void test_pitched(const struct nn_kernel *kernel, const struct kernel_test *test)
{
	struct seen seen = { 0 };
	/* Behind all that test_kernel() can make. */
	uint32_t apart = 0, number = (times + 1) / 2 * test->random_calls;
	uint32_t calls = test->pitched_calls ? test->pitched_calls : test->random_calls / 4;
	bool ok = true;

	between = 0;
	while (seen.calls < calls_of(calls) && ok) {
		random_call(kernel - nn_kernels, number++);
		if (!random_pitches())
			continue;
		ok = try_call(kernel, test, &seen);
		apart += has_strided_input();
	}
	print("# %u with inputs apart that are aligned, %u with an output between, %u as quick as assembly, should be %u\n",
	      apart, between, seen.quick, calls_of(test->quick_strided));
	ok &= seen.quick >= calls_of(test->quick_strided);
	ok &= !nn_opcode_pitched_inputs(op.opcode) ||
	      (apart >= seen.calls / 20 && between >= seen.calls / 4);
	report(ok, kernel, test, &seen, " of pixels apart");
}

/*
 * `test-kernels NAME TIMES`: only those whose name begins so, and so many times the usual calls,
 * which are a quarter of what operators say; NNLOOP_TEST_ALL=1 makes all.
 */
int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : NULL;
	uint32_t i, count = 0;

	times = random_times(argc, argv);
	random_calls_create();
	guarded_create(&vector_output);
	guarded_create(&both);
	guarded_create(&scratch);

	for (i = 0; i < NN_OPCODE_END; i++) {
		if (kernel_tests[i] && is_selected(nn_kernels[i].name, wanted))
			count += (1 + !kernel_tests[i]->is_scalar) * (1 + can_be_pitched(i)) +
				 !!kernel_tests[i]->most_packets;
	}
	plan(count);
	for (i = 0; i < NN_OPCODE_END; i++) {
		if (kernel_tests[i] && is_selected(nn_kernels[i].name, wanted))
			test_kernel(&nn_kernels[i], kernel_tests[i]);
	}
	for (i = 0; i < NN_OPCODE_END; i++) {
		if (kernel_tests[i] && is_selected(nn_kernels[i].name, wanted) && can_be_pitched(i))
			test_pitched(&nn_kernels[i], kernel_tests[i]);
	}
	return finish_tests();
}
