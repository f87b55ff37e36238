// SPDX-License-Identifier: GPL-2.0
/*
 * Runtime power management: workers that have nothing to do are parked, the first job wakes them,
 * and nobody who submits, cancels, looks on or leaves notices a difference. (System sleep is
 * tested in sleep.c.)
 */
#include "kselftest_harness.h"

#include <sys/wait.h>

#include "debugfs.h"
#include "power.h"
#include "program.h"
#include "vmctl.h"

#define SIZE 8192

FIXTURE(power) {
	int fd;
	struct queue queue;
	struct bo from, to;
	struct code code;
	char delay[32], control[32];		/* to be restored */
	int hang_timeout;			/* also, if not 0 */
};

FIXTURE_SETUP(power)
{
	if (geteuid())
		SKIP(return, "not root: the settings of power management cannot be changed");
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, power_read(self->fd, "control", self->control, sizeof(self->control)));
	ASSERT_EQ(0, power_read(self->fd, "autosuspend_delay_ms", self->delay,
				sizeof(self->delay)));
	ASSERT_EQ(0, power_write(self->fd, "autosuspend_delay_ms", "0"));
	ASSERT_EQ(0, power_write(self->fd, "control", "auto"));
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->from));
	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->to));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
}

FIXTURE_TEARDOWN(power)
{
	power_write(self->fd, "control", self->control);
	power_write(self->fd, "autosuspend_delay_ms", self->delay);
	if (self->hang_timeout > 0)
		set_hang_timeout(self->hang_timeout);
	close(self->fd);
}

static void expect_good_work(struct __test_metadata *_metadata, struct _test_data_power *self,
			     __u32 seed)
{
	struct drm_nnloop_status status;

	pattern_fill(self->from.map, SIZE, seed);
	EXPECT_EQ(0, run_copy(&self->queue, &self->code, self->from.iova, self->to.iova, SIZE,
			      &status));
	EXPECT_EQ(1, status.passes_done);
	EXPECT_EQ(SIZE, pattern_match(self->to.map, SIZE, seed));
}

/* The second board's are counted, too: have them parked, which they are at any time otherwise. */
static bool second_board_parks(void)
{
	int fd = device_open_node(SECOND_NODE);
	bool parks;

	if (fd < 0)
		return true;
	parks = power_becomes(fd, "suspended");
	close(fd);
	return parks;
}

/* A driver that did not care to park by default would be one that nobody has parked. */
TEST_F(power, parks_by_default)
{
	EXPECT_STREQ("auto", self->control);
	EXPECT_LT(0, atoi(self->delay));
}

TEST_F(power, idle_workers_are_parked_and_woken)
{
	struct drm_nnloop_device_info info;
	int awake, parked;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board's processes cannot be counted");
	ASSERT_TRUE(second_board_parks());
	ASSERT_EQ(0, device_query(self->fd, &info));
	ASSERT_EQ(0, power_write(self->fd, "control", "on"));
	ASSERT_TRUE(power_becomes(self->fd, "active"));
	awake = vmctl_count_processes();
	ASSERT_EQ(0, power_write(self->fd, "control", "auto"));
	ASSERT_TRUE(power_becomes(self->fd, "suspended"));
	parked = vmctl_count_processes();
	EXPECT_EQ(awake - (int)info.worker_count, parked);

	expect_good_work(_metadata, self, 1);
	ASSERT_EQ(0, power_write(self->fd, "control", "on"));
	EXPECT_EQ(awake, vmctl_count_processes());
}

/*
 * Milliseconds of processor time that the processes of a board of this machine have used; negative
 * if there is none.
 */
static long board_processor_ms(void)
{
	FILE *pids = fopen(VMCTL_PIDS, "re"), *stat;
	unsigned long user, system, sum = 0;
	char line[64], path[64];
	int pid, known = 0;

	if (!pids)
		return -ENOENT;
	while (fgets(line, sizeof(line), pids)) {
		if (sscanf(line, "board %d", &pid) != 1 && sscanf(line, "worker %*u %d", &pid) != 1)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		stat = fopen(path, "re");
		if (!stat)
			continue;
		if (fscanf(stat, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			   &user, &system) == 2) {
			sum += user + system;
			known++;
		}
		fclose(stat);
	}
	fclose(pids);
	return known ? (long)(sum * 1000 / sysconf(_SC_CLK_TCK)) : -ENOENT;
}

/* Nobody polls: less than a hundredth of one processor is a clock's tick that met a process. */
static void expect_no_processor_time(struct __test_metadata *_metadata, const char *board)
{
	enum { SECONDS = 5 };
	long before, used;

	/* What was just done may be swept up. */
	sleep_ms(1000);
	before = board_processor_ms();
	ASSERT_LE(0, before);
	sleep_ms(SECONDS * 1000);
	used = board_processor_ms() - before;
	TH_LOG("%s, the board has used %ld ms of a processor in %d s", board, used, SECONDS);
	EXPECT_LE(used, SECONDS * 10);
}

TEST_F(power, an_idle_board_uses_no_processor_time)
{
	if (board_processor_ms() < 0)
		SKIP(return, "the board's processes are not of this machine");
	ASSERT_EQ(0, power_write(self->fd, "control", "on"));
	expect_good_work(_metadata, self, 1);
	expect_no_processor_time(_metadata, "awake");
	ASSERT_EQ(0, power_write(self->fd, "control", "auto"));
	ASSERT_TRUE(power_becomes(self->fd, "suspended"));
	expect_no_processor_time(_metadata, "parked");
}

/* Looking at the device does not take it awake. */
TEST_F(power, calls_without_a_job_leave_it_parked)
{
	struct drm_nnloop_device_info info;
	struct drm_nnloop_status status;
	struct bo bo;
	int fd;

	ASSERT_TRUE(power_becomes(self->fd, "suspended"));
	fd = device_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, device_query(fd, &info));
	ASSERT_EQ(0, bo_new(fd, SIZE, &bo));
	ASSERT_EQ(0, bo_begin_cpu(&bo, DRM_NNLOOP_ACCESS_READ));
	ASSERT_EQ(0, bo_end_cpu(&bo, DRM_NNLOOP_ACCESS_READ));
	bo_unmap(&bo);
	ASSERT_EQ(0, bo_seal(&bo));
	ASSERT_EQ(0, bo_close(&bo));
	close(fd);
	EXPECT_EQ(0, queue_cancel(&self->queue));
	EXPECT_EQ(-EINVAL, queue_status(&self->queue, 1, &status));
	EXPECT_TRUE(power_is(self->fd, "suspended"));
}

TEST_F(power, stays_awake_while_a_job_runs)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	__u64 point;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &point));
	ASSERT_TRUE(power_becomes(self->fd, "active"));
	sleep_ms(300);
	EXPECT_TRUE(power_is(self->fd, "active"));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	EXPECT_TRUE(power_becomes(self->fd, "suspended"));
	free(slow);
}

TEST_F(power, stays_awake_if_told_so)
{
	ASSERT_EQ(0, power_write(self->fd, "control", "on"));
	expect_good_work(_metadata, self, 2);
	sleep_ms(300);
	EXPECT_TRUE(power_is(self->fd, "active"));
}

/* Jobs come at any time: while it parks, parked, while it wakes. */
TEST_F(power, jobs_at_any_time)
{
	unsigned int i;

	srandom(1);
	for (i = 0; i < (test_all() ? 150 : 50); i++) {
		expect_good_work(_metadata, self, i);
		usleep(random() % 4 * (random() % 8000));
	}
}

/* What is cancelled before the workers are awake has not run, and the queue lives on. */
TEST_F(power, cancelled_before_it_wakes)
{
	struct drm_nnloop_status status;
	struct program program;
	unsigned int i;
	__u64 point;

	program_init_copy(&program, self->from.iova, self->to.iova, SIZE);
	code_write(&self->code, &program);
	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(power_becomes(self->fd, "suspended"));
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
		ASSERT_EQ(0, queue_cancel(&self->queue));
		ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
		if (status.error)
			EXPECT_EQ(-ECANCELED, status.error);
	}
	expect_good_work(_metadata, self, 3);
}

TEST_F(power, closed_before_it_wakes)
{
	struct program program;
	struct queue queue;
	struct code code;
	unsigned int i;
	struct bo bo;
	__u64 point;
	int fd;

	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(power_becomes(self->fd, "suspended"));
		fd = device_open();
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, queue_create(fd, &queue));
		ASSERT_EQ(0, bo_create(fd, 2 * SIZE, 0, &bo));
		program_init_copy(&program, bo.iova, bo.iova + SIZE, SIZE);
		ASSERT_EQ(0, code_new(fd, &program, &code));
		ASSERT_EQ(0, queue_submit(&queue, &code.pass, 1, &point));
		bo_unmap(&code.bo);
		close(fd);
	}
	expect_good_work(_metadata, self, 4);
}

/* Counts of a killer and its parent, and when it has to end. */
struct killing {
	unsigned int jobs, kills, end;
};

/*
 * Kills one worker after the other until it is told to end, but one in a job: a worker that dies
 * again and again while it boots, which may take long here, is given up by the driver.
 */
static pid_t start_killer(struct killing *killing)
{
	pid_t pid = fork();
	unsigned int i, jobs;

	if (pid)
		return pid;
	for (i = 0; !__atomic_load_n(&killing->end, __ATOMIC_RELAXED); i++) {
		jobs = __atomic_load_n(&killing->jobs, __ATOMIC_RELAXED);
		usleep(random() % 2 * (random() % 100000));
		/* There is nothing to kill while they are parked. */
		if (!vmctl("kill worker %u", i & 1))
			__atomic_add_fetch(&killing->kills, 1, __ATOMIC_RELAXED);
		while (jobs == __atomic_load_n(&killing->jobs, __ATOMIC_RELAXED) &&
		       !__atomic_load_n(&killing->end, __ATOMIC_RELAXED))
			sleep_ms(1);
	}
	_exit(0);
}

/* A worker that is killed at any time, also while it wakes, loses a job at most. */
TEST_F(power, killed_at_any_time)
{
	struct drm_nnloop_status status;
	struct program program;
	unsigned int jobs = test_all() ? 100 : 50, i;
	struct killing *killing;
	pid_t killer;
	__u64 point;
	int error;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	killing = mmap(NULL, sizeof(*killing), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	ASSERT_NE(MAP_FAILED, killing);
	program_init_copy(&program, self->from.iova, self->to.iova, SIZE);
	code_write(&self->code, &program);
	killer = start_killer(killing);
	ASSERT_LT(0, killer);
	srandom(2);
	for (i = 0; i < jobs || (!__atomic_load_n(&killing->kills, __ATOMIC_RELAXED) && i < 2000);
	     i++) {
		EXPECT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
		EXPECT_EQ(0, queue_wait(&self->queue, point, &status));
		__atomic_add_fetch(&killing->jobs, 1, __ATOMIC_RELAXED);
		error = status.error;
		EXPECT_TRUE(!error || error == -EIO)
			TH_LOG("job %u: error %d", i, error);
		if (error) {
			EXPECT_EQ(0, queue_destroy(&self->queue));
			EXPECT_EQ(0, queue_create(self->fd, &self->queue));
		}
		usleep(random() % 2 * (random() % 50000));
	}
	/* It does so by itself: what it has begun to kill would be the next test's. */
	__atomic_store_n(&killing->end, 1, __ATOMIC_RELAXED);
	EXPECT_EQ(killer, waitpid(killer, NULL, 0));
	EXPECT_LT(0, killing->kills);
	/* A job is given to who was killed last, until the board has seen it: not after parking. */
	ASSERT_TRUE(power_becomes(self->fd, "suspended"));
	expect_good_work(_metadata, self, 5);
}

/*
 * Parked workers of which the first one has come up and waits for the second one, which was stopped
 * while it booted; and a job that waits for both. 0, or why not.
 */
static int start_half(struct _test_data_power *self, const struct drm_nnloop_pass *passes,
		      __u32 pass_count, __u64 *point)
{
	struct drm_nnloop_status status;
	int ready[2], ret, stopped;
	unsigned int tries;
	char text[4096];
	pid_t stopper;

	for (tries = 0; tries < 20; tries++) {
		if (!power_becomes(self->fd, "suspended"))
			return -ETIME;
		if (pipe(ready))
			return -errno;
		stopper = fork();
		if (!stopper)
			_exit(-vmctl_stop_at_birth(1, ready[1]));
		close(ready[1]);
		ret = read(ready[0], text, 1) == 1 ? 0 : -EPIPE;
		close(ready[0]);
		ret = ret ?: queue_submit(&self->queue, passes, pass_count, point);
		if (waitpid(stopper, &stopped, 0) != stopper || !WIFEXITED(stopped) || ret)
			return ret ?: -ECHILD;
		if (WEXITSTATUS(stopped) == ETIME)
			continue;
		if (WEXITSTATUS(stopped))
			return -WEXITSTATUS(stopped);
		/* Time for the first one to boot. */
		sleep_ms(500);
		ret = debugfs_read(self->fd, "workers", text, sizeof(text));
		ret = ret ?: queue_status(&self->queue, *point, &status);
		if (ret)
			return ret;
		if (!strncmp(text, "0: down", 7) && status.state == DRM_NNLOOP_JOB_QUEUED)
			return 0;
		/* Too late, so that they may be parked again. */
		vmctl("continue worker 1");
		ret = queue_cancel(&self->queue) ?: queue_wait(&self->queue, *point, &status);
		if (ret)
			return ret;
	}
	return -EAGAIN;
}

/* Nobody is told of the death, and the job has not begun: it does so when the worker is back. */
TEST_F(power, killed_while_the_other_one_boots)
{
	struct drm_nnloop_status status;
	__s64 end = deadline_ns(WAIT_SECONDS);
	struct program program;
	__u64 point;
	int before;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	debugfs_mount();
	program_init_copy(&program, self->from.iova, self->to.iova, SIZE);
	code_write(&self->code, &program);
	ASSERT_EQ(0, start_half(self, &self->code.pass, 1, &point));
	ASSERT_TRUE(second_board_parks());
	before = vmctl_count_processes();
	ASSERT_EQ(0, vmctl("kill worker 0"));
	/* The board has seen that it is dead before it is told that both are up. */
	while (vmctl_count_processes() >= before && deadline_ns(0) < end)
		sleep_ms(2);
	ASSERT_EQ(0, vmctl("continue worker 1"));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
	expect_good_work(_metadata, self, 6);
}

/* The time that it took to wake is none in which the job made no progress. */
TEST_F(power, waking_is_no_hang)
{
	enum { HANG_MS = 2000 };
	__s64 now, submitted, begun;
	struct drm_nnloop_status status;
	struct slow *slow;
	__u64 point;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	debugfs_mount();
	slow = malloc(sizeof(*slow));
	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	self->hang_timeout = set_hang_timeout(HANG_MS);
	ASSERT_LT(0, self->hang_timeout);
	ASSERT_EQ(0, start_half(self, slow->passes, 3, &point));
	submitted = deadline_ns(-0.5);
	/* It begins on a worker that stands still, some time before the driver looks at it. */
	ASSERT_EQ(0, vmctl("stop worker 0"));
	for (now = submitted; now < submitted + HANG_MS / 2 * 1000000ll; now = deadline_ns(0))
		sleep_ms(10);
	begun = now;
	ASSERT_EQ(0, vmctl("continue worker 1"));
	for (; now < submitted + (HANG_MS + 500) * 1000000ll; now = deadline_ns(0))
		sleep_ms(10);
	ASSERT_EQ(0, vmctl("continue worker 0"));
	now = deadline_ns(0);
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	/* A machine that took so long to say it has really had it hang. */
	if (now < begun + HANG_MS * 1000000ll)
		EXPECT_EQ(0, status.error);
	free(slow);
}

TEST_HARNESS_MAIN
