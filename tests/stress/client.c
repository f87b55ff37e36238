// SPDX-License-Identifier: GPL-2.0
/*
 * A client of the stress run: rounds of jobs of which it knows the result.
 *
 * A chain is up to STAGES jobs, on queues of its client's at random, each waiting for the one
 * before. A job looks the bytes of its input up in a table of its own, block of rows by block of
 * rows, a pass for each, and puts the blocks elsewhere in its output. In some rounds a queue is
 * cancelled, a buffer is freed while jobs may use it, or was freed before they were submitted.
 *
 * What must hold then: a job that ended well has the right output, to the last byte. One that ended
 * otherwise has a reason that this client knows of, its complete passes are right, and what no pass
 * of it writes is untouched. A job that waited for one that failed has failed as well, and has
 * done nothing.
 */
#include "kselftest.h"

#include <tests/kselftest/program.h>

#include "stress.h"

#define QUEUES		4
#define CHAINS		3
#define STAGES		3
#define MAX_ROWS	32
#define MAX_ROW_BYTES	2048
#define MAX_ROUNDS	20		/* of one open file */
#define LONG_ONCE_IN	16		/* programs */
#define TABLE_OFFSET	((sizeof(struct program) + 127) & ~127ul)	/* in its buffer */
#define GUARD		0xa5

struct client {
	struct tally *tally;
	unsigned int number;
	struct random random;
	unsigned int workers;			/* of the DSP */
	int fd;
	struct client_queue {
		struct queue queue;
		bool lost;		/* one of its jobs was killed, or faulted */
		bool refused;		/* the driver says that it is lost */
		bool cancelled;		/* by us, in this round */
	} queue[QUEUES];
	/* The bytes that the stages of a chain should have read and written. */
	__u8 expected[2][MAX_ROWS * MAX_ROW_BYTES];
};

/* Rows that a pass takes, and where they go. */
struct block {
	unsigned int first, rows, out_first;
};

struct stage {
	struct client_queue *on;
	struct code code;
	struct bo out;
	__u8 table[256];
	struct block block[MAX_ROWS];
	unsigned int blocks;
	__u64 point;
	struct drm_nnloop_status status;
};

struct chain {
	unsigned int rows, row_bytes;
	struct bo in;
	struct stage stage[STAGES];
	unsigned int prepared, submitted;	/* stages */
	const struct bo *freed;			/* its handle was closed */
	bool freed_before;			/* before the first stage was submitted */
};

static void count(long *what, long n)
{
	__atomic_fetch_add(what, n, __ATOMIC_RELAXED);
}

/* Counts, and says so, for the first few. */
static __printf(3, 4) void complain(struct client *client, long *what, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (__atomic_add_fetch(what, 1, __ATOMIC_RELAXED) <= 20)
		ksft_print_msg("client %u: %s\n", client->number, text);
}

static void need(struct client *client, int ret, const char *what)
{
	if (!ret)
		return;
	complain(client, &client->tally->failed, "%s: %s", what, strerror(-ret));
	exit(1);
}

static size_t chain_size(const struct chain *chain)
{
	return chain->rows * chain->row_bytes;
}

/* Blocks of the same number of rows, in another order, and not always all of them. */
static void stage_choose_blocks(struct client *client, struct stage *stage, unsigned int rows)
{
	unsigned int step = random_range(&client->random, 1, rows), places = rows / step;
	unsigned int place[MAX_ROWS], i, k;

	for (i = 0; i < places; i++) {
		k = random_range(&client->random, 0, i);
		place[i] = place[k];
		place[k] = i;
	}
	for (i = 0; i < places; i++) {
		if (i && random_once_in(&client->random, 8))
			continue;
		stage->block[stage->blocks++] = (struct block){ i * step, step, place[i] * step };
	}
}

static void stage_prepare(struct client *client, struct chain *chain, struct stage *stage,
			  const struct bo *in)
{
	__u32 size = chain_size(chain);
	struct program program;
	unsigned int i;

	need(client, bo_new(client->fd, size, &stage->out), "BO_CREATE of an output");
	memset(stage->out.map, GUARD, stage->out.size);
	need(client, bo_new(client->fd, TABLE_OFFSET + 256, &stage->code.bo),
	     "BO_CREATE of a program");

	program_init_rows(&program, in->iova, stage->out.iova, chain->rows, chain->row_bytes);
	i = program_region(&program, stage->code.bo.iova + TABLE_OFFSET, 256, 0);
	i = program_rows(&program, i, 1, 256);
	program.tensor[i].rank = 1;
	program.tensor[i].dims[0] = 256;
	program.tensor[i].dims[1] = 0;
	program.op[0].opcode = NN_OPCODE_TABLE;
	program.op[0].input[1] = i;
	memset(program.op[0].words, 0, sizeof(program.op[0].words));
	/* The same again and again: long work for the DSP with little for the CPU. */
	if (random_once_in(&client->random, LONG_ONCE_IN)) {
		for (i = 1; i < PROGRAM_ROOM; i++)
			program.op[i] = program.op[0];
		program.header.op_count = PROGRAM_ROOM;
	}
	code_write(&stage->code, &program);
	for (i = 0; i < 256; i++)
		stage->table[i] = random_next(&client->random);
	memcpy(stage->code.bo.map + TABLE_OFFSET, stage->table, 256);

	stage_choose_blocks(client, stage, chain->rows);
	stage->on = &client->queue[random_range(&client->random, 0, QUEUES - 1)];
}

static void chain_prepare(struct client *client, struct chain *chain)
{
	unsigned int i, stages = random_range(&client->random, 1, STAGES);

	memset(chain, 0, sizeof(*chain));
	chain->rows = random_range(&client->random, 1, MAX_ROWS);
	chain->row_bytes = 128 * random_range(&client->random, 1, MAX_ROW_BYTES / 128);
	need(client, bo_new(client->fd, chain_size(chain), &chain->in), "BO_CREATE of an input");
	for (i = 0; i < chain_size(chain); i += sizeof(__u32))
		*(__u32 *)(chain->in.map + i) = random_next(&client->random);
	for (i = 0; i < stages; i++)
		stage_prepare(client, chain, &chain->stage[i],
			      i ? &chain->stage[i - 1].out : &chain->in);
	chain->prepared = stages;
}

/* Its mapping stays, so that what the DSP wrote can be looked at. */
static void chain_free_early(struct client *client, struct chain *chain, struct bo *bo)
{
	need(client, bo_close(bo), "GEM_CLOSE");
	bo->handle = 0;
	chain->freed = bo;
}

static void chain_submit(struct client *client, struct chain *chain)
{
	struct drm_nnloop_pass passes[MAX_ROWS];
	unsigned int i, k;
	int ret;

	if (random_once_in(&client->random, 64)) {
		chain_free_early(client, chain, &chain->in);
		chain->freed_before = true;
	}
	for (i = 0; i < chain->prepared; i++) {
		struct stage *stage = &chain->stage[i], *before = i ? stage - 1 : stage;
		struct drm_nnloop_sync wait = {
			.handle = before->on->queue.syncobj,
			.point = before->point,
		};

		for (k = 0; k < stage->blocks; k++)
			passes[k] = code_rows(&stage->code, stage->block[k].first,
					      stage->block[k].rows, stage->block[k].out_first);
		stage->on->queue.workers = random_range(&client->random, 0, client->workers);
		ret = queue_submit_syncs(&stage->on->queue, passes, stage->blocks, &wait, i > 0,
					 NULL, 0, &stage->point);
		if (ret == -ECANCELED) {
			stage->on->refused = true;
			break;
		}
		need(client, ret, "SUBMIT");
		chain->submitted++;
	}
	if (!chain->freed && random_once_in(&client->random, 8)) {
		i = random_range(&client->random, 0, chain->prepared);
		chain_free_early(client, chain, i ? &chain->stage[i - 1].out : &chain->in);
	}
}

static void chain_wait(struct client *client, struct chain *chain)
{
	struct tally *tally = client->tally;
	unsigned int i;
	int ret;

	for (i = 0; i < chain->submitted; i++) {
		struct stage *stage = &chain->stage[i];
		struct queue *queue = &stage->on->queue;
		long begin = deadline_ns(0) / 1000000, took;

		ret = syncobj_wait(client->fd, queue->syncobj, stage->point, FENCE_SECONDS);
		if (ret == -ETIME) {
			complain(client, &tally->stuck, "queue %u: point %llu has not signalled",
				 queue->id, stage->point);
			exit(1);
		}
		need(client, ret, "TIMELINE_WAIT");
		took = deadline_ns(0) / 1000000 - begin;
		if (took > __atomic_load_n(&tally->longest_wait_ms, __ATOMIC_RELAXED))
			__atomic_store_n(&tally->longest_wait_ms, took, __ATOMIC_RELAXED);
		need(client, queue_status(queue, stage->point, &stage->status), "STATUS");
	}
}

/* Jobs that failed by themselves, not by what they waited for: their queues are lost. */
static void chain_find_losses(struct client *client, struct chain *chain)
{
	unsigned int i;

	for (i = 0; i < chain->submitted; i++) {
		struct stage *stage = &chain->stage[i];

		if (i && stage[-1].status.error)
			continue;
		if (stage->status.error == -EIO)
			count(&client->tally->lost, 1);
		else if (stage->status.error == -EFAULT)
			count(&client->tally->faulted, 1);
		else
			continue;
		stage->on->lost = true;
	}
}

/* May the job have ended as it did? `before` is the one that it waited for, or NULL. */
static bool stage_end_is_legal(const struct chain *chain, const struct stage *stage,
			       const struct stage *before)
{
	const struct drm_nnloop_status *status = &stage->status;

	if (status->state != DRM_NNLOOP_JOB_ENDED)
		return false;
	if (before && before->status.error)
		return status->passes_done == 0 && (status->error == before->status.error ||
						    status->error == -ECANCELED);
	switch (status->error) {
	case 0:
		return status->passes_done == stage->blocks && (before || !chain->freed_before);
	case -ECANCELED:
		return stage->on->lost || stage->on->cancelled;
	case -EFAULT:
		return chain->freed && status->fault_address >= chain->freed->iova &&
		       status->fault_address < chain->freed->iova + chain->freed->size;
	case -EIO:
		return true;	/* the parent knows how many workers were killed */
	default:
		return false;
	}
}

/* Is the output what the passes that are complete make of the input? */
static bool stage_output_is_right(const struct chain *chain, const struct stage *stage,
				  const struct stage *before, const __u8 *in, __u8 *expected)
{
	bool ran = !before || !before->status.error;
	unsigned int complete = stage->status.error ? stage->status.passes_done : stage->blocks;
	bool unknown[MAX_ROWS] = { 0 };
	size_t row_bytes = chain->row_bytes;
	unsigned int i, row;

	memset(expected, GUARD, chain_size(chain));
	for (i = 0; i < stage->blocks; i++) {
		const struct block *block = &stage->block[i];
		const __u8 *from = in + block->first * row_bytes;
		size_t first = block->out_first * row_bytes, k;

		for (k = 0; i < complete && k < block->rows * row_bytes; k++)
			expected[first + k] = stage->table[from[k]];
		/* The pass in which the job ended may have written some of its rows. */
		for (k = 0; k < block->rows; k++)
			unknown[block->out_first + k] = ran && i == complete;
	}
	for (row = 0; row < chain->rows; row++) {
		if (!unknown[row] && memcmp(stage->out.map + row * row_bytes,
					    expected + row * row_bytes, row_bytes))
			return false;
	}
	return true;
}

static void chain_check(struct client *client, struct chain *chain)
{
	const __u8 *in = chain->in.map;
	struct stage *before = NULL;
	unsigned int i;

	for (i = 0; i < chain->submitted; i++) {
		struct stage *stage = &chain->stage[i];
		struct drm_nnloop_status *status = &stage->status;
		__u8 *expected = client->expected[i % 2];

		if (!stage_end_is_legal(chain, stage, before))
			complain(client, &client->tally->failed,
				 "queue %u point %llu: state %u, error %d, %u of %u passes, address %#llx; before it %d%s%s%s",
				 stage->on->queue.id, stage->point, status->state, status->error,
				 status->passes_done, stage->blocks, status->fault_address,
				 before ? before->status.error : 0,
				 stage->on->lost ? ", queue lost" : "",
				 stage->on->cancelled ? ", cancelled" : "",
				 chain->freed ? ", buffer freed" : "");
		if (!stage_output_is_right(chain, stage, before, in, expected))
			complain(client, &client->tally->wrong,
				 "queue %u point %llu: wrong result of job %u of its chain, error %d, %u of %u passes",
				 stage->on->queue.id, stage->point, i, status->error,
				 status->passes_done, stage->blocks);
		else if (!status->error)
			count(&client->tally->passes, stage->blocks);
		if (status->error == -ECANCELED && stage->on->cancelled)
			count(&client->tally->cancelled, 1);
		before = stage;
		in = expected;
	}
}

static void chain_fini(struct chain *chain)
{
	unsigned int i;

	for (i = 0; i < chain->prepared; i++) {
		struct stage *stage = &chain->stage[i];

		bo_free(&stage->code.bo);
		bo_unmap(&stage->out);
		if (stage->out.handle)
			bo_close(&stage->out);
	}
	bo_unmap(&chain->in);
	if (chain->in.handle)
		bo_close(&chain->in);
}

static void queue_open(struct client *client, struct client_queue *on)
{
	memset(on, 0, sizeof(*on));
	need(client, queue_create_priority(client->fd,
					   random_range(&client->random, DRM_NNLOOP_PRIORITY_NORMAL,
							DRM_NNLOOP_PRIORITY_HIGH),
					   &on->queue), "QUEUE_CREATE");
}

/* A queue is lost for good exactly if one of its jobs was. Then there is a new one. */
static void queue_check(struct client *client, struct client_queue *on)
{
	on->cancelled = false;
	if (on->refused && !on->lost)
		complain(client, &client->tally->failed, "queue %u is lost for no reason",
			 on->queue.id);
	if (!on->lost)
		return;
	need(client, queue_destroy(&on->queue), "QUEUE_DESTROY");
	need(client, syncobj_destroy(client->fd, on->queue.syncobj), "SYNCOBJ_DESTROY");
	queue_open(client, on);
}

static void client_round(struct client *client)
{
	unsigned int i, chains = random_range(&client->random, 1, CHAINS);
	struct chain chain[CHAINS];
	struct client_queue *on;

	for (i = 0; i < chains; i++)
		chain_prepare(client, &chain[i]);
	for (i = 0; i < chains; i++)
		chain_submit(client, &chain[i]);
	if (random_once_in(&client->random, 8)) {
		on = &client->queue[random_range(&client->random, 0, QUEUES - 1)];
		on->cancelled = true;
		need(client, queue_cancel(&on->queue), "CANCEL");
	}
	for (i = 0; i < chains; i++)
		chain_wait(client, &chain[i]);
	for (i = 0; i < chains; i++)
		chain_find_losses(client, &chain[i]);
	for (i = 0; i < chains; i++)
		chain_check(client, &chain[i]);
	for (i = 0; i < chains; i++)
		chain_fini(&chain[i]);
	for (i = 0; i < QUEUES; i++)
		queue_check(client, &client->queue[i]);
}

int client_run(struct tally *tally, unsigned int number, __u64 seed)
{
	struct drm_nnloop_device_info info;
	static struct client client;
	unsigned int i, rounds;

	client.tally = tally;
	client.number = number;
	client.random.state = (seed + number) * 0x9e3779b97f4a7c15ull | 1;
	while (!__atomic_load_n(&tally->stop, __ATOMIC_RELAXED)) {
		client.fd = device_open();
		need(&client, client.fd < 0 ? client.fd : 0, NNLOOP_NODE);
		need(&client, device_query(client.fd, &info), "QUERY");
		client.workers = info.worker_count;
		for (i = 0; i < QUEUES; i++)
			queue_open(&client, &client.queue[i]);
		rounds = random_range(&client.random, 1, MAX_ROUNDS);
		for (i = 0; i < rounds && !__atomic_load_n(&tally->stop, __ATOMIC_RELAXED); i++)
			client_round(&client);
		/* The queues go with the file. */
		close(client.fd);
	}
	return 0;
}
