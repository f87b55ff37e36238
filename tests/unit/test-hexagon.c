// SPDX-License-Identifier: MIT
/*
 * The library's side of /dev/nnloop, against a driver made for this test: it takes the place of
 * libdrm's functions, keeps buffers in a memfd, checks that what it is told makes sense, runs
 * passes with the interpreter and can fail in every way that the uapi knows. It counts the calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "drm/nnloop_accel.h"
#include "dsp/program/interpreter.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define WINDOW_BASE	0x80000000ull
#define MEMORY		(64u << 20)
#define PAGE		4096u
#define MAX_BOS		512
#define MAX_QUEUES	64

struct bo {
	bool open, sealed;
	uint32_t flags;
	int exported;			/* as this descriptor; 0: not */
	uint64_t size, offset, iova;
	uint32_t access;		/* of the processor, between BEGIN_CPU and END_CPU */
	uint64_t sum;			/* of its bytes when that began */
};

static struct {
	/* Orders to the driver that this stands for; cleared by reset(). */
	int create_fails_at;		/* BO_CREATE number that fails, from 1 */
	int submit_error;
	unsigned int submit_fails_at;	/* that one and all behind it */
	bool fail_twice;		/* also the first pass of the next job */
	uint32_t max_passes;
	int fail_error;			/* of the pass fail_pass, counted over all submits from 0 */
	uint32_t fail_pass, fail_reason;
	int slow_waits;			/* waits that time out first; -1: until cancelled */
	int version_major, version_minor;
	const char *driver;
	uint32_t firmware, max_args, workers;
	unsigned int most_queues;	/* further ones are refused */
	int query_error, queue_error, seal_error, wait_error, status_error, info_error;
	int import_error, export_error;
	uint64_t more_offset;		/* of each mapping */
	uint32_t fault_access;

	/* The calls that the fake driver got. */
	struct bo bos[MAX_BOS];		/* by handle */
	uint32_t bo_count;
	uint64_t used;
	unsigned int creates, seals, submits, passes, cancels, waits, statuses;
	unsigned int queues_made, queues_gone, syncobjs_gone;
	/* By queue. */
	struct queue {
		bool lost, cancelled;
		uint64_t point;
		unsigned int submits, passes;
		struct drm_nnloop_status status;
	} queues[MAX_QUEUES];
	uint64_t window_size;
	unsigned int idle;		/* workers that a job can have beside its first */
	uint32_t asked, got;		/* workers of the last job */
	bool nonsense;			/* a call that no driver would accept */
} fake;

static int fd;
static uint8_t *memory;
static char path[64];

static void reset(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.max_passes = 4096;
	fake.version_major = 1;
	fake.driver = "nnloop";
	fake.firmware = 1 << 16 | 9;
	fake.max_args = DRM_NNLOOP_MAX_ARGS;
	fake.workers = 1;
	fake.window_size = MEMORY;
	fake.most_queues = MAX_QUEUES - 1;
	fake.fault_access = DRM_NNLOOP_ACCESS_READ;
	memset(memory, 0, MEMORY);
}

static unsigned int open_bos(void)
{
	unsigned int i, count = 0;

	for (i = 0; i < MAX_BOS; i++)
		count += fake.bos[i].open;
	return count;
}

/* ---- The clock: a wait takes 20 ms, and this begins just before a second is full ---- */

#define TICK_NS		20000000
#define BEGIN_NS	41999990000ull

static uint64_t clock_ns = BEGIN_NS;

int clock_gettime(clockid_t id, struct timespec *now)
{
	(void)id;
	now->tv_sec = (time_t)(clock_ns / 1000000000);
	now->tv_nsec = (long)(clock_ns % 1000000000);
	return 0;
}

/* ---- The driver ---- */

static int bo_create(struct drm_nnloop_bo_create *create)
{
	struct bo *bo = &fake.bos[fake.bo_count + 1];
	uint64_t size = (create->size + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (!create->size || (create->flags && (create->flags != DRM_NNLOOP_BO_DSP_READ_ONLY || !fake.version_minor)))
		fake.nonsense = true;
	if ((int)++fake.creates == fake.create_fails_at || fake.bo_count + 1 == MAX_BOS ||
	    fake.used + size > MEMORY)
		return ENOSPC;
	*bo = (struct bo){
		.open = true, .size = size, .offset = fake.used, .iova = WINDOW_BASE + fake.used,
		.flags = create->flags,
	};
	/* A page of nothing behind each. */
	fake.used += size + PAGE;
	create->size = size;
	create->handle = ++fake.bo_count;
	create->iova = bo->iova;
	create->mmap_offset = bo->offset + fake.more_offset;
	return 0;
}

static struct bo *find_bo(uint64_t address, uint64_t size)
{
	unsigned int i;

	for (i = 1; i < MAX_BOS; i++)
		if (fake.bos[i].open && address >= fake.bos[i].iova && size <= fake.bos[i].size &&
		    address - fake.bos[i].iova <= fake.bos[i].size - size)
			return &fake.bos[i];
	return NULL;
}

static uint64_t sum_bytes(const struct bo *bo)
{
	uint64_t sum = 0, i;

	for (i = bo->offset; i < bo->offset + bo->size; i++)
		sum = sum * 31 + memory[i];
	return sum;
}

/*
 * The processor's turn begins and ends with the same words, and who only said to read has not
 * written.
 */
static void cpu_access(const struct drm_nnloop_bo_cpu_access *access, bool begins)
{
	struct bo *bo = &fake.bos[access->handle];

	if (!access->handle || !bo->open || !access->access || bo->access != (begins ? 0 : access->access))
		fake.nonsense = true;
	if (begins)
		bo->sum = sum_bytes(bo);
	else if (!(access->access & DRM_NNLOOP_ACCESS_WRITE) && bo->sum != sum_bytes(bo))
		fake.nonsense = true;
	bo->access = begins ? access->access : 0;
}

/* One pass, as the firmware runs it: programs come from sealed memory, regions lie in buffers. */
static int run_pass(const struct drm_nnloop_pass *pass, struct drm_nnloop_status *status)
{
	static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));
	const struct drm_nnloop_pass copy = *pass;
	struct bo *bo = find_bo(copy.program, copy.program_size);
	const struct nn_program *program = (void *)(memory + copy.program - WINDOW_BASE);
	const struct nn_program_region *regions = (void *)(program + 1);
	struct nn_memory map[16];
	struct nn_failure failure;
	struct nn_run run = {
		.arg = copy.args,
		.scratch = scratch,
		.scratch_size = sizeof(scratch),
	};
	uint32_t i, flags = NN_PASS_CONSTANT;
	void *room;
	int ret;

	if (copy.args[NN_ARG_PROFILE])
		flags |= NN_PASS_MEMORY;
	if (!bo || !bo->sealed || copy.program % 8 || copy.arg_count != NN_ARG_COUNT ||
	    copy.args[NN_ARG_FLAGS] != flags) {
		fake.nonsense = true;
		return EFAULT;
	}
	if (nn_program_check(program, copy.program_size, &failure)) {
		status->fail_op = failure.op;
		status->fail_reason = failure.reason;
		return EINVAL;
	}
	for (i = 0; i < program->region_count; i++) {
		bo = find_bo(regions[i].base, regions[i].size);
		if (!bo || (bo->sealed && (regions[i].flags & NN_REGION_WRITABLE))) {
			fake.nonsense = true;
			return EFAULT;
		}
		map[i] = (struct nn_memory){ memory + (regions[i].base - WINDOW_BASE),
					     regions[i].size, !bo->sealed };
	}
	room = malloc(nn_program_prepared_size(program));
	run.prepared = nn_program_prepare(program, map, room, &failure);
	ret = run.prepared ? nn_program_run(&run, &failure) : -1;
	free(room);
	if (ret)
		return EINVAL;
	if (copy.args[NN_ARG_PROFILE]) {
		struct nn_profile_record *records =
			(void *)(memory + copy.args[NN_ARG_PROFILE] - WINDOW_BASE);

		const uint32_t count = program->op_count + 1;
		const uint32_t bytes = count * (sizeof(*records) + sizeof(struct nn_memory_record));

		/*
		 * There has to be room for all that may be, also where an earlier firmware has
		 * none.
		 */
		if (!find_bo(copy.args[NN_ARG_PROFILE], (fake.asked ? fake.asked : 1) * bytes))
			fake.nonsense = true;
		for (uint32_t k = 0; k < fake.got; k++, records = (void *)((uint8_t *)records + bytes)) {
			struct nn_memory_record *memory_records = (void *)(records + count);

			for (i = 0; i < count; i++) {
				records[i].packets += 1000 + i + (i ? 0 : 1000 * k);
				records[i].calls++;
				if (flags & NN_PASS_MEMORY)
					memory_records[i] = (struct nn_memory_record){ 4096, 10 + i, 20 + i, 30 + i };
			}
			/* The second worker has most to do in the first operator. */
			if (k == 1)
				records[1].packets += 500;
		}
	}
	return 0;
}

static int submit(struct drm_nnloop_submit *job)
{
	const struct drm_nnloop_pass *passes = (void *)(uintptr_t)job->passes;
	struct queue *queue = &fake.queues[job->queue];
	struct drm_nnloop_status *status = &queue->status;
	uint32_t i;

	fake.submits++;
	if (!job->pass_count || job->pass_count > fake.max_passes ||
	    job->pass_stride != sizeof(*passes) || job->flags || job->pad ||
	    job->workers > (fake.version_minor < 2 ? 0 : fake.workers))
		fake.nonsense = true;
	fake.asked = job->workers;
	fake.got = job->workers > 1 + fake.idle ? 1 + fake.idle : job->workers ? job->workers : 1;
	if (fake.submit_error && fake.submits >= fake.submit_fails_at)
		return fake.submit_error;
	if (queue->lost)
		return ECANCELED;
	queue->cancelled = false;
	queue->submits++;
	*status = (struct drm_nnloop_status){ .state = DRM_NNLOOP_JOB_ENDED, .fail_op = ~0u };
	for (i = 0; i < job->pass_count && !status->error; i++) {
		if (fake.fail_error && fake.passes == fake.fail_pass) {
			status->error = -fake.fail_error;
			status->fail_op = 0;
			status->fail_reason = fake.fail_reason;
			status->fault_address = 0x9000 + fake.passes;
			status->fault_access = fake.fault_access;
			queue->lost = fake.fail_error != ECANCELED;
			if (!fake.fail_twice)
				fake.fail_error = 0;
			fake.fail_twice = false;
			break;
		}
		status->error = -run_pass(&passes[i], status);
		fake.passes++;
		queue->passes++;
		status->passes_done += !status->error;
	}
	job->point = ++queue->point;
	return 0;
}

static int get_status(struct drm_nnloop_status *status)
{
	const struct queue *queue = &fake.queues[status->queue];

	if (!status->point || status->point != queue->point)
		fake.nonsense = true;
	*status = queue->status;
	return 0;
}

static int call(unsigned long request, void *argument)
{
	switch (request) {
	case DRM_IOCTL_NNLOOP_QUERY: {
		struct drm_nnloop_query *query = argument;
		struct drm_nnloop_device_info *info = (void *)(uintptr_t)query->pointer;

		*info = (struct drm_nnloop_device_info){
			.firmware_version = fake.firmware,
			.worker_count = fake.workers,
			.max_passes = fake.max_passes,
			.window_size = fake.window_size,
			.max_args = fake.max_args,
		};
		return fake.query_error;
	}
	case DRM_IOCTL_NNLOOP_BO_CREATE:
		return bo_create(argument);
	case DRM_IOCTL_NNLOOP_BO_SEAL: {
		struct drm_nnloop_bo_seal *seal = argument;

		fake.seals++;
		/* A driver that knows the flag is told that it will be sealed. */
		if (fake.version_minor && !fake.bos[seal->handle].flags)
			fake.nonsense = true;
		fake.bos[seal->handle].sealed = true;
		return fake.seal_error;
	}
	case DRM_IOCTL_NNLOOP_BO_INFO: {
		struct drm_nnloop_bo_info *info = argument;
		const struct bo *bo = &fake.bos[info->handle];

		if (!bo->open)
			fake.nonsense = true;
		info->size = bo->size;
		info->iova = bo->iova;
		info->flags = bo->flags;
		return fake.info_error;
	}
	case DRM_IOCTL_NNLOOP_BO_BEGIN_CPU:
	case DRM_IOCTL_NNLOOP_BO_END_CPU:
		cpu_access(argument, request == DRM_IOCTL_NNLOOP_BO_BEGIN_CPU);
		return 0;
	case DRM_IOCTL_NNLOOP_QUEUE_CREATE: {
		struct drm_nnloop_queue_create *queue = argument;

		if (fake.queue_error)
			return fake.queue_error;
		if (fake.queues_made - fake.queues_gone >= fake.most_queues)
			return EBUSY;
		queue->queue = queue->syncobj = ++fake.queues_made;
		return 0;
	}
	case DRM_IOCTL_NNLOOP_QUEUE_DESTROY:
		fake.queues_gone++;
		return 0;
	case DRM_IOCTL_NNLOOP_SUBMIT:
		return submit(argument);
	case DRM_IOCTL_NNLOOP_STATUS:
		fake.statuses++;
		if (fake.status_error)
			return fake.status_error;
		return get_status(argument);
	case DRM_IOCTL_NNLOOP_CANCEL: {
		struct queue *queue = &fake.queues[((struct drm_nnloop_cancel *)argument)->queue];

		fake.cancels++;
		queue->cancelled = true;
		queue->status.error = -ECANCELED;
		return 0;
	}
	}
	fake.nonsense = true;
	return ENOTTY;
}

/* ---- What takes the place of libdrm */

int drmIoctl(int device, unsigned long request, void *argument)
{
	(void)device;
	errno = call(request, argument);
	return errno ? -1 : 0;
}

drmVersionPtr drmGetVersion(int device)
{
	static char name[16];
	drmVersionPtr version = calloc(1, sizeof(*version));

	(void)device;
	if (!fake.driver) {
		free(version);
		return NULL;
	}
	snprintf(name, sizeof(name), "%s", fake.driver);
	version->version_major = fake.version_major;
	version->version_minor = fake.version_minor;
	version->name = *name ? name : NULL;
	return version;
}

void drmFreeVersion(drmVersionPtr version)
{
	free(version);
}

int drmCloseBufferHandle(int device, uint32_t handle)
{
	(void)device;
	if (!fake.bos[handle].open)
		fake.nonsense = true;
	fake.bos[handle].open = false;
	return 0;
}

/* A dma-buf is the memory from the buffer on, so that only the first buffer can be one. */
int drmPrimeHandleToFD(int device, uint32_t handle, uint32_t flags, int *result)
{
	struct bo *bo = &fake.bos[handle];

	(void)device;
	if (!bo->open || bo->offset || flags != (DRM_CLOEXEC | DRM_RDWR))
		fake.nonsense = true;
	errno = fake.export_error;
	if (errno)
		return -1;
	*result = bo->exported = dup(fd);
	return 0;
}

int drmPrimeFDToHandle(int device, int buffer, uint32_t *handle)
{
	unsigned int i;

	(void)device;
	errno = fake.import_error;
	if (errno)
		return -1;
	for (i = 1; i < MAX_BOS; i++) {
		if (!fake.bos[i].exported || fake.bos[i].exported != buffer)
			continue;
		fake.bos[i].open = true;
		*handle = i;
		return 0;
	}
	errno = EINVAL;
	return -1;
}

int drmSyncobjTimelineWait(int device, uint32_t *handles, uint64_t *points, unsigned int count,
			   int64_t timeout, unsigned int flags, uint32_t *first)
{
	bool cancelled = true;

	(void)device;
	(void)first;
	fake.waits++;
	/* For all jobs, the last ones of their queues. */
	for (unsigned int i = 0; i < count; i++) {
		if (points[i] != fake.queues[handles[i]].point)
			fake.nonsense = true;
		cancelled = cancelled && fake.queues[handles[i]].cancelled;
	}
	/* It waits for 10 ms, which are 20 on a busy computer. */
	if (!count || flags != DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL || timeout != (int64_t)clock_ns + TICK_NS / 2)
		fake.nonsense = true;
	clock_ns += TICK_NS;
	if (fake.wait_error)
		return -fake.wait_error;
	if (fake.slow_waits < 0 ? !cancelled : fake.slow_waits && fake.slow_waits--)
		return -ETIME;
	return 0;
}

int drmSyncobjDestroy(int device, uint32_t handle)
{
	(void)device;
	(void)handle;
	fake.syncobjs_gone++;
	return 0;
}

/* ---- Tests ---- */

static struct nn_device *device;

#define LOOP \
	"1 Input shape=0,4 type=int8 scale=0.5\n" \
	"2 BatchLoop 1:0 step=8\n" \
	"3 Relu 2:0\n" \
	"4 OUTPUT 3:0\n"

static struct nn_graph *prepare_graph(const char *text, struct nn_device *where, uint32_t flags)
{
	struct nn_prepare_options options = { .flags = flags };
	struct nn_graph *graph = new_graph();

	import_text(graph, text);
	if (where && !CHECK(!nn_graph_prepare(graph, where, &options)))
		printf("# %s\n", nn_graph_error(graph)->text);
	return graph;
}

static int execute(struct nn_graph *graph, uint32_t rows, int8_t *out)
{
	static int8_t in[4 * 256];
	struct nn_buffer input = { .data = in, .size = sizeof(in), .rows = rows };
	struct nn_buffer output = { .data = out, .size = 4 * 256 };
	unsigned int i;
	int err;

	for (i = 0; i < sizeof(in); i++)
		in[i] = (int8_t)(i * 7);
	err = nn_graph_execute(graph, &input, 1, &output, 1);
	return err ? err : (int)output.rows;
}

static bool is_right(const int8_t *out, uint32_t rows)
{
	uint32_t i;

	for (i = 0; i < 4 * rows; i++)
		if (out[i] != ((int8_t)(i * 7) > 0 ? (int8_t)(i * 7) : 0))
			return false;
	return true;
}

static void begin(void)
{
	struct nn_error error;

	reset();
	if (!CHECK(!nn_device_open(path, &device, &error))) {
		printf("# %s\n", error.text);
		exit(1);
	}
}

static void end(struct nn_graph *graph)
{
	nn_graph_destroy(graph);
	nn_device_close(device);
	CHECK(!open_bos());
	CHECK(fake.queues_made == fake.queues_gone && fake.queues_made == fake.syncobjs_gone);
	CHECK(!fake.nonsense);
}

static void test_one_submission(void)
{
	struct nn_execution_stats stats;
	struct nn_graph *graph;
	unsigned int creates;
	int8_t out[4 * 256];

	begin();
	graph = prepare_graph(LOOP, device, 0);
	CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
	CHECK(fake.submits == 1 && fake.passes == 27 && fake.statuses >= 1);
	CHECK(!nn_graph_get_stats(graph, &stats) && stats.submissions == 1 && stats.passes == 27 &&
	      stats.pushes == 27);
	/* Again: nothing is made anew. */
	creates = fake.creates;
	CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
	CHECK(fake.submits == 2 && fake.creates == creates);
	end(graph);
}

static void test_nest(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin();
	graph = prepare_graph(
		"1 Input shape=0,4 type=int8 scale=0.5\n2 BatchLoop 1:0 step=9\n3 BatchLoop 2:0 step=2\n"
		"4 BatchLoop 3:0 step=1\n5 Relu 4:0\n6 OUTPUT 5:0\n",
		device, 0);
	CHECK(execute(graph, 100, out) == 100 && is_right(out, 100));
	CHECK(fake.submits == 1 && fake.passes == 100);
	end(graph);
}

/* Partitions with a program each: they lie one behind the other. */
static void test_programs(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin();
	graph = prepare_graph("1 Input shape=0,4 type=int8 scale=0.5\n2 Clamp 1:0 max=70\n3 BatchLoop 2:0 step=8\n4 Relu 3:0\n"
			      "5 BatchLoop 4:0 step=4\n6 Clamp 5:0 min=-1\n7 OUTPUT 6:0\n", device, 0);
	CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
	end(graph);
}

static void test_cap(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	reset();
	fake.max_passes = 10;
	CHECK(!nn_device_open(path, &device, NULL));
	graph = prepare_graph(LOOP, device, 0);
	CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
	CHECK(fake.submits == 3 && fake.passes == 27);
	end(graph);
}

static void test_other_rows(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];
	unsigned int seals;

	begin();
	graph = prepare_graph(LOOP, device, 0);
	CHECK(execute(graph, 211, out) == 211);
	seals = fake.seals;
	CHECK(execute(graph, 5, out) == 5 && is_right(out, 5));
	/* A new program, but not new constants. */
	CHECK(fake.seals == seals + 1);
	CHECK(execute(graph, 0, out) == 0);
	CHECK(execute(graph, 256, out) == 256 && is_right(out, 256));
	end(graph);
}

static void check_failure(int error, uint32_t reason, uint32_t node, const char *word)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin();
	graph = prepare_graph(LOOP, device, 0);
	fake.fail_error = error;
	fake.fail_pass = 4;
	fake.fail_reason = reason;
	CHECK(execute(graph, 211, out) == -error);
	CHECK(nn_graph_error(graph)->node == node);
	if (!CHECK(strstr(nn_graph_error(graph)->text, word)))
		printf("# %s\n", nn_graph_error(graph)->text);
	/* The next execution gets a new queue and is right. */
	CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
	CHECK(fake.queues_made == 2);
	end(graph);
}

static void test_failures(void)
{
	check_failure(EFAULT, 0, 3, "read of 0x9004");
	check_failure(EXDEV, 0, 3, "the device failed in pass 5: Invalid cross-device link");
	check_failure(ETIMEDOUT, 0, 3, "no progress in pass 5");
	check_failure(EIO, 0, 3, "worker died");
	check_failure(EINVAL, NN_REASON_SHAPE, 3, "shapes");
	check_failure(ECANCELED, 0, 0, "queue was lost");
	check_failure(ENODEV, 0, 0, "gone");
}

/* A call fails with an error; afterwards all is well, with a new queue. */
static void check_call(int *fails, int error, const char *word)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin();
	graph = prepare_graph(LOOP, device, 0);
	CHECK(execute(graph, 8, out) == 8);
	*fails = error;
	CHECK(execute(graph, 8, out) == -error);
	if (!CHECK(strstr(nn_graph_error(graph)->text, word)))
		printf("# %s\n", nn_graph_error(graph)->text);
	*fails = 0;
	CHECK(execute(graph, 8, out) == 8 && is_right(out, 8));
	CHECK(fake.queues_made == 2);
	end(graph);
}

static void test_submit_errors(void)
{
	check_call(&fake.submit_error, ENODEV, "gone");
	check_call(&fake.wait_error, ENODEV, "gone");
	check_call(&fake.status_error, ENODEV, "gone");
	check_call(&fake.status_error, EIO, "the DSP worker died");
}

/* While a graph is prepared, or for the first execution. */
static void check_first(int *fails, int error, const char *word)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];
	int err;

	begin();
	graph = prepare_graph(LOOP, NULL, 0);
	*fails = error;
	err = nn_graph_prepare(graph, device, NULL);
	if (!err)
		err = execute(graph, 8, out);
	if (!CHECK(err == -error) ||
	    !CHECK(strstr(nn_graph_error(graph)->text, word)))
		printf("# %s\n", nn_graph_error(graph)->text);
	*fails = 0;
	CHECK(!nn_graph_prepare(graph, device, NULL) && execute(graph, 8, out) == 8 && is_right(out, 8));
	end(graph);
}

static void test_first_errors(void)
{
	check_first(&fake.queue_error, ENODEV, "the device is gone");
	check_first(&fake.queue_error, EBUSY, "too many graphs");
	check_first(&fake.queue_error, ENOMEM, "cannot make a queue");
	check_first(&fake.seal_error, EBUSY, "cannot seal a buffer");
	begin();
	fake.more_offset = 1;
	{
		struct nn_graph *graph = prepare_graph(LOOP, NULL, 0);

		CHECK(nn_graph_prepare(graph, device, NULL) == -EINVAL);
		CHECK(strstr(nn_graph_error(graph)->text, "cannot map a buffer of "));
		end(graph);
	}
}

/* A driver that is told at once what will be sealed. */
static void test_born_read_only(void)
{
	const char *text = "1 Input shape=0,4 type=int8 scale=1\n2 Const shape=4,4 type=int8 scale=1\n"
			   "3 FullyConnected 1:0 2:0 type=int8 scale=1\n4 OUTPUT 3:0\n";
	struct nn_graph *graph;
	unsigned int minor;
	int8_t out[4 * 256];

	for (minor = 0; minor < 3; minor++) {
		unsigned int i, flagged = 0;

		reset();
		fake.version_minor = (int)minor;
		CHECK(!nn_device_open(path, &device, NULL));
		graph = prepare_graph(text, device, 0);
		CHECK(execute(graph, 8, out) == 8);
		for (i = 1; i < MAX_BOS; i++) {
			CHECK(!minor || fake.bos[i].sealed == (fake.bos[i].flags != 0));
			flagged += fake.bos[i].flags != 0;
		}
		CHECK(fake.seals >= 2 && flagged == (minor ? fake.seals : 0));
		end(graph);
	}
}

static unsigned int asked;

static void count_progress(uint64_t done, uint64_t total, void *opaque)
{
	(void)opaque;
	CHECK(done == 27 && total == 27);
	asked++;
}

/* Every 50 ms, which with waits of 20 is every third. */
static void test_progress(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin();
	graph = prepare_graph(LOOP, device, 0);
	nn_graph_set_progress(graph, count_progress, NULL);
	CHECK(execute(graph, 211, out) == 211);
	fake.slow_waits = 10;
	fake.statuses = 0;
	asked = 0;
	CHECK(execute(graph, 211, out) == 211);
	CHECK(fake.statuses == 3 + 1 && asked == 3 + 1);
	end(graph);
}

static void cancel(uint64_t done, uint64_t total, void *opaque)
{
	(void)done;
	(void)total;
	nn_graph_cancel(opaque);
}

static void test_cancel(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin();
	graph = prepare_graph(LOOP, device, 0);
	fake.slow_waits = -1;
	nn_graph_set_progress(graph, cancel, graph);
	CHECK(execute(graph, 211, out) == -ECANCELED);
	CHECK(strstr(nn_graph_error(graph)->text, "cancelled"));
	CHECK(fake.cancels == 1 && fake.queues_made == 1);
	nn_graph_set_progress(graph, NULL, NULL);
	fake.slow_waits = 3;
	CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
	/* A cancelled queue lives on. */
	CHECK(fake.queues_made == 1);
	end(graph);
}

/* Twice, with a graph in between that fits: what that had is free again. */
static void test_too_large(void)
{
	struct nn_graph *graph;

	begin();
	for (int i = 0; i < 2; i++) {
		unsigned long long size = 0, all = 0, used = 0, missing = 0;
		const uint32_t rows = 40 << 20;
		const struct nn_prepare_options options = { .input_rows = &rows, .input_count = 1 };
		char *said;

		graph = prepare_graph("1 Input shape=0,4 type=int8 scale=0.5\n2 Relu 1:0\n3 Softmax 2:0 type=int8 scale=0.5\n4 OUTPUT 3:0\n",
				   NULL, 0);
		CHECK(nn_graph_prepare(graph, device, &options) == -ENOSPC);
		said = strstr(nn_graph_error(graph)->text, "no memory on the DSP for ");
		if (!CHECK(said && sscanf(said,
					  "no memory on the DSP for %llu bytes: it has %llu in all, and %llu in use, which is %llu too few",
					  &size, &all, &used, &missing) == 4 &&
			   all == MEMORY && size + used == all + missing && used < 1 << 20))
			printf("# %s\n", nn_graph_error(graph)->text);
		nn_graph_destroy(graph);
		graph = prepare_graph(LOOP, device, 0);
		nn_graph_destroy(graph);
	}
	end(NULL);
}

static void test_no_memory(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];
	int i, err, failed = 0;

	for (i = 1; i < 20; i++) {
		begin();
		fake.create_fails_at = i;
		graph = prepare_graph(LOOP, NULL, 0);
		err = nn_graph_prepare(graph, device, NULL);
		if (!err)
			err = execute(graph, 8, out);
		if (err < 0) {
			CHECK(err == -ENOSPC &&
			      strstr(nn_graph_error(graph)->text, "memory on the DSP"));
			failed++;
		} else {
			CHECK(err == 8 && is_right(out, 8));
		}
		end(graph);
	}
	CHECK(failed >= 4 && failed < 15);
}

static unsigned int traced;

/* Whether the counters are what the firmware wrote of operator i - 1. */
static bool is_memory(const struct nn_memory_counters *found, uint32_t i)
{
	return found->size == 4096 && found->fetched == 10 + i && found->allocated == 20 + i &&
	       found->written_back == 30 + i;
}

static void count_trace(const struct nn_pass_record *pass, void *opaque)
{
	(void)opaque;
	CHECK(pass->counters.packets == 1000);
	CHECK(pass->op_count == 1 && pass->ops[0].node == 3 && !strcmp(pass->ops[0].op, "Relu"));
	CHECK(pass->ops[0].counters.packets == 1001 && !pass->ops[0].nanoseconds);
	CHECK(is_memory(&pass->memory, 0) && is_memory(&pass->ops[0].memory, 1));
	CHECK(pass->depth == 1 && pass->counts[0].itercount == traced &&
	      pass->counts[0].prev_batches == 8 * traced);
	/* From submitting to the end of the one wait. */
	CHECK(pass->start_ns == BEGIN_NS && pass->end_ns == BEGIN_NS + TICK_NS);
	CHECK(pass->partition == 1 && pass->submission == 1);
	traced++;
}

static void test_profile(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin();
	graph = prepare_graph(LOOP, device, NN_PREPARE_PROFILE);
	traced = 0;
	clock_ns = BEGIN_NS;
	nn_graph_set_trace(graph, count_trace, NULL);
	CHECK(execute(graph, 211, out) == 211);
	CHECK(traced == 27 && fake.submits == 1);
	end(graph);
}

/* ---- Streams ---- */

static void begin_streams(unsigned int workers)
{
	reset();
	fake.workers = workers;
	if (!CHECK(!nn_device_open(path, &device, NULL)))
		exit(1);
}

static struct nn_graph *prepare_streams(const char *text, uint32_t streams, uint32_t flags)
{
	struct nn_prepare_options options = { .streams = streams, .flags = flags };
	struct nn_graph *graph = new_graph();
	uint32_t rows = 211;

	import_text(graph, text);
	options.input_rows = &rows;
	options.input_count = 1;
	if (!CHECK(!nn_graph_prepare(graph, device, &options)))
		printf("# %s\n", nn_graph_error(graph)->text);
	return graph;
}

static struct nn_plan_info plan_of(const struct nn_graph *graph)
{
	struct nn_plan_info plan = { 0 };

	CHECK(!nn_graph_get_plan(graph, &plan));
	return plan;
}

/* Tests how many passes each worker's queue is given: as many, or one less. */
static void test_streams(void)
{
	static const struct {
		unsigned int workers, wanted, streams, rows;
		unsigned int passes[4];
	} cases[] = {
		{ 2, 0, 2, 211, { 14, 13 } },
		{ 4, 0, 4, 211, { 7, 7, 7, 6 } },
		{ 4, 1, 1, 211, { 27 } },
		{ 1, 0, 1, 211, { 27 } },
		{ 1, 3, 3, 211, { 9, 9, 9 } },
		{ 4, 0, 2, 32, { 2, 2 } },
		{ 4, 4, 4, 32, { 1, 1, 1, 1 } },
		{ 4, 4, 3, 24, { 1, 1, 1 } },
		{ 4, 0, 1, 24, { 3 } },
		{ 4, 4, 1, 5, { 1 } },
		{ 4, 4, 1, 0, { 1 } },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nn_execution_stats stats;
		struct nn_graph *graph;
		struct nn_plan_info plan;
		int8_t out[4 * 256];

		begin_streams(cases[i].workers);
		graph = prepare_streams(LOOP, cases[i].wanted, 0);
		CHECK(execute(graph, cases[i].rows, out) == (int)cases[i].rows && is_right(out, cases[i].rows));
		plan = plan_of(graph);
		CHECK(plan.stream_count == cases[i].streams);
		for (unsigned int k = 0, busy = 0; k < 4; k++) {
			const struct queue *queue = &fake.queues[k + 1];

			busy += cases[i].passes[k] != 0;
			if (!CHECK(queue->passes == cases[i].passes[k] && queue->submits == (cases[i].passes[k] != 0)))
				printf("# case %u, queue %u: %u passes\n", i, k, queue->passes);
			CHECK(k < 3 || fake.submits == busy);
		}
		CHECK(!nn_graph_get_stats(graph, &stats) && stats.submissions == 1 &&
		      stats.passes == (cases[i].rows ? (cases[i].rows + 7) / 8 : 1));
		/* Queues beyond the first are let go of, and had again. */
		CHECK(fake.queues_made - fake.queues_gone == 1);
		CHECK(execute(graph, cases[i].rows, out) == (int)cases[i].rows && is_right(out, cases[i].rows));
		end(graph);
	}
}

/* Where the library chooses, further streams' arenas take an eighth of the memory at most. */
static void test_stream_share(void)
{
	static const char wide[] = "1 Input shape=0,4096 type=int8 scale=0.5\n2 BatchLoop 1:0 step=8\n"
				   "3 Sigmoid 2:0 type=int8 scale=0.5\n4 Softmax 3:0 type=int8 scale=0.5\n5 OUTPUT 4:0\n";
	struct nn_graph *graph;
	uint64_t arena;

	begin_streams(4);
	graph = prepare_streams(wide, 1, 0);
	arena = plan_of(graph).arena_bytes;
	CHECK(arena >= 8 * 4096);
	end(graph);
	for (unsigned int further = 1; further < 5; further++) {
		for (unsigned int less = 0; less < 2; less++) {
			unsigned int streams = further < 4 ? 1 + further - less : 4;

			reset();
			fake.workers = 4;
			fake.window_size = 8 * (further * arena - less);
			CHECK(!nn_device_open(path, &device, NULL));
			graph = prepare_streams(wide, 0, 0);
			if (!CHECK(plan_of(graph).stream_count == streams))
				printf("# %u streams, not %u\n", plan_of(graph).stream_count, streams);
			end(graph);
		}
	}
}

static void test_stream_limits(void)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{ "1 Input shape=0,4 type=int8 scale=1\n2 Relu 1:0\n3 OUTPUT 2:0\n", "no loop" },
		{ "1 Input shape=0,4 type=int8 scale=1\n2 Relu 1:0\n3 BatchLoop 2:0 step=8\n4 Relu6 3:0\n5 OUTPUT 4:0\n",
		  "in front of the loop" },
		{ "1 Input shape=0,4 type=int8 scale=1\n2 BatchLoop 1:0 step=211\n3 Relu 2:0\n4 OUTPUT 3:0\n",
		  "one iteration" },
		{ "1 Input shape=0,4 type=int8 scale=1\n2 Const shape=1,4 type=int8 scale=1\n3 BatchLoop 1:0 step=1\n"
		  "4 Variable 2:0 level=1\n5 Add 3:0 4:0 type=int8 scale=1\n6 Assign 4:0 5:0\n7 OUTPUT 5:0\n",
		  "a Variable" },
	};
	struct nn_prepare_options options = { .streams = NN_MAX_STREAMS + 1 };
	struct nn_graph *graph;

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nn_plan_info plan;
		int8_t out[4 * 256];

		begin_streams(4);
		graph = prepare_streams(cases[i].text, 4, 0);
		plan = plan_of(graph);
		if (!CHECK(plan.stream_count == 1 && plan.max_streams == 1 && plan.single_stream &&
			   strstr(plan.single_stream, cases[i].reason)))
			printf("# case %u: %s\n", i, plan.single_stream ? plan.single_stream : "-");
		CHECK(execute(graph, 211, out) == 211 && fake.submits == 1);
		end(graph);
	}
	begin_streams(4);
	graph = prepare_streams(LOOP, NN_MAX_STREAMS, 0);
	CHECK(plan_of(graph).stream_count == NN_MAX_STREAMS && plan_of(graph).max_streams == NN_MAX_STREAMS);
	CHECK(!plan_of(graph).single_stream && plan_of(graph).stream_bytes);
	CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL);
	CHECK(strstr(nn_graph_error(graph)->text, "17 streams are wanted, and there can be 16"));
	end(graph);
}

/* Nests stay whole, and so does what was cut by a submission's end. */
static void test_stream_nests(void)
{
	static const char nest[] =
		"1 Input shape=0,4 type=int8 scale=0.5\n2 BatchLoop 1:0 step=9\n3 Relu 2:0\n"
		"4 BatchLoop 3:0 step=2\n5 Relu 4:0\n6 OUTPUT 5:0\n";
	unsigned int max;

	for (max = 1; max < 30; max++) {
		struct nn_graph *graph;
		int8_t out[4 * 256];

		begin_streams(3);
		nn_device_close(device);
		fake.max_passes = max;
		CHECK(!nn_device_open(path, &device, NULL));
		graph = prepare_streams(nest, 3, 0);
		CHECK(plan_of(graph).stream_count == 3);
		CHECK(execute(graph, 100, out) == 100 && is_right(out, 100));
		CHECK(fake.passes == 11 * 6 + 2);
		end(graph);
	}
}

/* The job of the lower passes says why, of two that fail; those before it are complete. */
static void test_stream_failures(void)
{
	static const struct {
		unsigned int pass;
		bool again;
		const char *word;
	} cases[] = {
		{ 4, false, "read of 0x9004" },
		{ 20, false, "in pass 21" },
		{ 4, true, "in pass 5" },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nn_graph *graph;
		int8_t out[4 * 256];

		begin_streams(2);
		graph = prepare_streams(LOOP, 2, 0);
		CHECK(execute(graph, 211, out) == 211);
		fake.passes = 0;
		fake.fail_error = EFAULT;
		fake.fail_pass = cases[i].pass;
		fake.fail_twice = cases[i].again;
		memset(out, 0x55, sizeof(out));
		CHECK(execute(graph, 211, out) == -EFAULT);
		if (!CHECK(strstr(nn_graph_error(graph)->text, cases[i].word)))
			printf("# %s\n", nn_graph_error(graph)->text);
		fake.fail_error = 0;
		CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
		end(graph);
	}
}

/* One of several jobs cannot be submitted: what was, is waited for. */
static void test_stream_submit_error(void)
{
	struct nn_execution_stats stats;
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin_streams(3);
	graph = prepare_streams(LOOP, 3, 0);
	fake.submit_error = ENOMEM;
	fake.submit_fails_at = 2;
	CHECK(execute(graph, 211, out) == -ENOMEM && fake.submits == 2 && fake.waits == 1);
	CHECK(strstr(nn_graph_error(graph)->text, "in pass 10"));
	CHECK(!nn_graph_get_stats(graph, &stats) && stats.passes == 9);
	fake.submit_error = 0;
	CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
	end(graph);
}

static void test_stream_cancel(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin_streams(4);
	graph = prepare_streams(LOOP, 4, 0);
	fake.slow_waits = -1;
	nn_graph_set_progress(graph, cancel, graph);
	CHECK(execute(graph, 211, out) == -ECANCELED);
	CHECK(strstr(nn_graph_error(graph)->text, "cancelled after "));
	CHECK(fake.cancels == 4);
	nn_graph_set_progress(graph, NULL, NULL);
	fake.slow_waits = 3;
	CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
	end(graph);
}

/*
 * Memory that only further streams take is never missing, whichever buffer cannot be made, nor are
 * queues.
 */
static void test_stream_memory(void)
{
	unsigned int failed[2] = { 0 }, i, fewer = 0;
	struct nn_graph *graph;
	int8_t out[4 * 256];

	for (unsigned int streams = 1; streams <= 4; streams += 3) {
		for (i = 1; i < 20; i++) {
			int error;

			begin_streams(4);
			fake.create_fails_at = (int)i;
			graph = prepare_graph(LOOP, NULL, 0);
			error = nn_graph_prepare(graph, device, &(struct nn_prepare_options){ .streams = streams });
			if (!error)
				error = execute(graph, 211, out);
			failed[streams > 1] += error < 0;
			CHECK(error < 0 || (error == 211 && is_right(out, 211) && !nn_graph_error(graph)->code));
			if (error > 0) {
				fewer += fake.submits > 0 && fake.submits < streams;
				CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
			}
			end(graph);
		}
	}
	CHECK(failed[1] <= failed[0] && fewer >= 3);
	for (i = 1; i < 5; i++) {
		begin_streams(4);
		fake.most_queues = i;
		graph = prepare_streams(LOOP, 0, 0);
		CHECK(execute(graph, 211, out) == 211 && is_right(out, 211) && fake.submits == i);
		end(graph);
	}
}

/* One loop's, in its order, whatever ran side by side. */
static void test_stream_trace(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	begin_streams(4);
	graph = prepare_streams(LOOP, 4, NN_PREPARE_PROFILE);
	traced = 0;
	clock_ns = BEGIN_NS;
	nn_graph_set_trace(graph, count_trace, NULL);
	CHECK(execute(graph, 211, out) == 211);
	CHECK(traced == 27 && fake.submits == 4);
	nn_graph_set_trace(graph, NULL, NULL);
	nn_graph_set_progress(graph, count_progress, NULL);
	fake.slow_waits = 10;
	asked = 0;
	CHECK(execute(graph, 211, out) == 211 && asked == 4);
	end(graph);
}

/* ---- Workers of a pass ---- */

#define CONVOLUTION	"1 Input shape=1,24,24,64 type=uint8 scale=0.02 zero_point=128\n" \
			"2 Const shape=64,3,3,64 type=int8 scale=0.01 values=3\n" \
			"3 Conv2d 1:0 2:0 type=uint8 scale=0.05 zero_point=128 padding=same\n4 OUTPUT 3:0\n"
#define SHORT		"1 Input shape=1,16 type=int8 scale=0.5\n2 Relu 1:0\n3 OUTPUT 2:0\n"
#define UNDIVIDED	"1 Input shape=1,256 type=int8 scale=0.5\n2 Softmax 1:0 type=int8 scale=0.01\n3 OUTPUT 2:0\n"

static struct nn_graph *prepare_workers(const char *text, const struct nn_prepare_options *options)
{
	struct nn_graph *graph = new_graph();

	import_text(graph, text);
	if (!CHECK(!nn_graph_prepare(graph, device, options)))
		printf("# %s\n", nn_graph_error(graph)->text);
	return graph;
}

static int execute_one(struct nn_graph *graph)
{
	static uint8_t in[24 * 24 * 64], out[24 * 24 * 64];
	struct nn_buffer input = { .data = in, .size = sizeof(in), .rows = 1 };
	struct nn_buffer output = { .data = out, .size = sizeof(out) };

	return nn_graph_execute(graph, &input, 1, &output, 1);
}

/* The driver is asked for as many workers as the plan says. */
static void test_workers(void)
{
	static const struct {
		const char *text;
		unsigned int minor, workers, wanted;
		uint32_t flags, planned, asked;
		const char *why;
	} cases[] = {
		/* A fourth would not be at work for half of the time. */
		{ CONVOLUTION, 2, 4, 0, 0, 3, 3, NULL },
		{ CONVOLUTION, 2, 2, 0, 0, 2, 2, NULL },
		{ CONVOLUTION, 2, 1, 0, 0, 1, 1, "the device has one" },
		{ CONVOLUTION, 2, 4, 1, 0, 1, 1, "no more are wanted" },
		{ CONVOLUTION, 2, 4, 2, 0, 2, 2, NULL },
		{ CONVOLUTION, 2, 2, 16, 0, 2, 2, NULL },
		{ CONVOLUTION, 2, 4, 0, NN_PREPARE_PROFILE, 1, 1, "operators are counted" },
		{ CONVOLUTION, 2, 4, 3, NN_PREPARE_PROFILE, 3, 3, NULL },
		/* A driver that does not know is not told. */
		{ CONVOLUTION, 1, 4, 3, 0, 3, 0, NULL },
		{ CONVOLUTION, 0, 4, 0, NN_PREPARE_PROFILE, 1, 0, "operators are counted" },
		{ SHORT, 2, 4, 0, 0, 1, 1, "more are not worth it" },
		{ SHORT, 2, 4, 4, 0, 4, 4, NULL },
		{ UNDIVIDED, 2, 4, 0, 0, 1, 1, "more are not worth it" },
		{ UNDIVIDED, 2, 4, 4, 0, 1, 1, "no operator can be divided" },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct nn_prepare_options options = {
			.flags = cases[i].flags,
			.workers = cases[i].wanted,
		};
		struct nn_graph *graph;
		struct nn_plan_info plan;

		reset();
		fake.version_minor = (int)cases[i].minor;
		fake.workers = cases[i].workers;
		if (!CHECK(!nn_device_open(path, &device, NULL)))
			return;
		graph = prepare_workers(cases[i].text, &options);
		plan = plan_of(graph);
		if (!CHECK(plan.worker_count == cases[i].planned &&
			   !plan.single_worker == !cases[i].why &&
			   (!cases[i].why || !strcmp(plan.single_worker, cases[i].why))))
			printf("# case %u: %u, %s\n", i, plan.worker_count,
			       plan.single_worker ? plan.single_worker : "");
		CHECK(!execute_one(graph));
		CHECK(fake.submits == 1 && fake.asked == cases[i].asked);
		end(graph);
	}
}

/* Streams have one each; a loop that has none has what its passes are worth. */
static void test_workers_of_loops(void)
{
	struct nn_graph *graph;
	int8_t out[4 * 256];

	for (unsigned int streams = 1; streams <= 4; streams++) {
		const struct nn_prepare_options options = {
			.input_rows = (uint32_t[]){ 211 },
			.input_count = 1,
			.streams = streams,
			.workers = 3,
		};

		begin_streams(4);
		fake.version_minor = 2;
		nn_device_close(device);
		if (!CHECK(!nn_device_open(path, &device, NULL)))
			return;
		graph = prepare_workers(LOOP, &options);
		CHECK(plan_of(graph).worker_count == (streams > 1 ? 1 : 3));
		CHECK(execute(graph, 211, out) == 211 && is_right(out, 211));
		CHECK(fake.submits == streams && fake.asked == (streams > 1 ? 1 : 3));
		/* For other rows it is planned anew, with the same wish. */
		CHECK(execute(graph, 8, out) == 8 && fake.asked == 3);
		end(graph);
	}
}

static unsigned int idle_wanted;

/*
 * Each worker has counted 1000 * (its number + 1) for the pass, and 1001 for the operator; the
 * second 500 more.
 */
static void check_workers(const struct nn_pass_record *pass, void *opaque)
{
	/* Around the operator. Alone that is less than nothing here. */
	static const uint64_t around[] = { 0, 2000 - 1501, 3000 - 1001, 4000 - 1001 };
	const unsigned int got = 1 + idle_wanted, more = got > 1 ? 500 : 0;

	(void)opaque;
	CHECK(pass->workers == got && pass->op_count == 1);
	CHECK(pass->counters.packets == 500 * (uint64_t)got * (got + 1));
	CHECK(pass->ops[0].counters.packets == 1001 * (uint64_t)got + more);
	CHECK(pass->ops[0].longest == 1001 + more);
	CHECK(pass->longest == 1001 + more + around[idle_wanted]);
	CHECK(pass->memory.size == 4096 && pass->memory.fetched == 10 * (uint64_t)got);
	CHECK(pass->ops[0].memory.written_back == 31 * (uint64_t)got);
	traced++;
}

/* However many took part, of those that there was room for. */
static void test_workers_counted(void)
{
	const struct nn_prepare_options options = {
		.flags = NN_PREPARE_PROFILE,
		.workers = 4,
	};
	struct nn_graph *graph;

	for (idle_wanted = 0; idle_wanted < 4; idle_wanted++) {
		reset();
		fake.version_minor = 2;
		fake.workers = 4;
		fake.idle = idle_wanted;
		if (!CHECK(!nn_device_open(path, &device, NULL)))
			return;
		graph = prepare_workers(CONVOLUTION, &options);
		nn_graph_set_trace(graph, check_workers, NULL);
		traced = 0;
		CHECK(!execute_one(graph) && traced == 1);
		end(graph);
	}
}

static void test_too_many_workers(void)
{
	const struct nn_prepare_options options = { .workers = 17 };
	struct nn_graph *graph = new_graph();

	begin();
	import_text(graph, SHORT);
	CHECK(nn_graph_prepare(graph, device, &options) == -EINVAL);
	CHECK(!strcmp(nn_graph_error(graph)->text, "17 workers are wanted, and there can be 16"));
	end(graph);
}

static void test_shared_device(void)
{
	struct nn_graph *a, *b;
	int8_t out[4 * 256];

	begin();
	a = prepare_graph(LOOP, device, 0);
	b = prepare_graph(LOOP, device, 0);
	CHECK(execute(a, 20, out) == 20 && is_right(out, 20));
	CHECK(execute(b, 30, out) == 30 && is_right(out, 30));
	CHECK(fake.queues_made == 2);
	nn_graph_destroy(a);
	/* Closed, but alive as long as a graph is prepared for it. */
	nn_device_close(device);
	CHECK(execute(b, 30, out) == 30 && is_right(out, 30));
	nn_graph_destroy(b);
	CHECK(!open_bos() && !fake.nonsense);
}

/* No name is hexagon, which may be there. */
static void check_default(void)
{
	struct nn_device *devices[2];
	struct nn_error errors[2];

	CHECK(nn_device_open(NULL, &devices[0], &errors[0]) == nn_device_open("hexagon", &devices[1], &errors[1]));
	CHECK(!devices[0] == !devices[1] && !strcmp(errors[0].text, errors[1].text));
	nn_device_close(devices[0]);
	nn_device_close(devices[1]);
}

static void check_open(const char *name, int code, const char *word)
{
	struct nn_error error;

	CHECK(nn_device_open(name, &device, &error) == code);
	CHECK(!device && error.code == code);
	if (!CHECK(strstr(error.text, word)))
		printf("# %s\n", error.text);
	/* A call that succeeds leaves nothing of it. */
	CHECK(!nn_device_open("host", &device, &error) && !error.code && !*error.text);
	nn_device_close(device);
}

/* One row after another, or every third only: the third pass is the last. */
static uint32_t stride;

static int stride_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	(void)graph;
	(void)opaque;
	return nn_node_set_output_view(self, 0, 0) || nn_node_set_max_rows(self, 1) ? -EINVAL : 0;
}

static int stride_loopend(struct nn_graph *nn, struct nn_node *node, struct nn_loopcounts *counts,
			  void *opaque)
{
	(void)nn;
	(void)node;
	(void)opaque;
	counts->prev_batches += stride;
	return ++counts->itercount < 3;
}

static int stride_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	(void)opaque;
	return nn_loopstack_push_withfunc(graph, self, 1, 100, stride_loopend, NULL);
}

static void test_skipped_rows(void)
{
	static const struct nn_node_ops ops = {
		.name = "Stride",
		.flags = NN_NODE_FLAG_LCN,
		.check = stride_check,
		.execute = stride_execute,
	};
	const char *text = "1 Input shape=0,4 type=int8 scale=0.5\n2 Stride 1:0\n3 Relu 2:0\n"
			   "4 OUTPUT 3:0\n";
	int8_t out[4 * 256];
	struct nn_graph *graph;
	unsigned int i;

	begin();
	CHECK(!nn_graph_create(&graph));
	CHECK(!nn_graph_register_op(graph, &ops, NULL));
	import_text(graph, text);
	CHECK(!nn_graph_prepare(graph, device, NULL));
	/* The device's buffer then has something where rows are to be skipped. */
	stride = 1;
	CHECK(execute(graph, 7, out) == 3 && is_right(out, 3));
	stride = 3;
	CHECK(execute(graph, 7, out) == 7);
	for (i = 0; i < 4 * 7; i++)
		CHECK(out[i] == (i / 4 % 3 || (int8_t)(i * 7) < 0 ? 0 : (int8_t)(i * 7)));
	end(graph);
}

/* ---- Buffers of others */

#define COPY "1 Input shape=0,128\n2 BatchLoop 1:0 step=2\n3 OUTPUT 2:0\n"
#define BUFFER_SIZE 16384

static int make_dmabuf(void)
{
	struct nn_error error;
	int buffer;

	begin();
	CHECK(!nn_device_create_dmabuf(device, BUFFER_SIZE, &buffer, &error));
	/* The descriptor keeps it. */
	CHECK(!open_bos() && buffer >= 0);
	return buffer;
}

/* Input and output are the same buffer, which is imported once and let go once. */
static void test_dmabuf(void)
{
	int buffer = make_dmabuf();
	struct nn_graph *graph = prepare_graph(COPY, device, 0);
	struct nn_buffer in = { .flags = NN_BUFFER_DMABUF, .fd = buffer, .offset = 128, .size = 384, .rows = 3 };
	struct nn_buffer out = { .flags = NN_BUFFER_DMABUF, .fd = buffer, .offset = BUFFER_SIZE - 384, .size = 384 };
	unsigned int i;

	for (i = 0; i < 384; i++)
		memory[128 + i] = (uint8_t)(i * 3 + 1);
	if (!CHECK(!nn_graph_execute(graph, &in, 1, &out, 1)))
		printf("# %s\n", nn_graph_error(graph)->text);
	CHECK(out.rows == 3 && !memcmp(memory + 128, memory + BUFFER_SIZE - 384, 384));
	CHECK(!memory[BUFFER_SIZE - 385]);

	out.offset = BUFFER_SIZE - 256;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL);
	CHECK(strstr(nn_graph_error(graph)->text, "too small: 384 bytes from 16128 on"));
	out.offset = BUFFER_SIZE + 128;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EINVAL);
	out.offset = 512;
	fake.info_error = EPERM;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EPERM);
	CHECK(strstr(nn_graph_error(graph)->text, "cannot use the dma-buf"));
	fake.info_error = 0;
	fake.import_error = EBADF;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EBADF);
	CHECK(strstr(nn_graph_error(graph)->text, "cannot import the dma-buf"));
	fake.import_error = 0;
	fake.bos[1].flags = DRM_NNLOOP_BO_DSP_READ_ONLY;
	CHECK(nn_graph_execute(graph, &in, 1, &out, 1) == -EACCES);
	CHECK(strstr(nn_graph_error(graph)->text, "can only be read, but an output is written to it"));
	fake.bos[1].flags = 0;
	CHECK(!nn_graph_execute(graph, &in, 1, &out, 1) && !memcmp(memory + 128, memory + 512, 384));
	close(buffer);
	end(graph);
}

static void test_dmabuf_errors(void)
{
	struct nn_error error;
	int buffer = 7;

	begin();
	fake.export_error = EMFILE;
	CHECK(nn_device_create_dmabuf(device, BUFFER_SIZE, &buffer, &error) == -EMFILE && buffer == -1);
	CHECK(strstr(error.text, "cannot export a buffer of 16384 bytes"));
	CHECK(!open_bos());
	fake.create_fails_at = 2;
	CHECK(nn_device_create_dmabuf(device, BUFFER_SIZE, &buffer, &error) == -ENOSPC && buffer == -1);
	CHECK(!open_bos() && !fake.nonsense);
	nn_device_close(device);
}

static void test_info(void)
{
	struct nn_device_info info;

	reset();
	fake.version_minor = 5;
	fake.workers = 2;
	CHECK(!nn_device_open(path, &device, NULL));
	nn_device_get_info(device, &info);
	CHECK(info.kind == NN_DEVICE_HEXAGON && info.workers == 2 && info.max_passes == 4096);
	CHECK(info.uapi_major == 1 && info.uapi_minor == 5 && info.firmware_version == (1 << 16 | 9));
	CHECK(!strcmp(info.name, "Hexagon DSP, 2 workers, firmware 1.9") && !strcmp(info.node, path));
	nn_device_close(device);
	fake.workers = 1;
	fake.max_args = NN_ARG_COUNT;
	CHECK(!nn_device_open(path, &device, NULL));
	nn_device_get_info(device, &info);
	CHECK(!strcmp(info.name, "Hexagon DSP, 1 worker, firmware 1.9"));
	nn_device_close(device);
}

static void test_open(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* A node that cannot be opened is like a device whose driver is gone. */
	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/nnloop-test-%d", getpid());
	CHECK(!bind(listener, (struct sockaddr *)&address, sizeof(address)));
	check_open(address.sun_path, -ENODEV, "is gone");
	unlink(address.sun_path);
	close(listener);
	check_open("/dev/null/nnloop", -ENOTDIR, "cannot open /dev/null/nnloop");
	reset();
	fake.driver = "vgem";
	check_open(path, -ENODEV, "is not an nnloop device");
	fake.driver = "";
	check_open(path, -ENODEV, "is not an nnloop device");
	fake.driver = NULL;
	check_open(path, -ENODEV, "is not an nnloop device");
	reset();
	fake.query_error = EIO;
	check_open(path, -EIO, "cannot ask");
	reset();
	fake.max_args = NN_ARG_COUNT - 1;
	check_open(path, -EPROTO, "firmware 1.9");
	reset();
	check_open("/nowhere/nnloop7", -ENOENT, "/nowhere/nnloop7");
	check_open("dsp", -EINVAL, "\"dsp\"");
	check_default();
	fake.version_major = 2;
	check_open(path, -EPROTO, "version 2.0");
	reset();
	fake.firmware = 3 << 16;
	check_open(path, -EPROTO, "firmware 3.0");
	/* The last one without SVDF. */
	fake.firmware = 1 << 16 | 8;
	check_open(path, -EPROTO, "firmware 1.8");
}

int main(void)
{
	fd = memfd_create("nnloop", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, MEMORY))
		return 1;
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return 1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);

	tap_run("a loop of 27 passes is one submission", test_one_submission);
	tap_run("a nest of three static loops is one submission", test_nest);
	tap_run("programs of several partitions", test_programs);
	tap_run("a long loop is split at what the device takes", test_cap);
	tap_run("other rows: new programs, the same constants", test_other_rows);
	tap_run("how a job failed is told with node and reason, and the next one is right",
		test_failures);
	tap_run("a submit that is refused is told, and the next one is right", test_submit_errors);
	tap_run("a queue or a buffer that cannot be made is told, and the next one is", test_first_errors);
	tap_run("constants are born read-only, where the driver can", test_born_read_only);
	tap_run("how far a job is, is asked every 50 ms", test_progress);
	tap_run("a cancel reaches the queue once, and the queue lives on", test_cancel);
	tap_run("a graph that is too large: by how much", test_too_large);
	tap_run("out of memory at every buffer: an error, and nothing is left", test_no_memory);
	tap_run("counters of every pass and operator arrive", test_profile);
	tap_run("iterations on several workers: how many passes each runs", test_streams);
	tap_run("what streams may take of the memory", test_stream_share);
	tap_run("loops whose iterations stay in order, and how many streams there can be", test_stream_limits);
	tap_run("streams of a nest, at any length of a submission", test_stream_nests);
	tap_run("the lowest pass that failed is the loop's error", test_stream_failures);
	tap_run("of several streams one is refused: the others are waited for", test_stream_submit_error);
	tap_run("a cancel reaches all streams", test_stream_cancel);
	tap_run("no memory or queue for further streams: there are fewer", test_stream_memory);
	tap_run("progress and trace are one loop's", test_stream_trace);
	tap_run("how many workers run a pass", test_workers);
	tap_run("and one of a loop", test_workers_of_loops);
	tap_run("what each of them counts", test_workers_counted);
	tap_run("17 are too many", test_too_many_workers);
	tap_run("rows that a loop-end function skips are zeros, not those of the execution before",
		test_skipped_rows);
	tap_run("inputs and outputs in buffers of others", test_dmabuf);
	tap_run("a buffer that cannot be given to others", test_dmabuf_errors);
	tap_run("what a device is", test_info);
	tap_run("graphs share a device, which lives as long as they", test_shared_device);
	tap_run("a device that cannot be opened is an error that says why", test_open);
	return tap_end();
}
