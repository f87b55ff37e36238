// SPDX-License-Identifier: GPL-2.0
/*
 * Reboots at once, without ending any process, while a job runs and calls of the driver are stuck
 * in all the ways that there are. That the system comes to its end is for others to see.
 *
 * Not among the programs that `make run_tests` runs: tests/vm-reboot runs it, in a VM of its own.
 */
#include "kselftest.h"

#include <sys/reboot.h>

#include "stuck.h"

/* A line for the kernel's log, so that it shows what the reboot had to deal with. */
#define STUCK_LINE	"nnloop-test: calls are stuck and a job runs, rebooting\n"

int main(void)
{
	static struct stuck stuck;
	static struct slow slow;
	struct queue queue;
	__u32 syncobj;
	__u64 point;
	int fd, ret;

	ksft_print_header();
	ksft_set_plan(1);
	fd = device_open();
	ret = syncobj_create(fd, &syncobj);
	ret = ret ?: stuck_start(&stuck, fd, syncobj);
	ret = ret ?: slow_new(fd, &slow);
	ret = ret ?: queue_create(fd, &queue);
	ret = ret ?: slow_start(&slow, &queue, &point);
	ret = ret ?: file_write("/dev/kmsg", STUCK_LINE);
	if (ret)
		ksft_exit_fail_msg("nothing is stuck: %s\n", strerror(-ret));
	reboot(RB_AUTOBOOT);
	ksft_exit_fail_msg("no reboot: %s\n", strerror(errno));
}
