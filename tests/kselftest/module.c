// SPDX-License-Identifier: GPL-2.0
/*
 * The module comes and goes, with work done each time, and leaves nothing behind: no slab objects,
 * no pages, no DMA mappings, no nodes, no processes of the board. NNLOOP_MODULE_ROUNDS says how
 * often (200); NNLOOP_KO names the module if it is not where the build puts it, in kmod/RELEASE
 * beside this program's folder.
 */
#include "kselftest_harness.h"

#include <dirent.h>
#include <limits.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "partner.h"
#include "program.h"
#include "vmctl.h"

#define WARM_UP		8	/* rounds before the first count: caches fill, files are read */
#define MAX_CACHES	512
#define LOOKS		5
#define SLACK		20

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

static int module_remove(void)
{
	int i;

	/* Something in the background may look at the node for a moment (udev, where it runs). */
	for (i = 0; i < 100; i++) {
		if (!syscall(SYS_delete_module, "nnloop", O_NONBLOCK))
			return 0;
		if (errno != EAGAIN)
			return -errno;
		sleep_ms(10);
	}
	return -EAGAIN;
}

/* What the kernel has in use */

struct usage {
	int count;
	struct {
		char name[48];
		long objects;
	} cache[MAX_CACHES];
	long free_pages;
	long dma_mappings;	/* -1: this kernel does not count them */
	long processes;		/* of the boards, on the host; -1: cannot be asked */
};

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

static long read_number(const char *path, long otherwise)
{
	FILE *file = fopen(path, "r");
	long value = otherwise;

	if (!file)
		return otherwise;
	if (fscanf(file, "%ld", &value) != 1)
		value = otherwise;
	fclose(file);
	return value;
}

static long read_processes(void)
{
	FILE *file = vmctl_works() ? popen("nnloop-vmctl count processes", "r") : NULL;
	long count;

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &count) != 1)
		count = -1;
	return pclose(file) ? -1 : count;
}

/* Give back what is only cached, so that what is left is in use. */
static void give_back_cached(void)
{
	int i;

	sync();
	/* What the first round gives back lets the second find more. */
	for (i = 0; i < 2; i++) {
		write_file("/proc/sys/vm/drop_caches", "3");
		/* Whatever waits for a grace period. */
		sleep_ms(300);
	}
}

/* A slab that a CPU allocates from counts as full: make them all partial ones. */
static void shrink_slabs(void)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *dir = opendir("/sys/kernel/slab");

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", entry->d_name);
		write_file(path, "1");
	}
	if (dir)
		closedir(dir);
}

/* Free pages, with those that the CPUs keep at hand: there may be thousands of them. */
static long read_free_pages(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	char line[256];
	long value, sum = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " pages free %ld", &value) == 1 ||
		    sscanf(line, " count: %ld", &value) == 1)
			sum += value;
	}
	if (file)
		fclose(file);
	return sum;
}

static int read_slabs(struct usage *usage)
{
	FILE *file = fopen("/proc/slabinfo", "r");
	char line[512];

	if (!file)
		return -errno;
	usage->count = 0;
	while (usage->count < MAX_CACHES && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%47s %ld", usage->cache[usage->count].name,
			   &usage->cache[usage->count].objects) == 2)
			usage->count++;
	}
	fclose(file);
	return 0;
}

/* The least of several looks: what the looking itself has in use comes and goes. */
static int usage_read(struct usage *usage)
{
	struct usage *look = malloc(sizeof(*look));
	int i, k, ret = look ? 0 : -ENOMEM;
	long total, unused;

	usage->processes = read_processes();
	give_back_cached();
	for (i = 0; i < LOOKS && !ret; i++) {
		shrink_slabs();
		ret = read_slabs(i ? look : usage);
		for (k = 0; i && k < usage->count; k++) {
			if (look->cache[k].objects < usage->cache[k].objects)
				usage->cache[k].objects = look->cache[k].objects;
		}
	}
	free(look);
	usage->free_pages = read_free_pages();
	total = read_number("/sys/kernel/debug/dma-api/nr_total_entries", -1);
	unused = read_number("/sys/kernel/debug/dma-api/num_free_entries", -1);
	usage->dma_mappings = total < 0 ? -1 : total - unused;
	return ret;
}

static long usage_objects(const struct usage *usage, const char *name)
{
	int i;

	for (i = 0; i < usage->count; i++) {
		if (!strcmp(usage->cache[i].name, name))
			return usage->cache[i].objects;
	}
	return 0;
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
	if (module_remove() == 0)
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

/* What is lost for good is lost in both halves; what is lost once is the kernel's own affair. */
static long lost_steadily(const long value[3])
{
	long first = value[1] - value[0], second = value[2] - value[1];

	return first < second ? first : second;
}

TEST_F_TIMEOUT(module, leaves_nothing_behind, 600)
{
	struct usage *usage = calloc(3, sizeof(*usage));
	/* Half of a half, and a slab in the making: what every other round loses shows in 200. */
	long value[3], lost, limit = self->rounds / 4 + SLACK;
	int i, k, half;

	ASSERT_NE(NULL, usage);
	ASSERT_EQ(0, module_remove());
	for (i = 0; i < WARM_UP; i++)
		one_round(_metadata, i);
	ASSERT_EQ(0, usage_read(&usage[0]));
	for (half = 1; half <= 2; half++) {
		for (i = 0; i < self->rounds / 2; i++)
			one_round(_metadata, i);
		ASSERT_EQ(0, usage_read(&usage[half]));
	}

	for (i = 0; i < usage[2].count; i++) {
		const char *name = usage[2].cache[i].name;

		for (k = 0; k < 3; k++)
			value[k] = usage_objects(&usage[k], name);
		lost = lost_steadily(value);
		EXPECT_GE(limit, lost)
			TH_LOG("%s: at least %ld objects more in %d rounds", name, lost,
			       self->rounds / 2);
	}
	for (k = 0; k < 3; k++)
		value[k] = -usage[k].free_pages;
	lost = lost_steadily(value);
	TH_LOG("%d rounds: %ld, then %ld pages more in use", self->rounds / 2 * 2,
	       value[1] - value[0], value[2] - value[1]);
	EXPECT_GE(limit, lost);
	EXPECT_EQ(usage[0].dma_mappings, usage[2].dma_mappings);
	EXPECT_EQ(usage[0].processes, usage[2].processes);
	free(usage);
}

TEST_HARNESS_MAIN
