/* SPDX-License-Identifier: MIT */
/* Helpers of the board's tests: how they check, and clients with memory and programs. */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rig.h"

#define PAGE	4096u
#define NONE	(~0u)

/* The addresses at which tests put things in a client's window. */
#define PROGRAM	0x80000000u
#define SOURCE	0x90000000u
#define TARGET	0xa0000000u
#define PROFILE	0xb0000000u

/* Whether a check of the running test has failed. */
extern bool failed;

#define check(condition)							\
do {										\
	if (!(condition)) {							\
		printf("# %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);	\
		failed = true;							\
	}									\
} while (0)

#define check_equal(left, right)						\
do {										\
	unsigned long long left_ = (left), right_ = (right);			\
	if (left_ != right_) {							\
		printf("# %s:%d: %s is %#llx, not %#llx\n", __FILE__, __LINE__,	\
		       #left, left_, right_);					\
		failed = true;							\
	}									\
} while (0)

/* One block copy: an operator of a test program. */
struct copy {
	uint32_t from, to;	/* addresses of the regions */
	uint32_t count, block, from_stride, to_stride;
};

/*
 * Write a program of COPY operators into `buffer`; its size. Each operator has two regions and two
 * tensors of one row.
 */
uint32_t make_program(void *buffer, const struct copy *copy, uint32_t count);

/*
 * A client: a space with one page of program, SOURCE, TARGET and PROFILE pages mapped, and their
 * contents.
 */
struct client {
	struct space space;
	uint8_t *program;
	uint8_t *source;
	uint8_t *target;
	struct nn_profile_record *profile;
};

#define CLIENT_PAGES	4	/* of each */

/* New zeroed memory in a space. */
void *map_new(struct rig *rig, const struct space *space, uint32_t address, unsigned int pages);

/* A new client; what is in its source follows from `seed`. */
struct client make_client(struct rig *rig, uint8_t seed);

/* The simplest pass: copy `size` bytes. */
struct pass copy_pass(struct client *client, uint32_t from, uint32_t to, uint32_t size);

/* A pass that takes many seconds: 1000 operators that copy a MiB in small pieces each. */
struct pass long_pass(struct rig *rig, struct client *client);

/* Wait until the worker is in an operator and its PROGRESS moves. False: it does not. */
bool wait_progress(struct rig *rig, unsigned int worker);

bool all_bytes(const uint8_t *p, uint8_t value, size_t size);

/* Checks that the worker takes jobs and gets them right. */
void check_works(struct rig *rig, unsigned int worker);

/* Checks that a job of one pass is refused with `reason`, an enum nn_program_reason. */
void check_refused(struct rig *rig, const struct client *client, const struct pass *pass,
		   uint32_t reason);

/* Checks that a job of one pass ends in a fault. */
void check_faults(struct rig *rig, unsigned int worker, const struct client *client,
		  const struct pass *pass, uint32_t address, uint32_t access);

#endif
