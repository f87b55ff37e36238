// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: sizes and addresses, mappings, their parts and how long they live, what a handle is
 * worth after it was closed, sealing, what the DSP may only read, and the CPU access brackets.
 */
#include "kselftest_harness.h"

#include "program.h"

#define WINDOW_BASE	0x80000000ull
#define WINDOW_END	0xe0000000ull
/* Nothing is that far; a 32-bit program can just name it. */
#define FAR_OFFSET	0x80000000000ll

FIXTURE(buffer) {
	int fd;
};

FIXTURE_SETUP(buffer)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(buffer)
{
	close(self->fd);
}

TEST_F(buffer, sizes)
{
	const struct {
		__u64 size, got;
	} want[] = {
		{ 1, PAGE_SIZE },
		{ PAGE_SIZE - 1, PAGE_SIZE },
		{ PAGE_SIZE, PAGE_SIZE },
		{ PAGE_SIZE + 1, 2 * PAGE_SIZE },
		{ 65536, 65536 },
		{ (3 << 20) + 1, (3 << 20) + PAGE_SIZE },
		{ 64 << 20, 64 << 20 },
	};
	struct bo bo;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		ASSERT_EQ(0, bo_create(self->fd, want[i].size, 0, &bo));
		EXPECT_EQ(want[i].got, bo.size);
		EXPECT_NE(0, bo.handle);
		EXPECT_EQ(0, bo.iova % PAGE_SIZE);
		EXPECT_LE(WINDOW_BASE, bo.iova);
		EXPECT_GE(WINDOW_END, bo.iova + bo.size);
		EXPECT_EQ(0, bo_close(&bo));
	}
}

TEST_F(buffer, bad_sizes)
{
	static const struct {
		__u64 size;
		int error;
	} want[] = {
		{ 0, -EINVAL },
		{ ~0ull, -EOVERFLOW },
		{ 1ull << 63, -ENOSPC },
		{ (1ull << 32) + 65536, -ENOSPC },
		{ 1ull << 32, -ENOSPC },
		{ WINDOW_END - WINDOW_BASE + 1, -ENOSPC },
	};
	struct bo bo;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		EXPECT_EQ(want[i].error, bo_create(self->fd, want[i].size, 0, &bo))
			TH_LOG("size %#llx", want[i].size);
	/* These are a size that is rounded up to 0, and the largest that is not. */
	EXPECT_EQ(-EOVERFLOW, bo_create(self->fd, 1 - (__u64)PAGE_SIZE, 0, &bo));
	EXPECT_EQ(-ENOSPC, bo_create(self->fd, -(__u64)PAGE_SIZE, 0, &bo));
	/*
	 * The whole window fits nothing but itself: there is memory for it or not. First all memory
	 * is filled with zeros; memcg.c does the same in less.
	 */
	if (!test_all())
		return;
	i = bo_create(self->fd, WINDOW_END - WINDOW_BASE, 0, &bo);
	EXPECT_TRUE((int)i == 0 || (int)i == -ENOMEM || (int)i == -ENOSPC)
		TH_LOG("got %d", (int)i);
}

TEST_F(buffer, bad_flags)
{
	struct bo bo;
	int bit;

	/* Flags that are only reported are refused, too. */
	for (bit = 1; bit < 32; bit++) {
		if (1u << bit == DRM_NNLOOP_BO_DSP_READ_ONLY)
			continue;
		EXPECT_EQ(-EOPNOTSUPP, bo_create(self->fd, 4096, 1u << bit, &bo))
			TH_LOG("bit %d", bit);
	}
}

/* Whatever the out fields hold on the way in is of no interest. */
TEST_F(buffer, out_fields_are_not_read)
{
	struct drm_nnloop_bo_create create = {
		.size = 4096,
		.handle = ~0u,
		.iova = ~0ull,
		.mmap_offset = ~0ull,
	};

	struct drm_nnloop_bo_info info;

	EXPECT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_BO_CREATE, &create));
	EXPECT_NE(~0u, create.handle);
	EXPECT_GT(WINDOW_END, create.iova);
	EXPECT_NE(~0ull, create.mmap_offset);

	memset(&info, 0xff, sizeof(info));
	info.handle = create.handle;
	EXPECT_EQ(0, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_BO_INFO, &info));
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(create.size, info.size);
	EXPECT_EQ(create.iova, info.iova);
	EXPECT_EQ(create.mmap_offset, info.mmap_offset);
}

static int compare_iova(const void *a, const void *b)
{
	const struct bo *x = a, *y = b;

	return x->iova < y->iova ? -1 : x->iova > y->iova;
}

/* No two buffers share an address, and there is always a page between them that is nobody's. */
TEST_F(buffer, addresses)
{
	const int count = 200;
	struct bo bo[count], again;
	struct drm_nnloop_bo_info info;
	int i;

	for (i = 0; i < count; i++)
		ASSERT_EQ(0, bo_create(self->fd, PAGE_SIZE * (1 + i % 7), 0, &bo[i]));
	/* Closing every third and making new ones must not disturb the others. */
	for (i = 0; i < count; i += 3)
		ASSERT_EQ(0, bo_close(&bo[i]));
	for (i = 0; i < count; i += 3)
		ASSERT_EQ(0, bo_create(self->fd, PAGE_SIZE * (1 + i % 5), 0, &bo[i]));
	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, bo_info(self->fd, bo[i].handle, &info));
		EXPECT_EQ(bo[i].iova, info.iova);
		EXPECT_EQ(0, bo[i].iova % PAGE_SIZE);
	}
	qsort(bo, count, sizeof(bo[0]), compare_iova);
	EXPECT_LE(WINDOW_BASE, bo[0].iova);
	EXPECT_GE(WINDOW_END, bo[count - 1].iova + bo[count - 1].size);
	for (i = 1; i < count; i++)
		EXPECT_LE(bo[i - 1].iova + bo[i - 1].size + 4096, bo[i].iova);
	for (i = 0; i < count; i++)
		EXPECT_EQ(0, bo_close(&bo[i]));
	EXPECT_EQ(0, bo_create(self->fd, 4096, 0, &again));
}

TEST_F(buffer, info)
{
	struct drm_nnloop_bo_info info;
	struct bo plain, combined;

	ASSERT_EQ(0, bo_create(self->fd, 3 * PAGE_SIZE + 57, 0, &plain));
	ASSERT_EQ(0, bo_create(self->fd, PAGE_SIZE, DRM_NNLOOP_BO_WRITE_COMBINE, &combined));
	ASSERT_EQ(0, bo_info(self->fd, plain.handle, &info));
	EXPECT_EQ(plain.handle, info.handle);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(4 * PAGE_SIZE, info.size);
	EXPECT_EQ(plain.iova, info.iova);
	EXPECT_EQ(plain.offset, info.mmap_offset);
	ASSERT_EQ(0, bo_info(self->fd, combined.handle, &info));
	EXPECT_EQ(DRM_NNLOOP_BO_WRITE_COMBINE, info.flags);
	EXPECT_EQ(PAGE_SIZE, info.size);
	EXPECT_NE(plain.iova, info.iova);
	EXPECT_NE(plain.offset, info.mmap_offset);
}

/* A handle that was closed, was never there, or is another client's. */
TEST_F(buffer, bad_handles)
{
	struct drm_nnloop_bo_info info;
	struct bo bo, closed, foreign;
	int other = device_open(), i;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, bo_create(self->fd, 4096, 0, &closed));
	ASSERT_EQ(0, bo_close(&closed));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, bo_create(other, 4096, 0, &foreign));
	foreign.fd = self->fd;

	for (i = 0; i < 4; i++) {
		bo = i == 0 ? closed : foreign;
		if (i > 1)
			bo.handle = i == 2 ? 0 : ~0u;
		EXPECT_EQ(-ENOENT, bo_info(self->fd, bo.handle, &info));
		EXPECT_EQ(-ENOENT, bo_seal(&bo));
		EXPECT_EQ(-ENOENT, bo_begin_cpu(&bo, DRM_NNLOOP_ACCESS_READ));
		EXPECT_EQ(-ENOENT, bo_end_cpu(&bo, DRM_NNLOOP_ACCESS_WRITE));
		EXPECT_EQ(-ENOENT, bo_set_name(&bo, "weights", 7));
		EXPECT_NE(0, bo_close(&bo));
	}
	EXPECT_EQ(0, bo_info(other, foreign.handle, &info));
	close(other);
}

TEST_F(buffer, names)
{
	char longest[DRM_NNLOOP_BO_NAME_SIZE];
	struct bo bo;

	memset(longest, 'w', sizeof(longest));
	ASSERT_EQ(0, bo_create(self->fd, 4096, 0, &bo));
	EXPECT_EQ(0, bo_set_name(&bo, "weights", 7));
	EXPECT_EQ(0, bo_set_name(&bo, longest, sizeof(longest) - 1));
	EXPECT_EQ(-EINVAL, bo_set_name(&bo, longest, sizeof(longest)));
	EXPECT_EQ(-EINVAL, bo_set_name(&bo, longest, ~0u));
	EXPECT_EQ(-EINVAL, bo_set_name(&bo, "two\nlines", 9));
	EXPECT_EQ(-EINVAL, bo_set_name(&bo, "w\0w", 3));
	EXPECT_EQ(-EINVAL, bo_set_name(&bo, "\x7f", 1));
	EXPECT_EQ(-EINVAL, bo_set_name(&bo, "\xc3\xa9", 2));
	EXPECT_EQ(-EFAULT, bo_set_name(&bo, (char *)-4096l, 7));
	EXPECT_EQ(0, bo_set_name(&bo, NULL, 0));
	EXPECT_EQ(0, bo_close(&bo));
}

TEST_F(buffer, mmap_is_zero_and_holds_what_is_written)
{
	struct bo bo, view;
	size_t i;

	ASSERT_EQ(0, bo_new(self->fd, 1 << 20, &bo));
	EXPECT_EQ(bo.size, value_match(bo.map, bo.size, 0));
	pattern_fill(bo.map, bo.size, 3);
	/* Another mapping is the same memory. */
	view = bo;
	ASSERT_EQ(0, bo_map_prot(&view, PROT_READ));
	EXPECT_NE(bo.map, view.map);
	EXPECT_EQ(bo.size, pattern_match(view.map, view.size, 3));
	bo.map[77777] ^= 0xff;
	EXPECT_EQ(bo.map[77777], view.map[77777]);
	bo_unmap(&view);

	/* Part of it, from the middle. */
	view.map = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, self->fd,
			bo.offset + 2 * PAGE_SIZE);
	if (view.map != MAP_FAILED) {
		for (i = 0; i < PAGE_SIZE; i++)
			ASSERT_EQ(bo.map[2 * PAGE_SIZE + i], view.map[i]);
		munmap(view.map, PAGE_SIZE);
	} else {
		EXPECT_EQ(EINVAL, errno);
	}
	bo_free(&bo);
}

TEST_F(buffer, bad_mmap)
{
	struct bo bo, closed;
	int other = device_open();
	void *map;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, bo_create(self->fd, 2 * PAGE_SIZE, 0, &bo));
	ASSERT_EQ(0, bo_create(self->fd, 2 * PAGE_SIZE, 0, &closed));
	ASSERT_EQ(0, bo_close(&closed));

	/* Longer than the buffer, from its middle past its end, where nothing is. */
	map = mmap(NULL, 3 * PAGE_SIZE, PROT_READ, MAP_SHARED, self->fd, bo.offset);
	EXPECT_EQ(MAP_FAILED, map);
	EXPECT_EQ(EINVAL, errno);
	map = mmap(NULL, 2 * PAGE_SIZE, PROT_READ, MAP_SHARED, self->fd, bo.offset + PAGE_SIZE);
	EXPECT_EQ(MAP_FAILED, map);
	map = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, self->fd, 0);
	EXPECT_EQ(MAP_FAILED, map);
	map = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, self->fd, FAR_OFFSET);
	EXPECT_EQ(MAP_FAILED, map);
	/* A closed handle's, unless another buffer has the offset by now. */
	map = mmap(NULL, 2 * PAGE_SIZE, PROT_READ, MAP_SHARED, self->fd, closed.offset);
	EXPECT_EQ(MAP_FAILED, map);
	/* Another client knows the offset and still may not. */
	map = mmap(NULL, 2 * PAGE_SIZE, PROT_READ, MAP_SHARED, other, bo.offset);
	EXPECT_EQ(MAP_FAILED, map);
	EXPECT_EQ(EACCES, errno);
	close(other);
}

TEST_F(buffer, mapping_outlives_handle_and_file)
{
	const size_t half = 2 * PAGE_SIZE;
	struct bo bo, other;
	int fd = device_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bo_new(fd, 2 * half, &bo));
	pattern_fill(bo.map, half, 4);
	ASSERT_EQ(0, bo_close(&bo));
	/* If the pages had been given back, these would get them. */
	ASSERT_EQ(0, bo_new(fd, 1 << 20, &other));
	memset(other.map, 0xee, other.size);
	EXPECT_EQ(half, pattern_match(bo.map, half, 4));
	bo_free(&other);
	close(fd);
	/* Pages touched now for the first time, too. */
	EXPECT_EQ(half, value_match(bo.map + half, half, 0));
	pattern_fill(bo.map, bo.size, 5);
	ASSERT_EQ(0, bo_new(self->fd, 1 << 20, &other));
	memset(other.map, 0xee, other.size);
	EXPECT_EQ(bo.size, pattern_match(bo.map, bo.size, 5));
	bo_unmap(&bo);
}

/* What one client wrote is never seen by the next one. */
TEST_F(buffer, memory_is_zeroed_every_time)
{
	const size_t size = 8 << 20;
	struct bo bo;
	int i;

	for (i = 0; i < 4; i++) {
		int fd = device_open();

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, bo_new(fd, size, &bo));
		EXPECT_EQ(size, value_match(bo.map, size, 0));
		memset(bo.map, 0xaa, size);
		bo_unmap(&bo);
		if (i & 1)
			bo_close(&bo);
		close(fd);
	}
}

/* The DSP, too, finds zeros in a buffer that no CPU has ever touched. */
TEST_F(buffer, dsp_reads_zeros)
{
	struct drm_nnloop_status status;
	struct queue queue;
	struct code code = { 0 };
	struct bo from, to;

	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, bo_create(self->fd, 65536, 0, &from));
	ASSERT_EQ(0, bo_new(self->fd, 65536, &to));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &code.bo));
	memset(to.map, 0xff, to.size);
	EXPECT_EQ(0, run_copy(&queue, &code, from.iova, to.iova, 65536, &status));
	EXPECT_EQ(65536, value_match(to.map, to.size, 0));
}

TEST_F(buffer, write_combine)
{
	struct drm_nnloop_status status;
	struct queue queue;
	struct code code = { 0 };
	struct bo from, to;

	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, bo_create(self->fd, 65536, DRM_NNLOOP_BO_WRITE_COMBINE, &from));
	ASSERT_EQ(0, bo_create(self->fd, 65536, DRM_NNLOOP_BO_WRITE_COMBINE, &to));
	ASSERT_EQ(0, bo_map(&from));
	ASSERT_EQ(0, bo_map(&to));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &code.bo));
	pattern_fill(from.map, from.size, 6);
	EXPECT_EQ(0, run_copy(&queue, &code, from.iova, to.iova, 65536, &status));
	EXPECT_EQ(65536, pattern_match(to.map, to.size, 6));
}

TEST_F(buffer, many)
{
	const int count = 2000;
	__u32 *handle = calloc(count, sizeof(*handle));
	struct bo bo;
	int i, k;

	ASSERT_NE(NULL, handle);
	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, bo_create(self->fd, 4096, 0, &bo));
		handle[i] = bo.handle;
	}
	/* Close some in an order of their own; closing the file takes the rest. */
	for (i = 0, k = 0; i < count / 2; i++, k = (k + 1237) % count) {
		bo.handle = handle[k];
		EXPECT_EQ(0, bo_close(&bo));
	}
	free(handle);
}

TEST_F(buffer, cpu_access)
{
	const __u32 both = DRM_NNLOOP_ACCESS_READ | DRM_NNLOOP_ACCESS_WRITE;
	struct bo bo;
	__u32 access;
	int bit;

	ASSERT_EQ(0, bo_create(self->fd, 4096, 0, &bo));
	for (access = 1; access <= both; access++) {
		EXPECT_EQ(0, bo_begin_cpu(&bo, access));
		EXPECT_EQ(0, bo_end_cpu(&bo, access));
	}
	EXPECT_EQ(-EINVAL, bo_begin_cpu(&bo, 0));
	EXPECT_EQ(-EINVAL, bo_end_cpu(&bo, 0));
	for (bit = 2; bit < 32; bit++) {
		EXPECT_EQ(-EOPNOTSUPP, bo_begin_cpu(&bo, DRM_NNLOOP_ACCESS_READ | 1u << bit));
		EXPECT_EQ(-EOPNOTSUPP, bo_end_cpu(&bo, 1u << bit));
	}
}

/*
 * Mappings in parts. Each page of the buffer has a pattern of its own, and `view` is a mapping of
 * which no page has been touched when something happens to it.
 */

#define PAGES	8
#define OLD	100		/* seeds of the patterns: what was there */
#define NEW	200		/* and what was written */

FIXTURE(parts) {
	int fd;
	struct bo bo;
	__u8 *view;
};

FIXTURE_SETUP(parts)
{
	struct bo view;

	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, bo_new(self->fd, PAGES * PAGE_SIZE, &self->bo));
	pages_fill(self->bo.map, 0, PAGES, OLD);
	view = self->bo;
	ASSERT_EQ(0, bo_map(&view));
	self->view = view.map;
}

FIXTURE_TEARDOWN(parts)
{
	close(self->fd);
}

/* Write pages through part of a mapping: they are those pages for the whole mapping and the DSP. */
static bool writes_arrive(struct bo *bo, __u8 *part, unsigned int first, unsigned int count)
{
	struct drm_nnloop_status status;
	struct code code = { 0 };
	struct queue queue;
	struct bo copy;
	bool right;

	pages_fill(part, first, count, NEW);
	if (queue_create(bo->fd, &queue) || bo_new(bo->fd, bo->size, &copy) ||
	    bo_new(bo->fd, sizeof(struct program), &code.bo) ||
	    run_copy(&queue, &code, bo->iova, copy.iova, bo->size, &status))
		return false;
	right = !memcmp(copy.map, bo->map, bo->size) &&
		pages_match(bo->map, 0, first, OLD) == first &&
		pages_match(bo->map + first * PAGE_SIZE, first, count, NEW) == count &&
		pages_match(bo->map + (first + count) * PAGE_SIZE, first + count,
			    PAGES - first - count, OLD) == PAGES - first - count;
	code_free(&code);
	bo_free(&copy);
	queue_destroy(&queue);
	return right;
}

TEST_F(parts, front_unmapped)
{
	__u8 *rest = self->view + 2 * PAGE_SIZE;

	ASSERT_EQ(0, munmap(self->view, 2 * PAGE_SIZE));
	EXPECT_EQ(PAGES - 2, pages_match(rest, 2, PAGES - 2, OLD));
}

TEST_F(parts, front_unmapped_and_written)
{
	ASSERT_EQ(0, munmap(self->view, 2 * PAGE_SIZE));
	EXPECT_TRUE(writes_arrive(&self->bo, self->view + 3 * PAGE_SIZE, 3, 2));
}

TEST_F(parts, middle_unmapped)
{
	ASSERT_EQ(0, munmap(self->view + 3 * PAGE_SIZE, PAGE_SIZE));
	EXPECT_EQ(3, pages_match(self->view, 0, 3, OLD));
	EXPECT_EQ(PAGES - 4, pages_match(self->view + 4 * PAGE_SIZE, 4, PAGES - 4, OLD));
}

TEST_F(parts, middle_protected)
{
	ASSERT_EQ(0, mprotect(self->view + 3 * PAGE_SIZE, 2 * PAGE_SIZE, PROT_READ));
	EXPECT_EQ(PAGES, pages_match(self->view, 0, PAGES, OLD));
	EXPECT_TRUE(writes_arrive(&self->bo, self->view + 5 * PAGE_SIZE, 5, 2));
}

/* The child has the others, which it is the first to touch. */
TEST_F(parts, middle_not_for_children)
{
	int status;
	pid_t child;

	ASSERT_EQ(0, madvise(self->view + 3 * PAGE_SIZE, 2 * PAGE_SIZE, MADV_DONTFORK));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(pages_match(self->view, 0, 3, OLD) != 3 ||
		      pages_match(self->view + 5 * PAGE_SIZE, 5, 3, OLD) != 3);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_EQ(PAGES, pages_match(self->view, 0, PAGES, OLD));
	EXPECT_TRUE(writes_arrive(&self->bo, self->view + 3 * PAGE_SIZE, 3, 2));
}

TEST_F(parts, middle_moved)
{
	__u8 *moved = mremap(self->view + 4 * PAGE_SIZE, 2 * PAGE_SIZE, 2 * PAGE_SIZE,
			     MREMAP_MAYMOVE | MREMAP_FIXED,
			     mmap(NULL, 2 * PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				  0));

	ASSERT_NE(MAP_FAILED, moved);
	EXPECT_EQ(2, pages_match(moved, 4, 2, OLD));
	EXPECT_EQ(4, pages_match(self->view, 0, 4, OLD));
	EXPECT_EQ(2, pages_match(self->view + 6 * PAGE_SIZE, 6, 2, OLD));
	EXPECT_TRUE(writes_arrive(&self->bo, moved, 4, 2));
}

TEST_F(parts, shrunk_from_both_sides)
{
	__u8 *rest = self->view + PAGE_SIZE;

	ASSERT_EQ(0, munmap(self->view, PAGE_SIZE));
	ASSERT_EQ(rest, mremap(rest, (PAGES - 1) * PAGE_SIZE, 3 * PAGE_SIZE, 0));
	EXPECT_EQ(3, pages_match(rest, 1, 3, OLD));
}

/* A mapping never gets more than it was made with, also if the buffer goes on. */
TEST_F(parts, cannot_grow)
{
	struct bo some = self->bo;

	some.size = 4 * PAGE_SIZE;
	ASSERT_EQ(0, bo_map(&some));
	EXPECT_EQ(4, pages_match(some.map, 0, 4, OLD));
	EXPECT_EQ(MAP_FAILED, mremap(some.map, 4 * PAGE_SIZE, 5 * PAGE_SIZE, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(some.map, 2 * PAGE_SIZE, 4 * PAGE_SIZE, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(self->view, PAGES * PAGE_SIZE, (PAGES + 1) * PAGE_SIZE,
				     MREMAP_MAYMOVE));
	/* Another one of what is mapped. */
	EXPECT_EQ(MAP_FAILED, mremap(self->view, 0, PAGES * PAGE_SIZE, MREMAP_MAYMOVE));
}

/* Untouched pages of a mapping in parts when nothing else is left of the buffer. */
TEST_F(parts, outlive_the_file)
{
	ASSERT_EQ(0, munmap(self->view, 3 * PAGE_SIZE));
	bo_free(&self->bo);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(PAGES - 3, pages_match(self->view + 3 * PAGE_SIZE, 3, PAGES - 3, OLD));
}

/* Sealing */

FIXTURE(seal) {
	int fd;
	struct bo bo;
};

FIXTURE_SETUP(seal)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, bo_new(self->fd, 4 * PAGE_SIZE, &self->bo));
	pattern_fill(self->bo.map, self->bo.size, 9);
}

FIXTURE_TEARDOWN(seal)
{
	close(self->fd);
}

static bool is_sealed(struct bo *bo)
{
	struct drm_nnloop_bo_info info;

	return !bo_info(bo->fd, bo->handle, &info) && (info.flags & DRM_NNLOOP_BO_SEALED);
}

TEST_F(seal, makes_read_only_for_good)
{
	void *map;

	bo_unmap(&self->bo);
	EXPECT_FALSE(is_sealed(&self->bo));
	ASSERT_EQ(0, bo_seal(&self->bo));
	EXPECT_TRUE(is_sealed(&self->bo));
	EXPECT_EQ(0, bo_seal(&self->bo));

	EXPECT_EQ(-EACCES, bo_map(&self->bo));
	EXPECT_EQ(-EACCES, bo_map_prot(&self->bo, PROT_WRITE));
	ASSERT_EQ(0, bo_map_prot(&self->bo, PROT_READ));
	EXPECT_EQ(self->bo.size, pattern_match(self->bo.map, self->bo.size, 9));
	EXPECT_EQ(-1, mprotect(self->bo.map, self->bo.size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	/* A private mapping is a copy at most, never a way in. */
	map = mmap(NULL, self->bo.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->fd,
		   self->bo.offset);
	if (map != MAP_FAILED) {
		memset(map, 0, self->bo.size);
		EXPECT_EQ(self->bo.size, pattern_match(self->bo.map, self->bo.size, 9));
	}

	EXPECT_EQ(0, bo_begin_cpu(&self->bo, DRM_NNLOOP_ACCESS_READ));
	EXPECT_EQ(0, bo_end_cpu(&self->bo, DRM_NNLOOP_ACCESS_READ));
	EXPECT_EQ(-EACCES, bo_begin_cpu(&self->bo, DRM_NNLOOP_ACCESS_WRITE));
	EXPECT_EQ(-EACCES, bo_begin_cpu(&self->bo,
					DRM_NNLOOP_ACCESS_READ | DRM_NNLOOP_ACCESS_WRITE));
}

TEST_F(seal, not_while_mapped_writable)
{
	const size_t half = 2 * PAGE_SIZE;

	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	EXPECT_FALSE(is_sealed(&self->bo));
	/* Half of the mapping is enough, */
	ASSERT_EQ(0, munmap(self->bo.map, half));
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	/* and one that moved, or that a change of protection can bring back. */
	ASSERT_EQ(0, mprotect(self->bo.map + half, half, PROT_READ));
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	ASSERT_EQ(0, mprotect(self->bo.map + half, half, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, munmap(self->bo.map + half, PAGE_SIZE));
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	ASSERT_EQ(0, munmap(self->bo.map + half + PAGE_SIZE, PAGE_SIZE));
	EXPECT_EQ(0, bo_seal(&self->bo));
	EXPECT_TRUE(is_sealed(&self->bo));
}

/* A mapping that cannot be written must not become so afterwards. */
TEST_F(seal, read_only_mapping_stays_read_only)
{
	int ret;

	bo_unmap(&self->bo);
	ASSERT_EQ(0, bo_map_prot(&self->bo, PROT_READ));
	ret = bo_seal(&self->bo);
	if (ret) {
		/* The other right answer: it might have become writable. */
		EXPECT_EQ(-EBUSY, ret);
	} else {
		EXPECT_EQ(-1, mprotect(self->bo.map, self->bo.size, PROT_READ | PROT_WRITE));
	}
	bo_unmap(&self->bo);
	EXPECT_EQ(0, bo_seal(&self->bo));
}

/* Another process that has the buffer mapped counts as well. */
TEST_F(seal, not_while_a_child_has_it_mapped)
{
	int pipes[2], status;
	char go;
	pid_t child;

	ASSERT_EQ(0, pipe(pipes));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		close(pipes[1]);
		_exit(read(pipes[0], &go, 1));
	}
	bo_unmap(&self->bo);
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	ASSERT_EQ(0, close(pipes[1]));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, bo_seal(&self->bo));
}

TEST_F(seal, not_while_a_job_might_write)
{
	struct queue queue;
	struct slow *slow = malloc(sizeof(*slow));
	__u64 point;

	ASSERT_NE(NULL, slow);
	bo_unmap(&self->bo);
	ASSERT_EQ(0, queue_create(self->fd, &queue));
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &queue, &point));
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	ASSERT_EQ(0, queue_cancel(&queue));
	ASSERT_EQ(0, syncobj_wait(self->fd, queue.syncobj, point, WAIT_SECONDS));
	EXPECT_EQ(0, bo_seal(&self->bo));
	free(slow);
}

/* Another client's job cannot write to it. */
TEST_F(seal, while_another_client_works)
{
	struct queue queue;
	struct slow *slow = malloc(sizeof(*slow));
	int other = device_open();
	__u64 point;

	ASSERT_NE(NULL, slow);
	ASSERT_LE(0, other);
	bo_unmap(&self->bo);
	ASSERT_EQ(0, queue_create(other, &queue));
	ASSERT_EQ(0, slow_new(other, slow));
	ASSERT_EQ(0, slow_start(slow, &queue, &point));
	EXPECT_EQ(0, bo_seal(&self->bo));
	close(other);
	free(slow);
}

TEST_F(seal, bad_flags)
{
	struct drm_nnloop_bo_seal seal = { .handle = self->bo.handle };
	int bit;

	bo_unmap(&self->bo);
	for (bit = 0; bit < 32; bit++) {
		seal.flags = 1u << bit;
		EXPECT_EQ(-EOPNOTSUPP, device_ioctl(self->fd, DRM_IOCTL_NNLOOP_BO_SEAL, &seal));
	}
	EXPECT_FALSE(is_sealed(&self->bo));
}

/* Buffers that the DSP may only read */

FIXTURE(dsp_read_only) {
	int fd;
	struct queue queue;
	struct code code;
	struct bo bo, from;
};

FIXTURE_SETUP(dsp_read_only)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
	ASSERT_EQ(0, bo_new(self->fd, 65536, &self->from));
	ASSERT_EQ(0, bo_create(self->fd, 65536, DRM_NNLOOP_BO_DSP_READ_ONLY, &self->bo));
	ASSERT_EQ(0, bo_map(&self->bo));
	pattern_fill(self->bo.map, self->bo.size, 1);
}

FIXTURE_TEARDOWN(dsp_read_only)
{
	close(self->fd);
}

TEST_F(dsp_read_only, says_so)
{
	struct drm_nnloop_bo_info info;
	struct bo both;

	ASSERT_EQ(0, bo_info(self->fd, self->bo.handle, &info));
	EXPECT_EQ(DRM_NNLOOP_BO_DSP_READ_ONLY, info.flags);
	ASSERT_EQ(0, bo_create(self->fd, 4096,
			       DRM_NNLOOP_BO_DSP_READ_ONLY | DRM_NNLOOP_BO_WRITE_COMBINE, &both));
	ASSERT_EQ(0, bo_info(self->fd, both.handle, &info));
	EXPECT_EQ(DRM_NNLOOP_BO_DSP_READ_ONLY | DRM_NNLOOP_BO_WRITE_COMBINE, info.flags);
	bo_unmap(&self->bo);
	ASSERT_EQ(0, bo_seal(&self->bo));
	ASSERT_EQ(0, bo_info(self->fd, self->bo.handle, &info));
	EXPECT_EQ(DRM_NNLOOP_BO_DSP_READ_ONLY | DRM_NNLOOP_BO_SEALED, info.flags);
}

/* The CPU writes and the DSP reads, now and later; the DSP's first write is a fault. */
TEST_F(dsp_read_only, before_it_is_sealed)
{
	struct drm_nnloop_status status;
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, bo_begin_cpu(&self->bo, DRM_NNLOOP_ACCESS_WRITE));
		pattern_fill(self->bo.map, self->bo.size, i);
		ASSERT_EQ(0, bo_end_cpu(&self->bo, DRM_NNLOOP_ACCESS_WRITE));
		ASSERT_EQ(0, run_copy(&self->queue, &self->code, self->bo.iova, self->from.iova,
				      65536, &status));
		EXPECT_EQ(65536, pattern_match(self->from.map, 65536, i));
	}
	memset(self->from.map, 0xee, 65536);
	EXPECT_EQ(-EFAULT, run_copy(&self->queue, &self->code, self->from.iova, self->bo.iova,
				    65536, &status));
	EXPECT_EQ(self->bo.iova, status.fault_address);
	EXPECT_EQ(DRM_NNLOOP_ACCESS_WRITE, status.fault_access);
	EXPECT_EQ(65536, pattern_match(self->bo.map, 65536, 1));
}

/* Nothing that runs can have written to it. */
TEST_F(dsp_read_only, is_sealed_while_jobs_run)
{
	struct drm_nnloop_status status;
	struct slow *slow = malloc(sizeof(*slow));
	__u64 point;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &point));
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	bo_unmap(&self->bo);
	EXPECT_EQ(0, bo_seal(&self->bo));
	EXPECT_TRUE(is_sealed(&self->bo));
	ASSERT_EQ(0, queue_status(&self->queue, point, &status));
	EXPECT_EQ(DRM_NNLOOP_JOB_RUNNING, status.state);
	EXPECT_EQ(-EACCES, bo_map(&self->bo));
	EXPECT_EQ(-EACCES, bo_begin_cpu(&self->bo, DRM_NNLOOP_ACCESS_WRITE));
	ASSERT_EQ(0, bo_map_prot(&self->bo, PROT_READ));
	EXPECT_EQ(65536, pattern_match(self->bo.map, 65536, 1));
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	free(slow);
}

TEST_HARNESS_MAIN
