// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers shared with other drivers, between clients and between boards, by dma-buf: imported and
 * exported, for as long as anyone holds them, with seals and read-only access that hold everywhere.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "debugfs.h"
#include "partner.h"
#include "program.h"

#define SIZE	65536
#define PAGE	4096

FIXTURE(import) {
	int fd;
	struct queue queue;
	struct code code;
	struct bo mine;
	int dmabuf;
	__u8 *map;		/* of the dma-buf */
	struct bo import;
};

FIXTURE_VARIANT(import) {
	const char *partner;
	int (*create)(__u64 size);
};

FIXTURE_VARIANT_ADD(import, vgem) {
	.partner = "vgem",
	.create = dmabuf_from_vgem,
};

FIXTURE_VARIANT_ADD(import, heap) {
	.partner = "system dma-heap",
	.create = dmabuf_from_heap,
};

FIXTURE_VARIANT_ADD(import, udmabuf) {
	.partner = "udmabuf",
	.create = dmabuf_from_udmabuf,
};

FIXTURE_SETUP(import)
{
	struct drm_nnloop_bo_info info;

	self->dmabuf = variant->create(SIZE);
	if (self->dmabuf == -ENOENT)
		SKIP(return, "this kernel has no %s", variant->partner);
	ASSERT_LE(0, self->dmabuf);
	self->map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, self->dmabuf, 0);
	ASSERT_NE(MAP_FAILED, self->map);
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->mine));
	self->import.fd = self->fd;
	ASSERT_EQ(0, prime_import(self->fd, self->dmabuf, &self->import.handle));
	ASSERT_EQ(0, bo_info(self->fd, self->import.handle, &info));
	self->import.iova = info.iova;
	self->import.size = info.size;
	self->import.offset = info.mmap_offset;
	EXPECT_EQ(DRM_NNLOOP_BO_IMPORTED, info.flags);
}

FIXTURE_TEARDOWN(import)
{
	close(self->fd);
	close(self->dmabuf);
}

TEST_F(import, both_ways)
{
	struct drm_nnloop_status status;
	__u32 again;

	EXPECT_EQ(SIZE, self->import.size);
	EXPECT_EQ(0, self->import.iova % PAGE);
	EXPECT_LE(0x80000000, self->import.iova);
	EXPECT_NE(self->mine.iova, self->import.iova);
	ASSERT_EQ(0, prime_import(self->fd, self->dmabuf, &again));
	EXPECT_EQ(self->import.handle, again);

	/* The DSP reads what the CPU wrote there, and the other way round. */
	ASSERT_EQ(0, dmabuf_sync(self->dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE));
	pattern_fill(self->map, SIZE, 1);
	ASSERT_EQ(0, dmabuf_sync(self->dmabuf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE));
	ASSERT_EQ(0, run_copy(&self->queue, &self->code, self->import.iova, self->mine.iova, SIZE,
			      &status));
	EXPECT_EQ(SIZE, pattern_match(self->mine.map, SIZE, 1));
	pattern_fill(self->mine.map, SIZE, 2);
	ASSERT_EQ(0, run_copy(&self->queue, &self->code, self->mine.iova, self->import.iova, SIZE,
			      &status));
	ASSERT_EQ(0, dmabuf_sync(self->dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ));
	EXPECT_EQ(SIZE, pattern_match(self->map, SIZE, 2));
	ASSERT_EQ(0, dmabuf_sync(self->dmabuf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ));
}

TEST_F(import, can_be_mapped_or_says_that_it_cannot)
{
	pattern_fill(self->map, SIZE, 3);
	if (!self->import.offset)
		return;
	ASSERT_EQ(0, bo_map_prot(&self->import, PROT_READ));
	EXPECT_EQ(SIZE, pattern_match(self->import.map, SIZE, 3));
}

TEST_F(import, cannot_be_sealed)
{
	munmap(self->map, SIZE);
	EXPECT_EQ(-EACCES, bo_seal(&self->import));
}

/* The import keeps the memory, and closing it takes the DSP's access away. */
TEST_F(import, outlives_the_dmabuf)
{
	struct drm_nnloop_status status;

	pattern_fill(self->map, SIZE, 4);
	munmap(self->map, SIZE);
	close(self->dmabuf);
	ASSERT_EQ(0, run_copy(&self->queue, &self->code, self->import.iova, self->mine.iova, SIZE,
			      &status));
	EXPECT_EQ(SIZE, pattern_match(self->mine.map, SIZE, 4));
	ASSERT_EQ(0, bo_close(&self->import));
	EXPECT_EQ(-EFAULT, run_copy(&self->queue, &self->code, self->import.iova, self->mine.iova,
				    SIZE, &status));
	EXPECT_EQ(self->import.iova, status.fault_address);
}

/* Closed while a job reads it; the file closed with imports in it. */
TEST_F(import, closed_in_use)
{
	struct slow *slow = malloc(sizeof(*slow));
	struct drm_nnloop_status status;
	__u64 point;

	ASSERT_NE(NULL, slow);
	ASSERT_EQ(0, slow_new(self->fd, slow));
	ASSERT_EQ(0, slow_start(slow, &self->queue, &point));
	ASSERT_EQ(0, bo_close(&self->import));
	close(self->dmabuf);
	munmap(self->map, SIZE);
	ASSERT_EQ(0, queue_cancel(&self->queue));
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(-ECANCELED, status.error);
	free(slow);
}

/*
 * A dma-buf without write access: the DSP may read it and no more, and nothing is mapped writable
 * by way of the import.
 */
FIXTURE(read_only_import) {
	int fd, dmabuf;
	struct queue queue;
	struct code code;
	struct bo mine, import;
	__u8 *map;		/* of the memory, writable */
};

FIXTURE_SETUP(read_only_import)
{
	struct drm_mode_map_dumb dumb = { 0 };
	struct drm_nnloop_bo_info info;
	int vgem = vgem_open();

	if (vgem < 0)
		SKIP(return, "this kernel has no vgem");
	ASSERT_EQ(0, vgem_bo(vgem, SIZE, &dumb.handle));
	ASSERT_EQ(0, device_ioctl(vgem, DRM_IOCTL_MODE_MAP_DUMB, &dumb));
	self->map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, vgem, dumb.offset);
	ASSERT_NE(MAP_FAILED, self->map);
	pattern_fill(self->map, SIZE, 1);
	self->dmabuf = prime_export_read_only(vgem, dumb.handle);
	ASSERT_LE(0, self->dmabuf);
	close(vgem);

	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->mine));
	memset(&self->import, 0, sizeof(self->import));
	self->import.fd = self->fd;
	ASSERT_EQ(0, prime_import(self->fd, self->dmabuf, &self->import.handle));
	ASSERT_EQ(0, bo_info(self->fd, self->import.handle, &info));
	EXPECT_EQ(DRM_NNLOOP_BO_IMPORTED | DRM_NNLOOP_BO_DSP_READ_ONLY, info.flags);
	self->import.iova = info.iova;
	self->import.size = info.size;
	self->import.offset = info.mmap_offset;
}

FIXTURE_TEARDOWN(read_only_import)
{
	close(self->fd);
	close(self->dmabuf);
}

TEST_F(read_only_import, is_read_by_the_dsp_and_not_written)
{
	struct drm_nnloop_status status;

	ASSERT_EQ(0, run_copy(&self->queue, &self->code, self->import.iova, self->mine.iova, SIZE,
			      &status));
	EXPECT_EQ(SIZE, pattern_match(self->mine.map, SIZE, 1));
	memset(self->mine.map, 0, SIZE);
	EXPECT_EQ(-EFAULT, run_copy(&self->queue, &self->code, self->mine.iova, self->import.iova,
				    SIZE, &status));
	EXPECT_EQ(self->import.iova, status.fault_address);
	EXPECT_EQ(DRM_NNLOOP_ACCESS_WRITE, status.fault_access);
	EXPECT_EQ(SIZE, pattern_match(self->map, SIZE, 1));
}

TEST_F(read_only_import, is_mapped_to_be_read)
{
	EXPECT_EQ(0, bo_begin_cpu(&self->import, DRM_NNLOOP_ACCESS_READ));
	EXPECT_EQ(0, bo_end_cpu(&self->import, DRM_NNLOOP_ACCESS_READ));
	EXPECT_EQ(-EACCES, bo_begin_cpu(&self->import, DRM_NNLOOP_ACCESS_WRITE));
	if (!self->import.offset)
		return;
	EXPECT_EQ(-EACCES, bo_map(&self->import));
	EXPECT_EQ(-EACCES, bo_map_prot(&self->import, PROT_WRITE));
	ASSERT_EQ(0, bo_map_prot(&self->import, PROT_READ));
	EXPECT_EQ(SIZE, pattern_match(self->import.map, SIZE, 1));
	EXPECT_EQ(-1, mprotect(self->import.map, SIZE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
}

/* A second time, by who asks for more: it is the same dma-buf. */
TEST_F(read_only_import, gives_no_more_when_it_is_passed_on)
{
	struct drm_nnloop_bo_info info;
	int dmabuf = prime_export(self->fd, self->import.handle), other = device_open();
	__u32 handle;

	ASSERT_LE(0, dmabuf);
	ASSERT_LE(0, other);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0));
	EXPECT_EQ(EACCES, errno);
	ASSERT_EQ(0, prime_import(other, dmabuf, &handle));
	ASSERT_EQ(0, bo_info(other, handle, &info));
	EXPECT_EQ(DRM_NNLOOP_BO_IMPORTED | DRM_NNLOOP_BO_DSP_READ_ONLY, info.flags);
	close(dmabuf);
	close(other);
}

/* Exports */

FIXTURE(export) {
	int fd, other;
	struct queue queue, other_queue;
	struct code code, other_code;
	struct bo bo;
};

FIXTURE_SETUP(export)
{
	struct bo pad;

	self->fd = device_open();
	self->other = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, queue_create(self->other, &self->other_queue));
	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->bo));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
	/* So that the two clients' addresses differ. */
	ASSERT_EQ(0, bo_create(self->other, 10 * SIZE, 0, &pad));
	ASSERT_EQ(0, bo_new(self->other, sizeof(struct program), &self->other_code.bo));
	pattern_fill(self->bo.map, SIZE, 1);
}

FIXTURE_TEARDOWN(export)
{
	close(self->fd);
	close(self->other);
}

TEST_F(export, dmabuf_is_the_same_memory)
{
	__u8 *map;
	__u32 handle;
	int dmabuf = prime_export(self->fd, self->bo.handle);

	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(SIZE, lseek(dmabuf, 0, SEEK_END));
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(SIZE, pattern_match(map, SIZE, 1));
	pattern_fill(map, SIZE, 2);
	EXPECT_EQ(SIZE, pattern_match(self->bo.map, SIZE, 2));
	/* Back home it is the handle it always was. */
	ASSERT_EQ(0, prime_import(self->fd, dmabuf, &handle));
	EXPECT_EQ(self->bo.handle, handle);
	/* The mapping and the dma-buf keep it when all else is gone. */
	bo_free(&self->bo);
	EXPECT_EQ(SIZE, pattern_match(map, SIZE, 2));
	close(dmabuf);
	EXPECT_EQ(SIZE, pattern_match(map, SIZE, 2));
	munmap(map, SIZE);
}

/* Two clients of the same device: one memory, an address for each. */
TEST_F(export, to_another_client)
{
	struct drm_nnloop_bo_info info;
	struct drm_nnloop_status status;
	struct bo theirs = { .fd = self->other };
	int dmabuf = prime_export(self->fd, self->bo.handle);

	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, prime_import(self->other, dmabuf, &theirs.handle));
	ASSERT_EQ(0, bo_info(self->other, theirs.handle, &info));
	EXPECT_EQ(SIZE, info.size);
	EXPECT_NE(self->bo.iova, info.iova);
	ASSERT_EQ(0, run_copy(&self->other_queue, &self->other_code, info.iova,
			      info.iova + SIZE / 2, SIZE / 2, &status));
	EXPECT_EQ(SIZE / 2, pattern_match(self->bo.map + SIZE / 2, SIZE / 2, 1));

	/* Closed here, it is there still; closed there, it is nowhere. */
	close(dmabuf);
	ASSERT_EQ(0, bo_close(&self->bo));
	EXPECT_EQ(-EFAULT, run_copy(&self->queue, &self->code, self->bo.iova,
				    self->bo.iova + SIZE / 2, SIZE / 2, &status));
	memset(self->bo.map + SIZE / 2, 0, SIZE / 2);
	ASSERT_EQ(0, run_copy(&self->other_queue, &self->other_code, info.iova,
			      info.iova + SIZE / 2, SIZE / 2, &status));
	EXPECT_EQ(SIZE / 2, pattern_match(self->bo.map + SIZE / 2, SIZE / 2, 1));
	ASSERT_EQ(0, bo_close(&theirs));
	EXPECT_EQ(-EFAULT, run_copy(&self->other_queue, &self->other_code, info.iova,
				    info.iova + SIZE / 2, SIZE / 2, &status));
}

TEST_F(export, to_vgem)
{
	struct drm_mode_map_dumb map = { 0 };
	int vgem = vgem_open();
	int dmabuf = prime_export(self->fd, self->bo.handle);
	__u8 *theirs;

	if (vgem < 0)
		SKIP(return, "this kernel has no vgem");
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, prime_import(vgem, dmabuf, &map.handle));
	if (!device_ioctl(vgem, DRM_IOCTL_MODE_MAP_DUMB, &map)) {
		theirs = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, vgem, map.offset);
		ASSERT_NE(MAP_FAILED, theirs);
		EXPECT_EQ(SIZE, pattern_match(theirs, SIZE, 1));
		theirs[5] ^= 1;
		EXPECT_EQ(theirs[5], self->bo.map[5]);
		munmap(theirs, SIZE);
	}
	bo_free(&self->bo);
	close(dmabuf);
	close(self->fd);
	close(vgem);
	self->fd = device_open();
}

TEST_F(export, cannot_be_sealed_any_more)
{
	int dmabuf = prime_export(self->fd, self->bo.handle);

	ASSERT_LE(0, dmabuf);
	bo_unmap(&self->bo);
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	close(dmabuf);
}

/*
 * It was exported once, and nothing is left of that but a job of another client: this may write to
 * the buffer for as long as it runs, by a mapping that the client has given up.
 */
TEST_F(export, is_not_sealed_under_a_job_of_another_client)
{
	struct slow *slow = malloc(sizeof(*slow));
	int dmabuf = prime_export(self->fd, self->bo.handle);
	struct bo theirs = { .fd = self->other };
	__u64 point;

	ASSERT_NE(NULL, slow);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, prime_import(self->other, dmabuf, &theirs.handle));
	ASSERT_EQ(0, slow_new(self->other, slow));
	ASSERT_EQ(0, slow_start(slow, &self->other_queue, &point));
	ASSERT_EQ(0, bo_close(&theirs));

	/* While the dma-buf alone has it, the DRM core forgets that there is one. */
	bo_unmap(&self->bo);
	ASSERT_EQ(0, bo_close(&self->bo));
	ASSERT_EQ(0, prime_import(self->fd, dmabuf, &self->bo.handle));
	close(dmabuf);
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));

	/* Nor later: it does not depend on who has jobs at the moment. */
	ASSERT_EQ(0, queue_cancel(&self->other_queue));
	ASSERT_EQ(0, syncobj_wait(self->other, self->other_queue.syncobj, point, WAIT_SECONDS));
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	free(slow);
}

/* Sealed first and shared then: read-only for everybody. */
TEST_F(export, a_seal_holds_everywhere)
{
	struct drm_nnloop_bo_info info;
	struct drm_nnloop_status status;
	struct bo theirs = { .fd = self->other }, from;
	__u8 *map;
	int dmabuf;

	bo_unmap(&self->bo);
	ASSERT_EQ(0, bo_seal(&self->bo));
	dmabuf = prime_export(self->fd, self->bo.handle);
	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0));
	EXPECT_EQ(EACCES, errno);
	map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, dmabuf, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(SIZE, pattern_match(map, SIZE, 1));
	EXPECT_EQ(-1, mprotect(map, SIZE, PROT_READ | PROT_WRITE));

	ASSERT_EQ(0, prime_import(self->other, dmabuf, &theirs.handle));
	ASSERT_EQ(0, bo_info(self->other, theirs.handle, &info));
	EXPECT_TRUE(info.flags & DRM_NNLOOP_BO_SEALED);
	EXPECT_EQ(-EACCES, bo_begin_cpu(&theirs, DRM_NNLOOP_ACCESS_WRITE));
	ASSERT_EQ(0, bo_create(self->other, SIZE, 0, &from));
	EXPECT_EQ(-EFAULT, run_copy(&self->other_queue, &self->other_code, from.iova, info.iova,
				    SIZE, &status));
	EXPECT_EQ(info.iova, status.fault_address);
	EXPECT_EQ(DRM_NNLOOP_ACCESS_WRITE, status.fault_access);
	EXPECT_EQ(SIZE, pattern_match(map, SIZE, 1));
}

/* From any page on: each page is the one that it should be, and there is none beyond the end. */
TEST_F(export, dmabuf_is_mapped_in_part)
{
	int dmabuf;
	struct bo bo;
	__u8 *part;

	ASSERT_EQ(0, bo_new(self->fd, 8 * PAGE_SIZE, &bo));
	pages_fill(bo.map, 0, 8, 10);
	dmabuf = prime_export(self->fd, bo.handle);
	ASSERT_LE(0, dmabuf);
	part = mmap(NULL, 3 * PAGE_SIZE, PROT_READ, MAP_SHARED, dmabuf, 4 * PAGE_SIZE);
	ASSERT_NE(MAP_FAILED, part);
	EXPECT_EQ(3, pages_match(part, 4, 3, 10));

	part = mmap(NULL, 4 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf,
		    4 * PAGE_SIZE);
	ASSERT_NE(MAP_FAILED, part);
	ASSERT_EQ(0, munmap(part, PAGE_SIZE));
	pages_fill(part + PAGE_SIZE, 5, 2, 20);
	EXPECT_EQ(5, pages_match(bo.map, 0, 5, 10));
	EXPECT_EQ(2, pages_match(bo.map + 5 * PAGE_SIZE, 5, 2, 20));
	EXPECT_EQ(1, pages_match(bo.map + 7 * PAGE_SIZE, 7, 1, 10));

	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * PAGE_SIZE, PROT_READ, MAP_SHARED, dmabuf,
				   7 * PAGE_SIZE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, dmabuf, 8 * PAGE_SIZE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 9 * PAGE_SIZE, PROT_READ, MAP_SHARED, dmabuf, 0));
	close(dmabuf);
}

/* The DSP may only read it: for no client it may more. */
TEST_F(export, dsp_read_only_for_another_client)
{
	struct drm_nnloop_bo_info info;
	struct drm_nnloop_status status;
	struct bo bo, from;
	__u32 handle;
	__u8 *map;
	int dmabuf;

	ASSERT_EQ(0, bo_create(self->fd, SIZE, DRM_NNLOOP_BO_DSP_READ_ONLY, &bo));
	dmabuf = prime_export(self->fd, bo.handle);
	ASSERT_LE(0, dmabuf);
	EXPECT_EQ(-EBUSY, bo_seal(&bo));
	ASSERT_EQ(0, prime_import(self->other, dmabuf, &handle));
	ASSERT_EQ(0, bo_info(self->other, handle, &info));
	EXPECT_EQ(DRM_NNLOOP_BO_DSP_READ_ONLY, info.flags);
	/* The CPU may. */
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	ASSERT_NE(MAP_FAILED, map);
	pattern_fill(map, SIZE, 3);
	ASSERT_EQ(0, bo_create(self->other, SIZE, 0, &from));
	EXPECT_EQ(-EFAULT, run_copy(&self->other_queue, &self->other_code, from.iova, info.iova,
				    SIZE, &status));
	EXPECT_EQ(info.iova, status.fault_address);
	EXPECT_EQ(SIZE, pattern_match(map, SIZE, 3));
	close(dmabuf);
}

TEST_F(export, bad_descriptors)
{
	int file = open("/dev/null", O_RDWR);
	__u32 handle;

	EXPECT_EQ(-EBADF, prime_import(self->fd, -1, &handle));
	EXPECT_EQ(-EINVAL, prime_import(self->fd, file, &handle));
	EXPECT_EQ(-EINVAL, prime_import(self->fd, self->other, &handle));
	EXPECT_EQ(-ENOENT, prime_export(self->fd, 12345));
	close(file);
}

/* Exports to another board */

FIXTURE(second_board) {
	int fd, other;
	struct queue queue, other_queue;
	struct code code, other_code;
	struct bo bo;		/* of the first board, */
	struct bo theirs;	/* the same on the second, and a buffer of its own */
	struct bo mine;
};

FIXTURE_SETUP(second_board)
{
	if (access(SECOND_NODE, F_OK))
		SKIP(return, "there is no second board (" SECOND_NODE ")");
	self->fd = device_open();
	self->other = device_open_node(SECOND_NODE);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, queue_create(self->fd, &self->queue));
	ASSERT_EQ(0, queue_create(self->other, &self->other_queue));
	ASSERT_EQ(0, bo_new(self->fd, sizeof(struct program), &self->code.bo));
	ASSERT_EQ(0, bo_new(self->other, sizeof(struct program), &self->other_code.bo));
	ASSERT_EQ(0, bo_new(self->other, SIZE, &self->mine));
}

FIXTURE_TEARDOWN(second_board)
{
	close(self->fd);
	close(self->other);
}

static int import_bo(int fd, int dmabuf, struct bo *bo, __u32 *flags)
{
	struct drm_nnloop_bo_info info;
	int ret;

	memset(bo, 0, sizeof(*bo));
	bo->fd = fd;
	ret = prime_import(fd, dmabuf, &bo->handle);
	ret = ret ?: bo_info(fd, bo->handle, &info);
	if (ret)
		return ret;
	bo->iova = info.iova;
	bo->size = info.size;
	bo->offset = info.mmap_offset;
	*flags = info.flags;
	return 0;
}

/* The second board's DSP reads pattern 1 there, and cannot write, which loses the queue. */
static bool only_reads(struct code *code, struct bo *theirs, struct bo *mine)
{
	struct drm_nnloop_status status;
	struct queue queue;

	memset(mine->map, 0, SIZE);
	if (queue_create(mine->fd, &queue) ||
	    run_copy(&queue, code, theirs->iova, mine->iova, SIZE, &status) ||
	    pattern_match(mine->map, SIZE, 1) != SIZE)
		return false;
	memset(mine->map, 0, SIZE);
	return run_copy(&queue, code, mine->iova, theirs->iova, SIZE, &status) == -EFAULT &&
	       status.fault_address == theirs->iova &&
	       status.fault_access == DRM_NNLOOP_ACCESS_WRITE;
}

TEST_F(second_board, shares_memory)
{
	struct drm_nnloop_status status;
	__u32 flags;
	int dmabuf;

	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->bo));
	pattern_fill(self->bo.map, SIZE, 1);
	dmabuf = prime_export(self->fd, self->bo.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import_bo(self->other, dmabuf, &self->theirs, &flags));
	EXPECT_EQ(DRM_NNLOOP_BO_IMPORTED, flags);
	ASSERT_EQ(0, run_copy(&self->other_queue, &self->other_code, self->theirs.iova,
			      self->mine.iova, SIZE, &status));
	EXPECT_EQ(SIZE, pattern_match(self->mine.map, SIZE, 1));
	pattern_fill(self->mine.map, SIZE, 2);
	ASSERT_EQ(0, run_copy(&self->other_queue, &self->other_code, self->mine.iova,
			      self->theirs.iova, SIZE, &status));
	EXPECT_EQ(SIZE, pattern_match(self->bo.map, SIZE, 2));
	close(dmabuf);
}

/* Parts of a mapping made by way of the import. */
TEST_F(second_board, maps_it_in_part)
{
	__u32 flags;
	int dmabuf;

	ASSERT_EQ(0, bo_new(self->fd, 8 * PAGE_SIZE, &self->bo));
	pages_fill(self->bo.map, 0, 8, 10);
	dmabuf = prime_export(self->fd, self->bo.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import_bo(self->other, dmabuf, &self->theirs, &flags));
	ASSERT_EQ(0, bo_map(&self->theirs));
	ASSERT_EQ(0, munmap(self->theirs.map, 2 * PAGE_SIZE));
	ASSERT_EQ(0, mprotect(self->theirs.map + 4 * PAGE_SIZE, PAGE_SIZE, PROT_READ));
	EXPECT_EQ(6, pages_match(self->theirs.map + 2 * PAGE_SIZE, 2, 6, 10));
	/* These mappings count as well. */
	bo_unmap(&self->bo);
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	close(dmabuf);
}

TEST_F(second_board, cannot_write_what_is_sealed)
{
	struct bo again;
	__u32 flags;
	int dmabuf, second;

	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->bo));
	pattern_fill(self->bo.map, SIZE, 1);
	bo_unmap(&self->bo);
	ASSERT_EQ(0, bo_seal(&self->bo));
	dmabuf = prime_export(self->fd, self->bo.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import_bo(self->other, dmabuf, &self->theirs, &flags));
	EXPECT_EQ(DRM_NNLOOP_BO_IMPORTED | DRM_NNLOOP_BO_SEALED | DRM_NNLOOP_BO_DSP_READ_ONLY,
		  flags);
	EXPECT_TRUE(only_reads(&self->other_code, &self->theirs, &self->mine));
	EXPECT_EQ(-EACCES, bo_seal(&self->theirs));
	EXPECT_EQ(-EACCES, bo_begin_cpu(&self->theirs, DRM_NNLOOP_ACCESS_WRITE));
	EXPECT_EQ(-EACCES, bo_map(&self->theirs));
	ASSERT_EQ(0, bo_map_prot(&self->theirs, PROT_READ));
	EXPECT_EQ(SIZE, pattern_match(self->theirs.map, SIZE, 1));
	EXPECT_EQ(-1, mprotect(self->theirs.map, SIZE, PROT_READ | PROT_WRITE));

	/* Passed on from there it is the same dma-buf, and back home the same buffer. */
	second = prime_export(self->other, self->theirs.handle);
	ASSERT_LE(0, second);
	ASSERT_EQ(0, import_bo(self->fd, second, &again, &flags));
	EXPECT_EQ(self->bo.handle, again.handle);
	EXPECT_EQ(DRM_NNLOOP_BO_SEALED, flags);

	/* It keeps the memory when it is the last that has it. */
	bo_close(&self->bo);
	close(self->fd);
	self->fd = -1;
	close(dmabuf);
	close(second);
	EXPECT_TRUE(only_reads(&self->other_code, &self->theirs, &self->mine));
	EXPECT_EQ(SIZE, pattern_match(self->theirs.map, SIZE, 1));
}

TEST_F(second_board, cannot_write_what_the_dsp_may_only_read)
{
	__u32 flags;
	int dmabuf;

	ASSERT_EQ(0, bo_create(self->fd, SIZE, DRM_NNLOOP_BO_DSP_READ_ONLY, &self->bo));
	dmabuf = prime_export(self->fd, self->bo.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import_bo(self->other, dmabuf, &self->theirs, &flags));
	EXPECT_EQ(DRM_NNLOOP_BO_IMPORTED | DRM_NNLOOP_BO_DSP_READ_ONLY, flags);
	/* The CPU writes, by way of the import, too. */
	ASSERT_EQ(0, bo_begin_cpu(&self->theirs, DRM_NNLOOP_ACCESS_WRITE));
	ASSERT_EQ(0, bo_map(&self->theirs));
	pattern_fill(self->theirs.map, SIZE, 1);
	ASSERT_EQ(0, bo_end_cpu(&self->theirs, DRM_NNLOOP_ACCESS_WRITE));
	EXPECT_TRUE(only_reads(&self->other_code, &self->theirs, &self->mine));
	EXPECT_EQ(SIZE, pattern_match(self->theirs.map, SIZE, 1));
	EXPECT_EQ(-EBUSY, bo_seal(&self->bo));
	close(dmabuf);
}

/* Exported without write access: for the second board; the first one's is what it was. */
TEST_F(second_board, cannot_write_what_it_was_given_to_read)
{
	struct drm_nnloop_status status;
	struct bo from;
	__u32 flags;
	int dmabuf;

	ASSERT_EQ(0, bo_new(self->fd, SIZE, &self->bo));
	pattern_fill(self->bo.map, SIZE, 1);
	dmabuf = prime_export_read_only(self->fd, self->bo.handle);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, import_bo(self->other, dmabuf, &self->theirs, &flags));
	EXPECT_EQ(DRM_NNLOOP_BO_IMPORTED | DRM_NNLOOP_BO_DSP_READ_ONLY, flags);
	EXPECT_TRUE(only_reads(&self->other_code, &self->theirs, &self->mine));
	EXPECT_EQ(SIZE, pattern_match(self->bo.map, SIZE, 1));
	EXPECT_EQ(-EACCES, bo_map(&self->theirs));
	EXPECT_EQ(-EACCES, bo_begin_cpu(&self->theirs, DRM_NNLOOP_ACCESS_WRITE));
	ASSERT_EQ(0, bo_map_prot(&self->theirs, PROT_READ));

	ASSERT_EQ(0, bo_new(self->fd, SIZE, &from));
	pattern_fill(from.map, SIZE, 2);
	ASSERT_EQ(0, run_copy(&self->queue, &self->code, from.iova, self->bo.iova, SIZE, &status));
	EXPECT_EQ(SIZE, pattern_match(self->theirs.map, SIZE, 2));
	close(dmabuf);
}

struct importer {
	int fd, dmabuf, ret;
	__u32 handle;
	pthread_barrier_t *together;
};

static void *import_together(void *arg)
{
	struct importer *importer = arg;

	pthread_barrier_wait(importer->together);
	importer->ret = prime_import(importer->fd, importer->dmabuf, &importer->handle);
	return NULL;
}

/* How many buffers that are imports there are. */
static int count_imports(int fd)
{
	char text[4096], *at = text;
	int ret, count = 0;

	debugfs_mount();
	ret = debugfs_read(fd, "buffers", text, sizeof(text));
	while (!ret && (at = strstr(at, " imported"))) {
		at++;
		count++;
	}
	return ret ?: count;
}

/* Two threads of a client: it is one import, whoever comes first. */
TEST(import_by_two_threads)
{
	int fd = device_open(), dmabuf = dmabuf_from_vgem(SIZE), round;
	struct importer one, other;
	pthread_barrier_t together;
	pthread_t thread;

	ASSERT_LE(0, fd);
	if (dmabuf < 0)
		SKIP(return, "this kernel has no vgem");
	ASSERT_EQ(0, pthread_barrier_init(&together, NULL, 2));
	for (round = 0; round < 20; round++) {
		one = (struct importer){ .dmabuf = dmabuf, .together = &together };
		one.fd = device_open();
		ASSERT_LE(0, one.fd);
		other = one;
		ASSERT_EQ(0, pthread_create(&thread, NULL, import_together, &other));
		import_together(&one);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_EQ(0, one.ret);
		ASSERT_EQ(0, other.ret);
		ASSERT_EQ(one.handle, other.handle);
		ASSERT_EQ(1, count_imports(fd));
		close(one.fd);
		ASSERT_EQ(0, count_imports(fd));
	}
	close(dmabuf);
	close(fd);
}

struct changer {
	int moving, from[2];
	bool stop;
};

static void *change_descriptor(void *arg)
{
	struct changer *changer = arg;
	unsigned int i;

	for (i = 0; !__atomic_load_n(&changer->stop, __ATOMIC_RELAXED); i++)
		dup2(changer->from[i % 2], changer->moving);
	return NULL;
}

/* It is one dma-buf's and then the other's: one of them is imported, or none. */
TEST(import_by_a_descriptor_that_changes)
{
	struct changer changer = { .from = { dmabuf_from_vgem(SIZE), dmabuf_from_vgem(SIZE) } };
	int fd = device_open(), round, ret;
	pthread_t thread;
	__u32 handle;

	ASSERT_LE(0, fd);
	if (changer.from[0] < 0)
		SKIP(return, "this kernel has no vgem");
	ASSERT_LE(0, changer.from[1]);
	changer.moving = dup(changer.from[0]);
	ASSERT_LE(0, changer.moving);
	ASSERT_EQ(0, pthread_create(&thread, NULL, change_descriptor, &changer));
	for (round = 0; round < 200; round++) {
		ret = prime_import(fd, changer.moving, &handle);
		if (ret != -EBUSY)
			ASSERT_EQ(0, ret);
		if (!ret)
			ASSERT_EQ(0, bo_close(&(struct bo){ .fd = fd, .handle = handle }));
		ASSERT_EQ(0, count_imports(fd));
	}
	__atomic_store_n(&changer.stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	close(changer.from[0]);
	close(changer.from[1]);
	close(changer.moving);
	close(fd);
}

TEST_HARNESS_MAIN
