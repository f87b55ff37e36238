// SPDX-License-Identifier: MIT
/*
 * Operators whose work the one before them does as well (nn_call_fuses()): random programs of a
 * convolution or fully connected layer and up to three operators in place of its output, run by the
 * interpreter, against the same one after another, bit for bit. With rows of a loop or without, by
 * one worker or by the shares of several. Operands lie at the ends of mapped memory. Runs in
 * qemu-hexagon.
 */
#include "dsp/firmware/runtime.h"
#include "dsp/program/interpreter.h"
#include "kernels/weighted.h"
#include "random-call.h"

#define USUAL_CALLS	250	/* twice as many with NNLOOP_TEST_ALL=1 */
#define MOST_STEPS	3	/* one more than are fused */
#define MOST_WORKERS	4
#define MOST_TENSORS	16
#define MOST_BEFORE	2	/* rows of an output that other passes have written */

struct step {
	struct nn_program_op op;
	struct nn_call call;	/* its input[in_place] and output are the first operator's output */
	uint32_t in_place;
};

/*
 * The call to be run, and the steps behind it. The last step may be apart: then its output lies
 * elsewhere.
 */
static struct {
	struct nn_program_op op;
	struct nn_call call;
	struct step step[MOST_STEPS];
	uint32_t steps;
	bool is_elsewhere;
	uint32_t level, before;	/* of the output and what goes with it */
	uint32_t pitch;		/* of the same, 0: they are dense */
	bool is_flat;		/* steps have a row's pixels as one */
} test;

static struct {
	struct nn_program header;
	struct nn_program_region region[MOST_TENSORS];
	struct nn_program_tensor tensor[MOST_TENSORS];
	struct nn_program_op op[1 + MOST_STEPS];
} parts;

static uint8_t program[sizeof(parts)] __attribute__((aligned(8)));
static struct nn_memory memory[MOST_TENSORS];
static uint8_t room[64 << 10] __attribute__((aligned(8)));
static uint32_t arg[NN_ARG_COUNT];

static struct guarded output, apart, scratch;
static uint8_t expected[GUARDED_SIZE] __attribute__((aligned(128)));
static uint8_t own_scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

/* Operators that a run has told of. */
static bool told[1 + MOST_STEPS];

static struct {
	uint32_t programs, divided, with_rows, elsewhere, pitched;
	uint32_t fused[1 + MOST_STEPS];	/* by how many */
	uint32_t tables, sums, float_sums;	/* that were fused, */
	uint32_t second;			/* and sums of them in place of their second operand, */
	uint32_t others_strided;			/* or whose other one has pixels apart */
	uint32_t inputs_strided;			/* programs whose first input has, */
	uint32_t unfit;				/* or an operand of other pixels, which is not fused */
} seen;

/* Making a program. */

static void make_parameters(enum nn_opcode opcode)
{
	struct nn_add_float_params *add = &op.add_float;

	if (opcode == NN_OPCODE_ADD) {
		op.add.shift = random_below(4) ? random_range(15, 24) : random_range(1, 30);
		op.add.multiplier_a = (int32_t)random_below((1 << 22) + 1) - (1 << 21);
		op.add.multiplier_b = (int32_t)random_below((1 << 22) + 1) - (1 << 21);
	} else if (opcode == NN_OPCODE_ADD_FLOAT) {
		add->scale_output = random_below(30) ? (float)random_range(1, 99) / 64
						     : random_any_scale();
		add->scale_a = random_scale_like(add->scale_output);
		add->scale_b = random_scale_like(add->scale_output);
		add->form = random_below(NN_ADD_FORMS);
	}
}

/* Makes step number i behind what gives `from`. Its other operand is input 4 + i of all. */
static void make_step(uint32_t i, const struct nn_tensor *before)
{
	struct nn_tensor flat = *before;
	const struct nn_tensor *from = &flat;
	enum nn_opcode opcode = PICK(NN_OPCODE_TABLE, NN_OPCODE_ADD, NN_OPCODE_ADD_FLOAT);
	struct step *step = &test.step[i];
	bool is_sum = opcode != NN_OPCODE_TABLE;

	if (test.is_flat && before->rank == 4) {
		flat.rank = 3;
		flat.dims[2] *= flat.dims[3];
		flat.dims[3] = 1;
		flat.pitch *= before->dims[2];
	}
	begin_call(opcode);
	step->in_place = is_sum && random_below(2);
	if (is_sum) {
		random_input(4 + i, random_8bit(), from->rank, from->dims);
		if (random_below(3) == 0)
			random_pitch(4 + i);
	} else {
		random_constant(4 + i, NN_TYPE_UINT8, 256);
	}
	call.input[!step->in_place] = call.input[4 + i];
	call.input[4 + i].type = 0;
	call.input[step->in_place] = *from;
	random_output(random_8bit(), from->rank, from->dims);
	make_parameters(opcode);
	step->op = op;
	step->call = call;
	step->call.op = &step->op;
}

/*
 * So many weights, for so many pixels, that these are not made one after another, but 64 outputs of
 * all of them and then 64 more.
 */
static void make_wide(void)
{
	uint32_t channels = 8 * random_range(400, 450), outputs = 128;
	uint32_t pixels = random_range(130, 145);

	begin_call(NN_OPCODE_CONV2D);
	op.window = window_of(1, 1, 1, 1);
	random_input(0, random_8bit(), DIMS(1, 1, pixels, channels));
	random_output(random_8bit(), DIMS(1, 1, pixels, outputs));
	random_weighted(outputs, 1, 1, channels);
}

/* Draws a pitch for convolutions, if there is room for it. */
static void draw_pitch(void)
{
	const struct nn_tensor *out = &test.call.output[0];
	uint32_t pixel = nn_pixel_bytes(out), pitch = pixel;

	test.pitch = 0;
	if (test.op.opcode != NN_OPCODE_CONV2D || test.is_flat || random_below(3))
		return;
	pitch += random_below(2) ? PICK(1, 16, 32, 64, 96, 128, pixel) : random_range(1, 200);
	if ((out->bytes + MOST_BEFORE * out->row_bytes) / pixel * pitch <= GUARDED_SIZE)
		test.pitch = pitch;
}

static void make_test(void)
{
	enum nn_opcode opcode = PICK(NN_OPCODE_CONV2D, NN_OPCODE_CONV2D, NN_OPCODE_CONV2D,
				     NN_OPCODE_FULLY_CONNECTED, NN_OPCODE_MAX_POOL);
	const struct nn_tensor *from = &test.call.output[0];

	do {
		if (opcode == NN_OPCODE_CONV2D && random_below(24) == 0)
			make_wide();
		else
			kernel_tests[opcode]->make_random();
	} while (call.output[0].type == NN_TYPE_INT32);
	if (opcode == NN_OPCODE_CONV2D && random_below(3) == 0)
		random_pitch(0);
	test.op = op;
	test.call = call;
	test.call.op = &test.op;
	test.steps = random_range(1, MOST_STEPS);
	test.is_flat = random_below(6) == 0;
	for (uint32_t i = 0; i < test.steps; i++) {
		make_step(i, from);
		from = &test.step[i].call.output[0];
	}
	test.is_elsewhere = random_below(5) == 0;
	test.level = random_below(2);
	test.before = test.level ? random_below(MOST_BEFORE + 1) : 0;
	draw_pitch();
}

/* Running it, in both ways, and comparing the results. */

static bool run_alone(struct nn_call *alone)
{
	const struct nn_kernel *kernel = &nn_kernels[alone->op->opcode];
	enum nn_program_reason reason;

	alone->run = &run;
	alone->scratch = own_scratch;
	alone->scratch_size = sizeof(own_scratch);
	reason = kernel->check(alone);
	if (reason)
		print("# %s: check() refuses the call: %u\n", kernel->name, reason);
	return !reason && !kernel->run(alone);
}

static bool expect(void)
{
	bool good;

	test.call.output[0].data = expected;
	good = run_alone(&test.call);
	for (uint32_t i = 0; i < test.steps && good; i++) {
		struct step *step = &test.step[i];

		step->call.output[0].data = expected;
		step->call.input[step->in_place].data = expected;
		good = run_alone(&step->call);
	}
	return good;
}

/* The program. */

static uint16_t add_region(uint8_t *data, uint32_t bytes, bool is_written)
{
	uint32_t i = parts.header.region_count++;

	parts.region[i] = (struct nn_program_region){
		.size = bytes,
		.flags = is_written ? NN_REGION_WRITABLE : 0,
	};
	memory[i] = (struct nn_memory){ data, bytes, is_written };
	return i;
}

/* Adds a tensor; one that is written is the output, or in place of it. */
static uint16_t add_tensor(const struct nn_tensor *tensor, uint32_t region)
{
	struct nn_program_tensor *to = &parts.tensor[parts.header.tensor_count];
	bool is_written = parts.region[region].flags;

	*to = (struct nn_program_tensor){
		.type = tensor->type,
		.rank = tensor->rank,
		.level = tensor->packed ? 0 : test.level,
		.place = is_written && test.level ? NN_PLACE_OUTPUT : NN_PLACE_REGION,
		.source = region,
		.zero_point = tensor->zero_point,
	};
	memcpy(to->dims, tensor->dims, tensor->rank * sizeof(*to->dims));
	if (!nn_tensor_is_dense(tensor))
		to->pitch = tensor->pitch / nn_type_size(tensor->type);
	if (is_written) {
		to->dims[0] += test.before;
		to->pitch = test.pitch;
	}
	return parts.header.tensor_count++;
}

/* An operand that is only read. */
static uint16_t add_input(const struct nn_tensor *tensor)
{
	if (!tensor->type)
		return NN_NO_TENSOR;
	return add_tensor(tensor, add_region(tensor->data, span_of(tensor), false));
}

static void add_op(const struct nn_call *wanted, const uint16_t *input, uint16_t result_tensor)
{
	struct nn_program_op *to = &parts.op[parts.header.op_count++];

	*to = *wanted->op;
	memset(to->input, 0xff, sizeof(to->input));
	memset(to->output, 0xff, sizeof(to->output));
	memcpy(to->input, input, 4 * sizeof(*input));
	to->output[0] = result_tensor;
}

/* Room for the rows of other passes and these. */
static uint32_t output_bytes(void)
{
	const struct nn_tensor *out = &test.call.output[0];
	uint32_t bytes = out->bytes + test.before * out->row_bytes, pixel = nn_pixel_bytes(out);

	if (!test.pitch || !bytes)
		return bytes;
	return (bytes / pixel - 1) * test.pitch + pixel;
}

static bool make_program(uint8_t *out, uint8_t *elsewhere)
{
	uint32_t there, size = 0;
	uint16_t input[4], from;
	struct nn_failure failure;

	memset(&parts, 0, sizeof(parts));
	parts.header = (struct nn_program){ .magic = NN_PROGRAM_MAGIC, .version = NN_PROGRAM_VERSION };
	there = add_region(out, output_bytes(), true);
	for (uint32_t i = 0; i < 4; i++)
		input[i] = add_input(&test.call.input[i]);
	from = add_tensor(&test.call.output[0], there);
	add_op(&test.call, input, from);
	for (uint32_t i = 0; i < test.steps; i++) {
		const struct step *step = &test.step[i];

		from = add_tensor(&step->call.input[step->in_place], there);
		if (test.is_elsewhere && i == test.steps - 1)
			there = add_region(elsewhere, output_bytes(), true);
		input[2] = input[3] = NN_NO_TENSOR;
		input[step->in_place] = from;
		input[!step->in_place] = add_input(&step->call.input[!step->in_place]);
		from = add_tensor(&step->call.output[0], there);
		add_op(&step->call, input, from);
	}

	size = sizeof(parts.header);
	memcpy(program + size, parts.region, parts.header.region_count * sizeof(*parts.region));
	size += parts.header.region_count * sizeof(*parts.region);
	memcpy(program + size, parts.tensor, parts.header.tensor_count * sizeof(*parts.tensor));
	size += parts.header.tensor_count * sizeof(*parts.tensor);
	memcpy(program + size, parts.op, parts.header.op_count * sizeof(*parts.op));
	size += parts.header.op_count * sizeof(*parts.op);
	parts.header.size = size;
	memcpy(program, &parts.header, sizeof(parts.header));
	if (!nn_program_check(program, size, &failure))
		return true;
	print("# the program is refused: %u, operator %u\n", failure.reason, failure.op);
	return false;
}

/* Running it. */

static void finished(struct nn_run *which, uint32_t i)
{
	(void)which;
	told[i] = true;
}

static int barrier(struct nn_run *which)
{
	(void)which;
	return 0;
}

/* Runs the program as worker `index` of `count`, if that is not 0. */
static bool run_program(uint32_t index, uint32_t count)
{
	const struct nn_share share = { index, count, barrier };
	uint32_t size = random_below(2) ? NN_SCRATCH_SIZE : random_range(2, 64) << 10;
	struct nn_failure failure;
	struct nn_run whole = {
		.arg = arg,
		.scratch = guarded_place(&scratch, size, 128),
		.scratch_size = size,
		.finished = finished,
	};
	int ret;

	if (nn_program_prepared_size((void *)program) > sizeof(room))
		return false;
	whole.prepared = nn_program_prepare((void *)program, memory, room, &failure);
	if (!whole.prepared)
		return false;
	arg[NN_ARG_ROWS(1)] = test.call.output[0].dims[0];
	arg[NN_ARG_OUT_FIRST(1)] = test.before;
	ret = count ? nn_program_run_share(&whole, &share, &failure) :
		      nn_program_run(&whole, &failure);
	if (ret)
		print("# it ends with %d\n", ret);
	return !ret && guarded_check(&scratch);
}

/* Byte i of the output, which other passes and what is between pixels leave as it was. */
static uint8_t wanted_at(uint32_t i)
{
	const struct nn_tensor *out = &test.call.output[0];
	uint32_t before = test.before * out->row_bytes, pixel = nn_pixel_bytes(out);

	if (test.pitch) {
		if (i % test.pitch >= pixel)
			return 0xa5;
		i = i / test.pitch * pixel + i % test.pitch;
	}
	return i < before ? 0xa5 : expected[i - before];
}

static bool is_expected(const uint8_t *out, const char *how)
{
	if (!guarded_check(&output) || !guarded_check(&apart))
		return false;
	for (uint32_t i = 0; i < output_bytes(); i++) {
		uint8_t wanted = wanted_at(i);

		if (out[i] != wanted) {
			print("# byte %u of %u: %d, should be %d (%s)\n", i, output_bytes(), out[i],
			      wanted, how);
			return false;
		}
	}
	return true;
}

/* Returns how many of the steps the first operator has done, of which the run has not told. */
static uint32_t count_fused(void)
{
	uint32_t fused = 0;

	while (fused < test.steps && !told[1 + fused])
		fused++;
	return fused;
}

/* Returns how many steps the kernels fuse, of those that are in place. */
static uint32_t fusible(void)
{
	uint32_t steps = test.is_elsewhere ? test.steps - 1 : test.steps;

	if (test.op.opcode == NN_OPCODE_MAX_POOL || !test.call.output[0].dims[0])
		return 0;
	/* Nor those of which an operand has other pixels, apart. */
	for (uint32_t i = 0; i < steps; i++) {
		const struct nn_tensor *other = &test.step[i].call.input[!test.step[i].in_place];

		if (!nn_tensor_is_dense(other) &&
		    nn_pixel_bytes(other) != nn_pixel_bytes(&test.call.output[0])) {
			seen.unfit++;
			steps = i;
		}
	}
	return steps < 2 ? steps : 2;
}

static void look_at_fused(uint32_t fused)
{
	seen.fused[fused]++;
	for (uint32_t i = 0; i < fused; i++) {
		seen.tables += test.step[i].op.opcode == NN_OPCODE_TABLE;
		seen.sums += test.step[i].op.opcode == NN_OPCODE_ADD;
		seen.float_sums += test.step[i].op.opcode == NN_OPCODE_ADD_FLOAT;
		seen.second += test.step[i].in_place;
		seen.others_strided +=
			!nn_tensor_is_dense(&test.step[i].call.input[!test.step[i].in_place]);
	}
}

static bool agrees(void)
{
	uint32_t count = random_range(2, MOST_WORKERS), fused;
	uint8_t *out, *elsewhere, *last;

	out = guarded_place(&output, output_bytes(), PICK(1, 128));
	elsewhere = guarded_place(&apart, output_bytes(), 1);
	last = test.is_elsewhere ? elsewhere : out;
	memset(out, 0xa5, output_bytes());
	memset(elsewhere, 0xa5, output_bytes());
	memset(told, 0, sizeof(told));
	if (!expect() || !make_program(out, elsewhere) || !run_program(0, 0) ||
	    !is_expected(last, "by one"))
		return false;
	if (!test.call.output[0].bytes)
		return true;
	fused = count_fused();
	if (fused != fusible()) {
		print("# %u are fused, should be %u\n", fused, fusible());
		return false;
	}
	seen.programs++;
	seen.with_rows += test.level;
	seen.elsewhere += test.is_elsewhere;
	seen.pitched += test.pitch && fused;
	seen.inputs_strided += fused && !nn_tensor_is_dense(&test.call.input[0]);
	look_at_fused(fused);

	/* The parts of several workers, one after another: nothing is behind what is fused. */
	if (fused < test.steps)
		return true;
	seen.divided++;
	memset(out, 0xa5, output_bytes());
	for (uint32_t i = 0; i < count; i++) {
		if (!run_program(count - 1 - i, count))
			return false;
	}
	return is_expected(out, "by several");
}

static void print_test(void)
{
	print("# opcode %u, %u steps, level %u, apart %u, before %u, pitch %u, output %u %u %u %u\n",
	      test.op.opcode, test.steps, test.level, test.is_elsewhere, test.before, test.pitch,
	      test.call.output[0].dims[0], test.call.output[0].dims[1],
	      test.call.output[0].dims[2], test.call.output[0].dims[3]);
	for (uint32_t i = 0; i < test.steps; i++)
		print("# then %u in place of %u\n", test.step[i].op.opcode, test.step[i].in_place);
}

/* `test-fuse '' TIMES`: so many times the usual programs. */
int main(int argc, char **argv)
{
	uint32_t calls = random_times(argc, argv) * USUAL_CALLS;
	bool ok = true;

	plan(2);
	random_calls_create();
	guarded_create(&output);
	guarded_create(&apart);
	guarded_create(&scratch);
	for (uint32_t n = 0; n < calls && ok; n++) {
		random_begin(NN_OPCODE_END, n);
		make_test();
		ok = agrees();
		if (!ok)
			print_test();
	}
	result(ok, "what is fused is what it is by itself");
	print("# of %u programs, %u with rows, %u with a step apart: %u, %u and %u with none, one and two fused, %u divided, %u fused with a pitch\n",
	      seen.programs, seen.with_rows, seen.elsewhere, seen.fused[0], seen.fused[1],
	      seen.fused[2], seen.divided, seen.pitched);
	print("# fused: %u tables, %u sums, %u in float32, %u in place of the second, %u with the other apart, %u of inputs apart, %u operands of other pixels\n",
	      seen.tables, seen.sums, seen.float_sums, seen.second, seen.others_strided,
	      seen.inputs_strided, seen.unfit);
	result(seen.with_rows > calls / 4 && seen.elsewhere > calls / 16 &&
		       seen.fused[1] > calls / 8 && seen.fused[2] > calls / 4 &&
		       seen.divided > calls / 8 &&
		       seen.tables > calls / 8 && seen.sums > calls / 8 &&
		       seen.float_sums > calls / 8 && seen.second > calls / 8 &&
		       seen.pitched > calls / 10 && seen.others_strided > calls / 10 &&
		       seen.inputs_strided > calls / 16 && seen.unfit > calls / 100,
	       "and much is");
	return finish_tests();
}
