// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints and debugfs: what someone sees who looks on while jobs run, end and fail.
 */
#include "kselftest_harness.h"

#include <sys/mount.h>

#include "debugfs.h"
#include "program.h"

#define TRACEFS	"/sys/kernel/tracing"

FIXTURE(trace) {
	int fd;
	struct queue queue;
	struct bo data;
	struct code code;
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

TEST_HARNESS_MAIN
