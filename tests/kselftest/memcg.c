// SPDX-License-Identifier: GPL-2.0
/*
 * The memory cgroup: what a client has the driver allocate is charged to the client's group, its
 * buffers as well as what they and open files need beside them. A group is all that limits a user
 * with many files.
 *
 * Each test makes a group and lets a process in it work. What a group has is only known roughly:
 * each processor keeps some pages in reserve for the group that it charged last.
 */
#include "kselftest_harness.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "debugfs.h"
#include "partner.h"

#define ROOT	"/sys/fs/cgroup"
#define MIB	1048576l

#define BUFFERS	32	/* of 1 MiB */
#define FILES	800

/* A table of the DSP's, and what the driver knows of one that has tables below it. */
#define TABLE_SIZE	4096l

struct group {
	char path[64];
};

/* The report of the process in the group, in memory shared with the test. */
struct report {
	int ret;		/* of what must not fail */
	int refused;		/* of what may */
	long made;		/* so many of what there is many of */
	bool begun, ended;	/* what may take long */
	long grown[2];		/* bytes, by each step */
};

static int group_write(const struct group *group, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", group->path, name);
	return file_write(path, text);
}

static long group_current(const struct group *group)
{
	char path[128];
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "%s/memory.current", group->path);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	if (fscanf(file, "%ld", &value) != 1)
		value = -EPROTO;
	fclose(file);
	return value;
}

/* Limits a group to at most so much more than it has now. */
static int group_limit(const struct group *group, long more)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", group_current(group) + more);
	return group_write(group, "memory.max", text);
}

/* Wait until it has less than that. */
static int group_wait_below(const struct group *group, long bytes)
{
	__s64 end = deadline_ns(WAIT_SECONDS);

	while (group_current(group) >= bytes) {
		if (deadline_ns(0) > end)
			return -ETIME;
		sleep_ms(10);
	}
	return 0;
}

static bool memory_controller(void)
{
	char line[256] = "";
	FILE *file = fopen(ROOT "/cgroup.controllers", "r");

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = 0;
	fclose(file);
	return strstr(line, "memory");
}

FIXTURE(memcg) {
	struct group group;
	struct report *report;
};

FIXTURE_SETUP(memcg)
{
	/* The mount is for this test alone, and goes with it. */
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	if (mount("cgroup2", ROOT, "cgroup2", 0, NULL)) {
		ASSERT_TRUE(errno == ENODEV || errno == ENOENT);
		SKIP(return, "this kernel has no control groups");
	}
	if (!memory_controller())
		SKIP(return, "this kernel has no memory controller, or it is used by cgroup v1");
	ASSERT_EQ(0, file_write(ROOT "/cgroup.subtree_control", "+memory"));
	snprintf(self->group.path, sizeof(self->group.path), ROOT "/nnloop-test-%d", getpid());
	ASSERT_EQ(0, mkdir(self->group.path, 0755));
	self->report = mmap(NULL, sizeof(*self->report), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->report);
}

FIXTURE_TEARDOWN(memcg)
{
	if (self->group.path[0])
		rmdir(self->group.path);
}

/* A process in the group that does that. */
static pid_t group_start(const struct group *group, struct report *report,
			 int (*work)(const struct group *group, struct report *report))
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		report->ret = group_write(group, "cgroup.procs", "0") ?: work(group, report);
		_exit(0);
	}
	return pid;
}

/* Runs work in the group, and sees it to its end; -EINTR if it was killed. */
static int group_run(const struct group *group, struct report *report,
		     int (*work)(const struct group *group, struct report *report))
{
	pid_t pid = group_start(group, report, work);
	int status;

	if (pid < 0)
		return pid;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -EINTR;
	return report->ret;
}

static int make_buffers(const struct group *group, struct report *report)
{
	long before = group_current(group);
	int fd = device_open(), ret = fd < 0 ? fd : 0, i;
	struct bo bo;

	for (i = 0; i < BUFFERS && !ret; i++)
		ret = bo_create(fd, MIB, 0, &bo);
	report->grown[0] = group_current(group) - before;
	return ret;
}

TEST_F(memcg, buffers)
{
	long grown;

	ASSERT_EQ(0, group_run(&self->group, self->report, make_buffers));
	grown = self->report->grown[0];
	EXPECT_LE(BUFFERS * MIB * 15 / 16, grown);
	EXPECT_GE(BUFFERS * MIB * 5 / 4, grown);
	EXPECT_EQ(0, group_wait_below(&self->group, grown / 2));
}

static int make_too_large_buffer(const struct group *group, struct report *report)
{
	struct drm_nnloop_device_info info;
	int fd = device_open(), ret;
	struct bo bo;

	if (fd < 0)
		return fd;
	ret = device_query(fd, &info) ?: group_limit(group, 8 * MIB);
	if (ret)
		return ret;
	report->refused = bo_create(fd, info.window_size, 0, &bo);
	/* That has done no harm. */
	return bo_new(fd, MIB, &bo);
}

/*
 * A group's limit is an error for who is in it, and nothing to anybody else. The buffer is the
 * largest that there can be: it is not refused before there is no memory for it.
 */
TEST_F(memcg, buffer_beyond_the_limit)
{
	int fd = device_open();
	struct bo bo;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, group_run(&self->group, self->report, make_too_large_buffer));
	EXPECT_EQ(-ENOMEM, self->report->refused);
	EXPECT_EQ(0, bo_create(fd, 16 * MIB, 0, &bo));
	close(fd);
}

static int make_slow_buffer(const struct group *group, struct report *report)
{
	int fd = device_open(), ret = fd < 0 ? fd : group_write(group, "memory.high", "4096");
	struct bo bo;

	if (ret)
		return ret;
	report->grown[0] = group_current(group);
	__atomic_store_n(&report->begun, true, __ATOMIC_RELEASE);
	ret = bo_create(fd, 64 * MIB, 0, &bo);
	report->ended = true;
	return ret;
}

/* A group beyond memory.high is slowed down, by seconds for each few pages. Nobody else is. */
TEST_F(memcg, buffer_that_takes_its_time)
{
	struct report *report = self->report;
	__s64 end = deadline_ns(WAIT_SECONDS);
	int fd = device_open(), status;
	char text[4096];
	pid_t pid;

	ASSERT_LE(0, fd);
	debugfs_mount();
	pid = group_start(&self->group, self->report, make_slow_buffer);
	ASSERT_LT(0, pid);
	/* Some of its pages are there. */
	while (!(__atomic_load_n(&report->begun, __ATOMIC_ACQUIRE) &&
		 group_current(&self->group) > report->grown[0] + MIB / 2) && deadline_ns(0) < end)
		sleep_ms(5);
	EXPECT_EQ(0, debugfs_read(fd, "nnloop_clients", text, sizeof(text)));
	EXPECT_LT(0, strlen(text));
	close(fd);
	fd = device_open();
	EXPECT_LE(0, fd);
	EXPECT_FALSE(report->ended);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	close(fd);
}

/* Its tables are more pages than the kernel charges, 64 at a time, before it has somebody wait. */
#define SHARED_SIZE	(160 * 512 * TABLE_SIZE)
#define SHARED_MAPPED	"mapped 327680 KiB"

static int slow_dma_buf;	/* that import_slowly() imports */

static int import_slowly(const struct group *group, struct report *report)
{
	int fd = device_open(), ret = fd < 0 ? fd : group_write(group, "memory.high", "4096");
	__u32 handle;

	if (ret)
		return ret;
	report->grown[0] = group_current(group);
	__atomic_store_n(&report->begun, true, __ATOMIC_RELEASE);
	prime_import(fd, slow_dma_buf, &handle);
	pause();
	return 0;
}

/*
 * A group beyond memory.high is slowed down when it allocates tables, too. It has no lock then for
 * which others wait: not the buffer's, of which it is not the only owner, and which a seal of it
 * waits for while nobody can make or close a buffer; nor its own space's.
 */
TEST_F(memcg, tables_that_take_their_time)
{
	struct report *report = self->report;
	__s64 end = deadline_ns(WAIT_SECONDS);
	int fd = device_open(), status;
	char text[4096], *first;
	struct bo bo;
	pid_t pid;

	ASSERT_LE(0, fd);
	debugfs_mount();
	ASSERT_EQ(0, bo_create(fd, SHARED_SIZE, 0, &bo));
	slow_dma_buf = prime_export(fd, bo.handle);
	ASSERT_LE(0, slow_dma_buf);
	pid = group_start(&self->group, report, import_slowly);
	ASSERT_LT(0, pid);
	/* Some of its tables are there. */
	while (!(__atomic_load_n(&report->begun, __ATOMIC_ACQUIRE) &&
		 group_current(&self->group) > report->grown[0] + 32 * TABLE_SIZE) &&
	       deadline_ns(0) < end)
		sleep_ms(5);
	EXPECT_EQ(-EBUSY, bo_seal(&bo));
	EXPECT_EQ(0, debugfs_read(fd, "nnloop_clients", text, sizeof(text)));
	/* One has the buffer, the other one has not yet. */
	first = strstr(text, SHARED_MAPPED);
	EXPECT_NE(NULL, first);
	EXPECT_TRUE(!first || !strstr(first + 1, SHARED_MAPPED));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	close(slow_dma_buf);
	close(fd);
}

#define LAZY_SIZE	(2 * MIB)
#define LAZY_MAPPED	"mapped 2048 KiB"

/*
 * An exporter that has no pages before somebody imports its buffer, and whose importer is slowed
 * down: nobody else waits for that.
 */
TEST_F(memcg, import_that_takes_its_time)
{
	struct report *report = self->report;
	__s64 end = deadline_ns(WAIT_SECONDS);
	int fd = device_open(), status;
	char text[4096];
	struct bo bo;
	pid_t pid;

	ASSERT_LE(0, fd);
	debugfs_mount();
	slow_dma_buf = dmabuf_from_vgem(LAZY_SIZE);
	if (slow_dma_buf < 0)
		SKIP(return, "this kernel has no vgem");
	pid = group_start(&self->group, report, import_slowly);
	ASSERT_LT(0, pid);
	while (!(__atomic_load_n(&report->begun, __ATOMIC_ACQUIRE) &&
		 group_current(&self->group) > report->grown[0] + MIB / 4) && deadline_ns(0) < end)
		sleep_ms(5);
	EXPECT_EQ(0, bo_new(fd, PAGE_SIZE, &bo));
	bo_free(&bo);
	EXPECT_EQ(0, debugfs_read(fd, "nnloop_clients", text, sizeof(text)));
	EXPECT_EQ(NULL, strstr(text, LAZY_MAPPED));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	close(slow_dma_buf);
	close(fd);
}

#define QUEUE_FILES	16

static int make_queues(const struct group *group, struct report *report)
{
	struct drm_nnloop_device_info info;
	int fd[QUEUE_FILES], ret, i;
	struct queue queue;
	long before;
	__u32 k;

	for (i = 0; i < QUEUE_FILES; i++) {
		fd[i] = device_open();
		if (fd[i] < 0)
			return fd[i];
	}
	ret = device_query(fd[0], &info);
	before = group_current(group);
	for (i = 0; i < QUEUE_FILES; i++) {
		for (k = 0; k < info.max_queues && !ret; k++)
			ret = queue_create(fd[i], &queue);
	}
	report->grown[0] = group_current(group) - before;
	report->made = QUEUE_FILES * info.max_queues;
	return ret;
}

/* A queue knows how its last 256 jobs ended: 16 bytes for each are the least. */
TEST_F(memcg, queues)
{
	struct report *report = self->report;

	ASSERT_EQ(0, group_run(&self->group, report, make_queues));
	EXPECT_LE(report->made * 256 * 16, report->grown[0]);
	EXPECT_EQ(0, group_wait_below(&self->group, report->grown[0] / 2));
}

/* Opens many files, then imports one buffer into all of them. */
static int make_files_and_tables(const struct group *group, struct report *report)
{
	struct rlimit limit = { FILES + 64, FILES + 64 };
	int ret = 0, dma_buf, i;
	static int fd[FILES];
	struct bo bo;
	__u32 handle;
	long before;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		return -errno;

	before = group_current(group);
	for (i = 0; i < FILES; i++) {
		fd[i] = device_open();
		if (fd[i] < 0)
			return fd[i];
	}
	report->grown[0] = group_current(group) - before;

	ret = bo_create(fd[0], PAGE_SIZE, 0, &bo);
	if (ret)
		return ret;
	dma_buf = prime_export(fd[0], bo.handle);
	if (dma_buf < 0)
		return dma_buf;
	before = group_current(group);
	for (i = 1; i < FILES && !ret; i++)
		ret = prime_import(fd[i], dma_buf, &handle);
	report->grown[1] = group_current(group) - before;
	return ret;
}

/* Each file has a root table, and for its first buffer one in each of the two levels below. */
TEST_F(memcg, files_and_page_tables)
{
	struct report *report = self->report;

	ASSERT_EQ(0, group_run(&self->group, report, make_files_and_tables));
	/* The root and the second level each have the driver's list of what is below as well. */
	EXPECT_LE(FILES * 2 * TABLE_SIZE * 3 / 4, report->grown[0]);
	EXPECT_LE(FILES * 3 * TABLE_SIZE * 3 / 4, report->grown[1]);
	EXPECT_EQ(0, group_wait_below(&self->group, (report->grown[0] + report->grown[1]) / 2));
}

TEST_HARNESS_MAIN
