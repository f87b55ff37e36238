// SPDX-License-Identifier: MIT
/*
 * Every operator reports its progress once in about a million packets, and returns at once what a
 * report has returned: so says dsp/program/kernels.h. A job is cancelled, and its first fault seen, at a
 * report, and a worker that makes none is taken for hung. But a report takes time as well, and is
 * not made far too often.
 *
 * How much work lies between two reports is an estimate, which nothing that an operator computes
 * depends on: so it is held to what was counted before, progress-expected.h (`make record-progress`
 * writes it, for who changes an estimate, or how fast a kernel is). These are figures of clang 14.
 *
 * Each case is an operator over operands as large as it takes, of a shape that has most of the work
 * in one place: in one row, one pixel, one window, many small ones. Both kernels run it, the
 * portable one and the vector one, as the DSP may run either. Runs in qemu-hexagon, which counts
 * packets.
 */
#include "dsp/firmware/counters.h"
#include "large-call.h"

#define MOST		600000u		/* packets: less than promised, to notice estimates in time */
#define LEAST		500u		/* the same, of the mean: 1024 pages may be all that there is */
#define REPORTS		12		/* after so many of them a run has shown enough */
#define CANCEL_AFTER	5
#define STOP		77
#define TOLERANCE	5		/* one of so many packets more or less than expected */

/* Packets between two reports: the mean, and the most. */
struct expected {
	const char *name;
	bool is_vector;
	uint32_t mean, most;
};

static const struct expected expected[] = {
#include "progress-expected.h"
};

static uint32_t reports = REPORTS;

static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

static struct {
	uint32_t limit;		/* reports until STOP */
	uint32_t reports;
	uint32_t after;		/* reports after STOP */
	uint32_t last;		/* the count of packets at the last report */
	uint32_t most;		/* packets between two */
	uint64_t packets;	/* in all */
} seen;

static void look(void)
{
	uint32_t packets = counter_packets() - seen.last;

	seen.packets += packets;
	if (packets > seen.most)
		seen.most = packets;
}

static int progress(struct nn_run *its_run, uint32_t its_op)
{
	int ret = 0;

	look();
	if (its_run != &run || its_op != NN_SAME_OP)
		print("# a report of something else\n");
	if (seen.reports >= seen.limit)
		seen.after++;
	if (++seen.reports >= seen.limit)
		ret = STOP;
	seen.last = counter_packets();
	return ret;
}

static int run_until(const struct nn_kernel *kernel, uint32_t limit)
{
	int ret;

	memset(&seen, 0, sizeof(seen));
	seen.limit = limit;
	seen.last = counter_packets();
	ret = kernel->run(&call);
	look();
	return ret;
}

static bool is_about(uint32_t packets, uint32_t wanted)
{
	return packets <= wanted + wanted / TOLERANCE && packets >= wanted - wanted / TOLERANCE;
}

/* Whether the figures are as expected; prints them as a line of progress-expected.h. */
static bool is_expected(const char *name, bool is_vector, uint32_t mean, uint32_t most)
{
	print("# { \"%s\", %s, %u, %u },\n", name, is_vector ? "true" : "false", mean, most);
	for (uint32_t i = 0; i < COUNT(expected); i++) {
		if (is_selected(expected[i].name, name) && is_selected(name, expected[i].name) &&
		    expected[i].is_vector == is_vector)
			return __clang_major__ != 14 || (is_about(mean, expected[i].mean) &&
							 is_about(most, expected[i].most));
	}
	return false;
}

static bool keeps_its_word(const struct nn_kernel *kernel, const char *which, const char *name,
			   bool is_vector)
{
	bool ok;
	int ret;

	ret = run_until(kernel, reports);
	ok = seen.most <= MOST;
	if (!ok)
		print("# %s: %u packets without a report\n", which, seen.most);
	if (reports == REPORTS &&
	    !is_expected(name, is_vector, seen.packets / (seen.reports + 1), seen.most)) {
		print("# %s: not the packets of progress-expected.h: make record-progress\n", which);
		ok = false;
	}
	if (seen.reports == reports && seen.packets / reports < LEAST) {
		print("# %s: %u packets between two reports\n", which,
		      (uint32_t)(seen.packets / reports));
		ok = false;
	}
	if (seen.after || ret != (seen.reports < reports ? 0 : STOP)) {
		print("# %s: returned %d after %u reports, %u of them too many\n", which, ret,
		      seen.reports, seen.after);
		ok = false;
	}
	/* If that was to the end, one that is not. */
	if (ret == STOP)
		return ok;
	ret = run_until(kernel, CANCEL_AFTER);
	if (seen.reports != CANCEL_AFTER || ret != STOP) {
		print("# %s: returned %d after %u reports, should %d after %u\n", which, ret,
		      seen.reports, STOP, CANCEL_AFTER);
		ok = false;
	}
	return ok;
}

static void test_call(enum nn_opcode opcode, const struct large_call *large)
{
	const struct nn_kernel *vector = &nn_kernels[opcode];
	const struct nn_kernel *portable = &nn_kernels_portable[opcode];
	bool good;

	large->make(large->parameter);
	run.progress = progress;
	call.scratch = scratch;
	call.scratch_size = sizeof(scratch);
	if (op.opcode != opcode || portable->check(&call)) {
		print("# refused: %u\n", portable->check(&call));
		result(false, large->name);
		return;
	}
	good = keeps_its_word(portable, "portable", large->name, false);
	if (vector->run != portable->run)
		good &= keeps_its_word(vector, "vector", large->name, true);
	result(good, large->name);
}

/* Returns how many calls are wanted; with `run_them`, tests them too. */
static uint32_t wanted_calls(const char *wanted, bool run_them)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < NN_OPCODE_END; i++) {
		for (uint32_t j = 0; kernel_tests[i] && j < kernel_tests[i]->large_calls; j++) {
			const struct large_call *large = &kernel_tests[i]->large[j];

			if (!is_selected(large->name, wanted))
				continue;
			count++;
			if (run_them)
				test_call(i, large);
		}
	}
	return count;
}

/*
 * `test-progress NAME` runs those alone whose name begins so; `test-progress NAME TIMES` until they
 * have made so many times the usual reports, for which nothing has been counted before.
 */
int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : NULL;
	bool ok = true;

	reports *= random_times(argc, argv);
	large_calls_reserve();
	plan(wanted_calls(wanted, false) + 1);
	wanted_calls(wanted, true);
	for (uint32_t i = 0; i < NN_OPCODE_END; i++) {
		if (nn_kernels[i].name && !kernel_tests[i]->large_calls) {
			print("# no case has %s\n", nn_kernels[i].name);
			ok = false;
		}
	}
	result(ok, "every opcode has a case");
	return finish_tests();
}
