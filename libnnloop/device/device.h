/* SPDX-License-Identifier: MIT */
/*
 * A device inside the library: memory it can reach, and queues that run passes. There are two
 * kinds, hexagon.c and host.c.
 */
#ifndef NN_DEVICE_INTERNAL_H
#define NN_DEVICE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "dsp/program/control.h"
#include "dsp/program/interpreter.h"
#include "nn_device.h"

/* Memory that CPU and device can both reach. */
struct nn_block {
	void *data;			/* for the CPU; NULL if it cannot be mapped */
	uint64_t size;
	uint64_t address;		/* for the device */
	uint32_t handle;		/* the device's name for it */
	bool callers;			/* the caller's memory, for one execution */
	void *mapping;			/* what to unmap, if that is not data */
	size_t mapping_size;
};

/* A program with its addresses filled in, in memory that the device can reach. */
struct nn_bound_program {
	struct nn_program *program;	/* the CPU's copy */
	struct nn_memory *memory;	/* its regions, for the host device */
	uint64_t address;		/* for the device */
};

/*
 * A control program (dsp/program/nn_control.h) with its addresses filled in, in memory that the
 * device can reach, and its state behind it.
 */
struct nn_bound_control {
	const struct nn_control *control;	/* the CPU's copy, which the device cannot write to */
	uint64_t address;		/* for the device */
	volatile struct nn_control_state *state;
	/* For the host device: its programs, and by step what that looks at. */
	const struct nn_bound_program *const *programs;
	const volatile void *const *memory;
};

/* One pass to be run. */
struct nn_pass {
	const struct nn_bound_program *program;
	const struct nn_bound_control *control;	/* NULL: it runs the program, else this */
	/* The host device counts no packets. It adds an operator's nanoseconds to its place here
	 * instead; NULL: nowhere. */
	uint64_t *times;
	uint32_t args[NN_ARG_COUNT_ALL];
};

/* The end of a submission. */
struct nn_run_result {
	uint32_t passes_done;		/* the next one failed */
	uint32_t fail_op;		/* index in its program, ~0: none */
	uint32_t fail_reason;		/* enum nn_program_reason */
	uint32_t fault_access;		/* 1: read, 2: write */
	uint64_t fault_address;
	bool queue_lost;		/* a new queue is needed */
};

struct nn_queue;

#define NN_MAX_JOBS	16u	/* that run side by side */

/* Passes that run in order, on a queue that no other job of the same call has. */
struct nn_job {
	struct nn_queue *queue;
	const struct nn_pass *passes;
	uint32_t count;
	uint32_t workers;		/* the most that are to run each pass together */
	/* Filled in by the device: 0 or why it ended, and how far it came either way. */
	int error;
	struct nn_run_result result;
};

/* A watch: what whoever waits for jobs wants to know meanwhile. */
struct nn_watch {
	/*
	 * of all jobs together; of a control program that runs, passes are the programs that it has
	 * run
	 */
	void (*progress)(void *opaque, uint32_t passes_done);
	void *opaque;
	const atomic_bool *cancelled;	/* end soon with -ECANCELED; set from any thread */
};

struct nn_device_ops {
	void (*close)(struct nn_device *device);

	int (*block_create)(struct nn_device *device, uint64_t size, struct nn_block *block,
			    struct nn_error *error);
	/* The same for what the device only reads: the CPU fills it and block_seal follows,
	 * whatever runs on the device meanwhile. */
	int (*constant_create)(struct nn_device *device, uint64_t size, struct nn_block *block,
			       struct nn_error *error);
	/* Memory of its own as a dma-buf. */
	int (*dmabuf_create)(struct nn_device *device, uint64_t size, int *fd,
			     struct nn_error *error);
	/*
	 * Makes a block of a dma-buf; `size` bytes from `offset` on will be read, or written as
	 * well.
	 */
	int (*block_import)(struct nn_device *device, int fd, uint64_t offset, uint64_t size,
			    bool write, struct nn_block *block, struct nn_error *error);
	/* Makes a block read-only: nobody writes to it any more; data is NULL or read-only then. */
	int (*block_seal)(struct nn_device *device, struct nn_block *block, struct nn_error *error);
	void (*block_destroy)(struct nn_device *device, struct nn_block *block);
	/* Around the CPU's accesses to memory the device uses as well. */
	void (*block_begin)(struct nn_device *device, const struct nn_block *block, bool write);
	void (*block_end)(struct nn_device *device, const struct nn_block *block, bool write);

	int (*queue_create)(struct nn_device *device, struct nn_queue **queue,
			    struct nn_error *error);
	void (*queue_destroy)(struct nn_queue *queue);
	/* Run 1 .. NN_MAX_JOBS jobs, side by side if the device can, and wait until all have
	 * ended. */
	void (*jobs_run)(struct nn_device *device, struct nn_job *jobs, uint32_t count,
			 const struct nn_watch *watch);
};

struct nn_device {
	const struct nn_device_ops *ops;
	struct nn_device_info info;
	atomic_uint references;
	uint64_t memory;		/* bytes for all blocks; 0: not known */
	bool in_place;			/* reads and writes the caller's memory where it is */
	bool divides;			/* a single pass is done by all workers */
	bool controls;			/* runs control programs */
	uint32_t pass_counts;		/* row counts that a pass has room for, from the first on */
};

struct nn_device *nn_device_ref(struct nn_device *device);
void nn_device_unref(struct nn_device *device);

/* Open one kind of device; references is 1. threads 0: as many as there are processors. */
int nn_device_open_host(uint32_t threads, struct nn_device **device, struct nn_error *error);
int nn_device_open_hexagon(const char *path, struct nn_device **device, struct nn_error *error);

#endif
