/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the parts of the driver's fuzzer share: ioctl.c runs rounds and checks,
 * ioctl_calls.c makes calls, ioctl_table.c says which there are, ioctl_actions.c does the rest,
 * ioctl_control.c writes control programs, ioctl_objects.c keeps what it is about.
 */
#ifndef NNLOOP_FUZZ_IOCTL_H
#define NNLOOP_FUZZ_IOCTL_H

#include "kselftest.h"

#include <stdatomic.h>
#include <stddef.h>

#include "program.h"

#define PROCESSES	3
#define THREADS		3		/* of each process */
#define SHARED_CLIENTS	2		/* open files that all processes have */
#define OBJECTS		8		/* of each kind that a client keeps */
#define ARENA		(256 << 10)	/* of a thread, for what calls point to */
#define STRUCT_ROOM	(16 << 10)	/* at its end: the longest that an ioctl number can carry */
#define MAX_CALLS	64
#define MAX_FIELDS	12
#define MAX_ERRNO	134

struct object {
	_Atomic __u32 handle;		/* 0: none */
	_Atomic __u32 syncobj;		/* of a queue */
	_Atomic __u32 program_size;	/* of a buffer: what was written there, 0: no program */
	_Atomic bool is_control;	/* that is a control program */
	_Atomic __u64 point;		/* of a queue: the newest */
	_Atomic __u64 size, iova, offset;	/* of a buffer */
};

/* An open file, whichever process uses it. */
struct client {
	int fd;
	struct object bos[OBJECTS], queues[OBJECTS], syncobjs[OBJECTS];
};

/* A thread, as the main process sees it. */
struct thread {
	struct client *own;
	unsigned int index;
	_Atomic int call;
	_Atomic __s64 since;		/* when that began, 0: it is not in a call */
};

/* In memory that all processes share. */
struct shared {
	atomic_bool stop;
	struct client clients[SHARED_CLIENTS + PROCESSES];
	struct thread threads[PROCESSES * THREADS];
	atomic_ulong count[MAX_CALLS][MAX_ERRNO];
	atomic_ulong ended[MAX_ERRNO];	/* jobs, as far as somebody asked */
};

extern struct shared *shared;

enum kind {
	BITS,		/* some of `most`; a field that must be 0 has none */
	NUMBER,		/* 1 to `most` */
	FEW,		/* up to `most`, often 0 */
	FIXED,		/* `most`, as long as it is not mutated */
	COUNT,		/* the same as NUMBER, but never huge: see field_mutate() */
	TIMEOUT,	/* soon, and never mutated: nothing may wait for long */
	NEVER,		/* 0, and never mutated */
	POINT, BO, QUEUE, SYNCOBJ,
	FD,		/* one of `most`, an enum fd_type */
	PASSES, SYNCS, HANDLES, POINTS, BYTES,	/* pointers to these */
};

enum fd_type { FD_DMABUF, FD_SYNC, FD_EVENT, FD_TYPES };

struct field {
	__u16 offset, size;
	enum kind kind;
	__u32 most;
};

struct call {
	const char *name;
	unsigned int weight;
	unsigned int request;
	struct field fields[MAX_FIELDS];
	/* Instead of a request: something else that is done to the driver. 0 or -errno. */
	int (*function)(struct client *client);
};

extern const struct call calls[];
extern const unsigned int call_count;

/* ioctl_objects.c */

void random_seed(__u64 seed);
__u64 random_next(void);
__u64 below(__u64 n);
bool one_in(unsigned int n);
__u64 mutated(__u64 value);

struct object *pick(struct object *objects);
struct object *keep(struct client *client, struct object *objects, __u32 handle,
		    unsigned int request);
void keep_bo(struct client *client, __u32 handle);
void forget(struct object *objects, __u32 handle);
int pick_fd(enum fd_type type);
void keep_fd(enum fd_type type, int fd);
int forget_fd(void);

/* ioctl_actions.c; each returns 0 or -errno */

/* Writes a program to a buffer, with some of its words wrong or not. */
int put_program(struct client *client, struct object *bo, __u32 *words, __u32 size,
		bool is_control);
int call_map(struct client *client);
int call_program(struct client *client);
int call_reopen(struct client *client);
int call_close_fd(struct client *client);
int call_foreign(struct client *client);
int call_look(struct client *client);
int call_fork(struct client *client);
void client_fill(struct client *client);

/* ioctl_control.c: writes a control program, perhaps with words wrong. 0 or -errno. */

int call_control(struct client *client);

/* ioctl_calls.c */

extern __thread struct thread *self;
extern __thread __u8 *arena;
extern __thread void *map;		/* a buffer that is mapped, or NULL */

int call_unknown(struct client *client);
int calls_start(struct thread *thread, __u64 random);
void call_counted(struct client *client, unsigned int i);
void call_next(bool may_fork);
void call_some(__u64 random);

#endif
