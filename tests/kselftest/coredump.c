// SPDX-License-Identifier: GPL-2.0
/*
 * The dump that the driver leaves of a job that failed (/sys/class/devcoredump): that it is there
 * when it should be, and says what the client knows to be true.
 */
#include "kselftest_harness.h"

#include <dirent.h>
#include <limits.h>

#include "program.h"
#include "vmctl.h"

#define CLASS	"/sys/class/devcoredump"
#define UNUSED	0xdfff0000u	/* no buffer of this test is there */
#define SIZE	4096

FIXTURE(coredump) {
	int fd;
	struct queue queue;
	struct bo data;
	struct code code;
	char board[64];			/* its address on the bus */
	char path[PATH_MAX];		/* of the file, once found */
	char *text;
};

/* The file for this board, deleted or not: one of another board is not ours. */
static bool coredump_find(struct _test_data_coredump *self)
{
	char link[PATH_MAX], target[PATH_MAX];
	DIR *dir = opendir(CLASS);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(link, sizeof(link), CLASS "/%s/failing_device", entry->d_name);
		found = realpath(link, target) && !strcmp(strrchr(target, '/') + 1, self->board);
		if (found)
			snprintf(self->path, sizeof(self->path), CLASS "/%s/data", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/*
 * Whoever has read it writes anything to it, and it is gone. The board's link to it goes a moment
 * later; if one is made in between, the kernel's core complains (docs/kernel-bugs.md).
 */
static void coredump_delete(struct _test_data_coredump *self)
{
	__s64 end = deadline_ns(WAIT_SECONDS);
	int fd = open(self->path, O_WRONLY | O_CLOEXEC);
	char link[PATH_MAX];

	if (fd < 0)
		return;
	if (write(fd, "1", 1) != 1)
		perror(self->path);
	close(fd);
	snprintf(link, sizeof(link), "/sys/bus/%s/devices/%s/devcoredump",
		 strchr(self->board, ':') ? "pci" : "platform", self->board);
	while (!faccessat(AT_FDCWD, link, F_OK, AT_SYMLINK_NOFOLLOW) && deadline_ns(0) < end)
		sleep_ms(2);
}

static int coredump_read(struct _test_data_coredump *self)
{
	size_t room = 1 << 20, have = 0;
	int fd = open(self->path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	self->text = realloc(self->text, room);
	while ((got = read(fd, self->text + have, room - 1 - have)) > 0)
		have += got;
	self->text[have] = 0;
	close(fd);
	return 0;
}

/* One is written by somebody else, a moment after its job has ended. */
static bool coredump_appears(struct _test_data_coredump *self)
{
	__s64 end = deadline_ns(WAIT_SECONDS);

	while (!coredump_find(self)) {
		if (deadline_ns(0) >= end)
			return false;
		sleep_ms(2);
	}
	return true;
}

/* The line that begins with this, behind it; NULL if there is none. */
static const char *coredump_line(const struct _test_data_coredump *self, const char *begin)
{
	const char *at = self->text;

	while (at && strncmp(at, begin, strlen(begin))) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at ? at + strlen(begin) : NULL;
}

static long long coredump_number(const struct _test_data_coredump *self, const char *key)
{
	const char *value = coredump_line(self, key);

	return value ? strtoll(value, NULL, 0) : LLONG_MIN;
}

/* Fail until there is a file: the driver does not write more than one in a second. */
static int coredump_get(struct _test_data_coredump *self, __u64 from, __u64 *point)
{
	__s64 end = deadline_ns(WAIT_SECONDS);
	struct drm_nnloop_status status;
	struct program program;
	int ret;

	program_init_copy(&program, from, self->data.iova, SIZE);
	code_write(&self->code, &program);
	do {
		ret = queue_create(self->fd, &self->queue);
		ret = ret ?: queue_submit(&self->queue, &self->code.pass, 1, point);
		ret = ret ?: queue_wait(&self->queue, *point, &status);
		queue_destroy(&self->queue);
		sleep_ms(100);
		if (ret || coredump_find(self))
			return ret ?: coredump_read(self);
	} while (deadline_ns(0) < end);
	return -ETIME;
}

FIXTURE_SETUP(coredump)
{
	if (geteuid() || access(CLASS, R_OK | X_OK))
		SKIP(return, "not root, or a kernel without devcoredump");
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, device_address(self->fd, self->board, sizeof(self->board)));
	/* One of a test before this one does not stop the next, nor appear late. */
	sleep_ms(1100);
	while (coredump_find(self))
		coredump_delete(self);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->data));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
}

FIXTURE_TEARDOWN(coredump)
{
	if (coredump_find(self))
		coredump_delete(self);
	free(self->text);
	close(self->fd);
}

TEST_F(coredump, of_a_fault)
{
	char client[32];
	const char *line;
	unsigned int i;
	__u64 point;
	char *end;

	ASSERT_EQ(0, coredump_get(self, UNUSED, &point));
	EXPECT_EQ(self->text, strstr(self->text, "nnloop coredump 1\n"));
	EXPECT_EQ(-EFAULT, coredump_number(self, "error "));
	EXPECT_EQ((long long)point, coredump_number(self, "point "));
	EXPECT_EQ(0, coredump_number(self, "passes_done "));
	EXPECT_EQ(0, coredump_number(self, "operator "));
	EXPECT_EQ(UNUSED, coredump_number(self, "fault_address "));
	EXPECT_EQ(DRM_NNLOOP_ACCESS_READ, coredump_number(self, "fault_access "));
	ASSERT_EQ(0, fdinfo_text(self->fd, "drm-client-id", client, sizeof(client)));
	EXPECT_EQ(atoll(client), coredump_number(self, "client "));
	/* nnloop_hw.h: NNLOOP_STATUS_FAULT, NNLOOP_STATE_READY */
	EXPECT_EQ(3, coredump_number(self, "register STATUS "));
	EXPECT_EQ(2, coredump_number(self, "register STATE "));
	EXPECT_EQ(UNUSED, coredump_number(self, "register FAULT_ADDR "));
	EXPECT_EQ(coredump_number(self, "ring_tail "),
		  coredump_number(self, "register RING_HEAD "));

	EXPECT_EQ(self->code.pass.program, coredump_number(self, "pass 0 program "));
	EXPECT_EQ(self->code.pass.program, coredump_number(self, "program "));
	line = coredump_line(self, "00000000: ");
	ASSERT_NE(NULL, line);
	for (i = 0; i < self->code.pass.program_size; i++) {
		ASSERT_EQ(self->code.bo.map[i], strtoul(line, &end, 16))
			TH_LOG("byte %u of the program", i);
		line = end;
		if (i % 32 == 31 && i + 1 < self->code.pass.program_size)
			line = strchr(line, ':') + 1;
	}
	EXPECT_STREQ("\n", line);
}

/* The pass that failed is the one whose program is there. */
TEST_F(coredump, of_a_later_pass)
{
	struct drm_nnloop_pass passes[3];
	struct drm_nnloop_status status;
	struct program program;
	struct code bad;
	char want[64];
	__u64 point;

	program_init_copy(&program, self->data.iova, self->data.iova, 128);
	code_write(&self->code, &program);
	program_init_copy(&program, UNUSED, self->data.iova, 128);
	ASSERT_EQ(0, code_new(self->fd, &program, &bad));
	passes[0] = self->code.pass;
	passes[1] = self->code.pass;
	passes[2] = bad.pass;
	passes[2].arg_count = 2;
	passes[2].args[0] = 7;
	passes[2].args[1] = 4000000000u;
	ASSERT_EQ(0, queue_submit(&self->queue, passes, 3, &point));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	ASSERT_EQ(-EFAULT, status.error);
	ASSERT_TRUE(coredump_appears(self));
	ASSERT_EQ(0, coredump_read(self));
	EXPECT_EQ(2, coredump_number(self, "passes_done "));
	EXPECT_EQ(bad.pass.program, coredump_number(self, "program "));
	snprintf(want, sizeof(want), "%#llx size %u args 7 4000000000\n", bad.pass.program,
		 bad.pass.program_size);
	ASSERT_NE(NULL, coredump_line(self, "pass 2 program "));
	EXPECT_EQ(0, strncmp(want, coredump_line(self, "pass 2 program "), strlen(want)));
}

TEST_F(coredump, of_a_killed_worker)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	__u64 point;

	if (!vmctl_works())
		SKIP(return, "nnloop-vmctl is not there: the board cannot be harmed from here");
	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &point));
	ASSERT_EQ(0, queue_poll_passes(&self->queue, point, 1));
	/* Whichever it is on; when that is dead, others may be parked before they are killed. */
	EXPECT_TRUE(!vmctl("kill worker 0") | !vmctl("kill worker 1"));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	ASSERT_EQ(-EIO, status.error);
	ASSERT_TRUE(coredump_appears(self));
	ASSERT_EQ(0, coredump_read(self));
	EXPECT_EQ(-EIO, coredump_number(self, "error "));
	EXPECT_EQ(status.passes_done, coredump_number(self, "passes_done "));
	EXPECT_EQ((int)status.fail_op, coredump_number(self, "operator "));
	EXPECT_EQ(slow->code.pass.program, coredump_number(self, "program "));
	EXPECT_NE(NULL, coredump_line(self, "pass 1022 program "));
	EXPECT_NE(NULL, coredump_line(self, "00000000: "));
	free(slow);
}

/* What a program does well, or is asked to stop, is nobody's failure. */
TEST_F(coredump, of_nothing_else)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	__u64 point;

	ASSERT_NE(NULL, slow);
	EXPECT_EQ(0, run_copy(&self->queue, &self->code, self->data.iova, self->data.iova, 128,
			      &status));
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &point));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	sleep_ms(300);
	EXPECT_FALSE(coredump_find(self));
	free(slow);
}

/* It shows the memory of somebody's program. */
TEST_F(coredump, is_for_root_alone)
{
	struct stat st;
	__u64 point;

	ASSERT_EQ(0, coredump_get(self, UNUSED, &point));
	ASSERT_EQ(0, stat(self->path, &st));
	EXPECT_EQ(0, st.st_mode & 077);
	EXPECT_EQ(0u, st.st_uid);
}

/* The client may be gone before anybody looks. */
TEST_F(coredump, outlives_the_client)
{
	struct program program;
	struct queue queue;
	struct code code;
	__u64 point;
	int fd = device_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, queue_create(fd, &queue));
	program_init_copy(&program, UNUSED, self->data.iova, SIZE);
	ASSERT_EQ(0, code_new(fd, &program, &code));
	ASSERT_EQ(0, queue_submit(&queue, &code.pass, 1, &point));
	ASSERT_EQ(0, syncobj_wait(fd, queue.syncobj, point, WAIT_SECONDS));
	bo_unmap(&code.bo);
	close(fd);
	ASSERT_TRUE(coredump_appears(self));
	ASSERT_EQ(0, coredump_read(self));
	EXPECT_EQ(code.pass.program, coredump_number(self, "program "));
}

TEST_HARNESS_MAIN
