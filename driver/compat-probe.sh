#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Finds out what the kernel's DRM interfaces look like by compiling small pieces
# of code against it, and writes the answers to a header that nnloop_compat.h
# reads. Version numbers would not tell: stable kernels take signature changes
# back from newer ones.
#
# usage: compat-probe.sh OUTPUT
#
# To add a question: a line `probe HAVE_NAME CODE` below, where CODE is the least
# that compiles with the one kind of kernel and not with the other (HAVE_ is what
# the answer yes defines), and both ways in nnloop_compat.h, under a name of
# nnloop's that the rest of the driver uses. Build for every kernel with W=1
# (`make lint`, `make test-newest`) and look at nnloop_config.h of each: a question
# that all kernels answer alike is either of no use or has a slip in it.
#
# To take one away, when the last kernel that needs it goes: that answers alike in
# every nnloop_config.h from then on. Delete its line here and the other way in
# nnloop_compat.h; where what is left is the kernel's own name, use that again.
#
# Kbuild calls it with CC and the compiler flags of the kernel in the environment.

set -u

output=${1:?usage: compat-probe.sh OUTPUT}
dir=$(mktemp -d "${TMPDIR:-/tmp}/nnloop-probe.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# compile CODE: does it compile, without a warning?
compile()
{
	printf '%s\n' "$1" > "$dir/probe.c"
	# The flags are lists of words as a shell reads them: arm64's have quotes.
	eval "set -- ${NOSTDINC_FLAGS-} ${LINUXINCLUDE-} -include linux/compiler_types.h \
		${KBUILD_CPPFLAGS-} ${KBUILD_CFLAGS-}"
	# shellcheck disable=SC2086 # a list
	$CC "$@" -DMODULE -DKBUILD_MODNAME='"probe"' \
		-DKBUILD_BASENAME='"probe"' -Werror -Wno-unused \
		-Wno-missing-prototypes -Wno-missing-declarations \
		-c -o "$dir/probe.o" "$dir/probe.c" > "$dir/log" 2>&1
}

# probe NAME CODE: define NAME if CODE compiles.
probe()
{
	if compile "$2"; then
		echo "#define $1 1"
	else
		echo "/* $1 is not defined */"
	fi
}

sched='#include <drm/gpu_scheduler.h>
'
driver='#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_file.h>
'

# Everything below would fail for a reason of its own if this does.
if ! compile '#include <drm/drm_gem_shmem_helper.h>
#include <drm/gpu_scheduler.h>
struct drm_gem_shmem_object *f(struct drm_device *d) { return drm_gem_shmem_create(d, 1); }
void g(struct drm_gpu_scheduler *s, struct drm_sched_init_args *a) { drm_sched_init(s, a); }'; then
	echo "nnloop: this kernel has no DRM, or one that nnloop does not know:" >&2
	cat "$dir/log" >&2
	exit 1
fi

{
	echo "/* Written by compat-probe.sh. */"
	probe HAVE_DRM_ACCEL '#include <drm/drm_accel.h>
#if !IS_ENABLED(CONFIG_DRM_ACCEL)
#error
#endif'
	probe HAVE_DRM_DRIVER_DATE "$driver"'struct drm_driver d = { .date = "0" };'
	probe HAVE_DRM_DRIVER_PRIME_MMAP "$driver"'#include <drm/drm_prime.h>
struct drm_driver d = { .gem_prime_mmap = drm_gem_prime_mmap };'
	probe HAVE_FOP_UNSIGNED_OFFSET '#include <linux/fs.h>
struct file_operations f = { .fop_flags = FOP_UNSIGNED_OFFSET };'
	probe HAVE_IMPORT_NS_NAME '#include <linux/module.h>
MODULE_IMPORT_NS(DMA_BUF);'
	probe HAVE_SCHED_NUM_RQS "$sched"'struct drm_sched_init_args a = { .num_rqs = 1 };'
	probe HAVE_SCHED_PRIORITY_LOW "$sched"'int p = DRM_SCHED_PRIORITY_LOW;'
	probe HAVE_SCHED_WQUEUE "$sched"'
void f(struct drm_gpu_scheduler *s) { drm_sched_wqueue_start(s); }'
	probe HAVE_SCHED_JOB_CREDITS "$sched"'
int f(struct drm_sched_job *j, struct drm_sched_entity *e, void *o)
{ return drm_sched_job_init(j, e, 1, o); }'
	probe HAVE_SCHED_JOB_CLIENT "$sched"'
int f(struct drm_sched_job *j, struct drm_sched_entity *e, void *o, u64 c)
{ return drm_sched_job_init(j, e, 1, o, c); }'
	probe HAVE_VM_FLAGS '#include <linux/mm.h>
void f(struct vm_area_struct *v) { vm_flags_clear(v, VM_MAYWRITE); }'
} > "$dir/config.h"

# Leave an equal file alone, so that nothing is rebuilt.
cmp -s "$dir/config.h" "$output" || cp "$dir/config.h" "$output"
