// SPDX-License-Identifier: GPL-2.0
/*
 * Control programs: loops that data decide, by the DSP. A job that is in one makes room between two
 * of its steps as often as others want the workers, goes on where it was, and ends when it is
 * cancelled, its file is closed or it runs out of work; alone and by several workers.
 */
#include "kselftest_harness.h"

#include "dsp/program/nn_control.h"
#include "program.h"

#define STATE		0x1000u		/* in the data buffer, */
#define CONTROL		0x2000u		/* and these */
#define GOES_ON		0x3000u
#define ROUNDS		200000u

struct parts {
	struct nn_control header;
	struct nn_control_program program;
	struct nn_control_step step[5];
};

FIXTURE(control) {
	int fd, other;
	struct queue queue, other_queue;
	struct bo data, other_data;
	struct code code, other_code;	/* copies of 4096 bytes */
	struct drm_nnloop_device_info info;
	struct drm_nnloop_pass pass;	/* of the control program */
	const struct nn_control_state *state;	/* which the DSP writes */
};

FIXTURE_VARIANT(control) {
	__u32 workers;
};

FIXTURE_VARIANT_ADD(control, one_worker) { .workers = 1 };
FIXTURE_VARIANT_ADD(control, all_workers) { .workers = 0 };

FIXTURE_SETUP(control)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->other = device_open();
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, device_query(self->fd, &self->info));
	ASSERT_EQ(0, copy_new(self->fd, 64, &self->queue, &self->other_data, &self->code));
	ASSERT_EQ(0, copy_new(self->other, 4096, &self->other_queue, &self->other_data,
			      &self->other_code));
	ASSERT_EQ(0, bo_new(self->fd, 0x4000, &self->data));
	self->state = (const void *)((__u8 *)self->data.map + STATE);
}

FIXTURE_TEARDOWN(control)
{
	close(self->fd);
	close(self->other);
}

static void set_goes_on(struct _test_data_control *self, __u8 value)
{
	__u8 *map = self->data.map;

	__atomic_store_n(map + GOES_ON, value, __ATOMIC_SEQ_CST);
}

static __u32 passes_now(const struct _test_data_control *self)
{
	return __atomic_load_n(&self->state->running.passes, __ATOMIC_SEQ_CST);
}

/*
 * A loop of `total` iterations, each of which runs the copy if `runs`; 0: as long as a byte in
 * memory is true.
 */
static void write_loop(struct _test_data_control *self, __u32 total, bool runs)
{
	struct parts *parts = (void *)((__u8 *)self->data.map + CONTROL);
	__u32 goes_on = self->data.iova + GOES_ON;

	*parts = (struct parts){
		.header = {
			.magic = NN_CONTROL_MAGIC,
			.version = NN_CONTROL_VERSION,
			.size = sizeof(*parts),
			.program_count = 1,
			.step_count = 5,
			.loop_count = 1,
			.state = self->data.iova + STATE, .limit = ~0u,
		},
		.program = { self->code.pass.program, self->code.pass.program_size },
		.step = {
			{ .kind = NN_CONTROL_ENTER, .level = 1, .number = total ?: 1, .rows = 1,
			  .most = ~0u, .target = 4 },
			{ .kind = NN_CONTROL_RUN, .flags = runs ? 0 : NN_CONTROL_FIRST,
			  .level = !runs },
			{ .kind = NN_CONTROL_SKIP, .address = goes_on, .target = 4 },
			{ .kind = NN_CONTROL_RUN, .flags = NN_CONTROL_FIRST, .level = 1 },
			{ .kind = NN_CONTROL_END, .level = 1, .address = total ? 0 : goes_on,
			  .most = total ? 0 : ~0u },
		},
	};
	memset((__u8 *)self->data.map + STATE, 0, sizeof(*self->state));
	set_goes_on(self, 1);
	self->pass = (struct drm_nnloop_pass){
		.program = self->data.iova + CONTROL,
		.program_size = sizeof(*parts),
		.arg_count = NN_ARG_COUNT,
	};
	self->pass.args[NN_ARG_FLAGS] = NN_PASS_CONTROL;
}

static int submit(struct _test_data_control *self, __u32 workers, __u64 *point)
{
	struct drm_nnloop_submit submit = {
		.queue = self->queue.id,
		.passes = (uintptr_t)&self->pass,
		.pass_count = 1,
		.pass_stride = sizeof(self->pass),
		.workers = workers ?: self->info.worker_count,
	};
	int ret = device_ioctl(self->fd, DRM_IOCTL_NNLOOP_SUBMIT, &submit);

	*point = submit.point;
	return ret;
}

/* Others come in between, as often as they like; not one iteration is lost or done twice. */
TEST_F(control, makes_room)
{
	struct drm_nnloop_status status;
	__u64 point;
	int i;

	write_loop(self, ROUNDS, true);
	ASSERT_EQ(0, submit(self, variant->workers, &point));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, queue_run(&self->other_queue, &self->other_code.pass, 1, &status));
		EXPECT_EQ(0, status.error);
	}
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(1, status.passes_done);
	EXPECT_EQ(NN_CONTROL_DONE, self->state->progress);
	EXPECT_EQ(ROUNDS, self->state->iterations);
	EXPECT_EQ(ROUNDS + 1, self->state->running.passes);
	EXPECT_EQ(ROUNDS, self->state->loop[0].ended);
}

/* One that never ends, of programs or of nothing, keeps nobody waiting, and goes on in between. */
TEST_F(control, without_an_end)
{
	struct drm_nnloop_status status;
	__u64 point;
	int i, runs;

	for (runs = 0; runs < 2; runs++) {
		__u32 before;

		write_loop(self, 0, runs);
		ASSERT_EQ(0, submit(self, variant->workers, &point));
		for (i = 0; i < 30; i++) {
			ASSERT_EQ(0, queue_run(&self->other_queue, &self->other_code.pass, 1,
					       &status));
			EXPECT_EQ(0, status.error);
			sleep_ms(5);
		}
		before = passes_now(self);
		/* It may have to wait for the machine's processors first. */
		for (i = 0; i < (runs ? 6000 : 5) && passes_now(self) == before; i++)
			sleep_ms(10);
		EXPECT_EQ(runs, passes_now(self) != before);
		ASSERT_EQ(0, queue_status(&self->queue, point, &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
		EXPECT_EQ(0, status.passes_done);
		/* Data end the one, a cancel the other. */
		if (runs)
			set_goes_on(self, 0);
		else
			ASSERT_EQ(0, queue_cancel(&self->queue));
		ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
		EXPECT_EQ(runs ? 0 : -ECANCELED, status.error);
	}
}

/* A file that is closed leaves nothing behind: the workers are free for others. */
TEST_F(control, closed)
{
	struct drm_nnloop_status status;
	__u64 point;
	int i;

	write_loop(self, 0, false);
	ASSERT_EQ(0, submit(self, variant->workers, &point));
	sleep_ms(20);
	close(self->fd);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, queue_run(&self->other_queue, &self->other_code.pass, 1, &status));
		EXPECT_EQ(0, status.error);
	}
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
}

/* A step that reads nowhere, and one whose total is too much, end the job with their reasons. */
TEST_F(control, failures)
{
	struct parts *parts = (void *)((__u8 *)self->data.map + CONTROL);
	struct drm_nnloop_status status;
	__u64 point;

	write_loop(self, 10, true);
	parts->step[2].address = self->data.iova + 0x4000;
	ASSERT_EQ(0, submit(self, variant->workers, &point));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(self->data.iova + 0x4000, status.fault_address);

	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	write_loop(self, 10, true);
	parts->step[0].most = 9;
	ASSERT_EQ(0, submit(self, variant->workers, &point));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-EINVAL, status.error);
	EXPECT_EQ(NN_REASON_TRIPS, status.fail_reason);
	EXPECT_EQ(0, status.fail_op);
}

TEST_HARNESS_MAIN
