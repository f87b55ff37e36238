// SPDX-License-Identifier: GPL-2.0
/*
 * System sleep: jobs that are there go on afterwards and are right, and one that takes too long
 * keeps the system awake instead of being lost.
 *
 * Not among the programs that `make run_tests` runs: the system's devices are put to sleep for a
 * moment (/sys/power/pm_test), which not every machine's survive. tests/vm-sleep runs it, in a VM
 * of its own: afterwards the VM has no more files than are in memory.
 *
 * There is work for much longer than a system takes to go to sleep, on any machine. When it is
 * awake again a little of that shows that it goes on; the rest is cancelled.
 */
#include "kselftest_harness.h"

#include "power.h"
#include "program.h"
#include "vmctl.h"

#define SIZE 65536
#define JOBS 200
#define AFTERWARDS 3

#define PM_TEST		"/sys/power/pm_test"
#define PM_DELAY	"/sys/module/suspend/parameters/pm_test_delay"

FIXTURE(sleep) {
	int fd;
	int hang_timeout;
	struct drm_nnloop_device_info info;
	struct queue queue;
	struct slow slow;
	struct endless endless;
	struct bo from, to;
	struct code code;
};

FIXTURE_SETUP(sleep)
{
	struct program program;

	if (access(PM_TEST, W_OK))
		SKIP(return, "not root, or a kernel that cannot sleep for a test");
	ASSERT_EQ(0, file_write(PM_DELAY, "0"));
	ASSERT_EQ(0, file_write(PM_TEST, "platform"));
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	/* A look for hangs would begin what waking up has to. */
	self->hang_timeout = set_hang_timeout(10 * WAIT_SECONDS * 1000);
	ASSERT_LT(0, self->hang_timeout);
	ASSERT_EQ(0, device_query(self->fd, &self->info));
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, slow_new(self->fd, &self->slow));
	ASSERT_EQ(0, endless_new(self->fd, &self->endless));
	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->from));
	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->to));
	program_init_copy(&program, self->from.iova, self->to.iova, SIZE);
	ASSERT_EQ(0, code_new(self->fd, &program, &self->code));
	pattern_fill(self->from.map, SIZE, 1);
}

FIXTURE_TEARDOWN(sleep)
{
	file_write(PM_TEST, "none");
	set_hang_timeout(self->hang_timeout);
	close(self->fd);
}

static int system_sleep(void)
{
	return file_write("/sys/power/state", "mem");
}

static void expect_good_work(struct __test_metadata *_metadata, struct _test_data_sleep *self)
{
	struct drm_nnloop_status status;

	memset(self->to.map, 0, SIZE);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(SIZE, pattern_match(self->to.map, SIZE, 1));
}

static void expect_cancelled(struct __test_metadata *_metadata, struct _test_data_sleep *self,
			     __u64 point)
{
	struct drm_nnloop_status status;

	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	expect_good_work(_metadata, self);
}

TEST_F(sleep, idle)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		expect_good_work(_metadata, self);
		ASSERT_EQ(0, system_sleep());
	}
	expect_good_work(_metadata, self);
}

TEST_F(sleep, parked)
{
	ASSERT_EQ(0, power_write(self->fd, "autosuspend_delay_ms", "0"));
	ASSERT_TRUE(power_becomes(self->fd, "suspended"));
	ASSERT_EQ(0, system_sleep());
	expect_good_work(_metadata, self);
	ASSERT_TRUE(power_becomes(self->fd, "suspended"));
	power_write(self->fd, "autosuspend_delay_ms", "5000");
}

/*
 * The one that runs ends before the system sleeps, the others begin when it wakes. Many and short:
 * a system that is going to sleep does not wait for long.
 */
TEST_F(sleep, with_jobs)
{
	struct drm_nnloop_status status;
	__u64 point = 0, done;
	unsigned int i;

	for (i = 0; i < JOBS; i++)
		ASSERT_EQ(0, queue_submit(&self->queue, self->slow.passes, 3, &point));
	ASSERT_EQ(0, system_sleep());
	ASSERT_EQ(0, syncobj_query(self->fd, self->queue.syncobj, &done));
	ASSERT_GT(JOBS, done + AFTERWARDS);
	for (i = 1; i <= done + AFTERWARDS; i++) {
		ASSERT_EQ(0, queue_wait(&self->queue, i, &status));
		EXPECT_EQ(0, status.error);
		EXPECT_EQ(3, status.passes_done);
	}
	expect_cancelled(_metadata, self, point);
}

/* It is left off after a pass, and goes on when the system wakes. */
static void expect_left_off(struct __test_metadata *_metadata, struct _test_data_sleep *self,
			    __u32 workers)
{
	enum { PASSES = 400 };
	struct drm_nnloop_status status;
	__u64 point;

	self->queue.workers = workers;
	ASSERT_EQ(0, queue_submit(&self->queue, self->slow.passes, PASSES, &point));
	ASSERT_EQ(0, queue_poll_passes(&self->queue, point, 1));
	ASSERT_EQ(0, system_sleep());
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
	EXPECT_LE(1, status.passes_done);
	ASSERT_GT(PASSES, status.passes_done + AFTERWARDS);
	ASSERT_EQ(0, queue_poll_passes(&self->queue, point, status.passes_done + AFTERWARDS));
	expect_cancelled(_metadata, self, point);
}

TEST_F(sleep, in_a_long_job)
{
	expect_left_off(_metadata, self, 1);
}

/* They are at a barrier, and one of them has told the others that it leaves the job off. */
TEST_F(sleep, in_a_long_job_of_all_workers)
{
	expect_left_off(_metadata, self, self->info.worker_count);
}

static void expect_awake(struct __test_metadata *_metadata, struct _test_data_sleep *self,
			 __u32 workers)
{
	struct drm_nnloop_status status;
	__u64 point;

	self->queue.workers = workers;
	ASSERT_EQ(0, endless_start(&self->endless, &self->queue, &point));
	EXPECT_EQ(-EBUSY, system_sleep());
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
	expect_cancelled(_metadata, self, point);
}

TEST_F(sleep, not_during_a_long_pass)
{
	expect_awake(_metadata, self, 1);
}

TEST_F(sleep, not_during_a_long_pass_of_all_workers)
{
	expect_awake(_metadata, self, self->info.worker_count);
}

TEST_HARNESS_MAIN
