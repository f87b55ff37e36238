/* SPDX-License-Identifier: MIT */
/*
 * A board without a VM: starts vdsp and plays QEMU and the driver towards it. The memory of the
 * "VM" is a file, page tables and ring entries are written by code of its own, from the description
 * in driver/nnloop_hw.h.
 *
 * What cannot go wrong unless the machine is broken ends the test program with a message.
 */
#ifndef RIG_H
#define RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "driver/nnloop_hw.h"
#include "dsp/program/nn_program.h"

#define RIG_RAM_SIZE	(96ull << 20)
#define RIG_RAM_BASE	0x40000000	/* not 0, as on arm64 */
#define RIG_PATIENCE_MS		120000	/* for anything the board has to do, */
#define RIG_PATIENCE_LOST_MS	1000	/* and once it has failed to */

struct rig {
	char folder[64];		/* temporary: socket, RAM file, pids */
	pid_t vdsp;
	int connection;
	unsigned int workers;
	int patience_ms;
	volatile uint32_t *registers;
	uint8_t *ram;
	uint64_t ram_used;
	int doorbell[NNLOOP_MAX_WORKERS + 1];	/* the DSP's eventfds */
	int interrupt[NNLOOP_MAX_WORKERS + 1];	/* ours */

	/* The state that a driver has. */
	uint64_t system_root;
	uint64_t ring[NNLOOP_MAX_WORKERS];	/* DMA address */
	uint32_t tail[NNLOOP_MAX_WORKERS];
	uint32_t tag;
	uint64_t job_id;
};

struct pass {
	uint32_t program;
	uint32_t size;
	uint32_t count;
	uint32_t arg[NNLOOP_MAX_ARGS];
};

/* A client's address space, by the root of its page table. */
struct space {
	uint64_t root;
	uint32_t id;
	uint32_t generation;
	uint64_t client;
	uint64_t client_generation;
};

/* `name` of the build folder, where the test program is, too. Static storage. */
const char *rig_built(const char *name);

/* Start vdsp and connect. The workers are off. */
void rig_open(struct rig *rig, unsigned int workers);
/*
 * The same with another program than the SMMU in its workers, and with --cache SIZE, unless
 * those are NULL.
 */
void rig_open_with(struct rig *rig, unsigned int workers, const char *smmu, const char *cache);
/* Hang up and wait for vdsp to end: its exit status, -1 if it was killed. */
int rig_close(struct rig *rig);

uint32_t rig_read(struct rig *rig, unsigned int worker, uint32_t reg);
void rig_write(struct rig *rig, unsigned int worker, uint32_t reg, uint32_t value);

/* Zeroed pages of the VM's memory, contiguous: DMA address. */
uint64_t rig_pages(struct rig *rig, unsigned int count);
/* The memory that a DMA address points at. */
void *rig_at(struct rig *rig, uint64_t dma);

struct space rig_space(struct rig *rig);
/* The page entry of an address, tables made as needed. */
uint64_t *rig_pte(struct rig *rig, uint64_t root, uint32_t address);
/* Map `count` contiguous pages. flags: 0 or NNLOOP_PTE_READ_ONLY. */
void rig_map(struct rig *rig, const struct space *space, uint32_t address, uint64_t dma,
	     unsigned int count, uint64_t flags);

/* Ask the board and wait for ACK. False: none came. */
bool rig_request(struct rig *rig, unsigned int worker, uint32_t request);
/* RESET, set up the ring, START, wait for READY. False: it did not come up. */
bool rig_boot(struct rig *rig, unsigned int worker);
/*
 * Wait for a worker register to have a value, woken by interrupt vector `vector`. False: it took
 * too long.
 */
bool rig_wait_register(struct rig *rig, unsigned int vector, unsigned int worker, uint32_t reg,
		       uint32_t value);

/*
 * Where the worker's next ring entry goes; put an entry there and go one further. Visible to the
 * worker with rig_ring_bell().
 */
struct nnloop_cmd *rig_next_entry(struct rig *rig, unsigned int worker);
void rig_ring_bell(struct rig *rig, unsigned int worker);

/* The workers of a gang, by their numbers. */
struct gang {
	unsigned int count;
	unsigned int worker[NNLOOP_MAX_WORKERS];
};

/* The id that the next job will have. */
uint64_t rig_next_job_id(const struct rig *rig);
/* Queue a job and ring. Its id. */
uint64_t rig_submit(struct rig *rig, unsigned int worker, const struct space *space,
		    const struct pass *pass, unsigned int count);
/*
 * One worker's part of a job: its JOB entry, as the one with this index of a gang, and the passes.
 * Not rung yet.
 */
void rig_put_part(struct rig *rig, const struct gang *gang, unsigned int index, uint64_t id,
		  const struct space *space, const struct pass *pass, unsigned int count);
/* A job for all of a gang, rung. Its id. */
uint64_t rig_submit_gang(struct rig *rig, const struct gang *gang, const struct space *space,
			 const struct pass *pass, unsigned int count);
/* Wait until a job is done and the ring empty. False: it took too long. */
bool rig_wait(struct rig *rig, unsigned int worker, uint64_t id);
/* Submits and waits. Returns the job's status, or ~0 if it never ended. */
uint32_t rig_run(struct rig *rig, unsigned int worker, const struct space *space,
		 const struct pass *pass, unsigned int count);

/* Have a worker give up a job, and look. */
void rig_cancel(struct rig *rig, unsigned int worker, uint64_t id);

/* Process id of a worker by what vdsp wrote with --pids; 0: none. */
pid_t rig_worker_pid(struct rig *rig, unsigned int worker);

#endif
