#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Finds out what the kernel's DRM interfaces look like by compiling small pieces
# of code against it, and writes the answers to a header that nnloop_compat.h
# reads. Version numbers would not tell: stable kernels take signature changes
# back from newer ones.
#
# To add a question, when the driver does not build for a kernel: add below
# "probe HAVE_WHAT" with the least code that compiles, without a warning, for the kernels
# of one kind and not for the others. Let it use the thing as the driver does, a call
# with all its arguments, and ask for one thing only. nnloop_compat.h, and no other file,
# gets the one #ifdef HAVE_WHAT, and there a name that means the same for both kinds;
# the driver uses that. Then compare the answers of all kernels that are tested
# (build/kmod/*/driver/nnloop_config.h): if they are all the same, the code fails or
# compiles for another reason than it should. "make lint" builds for all.
#
# To take one away, when no kernel that is tested (docs/testing.md) gives the other answer
# any more: delete the question here, and in nnloop_compat.h the #ifdef with the branch
# that is not taken. Where what is left is the kernel's own name for the thing, let the
# driver say that.
#
# usage: compat-probe.sh OUTPUT
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

driver='#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_file.h>
'

# Everything below would fail for a reason of its own if this does.
if ! compile '#include <drm/drm_gem_shmem_helper.h>
struct drm_gem_shmem_object *f(struct drm_device *d) { return drm_gem_shmem_create(d, 1); }'; then
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
	probe HAVE_DRM_SHOW_FDINFO "$driver"'#include <linux/fs.h>
void f(struct drm_printer *p, struct drm_file *f);
struct drm_driver d = { .show_fdinfo = f };
struct file_operations o = { .show_fdinfo = drm_show_fdinfo };
u64 g(struct drm_file *f) { return f->client_id; }'
	probe HAVE_EVENTFD_SIGNAL_COUNT '#include <linux/eventfd.h>
void f(struct eventfd_ctx *e) { eventfd_signal(e, 1); }'
	probe HAVE_FOP_UNSIGNED_OFFSET '#include <linux/fs.h>
struct file_operations f = { .fop_flags = FOP_UNSIGNED_OFFSET };'
	probe HAVE_IMPORT_NS_NAME '#include <linux/module.h>
MODULE_IMPORT_NS(DMA_BUF);'
	probe HAVE_VM_FLAGS '#include <linux/mm.h>
void f(struct vm_area_struct *v) { vm_flags_clear(v, VM_MAYWRITE); }'
} > "$dir/config.h"

# Leave an equal file alone, so that nothing is rebuilt.
cmp -s "$dir/config.h" "$output" || cp "$dir/config.h" "$output"
