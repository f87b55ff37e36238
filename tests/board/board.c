// SPDX-License-Identifier: MIT
/*
 * The virtual board as a driver sees it: registers, doorbells, interrupts, jobs, SMMU faults, and
 * what happens when one of its processes dies. Runs the real vdsp, SMMU and firmware; needs no VM.
 * Prints TAP.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "tests.h"

static const struct {
	const char *name;
	void (*run)(struct rig *rig);
} tests[] = {
	{ "vdsp refuses a bad command line in a sentence", test_usage },
	{ "the process named by --vm-pid ends: the board goes", test_vm_process_ends },
	{ "the board killed: all workers go", test_board_killed },
	{ "workers that never get as far as an SMMU", test_worker_without_smmu },
	{ "no model of memory where QEMU loads no plugins", test_memory_refused },
	{ "what passes behind a memory of 64 KiB", test_memory },
	{ "a gang: several workers run one job", test_gang },
	{ "a gang without work", test_gang_without_work },
	{ "a gang: each counts for itself", test_gang_profile },
	{ "a gang waits for the last, and sleeps", test_gang_waits },
	{ "a gang: one faults", test_gang_fault },
	{ "a gang is cancelled", test_gang_cancel },
	{ "a gang loses one", test_gang_loses_one },
	{ "a gang leaves a job off", test_gang_yields },
	{ "a gang: a pass is refused", test_gang_refused_pass },
	{ "a gang of which each has another program", test_gang_disagrees },
	{ "garbage about a gang", test_gang_garbage },
	{ "gangs at random", test_gangs_at_random },
	{ "control: a gang runs it, and leaves it off", test_control_gang },
	{ "control: a worker dies or is reset in the middle", test_control_loses_one },
	{ "registers before anything runs", test_registers },
	{ "start, reset, epoch", test_start_and_reset },
	{ "a sign of life", test_sign_of_life },
	{ "a program runs on each worker", test_copy_on_each_worker },
	{ "a job without work", test_empty_job },
	{ "a command without a job", test_empty_command },
	{ "jobs of 1023 passes", test_many_passes },
	{ "what ends where the window does", test_end_of_window },
	{ "a job with 40 programs", test_many_programs },
	{ "a long program is checked with reports of progress", test_long_program },
	{ "profile records add up and are repeatable", test_profile },
	{ "a bad profile address", test_profile_address },
	{ "cancel", test_cancel },
	{ "bad programs are refused", test_bad_program },
	{ "control: loops that data decide", test_control },
	{ "control: left off before each step", test_control_leaves },
	{ "control: loops without an end are cancelled", test_control_cancel },
	{ "control: refused", test_control_refused },
	{ "control: faults", test_control_faults },
	{ "control: a client that writes to it meanwhile", test_control_at_random },
	{ "a constant program is checked once", test_constant_program },
	{ "a constant program is its client's alone", test_constant_program_of_another },
	{ "a constant program and memory that was taken away", test_constant_program_without_memory },
	{ "constant programs of 20 MiB", test_constant_programs_without_room },
	{ "garbage in the ring", test_garbage_in_ring },
	{ "fault: an address without a page", test_fault_unmapped },
	{ "fault: a freed page", test_fault_freed },
	{ "what a change of space costs is counted", test_refill_time },
	{ "fault: another client's page", test_fault_other_client },
	{ "fault: a write to a read-only page", test_fault_read_only },
	{ "broken page tables", test_broken_page_table },
	{ "70000 scattered pages", test_scattered_pages },
	{ "faults in page after page cost no memory", test_fault_storm },
	{ "a worker killed in mid-job", test_worker_killed },
	{ "reset in mid-job", test_reset_in_mid_job },
	{ "a ring that is not there", test_bad_ring },
	{ "the VM ends: board and workers go", test_vm_ends },
};

#define TESTS	(sizeof(tests) / sizeof(tests[0]))
#define OPENED_BY	"registers before anything runs"

int main(void)
{
	static struct rig rig;
	unsigned int i, failures = 0;

	setlinebuf(stdout);
	printf("TAP version 13\n1..%zu\n", TESTS);
	for (i = 0; i < TESTS; i++) {
		/* From here on all tests share one board. */
		if (!strcmp(tests[i].name, OPENED_BY))
			rig_open(&rig, 2);
		failed = false;
		tests[i].run(&rig);
		printf("%sok %u - %s\n", failed ? "not " : "", i + 1, tests[i].name);
		failures += failed;
	}
	return failures ? 1 : 0;
}
