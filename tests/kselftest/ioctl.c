// SPDX-License-Identifier: GPL-2.0
/*
 * The law for every call, on both nodes: structures of any length (a shorter one is filled up with
 * zeros, of a longer one only zeros are accepted), and unknown calls.
 */
#include "kselftest_harness.h"

#include <assert.h>

#include "program.h"

#define ROOM	16384	/* the longest structure that an ioctl number can carry is a byte less */
#define GUARD	0xa5

FIXTURE(ioctl) {
	int fd;
	struct queue queue;
	struct queue doomed;	/* for the call that destroys one */
	struct bo bo;
	struct code code;
	__u8 *page;		/* the structure ends where this mapping of ROOM bytes ends */
};

FIXTURE_VARIANT(ioctl) {
	bool drm_node;
};

FIXTURE_VARIANT_ADD(ioctl, nnloop_node) {
	.drm_node = false,
};

FIXTURE_VARIANT_ADD(ioctl, drm_node) {
	.drm_node = true,
};

FIXTURE_SETUP(ioctl)
{
	char path[64];

	self->fd = variant->drm_node ? device_open_drm_node(path, sizeof(path)) : device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, copy_new(self->fd, 64, &self->queue, &self->bo, &self->code));
	ASSERT_EQ(0, queue_create(self->fd, &self->doomed));
	/* A writable mapping would be in the way of a seal. */
	bo_unmap(&self->code.bo);
	self->page = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	ASSERT_EQ(0, munmap(self->page + ROOM, ROOM));
}

FIXTURE_TEARDOWN(ioctl)
{
	close(self->fd);
}

static struct drm_nnloop_query sample_query = {
	.type = DRM_NNLOOP_QUERY_DEVICE,
};

static struct drm_nnloop_bo_create sample_bo_create = {
	.size = 4096,
};

static struct drm_nnloop_bo_info sample_bo_info;
static struct drm_nnloop_bo_seal sample_bo_seal;
static struct drm_nnloop_bo_cpu_access sample_cpu_access = {
	.access = DRM_NNLOOP_ACCESS_READ,
};

static struct drm_nnloop_bo_set_name sample_bo_set_name;
static struct drm_nnloop_queue_create sample_queue_create;
static struct drm_nnloop_queue_destroy sample_queue_destroy;
static struct drm_nnloop_submit sample_submit;
static struct drm_nnloop_status sample_status;
static struct drm_nnloop_cancel sample_cancel;

struct call {
	const char *name;
	unsigned int request;
	void *sample;		/* a valid structure, filled in by make_samples() */
	size_t size;
};

#define CALL(NAME, sample) { #NAME, DRM_IOCTL_NNLOOP_##NAME, &(sample), sizeof(sample) }

/* Sealing needs the queue idle, so it comes before the job. */
static const struct call calls[] = {
	CALL(QUERY, sample_query),
	CALL(BO_CREATE, sample_bo_create),
	CALL(BO_INFO, sample_bo_info),
	CALL(BO_SEAL, sample_bo_seal),
	CALL(BO_BEGIN_CPU, sample_cpu_access),
	CALL(BO_END_CPU, sample_cpu_access),
	CALL(BO_SET_NAME, sample_bo_set_name),
	CALL(QUEUE_CREATE, sample_queue_create),
	CALL(SUBMIT, sample_submit),
	CALL(STATUS, sample_status),
	CALL(CANCEL, sample_cancel),
	CALL(QUEUE_DESTROY, sample_queue_destroy),
};

/* NNLOOP_IOCTLS is how many the interface's header defines (Makefile). */
static_assert(ARRAY_SIZE(calls) == NNLOOP_IOCTLS, "a row for every call");

/* FIXTURE_DATA(ioctl) by its other name: checkpatch takes the macro for a product. */
static void make_samples(struct _test_data_ioctl *self)
{
	sample_bo_info.handle = self->bo.handle;
	sample_bo_seal.handle = self->code.bo.handle;
	sample_cpu_access.handle = self->bo.handle;
	sample_bo_set_name.handle = self->bo.handle;
	sample_bo_set_name.name = (uintptr_t)"weights";
	sample_bo_set_name.size = strlen("weights");
	sample_queue_destroy.queue = self->doomed.id;
	sample_submit.queue = self->queue.id;
	sample_submit.passes = (uintptr_t)&self->code.pass;
	sample_submit.pass_count = 1;
	sample_submit.pass_stride = sizeof(self->code.pass);
	sample_status.queue = self->queue.id;
	sample_status.point = 1;
	sample_cancel.queue = self->queue.id;
}

/* The number of a call whose structure has another length. */
static unsigned int resized(unsigned int request, size_t size)
{
	return (request & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT)) | size << _IOC_SIZESHIFT;
}

/* Call with a structure of this length, of which nothing beyond may be read or written. */
static int call_sized(struct _test_data_ioctl *self, const struct call *call, size_t size,
		      const void *data)
{
	__u8 *p = self->page + ROOM - size;

	memcpy(p, data, size);
	return device_ioctl(self->fd, resized(call->request, size), p);
}

/* Gives back what a call has made, and makes again what it has destroyed. */
static int clean_up(struct _test_data_ioctl *self, const struct call *call, size_t size)
{
	__u8 whole[ROOM] = { 0 };
	struct bo bo = { .fd = self->fd };
	struct queue queue = { .fd = self->fd };
	__u32 id = self->doomed.id;

	memcpy(whole, self->page + ROOM - size, size);
	switch (call->request) {
	case DRM_IOCTL_NNLOOP_BO_CREATE:
		bo.handle = ((struct drm_nnloop_bo_create *)whole)->handle;
		return bo.handle ? bo_close(&bo) : 0;
	case DRM_IOCTL_NNLOOP_QUEUE_CREATE:
		queue.id = ((struct drm_nnloop_queue_create *)whole)->queue;
		return queue.id ? queue_destroy(&queue) : 0;
	case DRM_IOCTL_NNLOOP_QUEUE_DESTROY:
		queue_destroy(&self->doomed);
		/* Its id is the lowest that is free. */
		return queue_create(self->fd, &self->doomed) ?: -(self->doomed.id != id);
	default:
		return 0;
	}
}

TEST_F(ioctl, every_call_has_a_row)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		EXPECT_GT(DRM_COMMAND_BASE + ARRAY_SIZE(calls), _IOC_NR(calls[i].request));
		EXPECT_EQ(calls[i].size, _IOC_SIZE(calls[i].request))
			TH_LOG("%s", calls[i].name);
		for (k = 0; k < i; k++)
			EXPECT_NE(calls[k].request, calls[i].request);
	}
}

TEST_F(ioctl, exact_size)
{
	size_t i;

	make_samples(self);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		EXPECT_EQ(0, call_sized(self, &calls[i], calls[i].size, calls[i].sample))
			TH_LOG("%s", calls[i].name);
		EXPECT_EQ(0, clean_up(self, &calls[i], calls[i].size));
	}
}

/* A tail of zeros, as long as the kernel can be told, is as if it were not there. */
TEST_F(ioctl, longer_with_zeros)
{
	static const size_t more[] = { 1, 4, 8, 100, 4096 };
	__u8 data[ROOM] = { 0 };
	size_t i, n;

	make_samples(self);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		memset(data, 0, sizeof(data));
		memcpy(data, calls[i].sample, calls[i].size);
		for (n = 0; n < ARRAY_SIZE(more); n++) {
			EXPECT_EQ(0, call_sized(self, &calls[i], calls[i].size + more[n], data))
				TH_LOG("%s and %zu zeros", calls[i].name, more[n]);
			EXPECT_EQ(0, clean_up(self, &calls[i], calls[i].size + more[n]));
		}
	}
}

/* One byte that the driver does not know, wherever it is: refused, and nothing was done. */
TEST_F(ioctl, longer_with_garbage)
{
	static const size_t more[] = { 1, 8, 4096 };
	__u8 data[ROOM];
	struct drm_nnloop_status status;
	struct drm_nnloop_bo_info info;
	__u64 point;
	size_t i, n;

	make_samples(self);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		for (n = 0; n < ARRAY_SIZE(more); n++) {
			size_t size = calls[i].size + more[n];
			__u8 *end = self->page + ROOM;

			memset(data, 0, sizeof(data));
			memcpy(data, calls[i].sample, calls[i].size);
			data[size - 1] = 1;
			EXPECT_EQ(-E2BIG, call_sized(self, &calls[i], size, data))
				TH_LOG("%s, byte %zu", calls[i].name, size - 1);
			EXPECT_EQ(0, memcmp(end - size, data, size));
			data[calls[i].size] = 0x80;
			EXPECT_EQ(-E2BIG, call_sized(self, &calls[i], size, data))
				TH_LOG("%s, byte %zu", calls[i].name, calls[i].size);
		}
	}

	/* No job, no cancel, no seal, and the queues are still there. */
	EXPECT_EQ(-EINVAL, queue_status(&self->queue, 1, &status));
	EXPECT_EQ(0, queue_destroy(&self->doomed));
	ASSERT_EQ(0, bo_info(self->fd, self->code.bo.handle, &info));
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(0, queue_submit(&self->queue, &self->code.pass, 1, &point));
	EXPECT_EQ(1, point);
	ASSERT_EQ(0, queue_wait(&self->queue, point, &status));
	EXPECT_EQ(0, status.error);
}

/*
 * Every shorter length does what the whole structure with zeros in the rest does, and no byte
 * beyond it is read (it ends at a hole) or written.
 */
TEST_F(ioctl, shorter)
{
	__u8 data[ROOM], zeros[ROOM];
	size_t i, n;

	make_samples(self);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		const struct call *call = &calls[i];

		for (n = 0; n < call->size; n++) {
			int whole, part;

			memset(zeros, 0, sizeof(zeros));
			memcpy(zeros, call->sample, n);
			whole = call_sized(self, call, call->size, zeros);
			ASSERT_EQ(0, clean_up(self, call, call->size));

			memset(data, GUARD, sizeof(data));
			memcpy(data, call->sample, n);
			memset(self->page, GUARD, ROOM);
			part = call_sized(self, call, n, data);
			EXPECT_EQ(whole, part)
				TH_LOG("%s of %zu bytes", call->name, n);
			EXPECT_EQ(ROOM - n, value_match(self->page, ROOM - n, GUARD));
			ASSERT_EQ(0, clean_up(self, call, n));
		}
	}
}

/* Cut before any field that matters, they all say what a zero there says. */
TEST_F(ioctl, empty)
{
	static const struct {
		unsigned int request;
		int error;
	} want[] = {
		{ DRM_IOCTL_NNLOOP_QUERY, 0 },
		{ DRM_IOCTL_NNLOOP_BO_CREATE, -EINVAL },
		{ DRM_IOCTL_NNLOOP_BO_INFO, -ENOENT },
		{ DRM_IOCTL_NNLOOP_BO_SEAL, -ENOENT },
		{ DRM_IOCTL_NNLOOP_BO_SET_NAME, -ENOENT },
		{ DRM_IOCTL_NNLOOP_QUEUE_CREATE, 0 },
		{ DRM_IOCTL_NNLOOP_QUEUE_DESTROY, -ENOENT },
		{ DRM_IOCTL_NNLOOP_STATUS, -ENOENT },
		{ DRM_IOCTL_NNLOOP_CANCEL, -ENOENT },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		EXPECT_EQ(want[i].error, device_ioctl(self->fd, resized(want[i].request, 0), NULL))
			TH_LOG("call %#x", want[i].request);
	/* A queue or a buffer of nothing: either is a wrong argument. */
	EXPECT_GT(0, device_ioctl(self->fd, resized(DRM_IOCTL_NNLOOP_SUBMIT, 0), NULL));
	EXPECT_GT(0, device_ioctl(self->fd, resized(DRM_IOCTL_NNLOOP_BO_BEGIN_CPU, 0), NULL));
}

TEST_F(ioctl, unreadable_structure)
{
	size_t i;

	make_samples(self);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		/* Wholly, and but for its first byte. */
		EXPECT_EQ(-EFAULT, device_ioctl(self->fd, calls[i].request, NULL))
			TH_LOG("%s", calls[i].name);
		EXPECT_EQ(-EFAULT, device_ioctl(self->fd, calls[i].request,
						self->page + ROOM - 1))
			TH_LOG("%s", calls[i].name);
		EXPECT_EQ(-EFAULT, device_ioctl(self->fd, calls[i].request,
						(void *)-4096l))
			TH_LOG("%s", calls[i].name);
	}
}

/*
 * Calls of the DRM core: those that render nodes have, and no others. On accel nodes the core would
 * take them all, GET_UNIQUE and GET_MAGIC with a NULL pointer.
 */
TEST_F(ioctl, core)
{
	static const __u8 render[] = {
		0x00, /* VERSION */		0x09, /* GEM_CLOSE */	0x0c, /* GET_CAP */
		0x2d, 0x2e, /* PRIME */		0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5,
		0xca, 0xcb, 0xcc, 0xcd, 0xcf, /* SYNCOBJ */		0xd1, /* SET_CLIENT_NAME */
	};
	__u8 data[256];
	unsigned int nr;
	int ret;

	for (nr = 0; nr < 256; nr++) {
		if (nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END)
			continue;
		memset(data, 0, sizeof(data));
		ret = device_ioctl(self->fd, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, nr, 64),
				   data);
		EXPECT_EQ(!memchr(render, nr, sizeof(render)), ret == -EACCES)
			TH_LOG("number %#x: %d", nr, ret);
	}
}

/* Numbers that no call has, of any direction and size; other drivers' and other devices' calls. */
TEST_F(ioctl, unknown)
{
	static const unsigned int direction[] = {
		_IOC_NONE, _IOC_READ, _IOC_WRITE, _IOC_READ | _IOC_WRITE,
	};
	__u8 data[256] = { 0 };
	unsigned int nr, d;

	/* Room for the calls of later versions. */
	for (nr = DRM_COMMAND_BASE + 0x20; nr < DRM_COMMAND_END; nr++) {
		for (d = 0; d < ARRAY_SIZE(direction); d++)
			EXPECT_EQ(-ENOTTY, device_ioctl(self->fd, _IOC(direction[d], DRM_IOCTL_BASE,
								       nr, 16), data))
				TH_LOG("number %#x", nr);
	}
	EXPECT_EQ(-ENOTTY, device_ioctl(self->fd, _IOWR('t', DRM_COMMAND_BASE, __u64), data));
	EXPECT_EQ(-ENOTTY, device_ioctl(self->fd, 0x5401 /* TCGETS */, data));
	for (nr = 0; nr < 256; nr++)
		EXPECT_EQ(-ENOTTY, device_ioctl(self->fd, _IO('V', nr), data))
			TH_LOG("number %#x", nr);
}

TEST_HARNESS_MAIN
