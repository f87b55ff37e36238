// SPDX-License-Identifier: GPL-2.0
/*
 * DRM_IOCTL_NNLOOP_SUBMIT: every field on its own, wrong in every way that the interface names,
 * with nothing submitted and no syncobj changed afterwards; and the limits, at them and one past.
 */
#include "kselftest_harness.h"

#include <stddef.h>

#include "program.h"

#define MAX_SYNCS	64
#define MAX_JOBS	1024
#define MIN_STRIDE	112	/* of passes: the first interface's */
#define MAX_STRIDE	4096

FIXTURE(submit) {
	int fd;
	struct drm_nnloop_device_info info;
	struct queue queue;
	struct bo data;
	struct code code;
	__u32 pending;		/* a binary syncobj that never had a fence */
	__u32 timeline;		/* a timeline syncobj without a point */
	__u32 done;		/* a binary syncobj that has signalled */
	__u8 *hole;		/* behind a page of memory */
};

FIXTURE_SETUP(submit)
{
	struct drm_syncobj_create create = { .flags = DRM_SYNCOBJ_CREATE_SIGNALED };

	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, device_query(self->fd, &self->info));
	ASSERT_EQ(0, copy_new(self->fd, 64, &self->queue, &self->data, &self->code));
	ASSERT_EQ(0, syncobj_create(self->fd, &self->pending));
	ASSERT_EQ(0, syncobj_create(self->fd, &self->timeline));
	ASSERT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_CREATE, &create));
	self->done = create.handle;
	self->hole = page_before_hole();
	ASSERT_NE(NULL, self->hole);
	self->hole += PAGE_SIZE;
}

FIXTURE_TEARDOWN(submit)
{
	close(self->fd);
}

/* A valid submit of one pass. (FIXTURE_DATA(submit): checkpatch takes that for a product.) */
static struct drm_nnloop_submit valid_submit(struct _test_data_submit *self)
{
	return (struct drm_nnloop_submit){
		.queue = self->queue.id,
		.passes = (uintptr_t)&self->code.pass,
		.pass_count = 1,
		.pass_stride = sizeof(self->code.pass),
	};
}

static int submit(struct _test_data_submit *self, struct drm_nnloop_submit *args)
{
	return device_ioctl(self->fd, DRM_IOCTL_NNLOOP_SUBMIT, args);
}

/* Nothing was submitted: the next job is the queue's first, and runs. */
static bool nothing_happened(struct _test_data_submit *self)
{
	struct drm_nnloop_submit args = valid_submit(self);
	struct drm_nnloop_status status;
	__u64 point;

	return queue_status(&self->queue, 1, &status) == -EINVAL &&
	       syncobj_query(self->fd, self->queue.syncobj, &point) == 0 && point == 0 &&
	       syncobj_wait(self->fd, self->pending, 0, 0) == -EINVAL &&
	       syncobj_query(self->fd, self->timeline, &point) == 0 && point == 0 &&
	       submit(self, &args) == 0 && args.point == 1 &&
	       queue_wait(&self->queue, 1, &status) == 0 && status.error == 0;
}

/* Fields of struct drm_nnloop_submit, of 32 and 64 bits */

struct field_case {
	const char *name;
	size_t offset;
	size_t size;
	__u64 value;
	int error;
};

#define FIELD32(type, field, bad, error) \
	{ #field " = " #bad, offsetof(struct type, field), 4, bad, -(error) }
#define FIELD64(type, field, bad, error) \
	{ #field " = " #bad, offsetof(struct type, field), 8, bad, -(error) }

static void set_field(void *structure, const struct field_case *field)
{
	__u32 low = field->value;

	if (field->size == 8)
		memcpy((char *)structure + field->offset, &field->value, 8);
	else
		memcpy((char *)structure + field->offset, &low, 4);
}

TEST_F(submit, fields)
{
	const struct field_case cases[] = {
		FIELD32(drm_nnloop_submit, queue, 0, ENOENT),
		FIELD32(drm_nnloop_submit, queue, self->queue.id + 1, ENOENT),
		FIELD32(drm_nnloop_submit, queue, ~0u, ENOENT),
		FIELD32(drm_nnloop_submit, flags, 1, EOPNOTSUPP),
		FIELD32(drm_nnloop_submit, flags, 2, EOPNOTSUPP),
		FIELD32(drm_nnloop_submit, flags, 1u << 31, EOPNOTSUPP),
		FIELD64(drm_nnloop_submit, passes, 0, EFAULT),
		FIELD64(drm_nnloop_submit, passes, (uintptr_t)self->hole, EFAULT),
		FIELD64(drm_nnloop_submit, passes, (uintptr_t)self->hole - 8, EFAULT),
		FIELD64(drm_nnloop_submit, passes, ~0ull - 4095, EFAULT),
		FIELD32(drm_nnloop_submit, pass_count, 0, EINVAL),
		FIELD32(drm_nnloop_submit, pass_count, self->info.max_passes + 1, EINVAL),
		FIELD32(drm_nnloop_submit, pass_count, 1u << 31, EINVAL),
		FIELD32(drm_nnloop_submit, pass_count, ~0u, EINVAL),
		FIELD32(drm_nnloop_submit, pass_stride, 0, EINVAL),
		FIELD32(drm_nnloop_submit, pass_stride, 8, EINVAL),
		FIELD32(drm_nnloop_submit, pass_stride, MIN_STRIDE - 8, EINVAL),
		FIELD32(drm_nnloop_submit, pass_stride, MIN_STRIDE - 1, EINVAL),
		FIELD32(drm_nnloop_submit, pass_stride, MIN_STRIDE + 1, EINVAL),
		FIELD32(drm_nnloop_submit, pass_stride, MIN_STRIDE + 4, EINVAL),
		FIELD32(drm_nnloop_submit, pass_stride, MAX_STRIDE + 8, EINVAL),
		FIELD32(drm_nnloop_submit, pass_stride, 1u << 31, EINVAL),
		FIELD32(drm_nnloop_submit, pass_stride, ~0u, EINVAL),
		FIELD32(drm_nnloop_submit, wait_count, 1, EFAULT),
		FIELD32(drm_nnloop_submit, wait_count, MAX_SYNCS, EFAULT),
		FIELD32(drm_nnloop_submit, wait_count, MAX_SYNCS + 1, EINVAL),
		FIELD32(drm_nnloop_submit, wait_count, ~0u, EINVAL),
		FIELD32(drm_nnloop_submit, signal_count, 1, EFAULT),
		FIELD32(drm_nnloop_submit, signal_count, MAX_SYNCS, EFAULT),
		FIELD32(drm_nnloop_submit, signal_count, MAX_SYNCS + 1, EINVAL),
		FIELD32(drm_nnloop_submit, signal_count, ~0u, EINVAL),
		FIELD32(drm_nnloop_submit, workers, self->info.worker_count + 1, EINVAL),
		FIELD32(drm_nnloop_submit, workers, 1u << 31, EINVAL),
		FIELD32(drm_nnloop_submit, workers, ~0u, EINVAL),
		FIELD32(drm_nnloop_submit, pad, 1, EINVAL),
		FIELD32(drm_nnloop_submit, pad, 1u << 31, EINVAL),
	};
	struct drm_nnloop_submit args;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		args = valid_submit(self);
		set_field(&args, &cases[i]);
		EXPECT_EQ(cases[i].error, submit(self, &args))
			TH_LOG("%s", cases[i].name);
	}
	EXPECT_TRUE(nothing_happened(self));
}

/* A queue of another client, though its number is valid there. */
TEST_F(submit, foreign_queue)
{
	struct drm_nnloop_submit args = valid_submit(self);
	struct queue queue;
	int other = device_open(), i;

	ASSERT_LE(0, other);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, queue_create(other, &queue));
	args.queue = queue.id;
	EXPECT_EQ(-ENOENT, submit(self, &args));
	close(other);
	EXPECT_TRUE(nothing_happened(self));
}

/* A pass, alone, and as the last of several: none of them may run. */
TEST_F(submit, pass_fields)
{
	const __u64 base = self->info.window_base;
	const __u64 end = base + self->info.window_size;
	const struct field_case cases[] = {
		FIELD64(drm_nnloop_pass, program, 0, EINVAL),
		FIELD64(drm_nnloop_pass, program, self->code.pass.program + 1, EINVAL),
		FIELD64(drm_nnloop_pass, program, self->code.pass.program + 4, EINVAL),
		FIELD64(drm_nnloop_pass, program, base - 8, EINVAL),
		FIELD64(drm_nnloop_pass, program, end - 8, EINVAL),
		FIELD64(drm_nnloop_pass, program, end, EINVAL),
		FIELD64(drm_nnloop_pass, program, self->code.pass.program + (1ull << 32), EINVAL),
		FIELD64(drm_nnloop_pass, program, 1ull << 63, EINVAL),
		FIELD32(drm_nnloop_pass, program_size, 0, EINVAL),
		FIELD32(drm_nnloop_pass, program_size, self->info.window_size + 8, EINVAL),
		FIELD32(drm_nnloop_pass, program_size, ~0u, EINVAL),
		FIELD32(drm_nnloop_pass, arg_count, self->info.max_args + 1, EINVAL),
		FIELD32(drm_nnloop_pass, arg_count, 1u << 31, EINVAL),
		FIELD32(drm_nnloop_pass, arg_count, ~0u, EINVAL),
		/* arg_count is 2: what follows must be zero. */
		FIELD32(drm_nnloop_pass, args[2], 1, EINVAL),
		FIELD32(drm_nnloop_pass, args[23], 1u << 31, EINVAL),
	};
	struct drm_nnloop_pass passes[5];
	struct drm_nnloop_submit args;
	size_t i, k, at;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (k = 1; k <= 5; k += 4) {
			for (at = 0; at < k; at++) {
				passes[at] = self->code.pass;
				passes[at].arg_count = 2;
			}
			set_field(&passes[k - 1], &cases[i]);
			args = valid_submit(self);
			args.passes = (uintptr_t)passes;
			args.pass_count = k;
			EXPECT_EQ(cases[i].error, submit(self, &args))
				TH_LOG("%s in pass %zu", cases[i].name, k);
		}
	}
	/* The sum that would wrap around: wrong either way. */
	passes[0] = self->code.pass;
	passes[0].program = ~0ull - 7;
	passes[0].program_size = 16;
	args = valid_submit(self);
	args.passes = (uintptr_t)passes;
	k = submit(self, &args);
	EXPECT_TRUE((int)k == -EINVAL || (int)k == -EOVERFLOW);
	EXPECT_TRUE(nothing_happened(self));
}

/* The array's last bytes are on a page that is not there. */
TEST_F(submit, pass_array_runs_into_a_hole)
{
	struct drm_nnloop_submit args = valid_submit(self);
	struct drm_nnloop_pass *passes = (void *)self->hole;

	passes -= 3;
	memcpy(&passes[0], &self->code.pass, sizeof(*passes));
	memcpy(&passes[1], &self->code.pass, sizeof(*passes));
	memcpy(&passes[2], &self->code.pass, sizeof(*passes));
	args.passes = (uintptr_t)passes;
	args.pass_count = 4;
	EXPECT_EQ(-EFAULT, submit(self, &args));
	EXPECT_TRUE(nothing_happened(self));
	args.pass_count = 3;
	EXPECT_EQ(0, submit(self, &args));
	EXPECT_EQ(2, args.point);
}

/* Passes of a later interface: as long as what this driver does not know is zero, it takes them. */
TEST_F(submit, longer_passes)
{
	struct {
		struct drm_nnloop_pass pass;
		__u64 more[3];
	} passes[4];
	struct drm_nnloop_submit args;
	struct drm_nnloop_status status;
	int i;

	memset(passes, 0, sizeof(passes));
	for (i = 0; i < 4; i++)
		passes[i].pass = self->code.pass;
	args = valid_submit(self);
	args.passes = (uintptr_t)passes;
	args.pass_count = 4;
	args.pass_stride = sizeof(passes[0]);
	passes[0].more[0] = 1;
	EXPECT_EQ(-E2BIG, submit(self, &args));
	passes[0].more[0] = 0;
	passes[3].more[2] = 1ull << 63;
	EXPECT_EQ(-E2BIG, submit(self, &args));
	passes[3].more[2] = 0;
	ASSERT_EQ(0, submit(self, &args));
	EXPECT_EQ(1, args.point);
	ASSERT_EQ(0, queue_wait(&self->queue, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(4, status.passes_done);
}

/* The longest stride of all; one that is longer is refused without a look at what is there. */
TEST_F(submit, longest_stride)
{
	__u8 *passes = calloc(2, MAX_STRIDE + 8);
	struct drm_nnloop_submit args = valid_submit(self);
	struct drm_nnloop_status status;

	ASSERT_NE(NULL, passes);
	args.passes = (uintptr_t)passes;
	args.pass_count = 2;
	args.pass_stride = MAX_STRIDE + 8;
	memcpy(passes, &self->code.pass, sizeof(self->code.pass));
	memcpy(passes + MAX_STRIDE + 8, &self->code.pass, sizeof(self->code.pass));
	EXPECT_EQ(-EINVAL, submit(self, &args));
	memset(passes + sizeof(self->code.pass), 0, MAX_STRIDE);
	memcpy(passes + MAX_STRIDE, &self->code.pass, sizeof(self->code.pass));
	args.pass_stride = MAX_STRIDE;
	ASSERT_EQ(0, submit(self, &args));
	EXPECT_EQ(1, args.point);
	ASSERT_EQ(0, queue_wait(&self->queue, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(2, status.passes_done);
	free(passes);
}

/* Syncobjs, each field of one, alone and as the last of several. */
TEST_F(submit, waits_and_signals)
{
	const struct {
		const char *name;
		struct drm_nnloop_sync sync;
		int wait, signal;	/* what it gives in the list of waits, and of signals */
	} cases[] = {
		{ "no handle", { .handle = 0 }, -ENOENT, -ENOENT },
		{ "unknown handle", { .handle = 12345 }, -ENOENT, -ENOENT },
		{ "handle ~0", { .handle = ~0u }, -ENOENT, -ENOENT },
		{ "flag 0", { .handle = self->done, .flags = 1 }, -EOPNOTSUPP, -EOPNOTSUPP },
		{ "flag 31", { .handle = self->done, .flags = 1u << 31 },
		  -EOPNOTSUPP, -EOPNOTSUPP },
		{ "no fence", { .handle = self->pending }, -EINVAL, 0 },
		{ "no such point", { .handle = self->timeline, .point = 1 }, -EINVAL, 0 },
		{ "own next point", { .handle = self->queue.syncobj, .point = 1 }, -EINVAL, 1 },
	};
	struct drm_nnloop_sync syncs[3];
	struct drm_nnloop_submit args;
	size_t i, count, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (count = 1; count <= 3; count++) {
			for (k = 0; k < count; k++)
				syncs[k] = (struct drm_nnloop_sync){ .handle = self->done };
			syncs[count - 1] = cases[i].sync;
			args = valid_submit(self);
			args.waits = (uintptr_t)syncs;
			args.wait_count = count;
			EXPECT_EQ(cases[i].wait, submit(self, &args))
				TH_LOG("wait: %s", cases[i].name);
			if (cases[i].signal >= 0)
				continue;
			args = valid_submit(self);
			args.signals = (uintptr_t)syncs;
			args.signal_count = count;
			/* The first ones are good, and must not be changed for all that. */
			syncs[0] = count > 1 ? (struct drm_nnloop_sync){ .handle = self->pending } :
				   cases[i].sync;
			EXPECT_EQ(cases[i].signal, submit(self, &args))
				TH_LOG("signal: %s", cases[i].name);
		}
	}
	EXPECT_TRUE(nothing_happened(self));
}

TEST_F(submit, sync_arrays_run_into_a_hole)
{
	struct drm_nnloop_submit args;
	struct drm_nnloop_sync *syncs = (void *)self->hole;

	syncs[-1] = (struct drm_nnloop_sync){ .handle = self->done };
	args = valid_submit(self);
	args.waits = (uintptr_t)&syncs[-1];
	args.wait_count = 2;
	EXPECT_EQ(-EFAULT, submit(self, &args));
	args = valid_submit(self);
	args.signals = (uintptr_t)&syncs[-1];
	args.signal_count = 2;
	EXPECT_EQ(-EFAULT, submit(self, &args));
	EXPECT_TRUE(nothing_happened(self));
	args.signal_count = 1;
	EXPECT_EQ(0, submit(self, &args));
}

/* An error in the signals is found before a good list of waits has any effect, and so on. */
TEST_F(submit, good_and_bad_lists_together)
{
	struct drm_nnloop_sync good[2] = { { .handle = self->pending },
					   { .handle = self->timeline, .point = 5 } };
	struct drm_nnloop_sync bad[1] = { { .handle = 0 } };
	struct drm_nnloop_pass pass = self->code.pass;
	struct drm_nnloop_submit args = valid_submit(self);

	args.signals = (uintptr_t)good;
	args.signal_count = 2;
	args.waits = (uintptr_t)bad;
	args.wait_count = 1;
	EXPECT_EQ(-ENOENT, submit(self, &args));
	args.wait_count = 0;
	pass.program = 0;
	args.passes = (uintptr_t)&pass;
	EXPECT_EQ(-EINVAL, submit(self, &args));
	EXPECT_TRUE(nothing_happened(self));
}

TEST_F(submit, most_of_everything)
{
	const __u32 max_passes = self->info.max_passes;
	struct drm_nnloop_pass *passes = calloc(max_passes + 1, sizeof(*passes));
	struct drm_nnloop_sync waits[MAX_SYNCS], signals[MAX_SYNCS];
	struct drm_nnloop_status status;
	__u64 point;
	unsigned int i;

	ASSERT_NE(NULL, passes);
	for (i = 0; i <= max_passes; i++) {
		passes[i] = self->code.pass;
		/* More than this firmware knows the meaning of; they are zero. */
		passes[i].arg_count = self->info.max_args;
	}
	for (i = 0; i < MAX_SYNCS; i++) {
		waits[i] = (struct drm_nnloop_sync){ .handle = self->done };
		signals[i] = (struct drm_nnloop_sync){ .handle = self->timeline, .point = i + 1 };
	}
	signals[0] = (struct drm_nnloop_sync){ .handle = self->pending };
	/* One more is too many, good as it is. */
	EXPECT_EQ(-EINVAL, queue_submit(&self->queue, passes, max_passes + 1, &point));
	ASSERT_EQ(0, queue_submit_syncs(&self->queue, passes, max_passes, waits, MAX_SYNCS,
					signals, MAX_SYNCS, &point));
	EXPECT_EQ(1, point);
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(max_passes, status.passes_done);
	EXPECT_EQ(0, syncobj_wait(self->fd, self->pending, 0, 0));
	EXPECT_EQ(0, syncobj_query(self->fd, self->timeline, &point));
	EXPECT_EQ(MAX_SYNCS, point);
	free(passes);
}

/* A program that is in the window but in no buffer is the DSP's business, not submit's. */
TEST_F(submit, program_that_is_not_mapped)
{
	struct drm_nnloop_pass pass = self->code.pass;
	struct drm_nnloop_status status;

	pass.program = self->info.window_base + self->info.window_size - 4096;
	ASSERT_EQ(0, queue_run(&self->queue, &pass, 1, &status));
	EXPECT_EQ(-EFAULT, status.error);
	EXPECT_EQ(0, status.passes_done);
	EXPECT_EQ(pass.program, status.fault_address & -4096ull);
	EXPECT_EQ(DRM_NNLOOP_ACCESS_READ, status.fault_access);
}

TEST_F(submit, most_jobs_of_a_queue)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	struct queue other;
	__u64 point;
	int i, ret;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, queue_create(self->fd, &other));
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &point));
	for (i = 1; i < MAX_JOBS; i++)
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	EXPECT_EQ(MAX_JOBS, point);
	EXPECT_EQ(-EBUSY, queue_submit(&self->queue, &self->code.pass, 1, &point));
	/* Only this queue is full. */
	EXPECT_EQ(0, queue_run(&other, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);

	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, syncobj_wait(self->fd, self->queue.syncobj, MAX_JOBS, WAIT_SECONDS));
	ret = queue_submit(&self->queue, &self->code.pass, 1, &point);
	EXPECT_EQ(0, ret);
	EXPECT_EQ(MAX_JOBS + 1, point);
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	free(slow);
}

/* What waits is the kernel's memory: no more than so much of one client, whatever the queues. */
TEST_F(submit, most_passes_of_a_file)
{
	enum { MAX_PASSES = 262144 };
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	struct queue queue, other;
	unsigned int passes;
	struct code code;
	struct bo data;
	__u64 point, last = 0;
	int fd;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &point));
	for (passes = SLOW_PASSES; passes + SLOW_PASSES <= MAX_PASSES; passes += SLOW_PASSES) {
		ASSERT_EQ(0, slow_submit(slow, passes & 1 ? &self->queue : &queue, &point));
		last = passes & 1 ? point : last;
	}
	EXPECT_EQ(-EBUSY, slow_submit(slow, &queue, &point));
	for (; passes < MAX_PASSES; passes++)
		ASSERT_EQ(0, queue_submit(&queue, slow->passes, 1, &point));
	EXPECT_EQ(-EBUSY, queue_submit(&queue, slow->passes, 1, &point));
	EXPECT_EQ(-EBUSY, queue_submit(&self->queue, slow->passes, 1, &point));

	/* Nobody else is kept from anything. */
	fd = device_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, copy_new(fd, 4096, &other, &data, &code));
	EXPECT_EQ(0, queue_submit(&other, &code.pass, 1, &point));
	close(fd);

	ASSERT_EQ(0, queue_cancel(&queue));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, syncobj_wait(self->fd, self->queue.syncobj, last, WAIT_SECONDS));
	ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	free(slow);
}

TEST_HARNESS_MAIN
