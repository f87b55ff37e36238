/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts what the kernel has in use, and what of it is lost: slab objects, pages, DMA mappings,
 * processes of the boards. For tests that do something many times over and must leave nothing
 * behind; they need root.
 */
#ifndef NNLOOP_TEST_USAGE_H
#define NNLOOP_TEST_USAGE_H

#include <dirent.h>
#include <limits.h>

#include "nnloop_test.h"
#include "vmctl.h"

#define MAX_CACHES	512
#define LOOKS		5

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

static inline void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

static inline long read_number(const char *path, long otherwise)
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

static inline long read_processes(void)
{
	return vmctl_works() ? vmctl_count_processes() : -1;
}

/* Give back what is only cached, so that what is left is in use. */
static inline void give_back_cached(void)
{
	int i;

	sync();
	/* What the first round gives back lets the second find more. */
	for (i = 0; i < 2; i++) {
		write_file("/proc/sys/vm/drop_caches", "3");
		/* Whatever waits for a grace period, and then for somebody to free it. */
		write_file("/sys/module/rcutree/parameters/do_rcu_barrier", "1");
		sleep_ms(300);
	}
}

static inline int open_shrink_files(int files[MAX_CACHES])
{
	DIR *dir = opendir("/sys/kernel/slab");
	struct dirent *entry;
	char path[PATH_MAX];
	int count = 0;

	while (dir && count < MAX_CACHES && (entry = readdir(dir))) {
		/* A link is another name of one of them. */
		if (entry->d_type != DT_DIR)
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", entry->d_name);
		files[count] = open(path, O_WRONLY | O_CLOEXEC);
		if (files[count] >= 0)
			count++;
	}
	if (dir)
		closedir(dir);
	return count;
}

/*
 * A slab that a CPU allocates from counts as full: make them all partial ones. The files stay open:
 * what sysfs allocates for one that is opened is freed seconds after it was closed, and hundreds of
 * those would count as lost. What is written goes into a buffer of its size in the kernel, and is
 * long, for a buffer of a few bytes has hundreds of free neighbours in its slab: of them, too, all
 * would count as lost.
 */
static inline void shrink_slabs(void)
{
	static const char one[4095] = "1";
	static int files[MAX_CACHES], count;
	int i;

	if (!count)
		count = open_shrink_files(files);
	for (i = 0; i < count; i++)
		pwrite(files[i], one, sizeof(one), 0);
}

/* Free pages, with those that the CPUs keep at hand: there may be thousands of them. */
static inline long read_free_pages(void)
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

static inline int read_slabs(struct usage *usage)
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
static inline int usage_read(struct usage *usage)
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

static inline long usage_objects(const struct usage *usage, const char *name)
{
	int i;

	for (i = 0; i < usage->count; i++) {
		if (!strcmp(usage->cache[i].name, name))
			return usage->cache[i].objects;
	}
	return 0;
}

/*
 * Returns what is lost for good, which is lost in both halves; what is lost once is the kernel's
 * own affair.
 */
static inline long usage_lost_steadily(long begin, long middle, long end)
{
	long first = middle - begin, second = end - middle;

	return first < second ? first : second;
}

/*
 * Returns, from three counts, one before and one after each of two equal halves, the most objects
 * that a slab cache loses in each half, and its name. Ranges of vmalloc() addresses do not count:
 * the kernel keeps some thousands that are free, and what is behind those that are not counts as
 * pages. Nor does the pool of a debug kernel's debug objects.
 */
static inline long usage_lost_objects(const struct usage usage[3], const char **cache)
{
	long lost, most = LONG_MIN;
	int i;

	*cache = "";
	for (i = 0; i < usage[2].count; i++) {
		const char *name = usage[2].cache[i].name;

		if (!strcmp(name, "vmap_area") || !strcmp(name, "debug_objects_cache"))
			continue;
		lost = usage_lost_steadily(usage_objects(&usage[0], name),
					   usage_objects(&usage[1], name),
					   usage_objects(&usage[2], name));
		if (lost > most) {
			most = lost;
			*cache = name;
		}
	}
	return most;
}

/* The pages that are lost in each half. */
static inline long usage_lost_pages(const struct usage usage[3])
{
	return usage_lost_steadily(-usage[0].free_pages, -usage[1].free_pages,
				   -usage[2].free_pages);
}

#endif
