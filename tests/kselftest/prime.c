// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers shared with other drivers and between clients, by dma-buf: imported and exported, for as
 * long as anyone holds them, with seals that hold everywhere.
 */
#include "kselftest_harness.h"

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

TEST_HARNESS_MAIN
