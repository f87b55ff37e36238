/* SPDX-License-Identifier: MIT */
/* Every test: called in the order of board.c, on the board as the one before left it. */
#ifndef TESTS_H
#define TESTS_H

#include "rig.h"

/* jobs.c */
void test_copy_on_each_worker(struct rig *rig);
void test_empty_job(struct rig *rig);
void test_empty_command(struct rig *rig);
void test_many_passes(struct rig *rig);
void test_end_of_window(struct rig *rig);
void test_many_programs(struct rig *rig);
void test_long_program(struct rig *rig);
void test_profile(struct rig *rig);
void test_profile_address(struct rig *rig);
void test_cancel(struct rig *rig);

/* memory.c */
void test_memory_refused(struct rig *rig);
void test_memory(struct rig *rig);

/* control.c */
void test_control_gang(struct rig *rig);
void test_control_loses_one(struct rig *rig);
void test_control(struct rig *rig);
void test_control_leaves(struct rig *rig);
void test_control_cancel(struct rig *rig);
void test_control_refused(struct rig *rig);
void test_control_faults(struct rig *rig);
void test_control_at_random(struct rig *rig);

/* refusals.c */
void test_bad_program(struct rig *rig);
void test_garbage_in_ring(struct rig *rig);

/* constants.c */
void test_constant_program(struct rig *rig);
void test_constant_program_of_another(struct rig *rig);
void test_constant_program_without_memory(struct rig *rig);
void test_constant_programs_without_room(struct rig *rig);

/* faults.c */
void test_fault_unmapped(struct rig *rig);
void test_fault_freed(struct rig *rig);
void test_refill_time(struct rig *rig);
void test_fault_other_client(struct rig *rig);
void test_fault_read_only(struct rig *rig);
void test_broken_page_table(struct rig *rig);
void test_scattered_pages(struct rig *rig);
void test_fault_storm(struct rig *rig);

/* gangs.c: on a board of their own, which the first opens and the last closes */
void test_gang(struct rig *rig);
void test_gang_without_work(struct rig *rig);
void test_gang_profile(struct rig *rig);
void test_gang_waits(struct rig *rig);
void test_gang_fault(struct rig *rig);
void test_gang_cancel(struct rig *rig);
void test_gang_loses_one(struct rig *rig);
void test_gang_yields(struct rig *rig);
void test_gang_refused_pass(struct rig *rig);
void test_gang_disagrees(struct rig *rig);
void test_gang_garbage(struct rig *rig);
void test_gangs_at_random(struct rig *rig);

/* processes.c */
void test_usage(struct rig *rig);
void test_vm_process_ends(struct rig *rig);
void test_board_killed(struct rig *rig);
void test_worker_without_smmu(struct rig *rig);
void test_registers(struct rig *rig);
void test_start_and_reset(struct rig *rig);
void test_sign_of_life(struct rig *rig);
void test_worker_killed(struct rig *rig);
void test_reset_in_mid_job(struct rig *rig);
void test_bad_ring(struct rig *rig);
void test_vm_ends(struct rig *rig);

#endif
