// SPDX-License-Identifier: MIT
/* The board's processes: options, start, reset, and what happens when one dies. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tests.h"

void test_registers(struct rig *rig)
{
	check_equal(rig->registers[NNLOOP_REG_MAGIC / 4], NNLOOP_MAGIC);
	check_equal(rig->registers[NNLOOP_REG_VERSION / 4], NNLOOP_HW_VERSION);
	check_equal(rig->registers[NNLOOP_REG_WORKERS / 4], rig->workers);
	check(rig->registers[NNLOOP_REG_BOARD_EPOCH / 4]);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_OFF);
	check_equal(rig_read(rig, 1, NNLOOP_WREG_STATE), NNLOOP_STATE_OFF);
}

void test_start_and_reset(struct rig *rig)
{
	uint32_t epoch;

	if (!rig_boot(rig, 0) || !rig_boot(rig, 1)) {
		printf("Bail out! a worker does not start\n");
		exit(1);
	}
	check_equal(rig->registers[NNLOOP_REG_FIRMWARE_VERSION / 4], NNLOOP_FIRMWARE_VERSION);
	epoch = rig_read(rig, 0, NNLOOP_WREG_EPOCH);
	check(epoch);

	check(rig_request(rig, 0, NNLOOP_REQUEST_RESET));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_OFF);
	check_equal(rig_worker_pid(rig, 0), 0);
	check(rig_worker_pid(rig, 1));
	check(rig_request(rig, 0, NNLOOP_REQUEST_RESET));
	check(rig_boot(rig, 0));
	check(rig_read(rig, 0, NNLOOP_WREG_EPOCH) != epoch);
	check(rig_request(rig, 0, 77));	/* unknown: acknowledged, ignored */
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_READY);
}

static uint32_t sign_of_life(struct rig *rig)
{
	return __atomic_load_n(&rig->registers[NNLOOP_REG_ALIVE / 4], __ATOMIC_ACQUIRE);
}

static bool sign_moves(struct rig *rig)
{
	uint32_t before = sign_of_life(rig);
	int i;

	for (i = 0; i < RIG_PATIENCE_MS && sign_of_life(rig) == before; i++)
		usleep(1000);
	return sign_of_life(rig) != before;
}

/* It moves while nothing happens, and stands still while the board does. */
void test_sign_of_life(struct rig *rig)
{
	uint32_t before;
	int i, status;

	for (i = 0; i < 5; i++)
		check(sign_moves(rig));
	check(!kill(rig->vdsp, SIGSTOP));
	check(waitpid(rig->vdsp, &status, WUNTRACED) == rig->vdsp && WIFSTOPPED(status));
	before = sign_of_life(rig);
	sleep(2);
	check_equal(sign_of_life(rig), before);
	check(!kill(rig->vdsp, SIGCONT));
	check(sign_moves(rig));
	check_works(rig, 0);
}

static bool gone(pid_t pid)
{
	int i;

	for (i = 0; i < RIG_PATIENCE_MS; i++) {
		if (kill(pid, 0) && errno == ESRCH)
			return true;
		usleep(1000);
	}
	return false;
}

void test_worker_killed(struct rig *rig)
{
	struct client client = make_client(rig, 16);
	struct pass pass = long_pass(rig, &client);
	uint32_t epoch = rig_read(rig, 0, NNLOOP_WREG_EPOCH);
	pid_t pid = rig_worker_pid(rig, 0);
	uint64_t id;

	id = rig_submit(rig, 0, &client.space, &pass, 1);
	check(wait_progress(rig, 0));
	check(pid > 0 && !kill(pid, SIGKILL));
	check(rig_wait_register(rig, rig->workers, 0, NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD));
	check(rig_read(rig, 0, NNLOOP_WREG_DONE_ID_LO) != (uint32_t)id);
	check_works(rig, 1);

	/* START alone does nothing for a dead one. */
	check(rig_request(rig, 0, NNLOOP_REQUEST_START));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_DEAD);
	check(rig_boot(rig, 0));
	check(rig_read(rig, 0, NNLOOP_WREG_EPOCH) != epoch);
	check_works(rig, 0);
}

/* A worker that runs, reset by the driver: it is gone when the board says so. */
void test_reset_in_mid_job(struct rig *rig)
{
	struct client client = make_client(rig, 17);
	struct pass pass = long_pass(rig, &client);
	pid_t pid = rig_worker_pid(rig, 0);

	rig_submit(rig, 0, &client.space, &pass, 1);
	check(wait_progress(rig, 0));
	check(rig_request(rig, 0, NNLOOP_REQUEST_RESET));
	check(kill(pid, 0) && errno == ESRCH);
	check_equal(rig_read(rig, 0, NNLOOP_WREG_STATE), NNLOOP_STATE_OFF);
	check(rig_boot(rig, 0));
	check_equal(rig_read(rig, 0, NNLOOP_WREG_CURRENT_OP), NONE);
	check_works(rig, 0);
}

/*
 * A driver that starts a worker without a ring: the firmware gives up, and the board says so. One
 * that starts it without a page table for the ring: a fault like any other.
 */
void test_bad_ring(struct rig *rig)
{
	uint64_t root = rig->system_root;

	check(rig_request(rig, 1, NNLOOP_REQUEST_RESET));
	rig_write(rig, 1, NNLOOP_WREG_RING_BASE, NNLOOP_SYSTEM_END - PAGE);
	check(rig_request(rig, 1, NNLOOP_REQUEST_START));
	check(rig_wait_register(rig, rig->workers, 1, NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD));

	rig->system_root = RIG_RAM_BASE - PAGE;
	check(rig_boot(rig, 1));
	rig_next_entry(rig, 1);
	rig_ring_bell(rig, 1);
	check(rig_wait(rig, 1, 0));
	check_equal(rig_read(rig, 1, NNLOOP_WREG_STATUS), NNLOOP_STATUS_FAULT);
	check(rig_read(rig, 1, NNLOOP_WREG_FAULT_ADDR) >= NNLOOP_SYSTEM_BASE);
	check_equal(rig_read(rig, 1, NNLOOP_WREG_FAULT_ACCESS), NNLOOP_ACCESS_READ);

	rig->system_root = root;
	check(rig_boot(rig, 1));
	check_works(rig, 1);
}

void test_vm_ends(struct rig *rig)
{
	pid_t worker[2] = { rig_worker_pid(rig, 0), rig_worker_pid(rig, 1) };

	check(worker[0] > 0 && worker[1] > 0);
	check_equal(rig_close(rig), 0);
	check(gone(worker[0]) && gone(worker[1]));
}

void test_board_killed(struct rig *rig)
{
	pid_t worker;

	rig_open(rig, 1);
	check(rig_boot(rig, 0));
	check_works(rig, 0);
	worker = rig_worker_pid(rig, 0);
	check(worker > 0);
	kill(rig->vdsp, SIGKILL);
	check(gone(worker));
	check_equal(rig_close(rig), -1);
}

/*
 * One worker hangs before QEMU has begun, the other runs QEMU alone: the board is none the worse
 * for it, and both can be reset.
 */
void test_worker_without_smmu(struct rig *rig)
{
	static const char script[] = "#!/bin/sh\n"
				     "for worker; do :; done\n"
				     "[ \"$worker\" = 1 ] || exec sleep 600\n"
				     "shift\n"
				     "exec \"$@\"\n";
	char path[] = "/tmp/nnloop-no-smmu-XXXXXX";
	int file = mkstemp(path);
	unsigned int i;
	pid_t hanging;

	check(file >= 0 && write(file, script, strlen(script)) == (ssize_t)strlen(script));
	check(!fchmod(file, 0700) && !close(file));
	rig_open_with(rig, 2, path, NULL);
	for (i = 0; i < 2; i++)
		check(rig_request(rig, i, NNLOOP_REQUEST_START));
	check(rig_wait_register(rig, rig->workers, 1, NNLOOP_WREG_STATE, NNLOOP_STATE_DEAD));
	check(sign_moves(rig));
	hanging = rig_worker_pid(rig, 0);
	check(hanging > 0 && !kill(hanging, 0));
	check(rig_read(rig, 0, NNLOOP_WREG_STATE) != NNLOOP_STATE_READY);
	for (i = 0; i < 2; i++)
		check(rig_request(rig, i, NNLOOP_REQUEST_RESET));
	check(gone(hanging));
	check_equal(rig_close(rig), 0);
	check(!unlink(path));
}

/*
 * Run vdsp, in the build folder, with a command line that it must refuse; what it says must contain
 * `text`.
 */
static void check_usage(const char *arguments, const char *text)
{
	char command[4096], output[4096] = "";
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "cd '%s' && ./vdsp %s 2>&1", rig_built(""), arguments);
	pipe = popen(command, "r");
	check(pipe);
	if (!pipe)
		return;
	output[fread(output, 1, sizeof(output) - 1, pipe)] = '\0';
	status = pclose(pipe);
	check(WIFEXITED(status) && WEXITSTATUS(status));
	check(strstr(output, text));
	if (!strstr(output, text))
		printf("# vdsp %s said: %s\n", arguments, output);
}

void test_usage(struct rig *rig)
{
	(void)rig;
	check_usage("", "--socket or --local is missing");
	check_usage("--local --socket /tmp/x --firmware /bin/sh --smmu /bin/sh", "without a VM");
	check_usage("--local=/nonexistent --firmware /bin/sh --smmu /bin/sh",
		    "/nonexistent: nnloop.ko is not loaded");
	check_usage("--local=/dev/null --firmware /bin/sh --smmu /bin/sh", "cannot be attached");
	check_usage("--nonsense", "usage");
	check_usage("--socket /tmp/x stray", "unexpected argument \"stray\"");
	check_usage("--socket /tmp/x --workers 9", "from 1 to 8");
	check_usage("--socket /tmp/x --workers 0x", "--workers must be a number");
	check_usage("--socket /tmp/x", "--firmware is missing");
	check_usage("--socket /tmp/x --firmware /nonexistent", "/nonexistent: No such file");
	check_usage("--socket /tmp/x --firmware /bin/sh", "--smmu is missing");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh", "--ram is missing");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --cache 64", "--cache 64 is");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --cache 0K", "--cache 0K is");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --cache 65M", "--cache 65M is");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --cache 64KB", "64KB is not");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --ram /nonexistent",
		    "--ram: /nonexistent: No such file");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --ram /dev/null",
		    "is empty");
	check_usage("--socket /nonexistent/x --firmware /bin/sh --smmu /bin/sh --ram firmware.elf",
		    "cannot listen on /nonexistent/x");
	check_usage("--socket /tmp/x --firmware /bin/sh --smmu /bin/sh --ram firmware.elf"
		    " --vm-pid 2147483646", "--vm-pid: 2147483646: No such process");
}

/* With --vm-pid, the board ends when that process ends, even before a VM has connected. */
void test_vm_process_ends(struct rig *rig)
{
	char command[1024];

	(void)rig;
	snprintf(command, sizeof(command),
		 "cd '%s' && rm -f vm-pid.socket || exit; sleep 600 & vm=$!;"
		 " ./vdsp --socket vm-pid.socket --ram firmware.elf --firmware firmware.elf"
		 " --smmu smmu --vm-pid $vm >/dev/null & board=$!;"
		 " while [ ! -S vm-pid.socket ] && kill -0 $board; do sleep 0.05; done;"
		 " kill -0 $board && kill $vm && wait $board",
		 rig_built(""));
	check_equal(system(command), 0);
}
