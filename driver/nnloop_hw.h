/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * This is the hardware interface of an nnloop DSP: register file, command ring, page table.
 *
 * The driver (driver/), the firmware (dsp/) and the virtual board (tools/vdsp/) include it. User
 * space never sees any of it; what user space and firmware share (programs and pass arguments) is
 * in dsp/program/nn_program.h, which the driver in turn never reads.
 *
 * Everything is little endian. Registers are 32 bits wide and naturally aligned; a 64-bit
 * quantity is a _LO/_HI pair that only one side writes, and never while the other side may
 * read it. "Driver" and "worker" in the access column say who writes; the other side reads.
 */
#ifndef NNLOOP_HW_H
#define NNLOOP_HW_H

#if defined(__KERNEL__)
#include <linux/types.h>
#elif defined(__linux__)
#include <linux/types.h>
#include <stdint.h>
#else
#include <stdint.h>
typedef uint8_t __u8;
typedef uint32_t __le32;
typedef uint64_t __le64;
#endif

/*
 * The PCI function has doorbells and its own peer id in BAR0, and the register file below in BAR2.
 *
 * A doorbell is a write of (peer << 16 | vector) to NNLOOP_BAR0_DOORBELL; peer is
 * NNLOOP_REG_DSP_PEER. Vectors 0 .. workers-1 wake that worker, vector NNLOOP_REG_WORKERS
 * wakes the board itself (requests, see NNLOOP_WREG_REQUEST). In the other direction MSI-X
 * vector i is raised by worker i when it has finished a job or changed state, and vector
 * NNLOOP_REG_WORKERS by the board when it has something to say about any worker.
 */
/* shared with every ivshmem device: check the magic */
#define NNLOOP_PCI_VENDOR_ID		0x1af4
#define NNLOOP_PCI_DEVICE_ID		0x1110
#define NNLOOP_BAR0_PEER_ID		0x08
#define NNLOOP_BAR0_DOORBELL		0x0c
#define NNLOOP_REGS_SIZE		0x10000	/* BAR2, one 64 KiB page */
#define NNLOOP_MAX_WORKERS		8

/*
 * Board registers are written by the board before the function appears, and EPOCH at every board
 * start.
 */
#define NNLOOP_REG_MAGIC		0x000
#define NNLOOP_MAGIC			0x504c4e4e	/* "NNLP" */
#define NNLOOP_REG_VERSION		0x004	/* of this register map: major << 16 | minor */
#define NNLOOP_HW_VERSION		0x00010002
#define NNLOOP_REG_WORKERS		0x008	/* 1 .. NNLOOP_MAX_WORKERS */
#define NNLOOP_REG_DSP_PEER		0x00c	/* peer id of the DSP for doorbells */
/* never 0; another value after every start of the board */
#define NNLOOP_REG_BOARD_EPOCH		0x010
/* major << 16 | minor, written by the first worker that comes up */
#define NNLOOP_REG_FIRMWARE_VERSION	0x014
#define NNLOOP_FIRMWARE_VERSION		0x00010009	/* major must equal the driver's */
/*
 * ALIVE is a sign of life, which the board counts up several times a second as long as it serves.
 * It is there from minor version 1 of the register map on; a board of minor version 0 has none, and
 * 0 here.
 */
#define NNLOOP_REG_ALIVE		0x018

/* The registers of worker i are a block that starts at NNLOOP_WORKER(i). */
#define NNLOOP_WORKER(i)		(0x1000 + (i) * 0x400)

/*
 * Each worker can have one request to the board: the driver writes a request code and a new,
 * non-zero tag into REQUEST, then rings the board's doorbell. The board carries it out and copies
 * the whole word to ACK, then raises its interrupt.
 *
 * RESET kills the worker, whatever it does, and reaps it: when ACK shows it, the worker no longer
 * runs and touches no memory; STATE is OFF.
 *
 * START starts a worker that is OFF with a new EPOCH; when it is up it sets STATE to READY (or the
 * board sets it to DEAD) and raises the worker's interrupt.
 */
#define NNLOOP_WREG_REQUEST		0x000	/* driver: tag << 8 | request */
#define NNLOOP_REQUEST_RESET		1
#define NNLOOP_REQUEST_START		2
#define NNLOOP_WREG_ACK			0x004	/* board: last request carried out */

#define NNLOOP_WREG_STATE		0x008	/* board and worker */
/* no process; the state after RESET and after board start */
#define NNLOOP_STATE_OFF		0
#define NNLOOP_STATE_BOOTING		1
#define NNLOOP_STATE_READY		2	/* takes commands from its ring */
/* died by itself; nothing of it runs any more. RESET, then START */
#define NNLOOP_STATE_DEAD		3
#define NNLOOP_WREG_EPOCH		0x00c	/* board: bumped by every START */

/*
 * The ring has NNLOOP_RING_ENTRIES entries in the system window at RING_BASE. The driver writes
 * SYSTEM_ROOT and RING_BASE before START, and RING_HEAD = RING_TAIL = 0. From then on the driver
 * alone writes TAIL, and the worker alone HEAD; both count entries modulo 2^32, and the slot is the
 * count modulo the entries. HEAD moves when an entry has been consumed for good. The ring never
 * holds more than one job (see the driver's scheduler), so it cannot overrun.
 */
/* driver: DMA address of the root table of the system window */
#define NNLOOP_WREG_SYSTEM_ROOT_LO	0x010
#define NNLOOP_WREG_SYSTEM_ROOT_HI	0x014
#define NNLOOP_WREG_RING_BASE		0x018	/* driver: address in the system window */
#define NNLOOP_WREG_RING_TAIL		0x01c	/* driver */
#define NNLOOP_WREG_RING_HEAD		0x020	/* worker */

/*
 * CANCEL is the id of a job to give up; 0: none. The worker compares it with the running job's id
 * between passes (and operators), and while it waits at a barrier. It is written while the worker
 * may read it: an id of which half is old and half is new is that of no job that runs.
 */
#define NNLOOP_WREG_CANCEL_LO		0x028	/* driver */
#define NNLOOP_WREG_CANCEL_HI		0x02c

/*
 * YIELD is the id of a job to leave off between two passes. The worker compares it with the running
 * job's when it has done a pass and has another to do: STATUS is YIELDED then. Firmware from 1.8 on
 * also looks between two steps of a pass that is a control program, when it has done one: what is
 * left of that pass is done when the job goes on with it. Of a gang only the first worker looks; it
 * leaves such a pass off unasked when there were many barriers (PHASE). Else YIELD is like CANCEL.
 * Firmware of version 1.0 does not look.
 */
#define NNLOOP_WREG_YIELD_LO		0x034	/* driver */
#define NNLOOP_WREG_YIELD_HI		0x038

/*
 * PROGRESS moves at least once per operator tile while a job runs, and while a long program is
 * checked.
 */
#define NNLOOP_WREG_PROGRESS		0x030	/* worker */

/*
 * The result of the last job is written by the worker, all of it before DONE_ID_LO/HI, and that
 * before HEAD passes the job; then comes the interrupt. When a worker dies, the board sets STATE to
 * DEAD and leaves these alone: PASSES_DONE is kept up to date as passes end, CURRENT_* as jobs and
 * operators start. The driver clears PASSES_DONE and CURRENT_OP before it moves TAIL.
 */
#define NNLOOP_WREG_DONE_ID_LO		0x040
#define NNLOOP_WREG_DONE_ID_HI		0x044
#define NNLOOP_WREG_STATUS		0x048	/* enum nnloop_status */
#define NNLOOP_WREG_PASSES_DONE		0x04c	/* complete passes of the job */
/* index of the operator in its program, ~0 if none */
#define NNLOOP_WREG_FAIL_OP		0x050
/* of BAD_PROGRAM: enum nn_program_reason, opaque to the driver */
#define NNLOOP_WREG_FAIL_REASON		0x054
#define NNLOOP_WREG_FAULT_ADDR		0x058	/* of FAULT: address in the window */
#define NNLOOP_WREG_FAULT_ACCESS	0x05c	/* of FAULT */
#define NNLOOP_ACCESS_READ		1
#define NNLOOP_ACCESS_WRITE		2
#define NNLOOP_WREG_CURRENT_OP		0x060	/* operator that runs now, ~0 between passes */
#define NNLOOP_WREG_CURRENT_PASS	0x064
/* 0x068 and 0x06c: firmware of versions 1.1 and 1.2 writes there. */
/*
 * REFILL_TIME is how many microseconds the SMMU has taken to drop the worker's translations, when
 * it was last given others for a job, and since then to fetch those that were used: up to the end
 * of the last job, and nothing else that a job does. It is not written for a job whose entries are
 * refused. Firmware before 1.3 leaves it 0.
 */
#define NNLOOP_WREG_REFILL_TIME		0x070	/* worker */

/*
 * PHASE and PHASE_JOB say where a worker is in a job that it runs together with others, a gang (see
 * the JOB entry below). PHASE_JOB is the job's id. PHASE counts the barriers of that job that the
 * worker has come to, and says whether it comes to another one. A worker goes on from its barrier n
 * when each of the others has come to n of the same job. It ends its job where one will not come,
 * has failed, or is not READY.
 *
 * They are the worker's own words: it alone writes them, and the others of its gang read them. When
 * it begins a job it makes PHASE 0 before it changes PHASE_JOB, so whoever finds its job's id
 * there, and then reads PHASE, does not read another job's: ids are never used again while the
 * driver has the device, and a worker that is started (another EPOCH) clears all three before it is
 * READY. A count belongs to one JOB entry. That has less than 2^28 barriers, because a control
 * program with more is left off in between, so it does not come round.
 *
 * They are there since register map 1.2 and firmware 1.6; both are needed for a gang.
 */
#define NNLOOP_WREG_PHASE_JOB_LO	0x078	/* worker */
#define NNLOOP_WREG_PHASE_JOB_HI	0x07c
#define NNLOOP_WREG_PHASE		0x080	/* worker */
#define NNLOOP_PHASE_BARRIERS		0x0fffffffu
#define NNLOOP_PHASE_ENDED		(1u << 31)	/* it comes to no further barrier */
/*
 * FAILED is set together with ENDED: the worker has not done all of the job. Whoever is at a
 * barrier to which not all have come yet, or comes to one, ends too.
 */
#define NNLOOP_PHASE_FAILED		(1u << 30)
/*
 * LEAVES is set together with ENDED, by the gang's first worker: it leaves the job off here, where
 * a pass begins. So do the others.
 */
#define NNLOOP_PHASE_LEAVES		(1u << 29)

enum nnloop_status {
	NNLOOP_STATUS_OK = 0,
	NNLOOP_STATUS_CANCELLED = 1,	/* found its id in CANCEL */
	NNLOOP_STATUS_BAD_PROGRAM = 2,	/* program or arguments failed the firmware's checks */
	/* an access that the page table does not allow; FAULT_* say which */
	NNLOOP_STATUS_FAULT = 3,
	/* found its id in YIELD; PASSES_DONE, maybe 0, have been done and need not be again */
	NNLOOP_STATUS_YIELDED = 4,
	/* of a gang: another one has failed, or comes to no further barrier */
	NNLOOP_STATUS_ALONE = 5,
};

/*
 * A job is one JOB entry in the ring followed by PASS entries, as many as its count says, made
 * visible by one update of TAIL.
 */
#define NNLOOP_RING_ENTRIES		1024
#define NNLOOP_MAX_PASSES		(NNLOOP_RING_ENTRIES - 1)	/* per job */
#define NNLOOP_MAX_ARGS			24

#define NNLOOP_CMD_JOB			1
#define NNLOOP_CMD_PASS			2
/*
 * An EMPTY entry stands alone, has a JOB's id, and is answered at once: nothing is selected or run.
 * It measures how long an answer takes. Firmware that does not know it says BAD_PROGRAM, as fast.
 */
#define NNLOOP_CMD_EMPTY		3

/* An entry has 128 bytes, without padding on any architecture. */
struct nnloop_cmd {
	__le32 type;
	/* JOB: passes that follow; PASS: arguments, 0 .. NNLOOP_MAX_ARGS */
	__le32 count;
	union {
		struct {
			__le64 id;		/* never 0, never reused while the device lives */
			/* DMA address of the root table of the client's space */
			__le64 root;
			__le32 space;		/* names that space, never 0 */
			__le32 generation;	/* of its translations, see below */
			/*
			 * The client whose space it is, never reused while the device lives, and
			 * how often something was taken away from it. Both are 0 from a driver that
			 * does not say; firmware before 1.2 does not look. See below.
			 */
			__le64 client;
			__le64 client_generation;
			/*
			 * The workers that run the job together, see below. 0 or 1: this one
			 * alone, and the others are 0. Firmware before 1.6 does not look.
			 */
			__le32 gang_count;
			__le32 gang_index;	/* of this one */
			/* their numbers, in order: gang_worker[gang_index] is this one's */
			__u8 gang_worker[NNLOOP_MAX_WORKERS];
			__le32 reserved[16];
		} job;
		struct {
			__le32 program;		/* address of a struct nn_program in the window */
			__le32 program_size;	/* bytes */
			__le32 reserved[4];
			__le32 arg[NNLOOP_MAX_ARGS];	/* beyond count: 0 */
		} pass;
	};
};

/*
 * A worker keeps translations from job to job, and drops all of the window's when (space,
 * generation) of a JOB differs from the job before. The driver sees to it that they do whenever
 * it took a translation away or lowered it to read-only meanwhile; adding one needs nothing.
 *
 * A worker also keeps copies of what clients say is constant, and uses one only for jobs of the
 * same (client, client_generation) as the job's that made it. The driver reads client_generation
 * once for both: where the old translations may still be used, it is the old one.
 */

/*
 * A gang is several workers that get the same job, by the same id, each in a ring of its own, with
 * the same passes and a JOB entry that says which of them it is. Operators are divided among them,
 * and there is a barrier where a pass begins and between operators (PHASE). Each of them has
 * translations and copies of programs of its own, and ends the job by itself: its result registers
 * tell of its own part. The job has ended when all of them have. The first one is asked to leave a
 * job off, and the others do as it does; CANCEL is for each. The driver rings a worker after it has
 * written to CANCEL, because it may be waiting at a barrier; the board rings all of them when a
 * worker has died or was reset.
 */

/*
 * The DSP sees two address windows. Client programs and their data live in the window; the system
 * window holds the rings and is never reachable from a program (the firmware refuses addresses
 * outside the window before it touches them).
 */
#define NNLOOP_PAGE_SHIFT		12
#define NNLOOP_WINDOW_BASE		0x80000000u
#define NNLOOP_WINDOW_END		0xe0000000u	/* exclusive */
#define NNLOOP_SYSTEM_BASE		0xe0000000u
#define NNLOOP_SYSTEM_END		0xe1000000u	/* exclusive */

/*
 * Page tables have three levels of 64-bit entries in 4 KiB tables, indexed by address bits 31:30
 * (root, 4 entries in use), 29:21 and 20:12. A table entry has VALID and the next table's DMA
 * address, a page entry VALID, READ_ONLY or not, and the page's DMA address.
 */
#define NNLOOP_PTE_VALID		(1ull << 0)
#define NNLOOP_PTE_READ_ONLY		(1ull << 1)
#define NNLOOP_PTE_ADDRESS		0x000ffffffffff000ull
#define NNLOOP_PT_ENTRIES		512
/* level 0 is the root */
#define NNLOOP_PT_SHIFT(level)		(NNLOOP_PAGE_SHIFT + 9 * (2 - (level)))

#endif
