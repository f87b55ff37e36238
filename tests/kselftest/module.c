// SPDX-License-Identifier: GPL-2.0
/*
 * The module comes and goes, with work done each time, and leaves nothing behind: no slab objects,
 * no pages, no DMA mappings, no nodes, no processes of the board. NNLOOP_MODULE_ROUNDS says how
 * often (200; on a slow machine as few as half of that); NNLOOP_KO names the module if it is not
 * where the build puts it, in kmod/RELEASE beside this program's folder.
 */
#include "kselftest_harness.h"

#include <limits.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "partner.h"
#include "program.h"
#include "usage.h"

#define WARM_UP		2	/* rounds before the first count: files are read */
#define SLACK		20
#define PATIENCE	10	/* counts */
#define HALF_SECONDS	45	/* after which half of the rounds are enough */

static char module_path[PATH_MAX];

/* False: not root, or no module; module_path is where it was looked for. */
static bool module_find(void)
{
	const char *named = getenv("NNLOOP_KO");
	char self[PATH_MAX / 2] = "";
	struct utsname name;
	char *slash;

	if (named)
		snprintf(module_path, sizeof(module_path), "%s", named);
	if (!named && readlink("/proc/self/exe", self, sizeof(self) - 1) > 0 && !uname(&name)) {
		slash = strrchr(self, '/');
		*slash = 0;
		snprintf(module_path, sizeof(module_path), "%s/../kmod/%s/nnloop.ko", self,
			 name.release);
	}
	return !geteuid() && !access(module_path, R_OK);
}

static int module_insert(const char *parameters)
{
	int fd = open(module_path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return ret;
}

static int module_remove_within(double seconds)
{
	__s64 end = deadline_ns(seconds);

	while (syscall(SYS_delete_module, "nnloop", O_NONBLOCK)) {
		if (errno != EAGAIN || deadline_ns(0) > end)
			return -errno;
		sleep_ms(10);
	}
	return 0;
}

/*
 * Something in the background may look at the node for a moment (udev, where it runs), and a job
 * may take one to end.
 */
static int module_remove(void)
{
	return module_remove_within(WAIT_SECONDS);
}

FIXTURE(module) {
	int rounds;
};

FIXTURE_SETUP(module)
{
	const char *rounds = getenv("NNLOOP_MODULE_ROUNDS");

	if (!module_find())
		SKIP(return, "not root, or no module at %.200s (see NNLOOP_KO)", module_path);
	self->rounds = rounds && *rounds ? atoi(rounds) : 200;
	ASSERT_LT(0, self->rounds);
}

FIXTURE_TEARDOWN(module)
{
	/* The tests after this one want it. */
	module_insert("");
}

/* Use the device, and leave all of it to the closing of the file. */
static int do_some_work(int round)
{
	struct drm_nnloop_status status;
	struct code code = { 0 };
	struct queue queue;
	struct bo bo;
	__u64 point;
	int fd = device_open(), ret;

	if (fd < 0)
		return fd;
	ret = bo_new(fd, 1 << 18, &bo);
	ret = ret ?: bo_new(fd, sizeof(struct program), &code.bo);
	ret = ret ?: queue_create(fd, &queue);
	if (!ret)
		pattern_fill(bo.map, 256, round);
	ret = ret ?: run_copy(&queue, &code, bo.iova, bo.iova + (1 << 17), 1 << 17, &status);
	if (!ret && pattern_match(bo.map + (1 << 17), 256, round) != 256)
		ret = -EILSEQ;
	/* One more, not waited for. */
	ret = ret ?: queue_submit(&queue, &code.pass, 1, &point);
	bo_unmap(&bo);
	bo_unmap(&code.bo);
	close(fd);
	return ret;
}

TEST_F(module, stays_while_in_use)
{
	struct drm_nnloop_device_info info;
	int fd = device_open();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, syscall(SYS_delete_module, "nnloop", O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(0, device_query(fd, &info));
	close(fd);
	EXPECT_EQ(0, module_remove());
	EXPECT_EQ(-ENOENT, device_open());
}

/* A fence may be looked at for as long as its file is open, by whoever has it. */
TEST_F(module, fences_outlive_it)
{
	struct sync_fence_info fence;
	struct program program;
	struct queue queue;
	struct code code;
	struct bo bo;
	__u64 point;
	int fd = device_open(), file;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, queue_create(fd, &queue));
	ASSERT_EQ(0, bo_create(fd, 8192, 0, &bo));
	program_init_copy(&program, bo.iova, bo.iova + 4096, 4096);
	ASSERT_EQ(0, code_new(fd, &program, &code));
	file = queue_submit_sync_file(&queue, &code.pass, 1, &point);
	ASSERT_LE(0, file);
	bo_unmap(&code.bo);
	close(fd);
	/* The driver may stay for the fence's sake, or be gone. */
	if (module_remove_within(1) == 0)
		ASSERT_EQ(0, module_insert(""));
	ASSERT_EQ(0, sync_file_fence(file, &fence));
	EXPECT_STRNE("", fence.driver_name);
	EXPECT_STRNE("", fence.obj_name);
	EXPECT_NE(0, fence.status);
	close(file);
	EXPECT_EQ(0, module_remove());
}

static void one_round(struct __test_metadata *_metadata, int round)
{
	ASSERT_EQ(0, module_insert(""));
	ASSERT_EQ(0, do_some_work(round))
		TH_LOG("round %d", round);
	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(-1, access(NNLOOP_NODE, F_OK));
}

TEST_F_TIMEOUT(module, leaves_nothing_behind, 600)
{
	struct usage *usage = calloc(3, sizeof(*usage));
	int i, half, half_rounds = self->rounds / 2;
	const char *cache;
	long lost, limit;
	__s64 end;

	ASSERT_NE(NULL, usage);
	ASSERT_EQ(0, module_remove());
	for (i = 0; i < WARM_UP; i++)
		one_round(_metadata, i);
	ASSERT_EQ(0, usage_read(&usage[0]));
	end = deadline_ns(HALF_SECONDS);
	for (half = 1; half <= 2; half++) {
		for (i = 0; i < half_rounds; i++) {
			one_round(_metadata, i);
			/* Both have the same number. */
			if (half == 1 && i + 1 >= self->rounds / 4 && deadline_ns(0) > end)
				half_rounds = i + 1;
		}
		ASSERT_EQ(0, usage_read(&usage[half]));
	}

	/* Half of a half, and a slab in the making: what each round loses shows in 100. */
	limit = half_rounds / 2 + SLACK;
	/* What a busy machine has not come round to freeing goes in time; what is lost stays. */
	for (i = 0; i < PATIENCE && usage_lost_objects(usage, &cache) > limit; i++)
		ASSERT_EQ(0, usage_read(&usage[2]));
	lost = usage_lost_objects(usage, &cache);
	EXPECT_GE(limit, lost)
		TH_LOG("%s: %ld objects, after %d rounds %ld, after as many again %ld", cache,
		       usage_objects(&usage[0], cache), half_rounds,
		       usage_objects(&usage[1], cache), usage_objects(&usage[2], cache));
	lost = usage_lost_pages(usage);
	TH_LOG("%d rounds: %ld, then %ld pages more in use", half_rounds * 2,
	       usage[0].free_pages - usage[1].free_pages,
	       usage[1].free_pages - usage[2].free_pages);
	EXPECT_GE(limit, lost);
	EXPECT_EQ(usage[0].dma_mappings, usage[2].dma_mappings);
	EXPECT_EQ(usage[0].processes, usage[2].processes);
	free(usage);
}

TEST_HARNESS_MAIN
