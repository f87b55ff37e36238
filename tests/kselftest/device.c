// SPDX-License-Identifier: GPL-2.0
/*
 * The device's nodes: who may open them, what they say they are, and that each open file is a
 * client of its own.
 */
#include "kselftest_harness.h"

#include <glob.h>
#include <grp.h>
#include <sys/sysmacros.h>

#include "program.h"

#define NOBODY 65534

FIXTURE(device) {
	int fd;
};

FIXTURE_SETUP(device)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
}

TEST_F(device, open_and_close)
{
	int i;

	for (i = 0; i < 100; i++) {
		int fd = device_open();

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, close(fd));
	}
}

TEST_F(device, many_open_files)
{
	struct drm_nnloop_device_info info;
	int fd[100], i;

	for (i = 0; i < 100; i++) {
		fd[i] = device_open();
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < 100; i++)
		EXPECT_EQ(0, device_query(fd[i], &info));
	for (i = 0; i < 100; i++)
		close(fd[i]);
	EXPECT_EQ(0, device_query(self->fd, &info));
}

TEST_F(device, version)
{
	char name[32] = "", date[32] = "", description[64] = "";
	struct drm_version version = {
		.name = name, .name_len = sizeof(name) - 1,
		.date = date, .date_len = sizeof(date) - 1,
		.desc = description, .desc_len = sizeof(description) - 1,
	};

	ASSERT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_VERSION, &version));
	EXPECT_STREQ("nnloop", name);
	EXPECT_STRNE("", description);
	EXPECT_EQ(1, version.version_major);
	EXPECT_LE(1, version.version_minor);
}

TEST_F(device, capabilities)
{
	static const struct {
		__u64 capability, value;
	} want[] = {
		{ DRM_CAP_PRIME, DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT },
		{ DRM_CAP_SYNCOBJ, 1 },
		{ DRM_CAP_SYNCOBJ_TIMELINE, 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		struct drm_get_cap cap = { .capability = want[i].capability };

		EXPECT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_GET_CAP, &cap));
		EXPECT_EQ(want[i].value, cap.value);
	}
}

/* Both nodes lead to the same device, and an open file of either is a full client. */
TEST_F(device, drm_node)
{
	struct drm_nnloop_device_info a, b;
	struct drm_nnloop_bo_info info;
	struct drm_nnloop_status status;
	struct bo bo, copy, mine;
	struct queue queue;
	struct code code = { 0 };
	char path[64];
	int fd = device_open_drm_node(path, sizeof(path));

	ASSERT_LE(0, fd);
	TH_LOG("%s is the DRM node", path);
	EXPECT_EQ(0, device_query(self->fd, &a));
	EXPECT_EQ(0, device_query(fd, &b));
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));

	ASSERT_EQ(0, bo_new(fd, 8192, &bo));
	ASSERT_EQ(0, bo_new(fd, 8192, &copy));
	ASSERT_EQ(0, bo_new(fd, sizeof(struct program), &code.bo));
	ASSERT_EQ(0, queue_create(fd, &queue));
	pattern_fill(bo.map, bo.size, 1);
	EXPECT_EQ(0, run_copy(&queue, &code, bo.iova, copy.iova, bo.size, &status));
	EXPECT_EQ(bo.size, pattern_match(copy.map, copy.size, 1));

	/* Its handles mean nothing in another open file. */
	EXPECT_EQ(-ENOENT, bo_info(self->fd, copy.handle, &info));
	EXPECT_EQ(0, bo_create(self->fd, 4096, 0, &mine));
	close(fd);
	EXPECT_EQ(0, bo_info(self->fd, mine.handle, &info));
}

/*
 * Where nnloop has a render node, DRM makes a primary one beside it, which belongs to another group
 * (video). It is no way to the device.
 */
TEST_F(device, primary_node)
{
	char address[64], pattern[128], path[64];
	glob_t found;
	size_t i;

	ASSERT_EQ(0, device_address(self->fd, address, sizeof(address)));
	snprintf(pattern, sizeof(pattern), "/sys/bus/*/devices/%s/drm/card*", address);
	if (glob(pattern, 0, NULL, &found) == GLOB_NOMATCH) {
		TH_LOG("the device has no primary node");
		EXPECT_LE(0, device_open_drm_node(path, sizeof(path)));
		EXPECT_EQ(0, strncmp(path, "/dev/accel/", 11));
		return;
	}
	for (i = 0; i < found.gl_pathc; i++) {
		snprintf(path, sizeof(path), "/dev/dri/%s", strrchr(found.gl_pathv[i], '/') + 1);
		TH_LOG("%s is the primary node", path);
		EXPECT_EQ(-EACCES, device_open_node(path));
	}
	globfree(&found);
}

/* A child's copy of the descriptor is the same client, and keeps it alive. */
TEST_F(device, inherited_file)
{
	struct drm_nnloop_bo_info info;
	int status, pipes[2];
	struct bo bo;
	char go;
	pid_t child;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, bo_new(self->fd, 4096, &bo));
	bo.map[0] = 42;
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		if (read(pipes[0], &go, 1) != 1)
			_exit(1);
		if (bo_info(self->fd, bo.handle, &info) || info.iova != bo.iova)
			_exit(2);
		_exit(bo.map[0] == 43 ? 0 : 3);
	}
	bo.map[0] = 43;
	close(self->fd);
	ASSERT_EQ(1, write(pipes[1], "x", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_TRUE(WIFEXITED(status));
	self->fd = device_open();
}

/* Tries what a process without any privilege can do; run in a child of its own. */
static int try_as(uid_t uid, gid_t gid)
{
	struct drm_nnloop_status status;
	struct bo from, to;
	struct queue queue;
	struct code code = { 0 };
	int fd;

	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return 100;
	fd = device_open();
	if (fd < 0)
		return -fd;
	if (bo_new(fd, 4096, &from) || bo_new(fd, 4096, &to) ||
	    bo_new(fd, sizeof(struct program), &code.bo) || queue_create(fd, &queue))
		return 101;
	pattern_fill(from.map, from.size, 7);
	if (run_copy(&queue, &code, from.iova, to.iova, from.size, &status))
		return 102;
	if (pattern_match(to.map, to.size, 7) != to.size)
		return 103;
	if (queue_create_priority(fd, DRM_NNLOOP_PRIORITY_LOW, &queue))
		return 104;
	/* Only what says so needs a capability. */
	if (queue_create_priority(fd, DRM_NNLOOP_PRIORITY_HIGH, &queue) != -EACCES)
		return 105;
	return 0;
}

static int exit_status_of(uid_t uid, gid_t gid)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(try_as(uid, gid));
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F(device, permission)
{
	const gid_t group = 65533;
	struct stat st;

	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, stat(NNLOOP_NODE, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0, st.st_mode & 0007);
	EXPECT_EQ(EACCES, exit_status_of(NOBODY, NOBODY));

	/* The group that the udev rule gives the node to needs nothing else. */
	ASSERT_EQ(0, chown(NNLOOP_NODE, 0, group));
	ASSERT_EQ(0, chmod(NNLOOP_NODE, 0660));
	EXPECT_EQ(0, exit_status_of(NOBODY, group));
	EXPECT_EQ(0, chown(NNLOOP_NODE, st.st_uid, st.st_gid));
	EXPECT_EQ(0, chmod(NNLOOP_NODE, st.st_mode & 07777));
}

#ifdef __x86_64__
/* The entry that 32-bit programs use: needs no 32-bit libc, only addresses below 4 GiB. */
static int compat_ioctl(int fd, unsigned int request, void *arg)
{
	int ret;

	__asm__ volatile("int $0x80"
			 : "=a" (ret)
			 : "a" (54), "b" (fd), "c" (request), "d" ((unsigned int)(uintptr_t)arg)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

/* A kernel without it answers with a signal. */
static bool has_compat_entry(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		_exit(compat_ioctl(-1, 0, NULL) == -EBADF ? 0 : 1);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

TEST_F(device, compat_ioctl)
{
	const unsigned int longer = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
					 DRM_COMMAND_BASE + DRM_NNLOOP_QUEUE_CREATE,
					 sizeof(struct drm_nnloop_queue_create) + 8);
	__u8 *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct drm_nnloop_bo_create *create = (void *)low;
	struct drm_nnloop_queue_create *queue_create = (void *)low;
	struct drm_nnloop_query *query = (void *)low;
	struct drm_nnloop_device_info *info = (void *)(low + 512), native;

	ASSERT_NE(MAP_FAILED, low);
	if (!has_compat_entry())
		SKIP(return, "the kernel has no entry for 32-bit programs");

	query->size = sizeof(*info);
	query->pointer = (uintptr_t)info;
	ASSERT_EQ(0, compat_ioctl(self->fd, DRM_IOCTL_NNLOOP_QUERY, query));
	ASSERT_EQ(0, device_query(self->fd, &native));
	EXPECT_EQ(0, memcmp(info, &native, sizeof(native)));

	memset(low, 0, 512);
	create->size = 5000;
	ASSERT_EQ(0, compat_ioctl(self->fd, DRM_IOCTL_NNLOOP_BO_CREATE, create));
	EXPECT_EQ(8192, create->size);
	EXPECT_NE(0, create->handle);

	memset(low, 0, 512);
	ASSERT_EQ(0, compat_ioctl(self->fd, DRM_IOCTL_NNLOOP_QUEUE_CREATE, queue_create));
	EXPECT_NE(0, queue_create->queue);

	memset(low, 0, 512);
	queue_create->flags = 1;
	EXPECT_EQ(-EOPNOTSUPP, compat_ioctl(self->fd, DRM_IOCTL_NNLOOP_QUEUE_CREATE, low));
	EXPECT_EQ(-ENOTTY, compat_ioctl(self->fd, DRM_IOWR(DRM_COMMAND_BASE + 0x50, int), low));
	low[sizeof(*queue_create)] = 1;
	EXPECT_EQ(-E2BIG, compat_ioctl(self->fd, longer, low));
	munmap(low, 4096);
}
#endif

TEST_HARNESS_MAIN
