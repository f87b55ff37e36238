// SPDX-License-Identifier: GPL-2.0
/*
 * Which job comes next, and what closing costs: a free worker takes whatever is ready, nobody waits
 * behind another client's backlog, and neither close() nor a destroyed queue lets anybody wait or
 * keeps more than it may.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "debugfs.h"
#include "power.h"
#include "program.h"
#include "vmctl.h"

#define PATIENT_MS	600000	/* a worker that was stopped is not taken for hung meanwhile */
#define FILES		15
#define MAX_QUEUES	64

static int module_references(void)
{
	FILE *file = fopen("/sys/module/nnloop/refcnt", "r");
	int count = -1;

	if (!file || fscanf(file, "%d", &count) != 1)
		count = -errno;
	if (file)
		fclose(file);
	return count;
}

FIXTURE(sched) {
	int references;			/* to the module, without the test */
	int fd, other;
	int hang_timeout;
	char control[32];
	struct slow *slow;		/* of fd */
	struct queue queue;		/* of other */
	struct bo data;
	struct code code;		/* a short job of other */
	struct drm_nnloop_device_info info;
};

FIXTURE_SETUP(sched)
{
	self->references = module_references();
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->other = device_open();
	ASSERT_LE(0, self->other);
	self->hang_timeout = set_hang_timeout(PATIENT_MS);
	ASSERT_LT(0, self->hang_timeout);
	/* Nothing is there to be stopped while workers are parked, or on their way up. */
	debugfs_mount();
	ASSERT_EQ(0, power_stay_awake(self->fd, self->control, sizeof(self->control)));
	ASSERT_EQ(0, workers_wait_idle(self->fd));
	self->slow = malloc(sizeof(*self->slow));
	ASSERT_NE(NULL, self->slow);
	ASSERT_EQ(0, slow_new(self->fd, self->slow));
	ASSERT_EQ(0, copy_new(self->other, 4096, &self->queue, &self->data, &self->code));
	ASSERT_EQ(0, device_query(self->fd, &self->info));
}

FIXTURE_TEARDOWN(sched)
{
	power_write(self->fd, "control", self->control);
	close(self->fd);
	close(self->other);
	set_hang_timeout(self->hang_timeout);
	free(self->slow);
}

/* With all workers but one at work for long, whatever else there is runs on that one. */
TEST_F(sched, free_worker_takes_any_job)
{
	struct drm_nnloop_status status;
	struct queue queue[16], busy[8];
	__u64 point[16], busy_point;
	unsigned int i;

	ASSERT_LE(2, self->info.worker_count);
	for (i = 0; i + 1 < self->info.worker_count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &busy[i]));
		ASSERT_EQ(0, slow_start(self->slow, &busy[i], &busy_point));
	}
	for (i = 0; i < ARRAY_SIZE(queue); i++) {
		ASSERT_EQ(0, queue_create(self->other, &queue[i]));
		ASSERT_EQ(0, queue_submit(&queue[i], &self->code.pass, 1, &point[i]));
	}
	for (i = 0; i < ARRAY_SIZE(queue); i++) {
		ASSERT_EQ(0, queue_wait(&queue[i], point[i], &status));
		EXPECT_EQ(0, status.error);
	}
	for (i = 0; i + 1 < self->info.worker_count; i++) {
		ASSERT_EQ(0, queue_status(&busy[i], 1, &status));
		EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state)
			TH_LOG("they have waited: it ended, error %d", status.error);
		ASSERT_EQ(0, queue_cancel(&busy[i]));
	}
}

/* Jobs of another client that were there before, as many as it likes, do not all come first. */
TEST_F(sched, no_wait_behind_a_backlog)
{
	enum { QUEUES = 8, JOBS = 40 };
	struct drm_nnloop_status status;
	struct queue queue[QUEUES];
	struct blockade blockade;
	unsigned int i, j, ended = 0;
	__u64 point, own;

	ASSERT_EQ(0, workers_block(self->fd, &blockade));
	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue[i]));
		for (j = 0; j < JOBS; j++)
			ASSERT_EQ(0, slow_submit_short(self->slow, &queue[i], &point));
	}
	ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &own));
	ASSERT_EQ(0, workers_release(&blockade));
	ASSERT_EQ(0, queue_wait(&self->queue, own, &status));
	EXPECT_EQ(0, status.error);
	for (i = 0; i < QUEUES; i++) {
		for (j = 1; j <= JOBS; j++) {
			ASSERT_EQ(0, queue_status(&queue[i], j, &status));
			ended += status.state == DRM_NNLOOP_JOB_ENDED;
		}
		EXPECT_EQ(0, queue_cancel(&queue[i]));
	}
	EXPECT_GT(QUEUES * JOBS / 4, ended)
		TH_LOG("%u of %u jobs of the other client came first", ended, QUEUES * JOBS);
}

/* The queues of a client take turns: none of them comes only when the others are empty. */
TEST_F(sched, queues_take_turns)
{
	enum { QUEUES = 4, JOBS = 20 };
	struct drm_nnloop_status status;
	struct queue queue[QUEUES];
	struct blockade blockade;
	unsigned int i, j, ended;
	__u64 point;

	ASSERT_EQ(0, workers_block(self->fd, &blockade));
	for (i = 0; i < QUEUES; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &queue[i]));
		for (j = 0; j < JOBS; j++)
			ASSERT_EQ(0, queue_submit(&queue[i], self->slow->passes, 3, &point));
	}
	ASSERT_EQ(0, workers_release(&blockade));
	/* When a quarter of one has run, so has something of each. */
	ASSERT_EQ(0, queue_wait(&queue[0], JOBS / 4, &status));
	EXPECT_EQ(0, status.error);
	for (i = 0; i < QUEUES; i++) {
		for (j = 1, ended = 0; j <= JOBS; j++) {
			ASSERT_EQ(0, queue_status(&queue[i], j, &status));
			ended += status.state == DRM_NNLOOP_JOB_ENDED;
		}
		EXPECT_LT(0, ended) TH_LOG("queue %u has waited for the others", i);
		EXPECT_EQ(0, queue_cancel(&queue[i]));
	}
}

/* Stopped workers with a job on each, so that no cancelled job can end. */
static int workers_stop(struct _test_data_sched *self, struct blockade *blockade)
{
	unsigned int i;
	int ret = workers_block(self->fd, blockade);

	for (i = 0; !ret && i < self->info.worker_count; i++)
		ret = vmctl("stop worker %u", i);
	return ret;
}

static void workers_continue(struct _test_data_sched *self)
{
	unsigned int i;

	for (i = 0; i < self->info.worker_count; i++)
		vmctl("continue worker %u", i);
}

/* One process has many files with work; its end, and each close(), waits for none of it. */
TEST_F(sched, close_waits_for_nothing)
{
	struct drm_nnloop_status status;
	struct blockade blockade;
	int ready[2], i;
	__s64 start;
	pid_t pid;
	char byte;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		/* Each file has a job on a worker or, later, waiting for one. */
		for (i = 0; i < FILES; i++) {
			struct slow *slow = malloc(sizeof(*slow));
			struct queue queue;
			__u64 point;
			int fd = device_open();

			if (fd < 0 || !slow || slow_new(fd, slow) || queue_create(fd, &queue) ||
			    slow_submit(slow, &queue, &point))
				_exit(1);
			if (i == 0 && queue_poll_state(&queue, point, DRM_NNLOOP_JOB_RUNNING))
				_exit(1);
		}
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(1);
	}
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	for (i = 0; i < (int)self->info.worker_count; i++)
		ASSERT_EQ(0, vmctl("stop worker %d", i));
	start = deadline_ns(0);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	/* It was a second for each file. */
	EXPECT_GT(FILES / 2 * 1000000000ll, deadline_ns(0) - start);
	workers_continue(self);
	memset(&blockade, 0, sizeof(blockade));
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
	close(ready[0]);
	close(ready[1]);
}

/* A destroyed queue counts as long as a job of it runs, and no longer. */
TEST_F(sched, destroyed_queues_count)
{
	struct queue queue[MAX_QUEUES + 1];
	struct blockade blockade;
	__s64 end = deadline_ns(WAIT_SECONDS);
	unsigned int i, made;
	int ret = 0;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	ASSERT_EQ(0, workers_stop(self, &blockade));
	for (i = 0; i < blockade.count; i++)
		EXPECT_EQ(0, queue_destroy(&blockade.queue[i]));
	for (made = 0; made < MAX_QUEUES && !ret; made++)
		ret = queue_create(self->fd, &queue[made]);
	EXPECT_EQ(-EBUSY, ret);
	EXPECT_EQ(MAX_QUEUES - blockade.count, made - 1)
		TH_LOG("%u queues beside %u destroyed ones", made, blockade.count);
	workers_continue(self);
	/* When their jobs have ended there is room again. */
	while ((ret = queue_create(self->fd, &queue[MAX_QUEUES])) == -EBUSY &&
	       deadline_ns(0) < end)
		sleep_ms(10);
	EXPECT_EQ(0, ret);
}

/* What waits for a fence is no reason for a destroyed queue to stay. */
TEST_F(sched, destroyed_queues_do_not_pile_up)
{
	struct queue gate, queue;
	struct drm_nnloop_sync wait = { 0 };
	__s64 end = deadline_ns(WAIT_SECONDS);
	struct blockade blockade;
	unsigned int i;
	__u64 point;
	int ret;

	ASSERT_EQ(0, workers_block(self->fd, &blockade));
	ASSERT_EQ(0, queue_create(self->fd, &gate));
	ASSERT_EQ(0, queue_submit(&gate, self->slow->passes, 1, &wait.point));
	wait.handle = gate.syncobj;
	for (i = 0; i < 10 * MAX_QUEUES; i++) {
		while ((ret = queue_create(self->fd, &queue)) == -EBUSY && deadline_ns(0) < end)
			sleep_ms(1);
		ASSERT_EQ(0, ret);
		ASSERT_EQ(0, queue_submit_syncs(&queue, self->slow->passes, 1, &wait, 1, NULL, 0,
						&point));
		ASSERT_EQ(0, queue_destroy(&queue));
		ASSERT_EQ(0, syncobj_wait(self->fd, queue.syncobj, point, WAIT_SECONDS));
		ASSERT_EQ(0, syncobj_destroy(self->fd, queue.syncobj));
	}
	ASSERT_EQ(0, workers_release(&blockade));
}

/*
 * A job that hangs from its beginning is found after the hang timeout, not after two of them: it is
 * looked at four times in each, and the first look may come right after its begin.
 */
TEST_F(sched, hang_is_found_in_time)
{
	enum { HANG_MS = 400, LOOKS = 4 };
	struct drm_nnloop_status status;
	struct queue queue;
	unsigned int i;
	__u64 point;
	int looks;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	/* No timer of the longer timeout is to be in the way later. */
	ASSERT_EQ(0, queue_run(&queue, self->slow->passes, 1, &status));
	ASSERT_LT(0, set_hang_timeout(HANG_MS));
	for (i = 0; i < self->info.worker_count; i++)
		ASSERT_EQ(0, vmctl("stop worker %u", i));
	looks = debugfs_sum(self->fd, "looks");
	ASSERT_LE(0, looks);
	ASSERT_EQ(0, queue_submit(&queue, self->slow->passes, 1, &point));
	ASSERT_EQ(0, queue_wait(&queue, point, &status));
	EXPECT_EQ(-ETIMEDOUT, status.error);
	looks = debugfs_sum(self->fd, "looks") - looks;
	EXPECT_EQ(LOOKS + 1, looks);
	workers_continue(self);
}

/* fdinfo's engine time while jobs begin and end: read as fast as possible, it never falls. */
static void *run_jobs(void *arg)
{
	struct _test_data_sched *self = arg;
	struct drm_nnloop_status status;
	long ret = 0;
	int i;

	for (i = 0; i < 500 && !ret; i++)
		ret = queue_run(&self->queue, &self->code.pass, 1, &status) ?: status.error;
	return (void *)ret;
}

TEST_F(sched, engine_time_never_falls)
{
	long long before = 0, now;
	unsigned int reads = 0;
	pthread_t thread;
	void *ret = NULL;

	ASSERT_EQ(0, pthread_create(&thread, NULL, run_jobs, self));
	do {
		now = engine_ns(self->other);
		ASSERT_LE(before, now) TH_LOG("after %u reads", reads);
		before = now;
		reads++;
	} while (pthread_tryjoin_np(thread, &ret));
	EXPECT_EQ(NULL, ret);
	EXPECT_LT(0, before);
}

/* Traffic that goes on in another thread until it is told to stop. */
struct traffic {
	struct _test_data_sched *self;
	struct slow *slow;
	bool stop;			/* by __atomic_store_n() */
};

/* Jobs of the other client, one after the other. */
static void *run_traffic(void *arg)
{
	struct traffic *traffic = arg;
	struct _test_data_sched *self = traffic->self;
	struct drm_nnloop_status status;
	long ret = 0;

	while (!__atomic_load_n(&traffic->stop, __ATOMIC_ACQUIRE) && !ret)
		ret = queue_run(&self->queue, traffic->slow->passes, 4, &status) ?: status.error;
	return (void *)ret;
}

/* Whatever moment it is: when the call has returned, no cancelled job begins, nor runs on. */
TEST_F(sched, cancelled_job_does_not_begin)
{
	enum { ROUNDS = 60, BEHIND = 250 };
	struct drm_nnloop_status status;
	struct queue busy[8], queue;
	__u64 busy_point, point, first;
	unsigned int i, round;

	for (i = 0; i + 1 < self->info.worker_count; i++) {
		ASSERT_EQ(0, queue_create(self->fd, &busy[i]));
		ASSERT_EQ(0, slow_start(self->slow, &busy[i], &busy_point));
	}
	for (round = 0; round < ROUNDS; round++) {
		/* The worker that is left becomes free at about the time of the cancel. */
		ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
		ASSERT_EQ(0, queue_create_priority(self->fd, DRM_NNLOOP_PRIORITY_LOW, &queue));
		ASSERT_EQ(0, slow_submit(self->slow, &queue, &first));
		for (i = 0; i < BEHIND; i++)
			ASSERT_EQ(0, queue_submit(&queue, self->slow->passes, 1, &point));
		ASSERT_EQ(0, queue_cancel(&queue));
		/* Not cancelled, it would take as long as the one beside it, and end well. */
		ASSERT_EQ(0, queue_wait(&queue, first, &status));
		ASSERT_EQ(-ECANCELED, status.error) TH_LOG("round %u", round);
		ASSERT_EQ(0, queue_destroy(&queue));
	}
	for (i = 0; i + 1 < self->info.worker_count; i++)
		ASSERT_EQ(0, queue_cancel(&busy[i]));
}

/* The time of a job that has not ended yet counts: it is no credit for what comes behind it. */
TEST_F(sched, long_job_is_no_credit)
{
	enum { JOBS = 250, SECONDS = 3 };
	struct traffic traffic = { .self = self };
	struct drm_nnloop_status status;
	struct queue busy, queue;
	__s64 end = deadline_ns(SECONDS);
	unsigned int i, ended = 0;
	__u64 busy_point, point, own;
	pthread_t thread;
	void *ret = NULL;

	traffic.slow = malloc(sizeof(*traffic.slow));
	ASSERT_NE(NULL, traffic.slow);
	ASSERT_EQ(0, slow_new(self->other, traffic.slow));
	/* Its time is looked at as often as its progress. */
	ASSERT_LT(0, set_hang_timeout(2000));
	ASSERT_EQ(0, queue_create(self->fd, &busy));
	ASSERT_EQ(0, slow_start(self->slow, &busy, &busy_point));
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_traffic, &traffic));
	while (deadline_ns(0) < end)
		sleep_ms(10);
	__atomic_store_n(&traffic.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, &ret);
	EXPECT_EQ(NULL, ret);
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	for (i = 0; i < JOBS; i++)
		ASSERT_EQ(0, queue_submit(&queue, self->slow->passes, 1, &point));
	ASSERT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &own));
	ASSERT_EQ(0, queue_wait(&self->queue, own, &status));
	EXPECT_EQ(0, status.error);
	for (i = 1; i <= JOBS; i++) {
		ASSERT_EQ(0, queue_status(&queue, i, &status));
		ended += status.state == DRM_NNLOOP_JOB_ENDED;
	}
	EXPECT_GT(JOBS / 5, ended) TH_LOG("%u jobs of the other client came first", ended);
	ASSERT_EQ(0, queue_cancel(&queue));
	ASSERT_EQ(0, queue_cancel(&busy));
	free(traffic.slow);
}

/* What a closed file had leaves the module alone, without anybody coming after it. */
TEST_F(sched, closed_queues_let_go_of_the_module)
{
	struct drm_nnloop_status status;
	struct queue queue[MAX_QUEUES - 1];
	__s64 end;
	int i;

	if (self->references == -ENOENT)
		SKIP(return, "nnloop is built into this kernel");
	/* With the one that the client has already, as many as it can have. */
	for (i = 0; i < MAX_QUEUES - 1; i++) {
		ASSERT_EQ(0, queue_create(self->other, &queue[i]));
		ASSERT_EQ(0, queue_run(&queue[i], &self->code.pass, 1, &status));
	}
	bo_unmap(&self->slow->code.bo);
	bo_unmap(&self->data);
	bo_unmap(&self->code.bo);
	close(self->other);
	close(self->fd);
	end = deadline_ns(WAIT_SECONDS);
	while (module_references() > self->references && deadline_ns(0) < end)
		sleep_ms(10);
	/* A board that is a process of this machine has one, too. */
	EXPECT_GE(self->references, module_references());
	self->fd = device_open();
	self->other = device_open();
}

/* Who looks on is not the last to hold a file. */
static void *read_clients(void *arg)
{
	struct traffic *traffic = arg;
	static char text[1 << 16];
	long ret = 0;

	while (!__atomic_load_n(&traffic->stop, __ATOMIC_ACQUIRE) && !ret)
		ret = debugfs_read(traffic->self->fd, "nnloop_clients", text, sizeof(text));
	return (void *)ret;
}

TEST_F(sched, files_are_closed_while_debugfs_is_read)
{
	struct traffic traffic = { .self = self };
	struct queue queue;
	pthread_t thread;
	void *ret = NULL;
	int i, fd;

	debugfs_mount();
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_clients, &traffic));
	for (i = 0; i < 300; i++) {
		fd = device_open();
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, queue_create(fd, &queue));
		close(fd);
	}
	__atomic_store_n(&traffic.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, &ret);
	EXPECT_EQ(NULL, ret);
}

TEST_HARNESS_MAIN
