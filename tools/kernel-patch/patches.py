# SPDX-License-Identifier: MIT
"""The series: what each patch says, and which files it brings. Together they bring every file, each once."""

COVER = ("accel/nnloop: A driver for DSPs that run neural-network graphs with loops", """\
nnloop is a DSP of several hardware threads, its workers, that run quantized neural-network graphs. A job
is an array of passes over a program; between two passes all of its state is in memory, so that a job can be
left off there for others and goes on later on any worker. The driver shares the workers among open files by
the time that they have used, with three priorities, and gives each file an address space of its own.

The DSP of today is a virtual one, a process beside QEMU that runs the firmware and appears as an ivshmem
function. Driver, firmware, library and a compiler of ONNX and TensorFlow Lite models are open source; the
tests here need the board alone.

The driver uses the accel subsystem's node, GEM buffers by the shmem helper, syncobjs and PRIME. It does not
use drm_sched: that binds a job to a ring when it is submitted and has no jobs that are left off.
""")

DRIVER = "drivers/accel/nnloop/"

PATCHES = [
    ("accel/nnloop: Add the interface to user space", """\
Twelve calls: buffers with an address that stays, queues with a timeline syncobj each, jobs of passes, and
what has become of them. Structures can grow at their end, and what is not known is refused.
""", ["include/uapi/drm/nnloop_accel.h"]),
    ("accel/nnloop: Add the board: registers, command rings, PCI function", """\
The register map with its requests and answers, the rings by which workers are given jobs, and the PCI
function that they are reached by. Nothing is built yet.
""", [DRIVER + name for name in ("nnloop_hw.h", "nnloop_board.[ch]", "nnloop_transport.[ch]",
                                 "nnloop_pci.c")]),
    ("accel/nnloop: Add buffers and address spaces", """\
Each open file has page tables of its own in the DSP's format. What is taken away is given back when the
jobs that were submitted before have ended: workers drop their translations when the generation of a space
has changed, so that there is no handshake.
""", [DRIVER + f"nnloop_{name}.[ch]" for name in ("pt", "space", "gem", "memory")]
     + [DRIVER + "nnloop_bo.c", DRIVER + "nnloop_prime.c"]),
    ("accel/nnloop: Add queues, jobs and fences", """\
A queue runs its jobs in order and has a timeline. Fences need nothing but their timeline, whoever holds
them and for how long. Which points have failed is remembered, because waits for syncobjs do not tell.
""", [DRIVER + f"nnloop_{name}.[ch]" for name in ("fence", "timeline", "queue", "job")]
     + [DRIVER + "nnloop_submit.c"]),
    ("accel/nnloop: Add the scheduler and the workers", """\
The rules are plain data and functions: who comes next, who makes room between two passes, whose pass takes
too long. The scheduler applies them; workers are started, watched, parked and started again. Several can
run a job together, if they have nothing else to do.
""", [DRIVER + name for name in ("nnloop_rules.[ch]", "nnloop_rules_gang.c", "nnloop_rules_hang.c",
                                 "nnloop_rules_limit.c", "nnloop_sched.[ch]", "nnloop_gang.[ch]", "nnloop_worker.[ch]", "nnloop_power.c")]),
    ("accel/nnloop: Add boards that are processes of this machine", """\
A process that attaches itself by a misc device is a DSP, for machines that have none. Its mappings of that
device are its IOMMU: they have the pages that are the DSP's, for as long as they are.
""", ["include/uapi/misc/nnloop_attach.h", DRIVER + "nnloop_soft.c"]),
    ("accel/nnloop: Add the DRM device", """\
The node, its calls, and what there is to look at: debugfs, fdinfo, tracepoints and core dumps of jobs that
have failed. From here on the driver is built.
""", [DRIVER + name for name in ("nnloop_drv.[ch]", "nnloop_file.[ch]", "nnloop_debugfs.[ch]", "nnloop_coredump.[ch]",
                                 "nnloop_trace.[ch]", "Kconfig", "Makefile")]
     + ["drivers/accel/Kconfig", "drivers/accel/Makefile", "MAINTAINERS"]),
    ("accel/nnloop: Add KUnit tests", """\
Page tables are walked as the DSP does it, the board is a block of memory, and the scheduler's rules are
tried one by one and in random sequences with a clock that is a number.
""", [DRIVER + "*_test.[ch]", DRIVER + "Kconfig", DRIVER + "Makefile"]),
    ("accel/nnloop: Add documentation", """\
How programs use the calls, and for who changes the driver, who owns what, which locks there are, and why a
page that has been freed cannot be reached.
""", ["Documentation/accel/*"]),
    ("selftests: accel/nnloop: Add tests", """\
They need a board; tests that harm it or need a second one are skipped where that cannot be done.
""", ["tools/testing/selftests/*"]),
]
