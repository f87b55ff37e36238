// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints, debugfs and the kernel's log: what someone sees who looks on while jobs run, end and
 * fail, and calls are refused.
 */
#include "kselftest_harness.h"

#include <sys/mount.h>

#include "debugfs.h"
#include "power.h"
#include "program.h"
#include "vmctl.h"

#define TRACEFS		"/sys/kernel/tracing"
#define DRM_DEBUG	"/sys/module/drm/parameters/debug"

FIXTURE(trace) {
	int fd;
	struct queue queue;
	struct bo data;
	struct code code;
	char control[32];		/* of power management, to be restored if it is not empty */
	char text[65536];
};

FIXTURE_SETUP(trace)
{
	debugfs_mount();
	mount("none", TRACEFS, "tracefs", 0, NULL);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, copy_new(self->fd, 4096, &self->queue, &self->data, &self->code));
	ASSERT_EQ(0, file_write(TRACEFS "/trace", ""));
	ASSERT_EQ(0, file_write(TRACEFS "/events/nnloop/enable", "1"));
}

FIXTURE_TEARDOWN(trace)
{
	file_write(TRACEFS "/events/nnloop/enable", "0");
	if (*self->control)
		power_write(self->fd, "control", self->control);
	close(self->fd);
}

/* Each event of a job comes once, and in this order. */
TEST_F(trace, job)
{
	const char *submit, *start, *done;
	struct drm_nnloop_status status;

	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	ASSERT_EQ(0, status.error);
	ASSERT_EQ(0, file_read(TRACEFS "/trace", self->text, sizeof(self->text)));
	submit = strstr(self->text, "nnloop_submit:");
	start = strstr(self->text, "nnloop_start:");
	done = strstr(self->text, "nnloop_done:");
	ASSERT_NE(NULL, submit) TH_LOG("%s", self->text);
	ASSERT_NE(NULL, start);
	ASSERT_NE(NULL, done);
	EXPECT_LT(submit, start);
	EXPECT_LT(start, done);
	EXPECT_EQ(NULL, strstr(done + 1, "nnloop_done:"));
	EXPECT_EQ(NULL, strstr(self->text, "nnloop_fault:"));
}

TEST_F(trace, fault)
{
	struct drm_nnloop_status status;
	struct program program;
	char address[32];
	const char *fault;

	/* The guard page behind the buffer. */
	program_init_copy(&program, self->data.iova + self->data.size, self->data.iova, 4096);
	code_write(&self->code, &program);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	ASSERT_EQ(-EFAULT, status.error);
	ASSERT_EQ(0, file_read(TRACEFS "/trace", self->text, sizeof(self->text)));
	fault = strstr(self->text, "nnloop_fault:");
	ASSERT_NE(NULL, fault) TH_LOG("%s", self->text);
	snprintf(address, sizeof(address), "%llx", (unsigned long long)status.fault_address);
	EXPECT_NE(NULL, strstr(fault, address)) TH_LOG("%s is not in %s", address, fault);

	/* debugfs remembers it. */
	ASSERT_EQ(0, debugfs_read(self->fd, "faults", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, address)) TH_LOG("%s", self->text);
	EXPECT_NE(NULL, strstr(self->text, "lost: no"));
	EXPECT_NE(NULL, strstr(self->text, "pages leaked on purpose: 0"));
}

/* Buffers with their names and sizes, and whose they are. */
TEST_F(trace, buffers)
{
	struct bo named;

	ASSERT_EQ(0, bo_create(self->fd, 64 << 10, 0, &named));
	ASSERT_EQ(0, bo_set_name(&named, "frog", 4));
	ASSERT_EQ(0, debugfs_read(self->fd, "buffers", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, "64 KiB")) TH_LOG("%s", self->text);
	EXPECT_NE(NULL, strstr(self->text, "frog"));
	ASSERT_EQ(0, bo_close(&named));
	ASSERT_EQ(0, debugfs_read(self->fd, "buffers", self->text, sizeof(self->text)));
	EXPECT_EQ(NULL, strstr(self->text, "frog"));
}

/* How long each worker takes to answer, if it has nothing else to do and answers at all. */
TEST_F(trace, latency)
{
	struct drm_nnloop_status status;
	struct drm_nnloop_device_info info;
	struct blockade blockade;
	unsigned int i, round;
	char *at;

	ASSERT_EQ(0, device_query(self->fd, &info));
	/* A board that went to sleep in between would start its workers anew. */
	ASSERT_EQ(0, power_stay_awake(self->fd, self->control, sizeof(self->control)));
	ASSERT_EQ(0, workers_wait_idle(self->fd));
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, debugfs_read(self->fd, "latency", self->text, sizeof(self->text)));
		for (i = 0, at = self->text; i < info.worker_count; i++) {
			ASSERT_EQ(i, strtoul(at, &at, 10));
			EXPECT_LT(0, strtoll(at + 1, &at, 10));
			ASSERT_EQ(0, strncmp(at, " ns\n", 4)) TH_LOG("%s", self->text);
			at += 4;
		}
		ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
		EXPECT_EQ(0, status.error);
	}
	ASSERT_EQ(0, workers_block(self->fd, &blockade));
	ASSERT_EQ(0, debugfs_read(self->fd, "latency", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, "0: error -16\n")) TH_LOG("%s", self->text);
	ASSERT_EQ(0, workers_release(&blockade));
	for (i = 0; i < blockade.count; i++)
		ASSERT_EQ(0, queue_wait(&blockade.queue[i], 1, &status));
	if (!vmctl_works())
		return;
	/* One that does not answer is started again. */
	ASSERT_EQ(0, vmctl("stop worker 0"));
	ASSERT_EQ(0, debugfs_read(self->fd, "latency", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, "0: error -110\n")) TH_LOG("%s", self->text);
	ASSERT_EQ(0, debugfs_read(self->fd, "latency", self->text, sizeof(self->text)));
	EXPECT_EQ(NULL, strstr(self->text, "error")) TH_LOG("%s", self->text);
	ASSERT_EQ(0, queue_run(&self->queue, &self->code.pass, 1, &status));
	EXPECT_EQ(0, status.error);
}

/* A running job is seen on its worker, and its queue with its client. */
TEST_F(trace, workers_and_clients)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	__u64 point;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, debugfs_read(self->fd, "workers", self->text, sizeof(self->text)));
	EXPECT_EQ(NULL, strstr(self->text, " job "));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &point));
	ASSERT_EQ(0, debugfs_read(self->fd, "workers", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, " job ")) TH_LOG("%s", self->text);
	ASSERT_EQ(0, debugfs_read(self->fd, "nnloop_clients", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, "submitted 1 ended 0")) TH_LOG("%s", self->text);
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	ASSERT_EQ(0, debugfs_read(self->fd, "nnloop_clients", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, "submitted 1 ended 1 cancelled 1"))
		TH_LOG("%s", self->text);
	free(slow);
}

FIXTURE(log) {
	int fd;
	int kmsg;
	struct queue queue;
	char drm_debug[16];
	char text[65536];
};

FIXTURE_SETUP(log)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	self->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (file_read(DRM_DEBUG, self->drm_debug, sizeof(self->drm_debug)))
		self->drm_debug[0] = 0;
}

FIXTURE_TEARDOWN(log)
{
	file_write(DRM_DEBUG, self->drm_debug);
	close(self->kmsg);
	close(self->fd);
}

/* Reads what the driver has logged since the last time; a read() gives one line. */
static void log_read(int kmsg, char *text, size_t size)
{
	char line[8192];
	size_t have = 0;
	ssize_t got;

	text[0] = 0;
	/* EPIPE: lines were lost before this one. */
	while ((got = read(kmsg, line, sizeof(line) - 1)) > 0 || (got < 0 && errno == EPIPE)) {
		line[got > 0 ? got : 0] = 0;
		if (strstr(line, "nnloop"))
			have += snprintf(text + have, size - have, "%s", line);
		if (have >= size)
			return;
	}
}

/* With the driver's category in drm.debug a refused call says why, without it nothing does. */
TEST_F(log, refused_call)
{
	static const char * const reasons[] = {
		"flags 0x80: only 0x9 are known",
		"size is 0",
		"handle 12345 is no buffer's",
		"queue 99 does not exist",
		"priority 77 is not known",
		"pass_stride 12: a multiple of 8, 112 to 4096",
		"passes[1]: program 0x80000004 is no multiple of 8",
		"point 7: the queue has had 0 jobs",
	};
	static const char * const debug[] = { "0", "2", "0" };
	struct drm_nnloop_pass passes[2] = {
		{ .program = 0x80000000, .program_size = 8 },
		{ .program = 0x80000004, .program_size = 8 },
	};
	struct drm_nnloop_submit submit = {
		.queue = self->queue.id,
		.passes = (uintptr_t)passes,
		.pass_count = 2,
		.pass_stride = 12,
	};
	struct queue other = { .fd = self->fd, .id = 99 };
	struct drm_nnloop_bo_info info;
	struct drm_nnloop_status status;
	struct bo bo;
	__u64 point;
	size_t i, k;

	if (self->kmsg < 0 || file_write(DRM_DEBUG, "0"))
		SKIP(return, "needs /dev/kmsg and " DRM_DEBUG);
	ASSERT_LE(0, lseek(self->kmsg, 0, SEEK_END));
	for (i = 0; i < ARRAY_SIZE(debug); i++) {
		bool on = strcmp(debug[i], "0");

		ASSERT_EQ(0, file_write(DRM_DEBUG, debug[i]));
		EXPECT_EQ(-EOPNOTSUPP, bo_create(self->fd, PAGE_SIZE, 0x80, &bo));
		EXPECT_EQ(-EINVAL, bo_create(self->fd, 0, 0, &bo));
		EXPECT_EQ(-ENOENT, bo_info(self->fd, 12345, &info));
		EXPECT_EQ(-ENOENT, queue_cancel(&other));
		EXPECT_EQ(-EOPNOTSUPP, queue_create_priority(self->fd, 77, &other));
		EXPECT_EQ(-EINVAL, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_SUBMIT, &submit));
		EXPECT_EQ(-EINVAL, queue_submit(&self->queue, passes, 2, &point));
		EXPECT_EQ(-EINVAL, queue_status(&self->queue, 7, &status));
		log_read(self->kmsg, self->text, sizeof(self->text));
		if (!on)
			EXPECT_STREQ("", self->text);
		for (k = 0; on && k < ARRAY_SIZE(reasons); k++)
			EXPECT_NE(NULL, strstr(self->text, reasons[k]))
				TH_LOG("reason %zu is not in:\n%s", k, self->text);
		other.id = 99;
	}
}

TEST_HARNESS_MAIN
