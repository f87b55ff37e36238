# SPDX-License-Identifier: MIT
#
# What runs in `make test`, and the kernel's selftest harness.

# Extracted from Debian's linux-source package, never kept here: the harness, and the checkers
# of tests/lint.
KERNEL_SOURCE ?= /usr/src/linux-source-6.12.tar.xz
KSFT := $(O)/kernel-source/tools/testing/selftests

$(O)/kernel-source/.done: $(KERNEL_SOURCE)
	$(call note,EXTRACT,$(@D) from $<)
	@rm -rf $(@D) && mkdir -p $(@D)
	tar -C $(@D) --strip-components=1 --wildcards -xJf $< \
		'*/tools/testing/selftests/lib.mk' \
		'*/tools/testing/selftests/kselftest*' \
		'*/tools/testing/selftests/run_kselftest.sh' \
		'*/tools/scripts/Makefile.*' \
		'*/scripts/Makefile.compiler' \
		'*/scripts/checkpatch.pl' \
		'*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch' \
		'*/scripts/coccinelle'
	@touch $@

# The selftests' own Makefile knows their list and what they depend on.
KSELFTEST := $(OUT)/kselftest$(if $(filter-out amd64,$(VM_ARCH)),-$(VM_ARCH))
KSELFTEST_MAKE = $(MAKE) -C tests/kselftest O= KSFT=$(call absolute,$(KSFT)) OUTPUT=$(KSELFTEST) \
	CC='$(or $(CC_$(VM_ARCH)),$(CC))'
kselftest-programs = $(shell $(KSELFTEST_MAKE) -s list --eval='list: ; \
	@echo $$(TEST_GEN_PROGS) $$(addprefix tests/kselftest/,$$(TEST_PROGS))')

.PHONY: kselftest
kselftest: $(O)/kernel-source/.done $(filter %/root-$(VM_ARCH),$(VM))
	+$(KSELFTEST_MAKE) all

# One of them, for `make vm-check`; always asked for, because their own Makefile knows what is new.
.PHONY: FORCE
$(KSELFTEST)/%: FORCE $(O)/kernel-source/.done
	+$(KSELFTEST_MAKE) $@

# What sharing the DSP costs and how long an empty job takes, for docs/record/driver-times.md; and how long
# with a board of the VM's own.
.PHONY: bench-driver bench-driver-soft
bench-driver: $(BOARD) $(MODULES) $(VM) kselftest
	tools/vm/run --timeout 1800 -- $(KSELFTEST)/bench
bench-driver-soft: $(BOARD) $(MODULES) $(VM) $(KSELFTEST)/bench
	NNLOOP_BENCH_SECONDS=0 tests/vm-suite --soft --time 1800 --dmesg $(O)/tests/log/kernel-bench.log \
		$(lastword $(KERNELS)) bench=$(KSELFTEST)/bench

# A board that is killed while fifty clients use it, a thousand times.
.PHONY: test-board-killed
KILLED ?= 1000
test-board-killed: $(MODULES) $(VM) $(KSELFTEST)/attach_killed
	tests/run --timeout 14400 --log $(O)/tests/log $(foreach k,$(lastword $(KERNELS)),'$(k)/killed: \
		NNLOOP_KILLED_ROUNDS=$(KILLED) NNLOOP_TEST_SECONDS=14000 \
		tests/vm-suite --no-board --time 14300 --dmesg $(O)/tests/log/kernel-$(k)-killed.log $(k) \
			kselftest=$(KSELFTEST)/attach_killed')

# A hostile board for an hour, or HOSTILE seconds, on the debug kernel: KASAN, lockdep and kmemleak watch.
.PHONY: test-board-hostile test-board-hostile-built
HOSTILE ?= 3600
test-board-hostile:
	tools/install-packages build board vm test debug
	tools/vm/kernel --out $(O)/vm fetch $(GIVEN_KERNELS)
	+$(MAKE) $(BUILD_JOBS) test-board-hostile-built
	NNLOOP_TEST_SECONDS=$$(($(HOSTILE) + 1800)) NNLOOP_HOSTILE_SECONDS=$(HOSTILE) \
		NNLOOP_KO=$(call absolute,$(DEBUG_MODULE)) \
		tests/run --timeout $$(($(HOSTILE) + 2400)) --log $(O)/tests/log 'hostile: tests/vm-suite --no-board \
			--time $$(($(HOSTILE) + 2400)) --dmesg $(O)/tests/log/kernel-hostile.log debug \
			kselftest=$(KSELFTEST)/attach_hostile debug=tests/debug/kmemleak'

test-board-hostile-built: $(VM) $(BOARD) debug-kernel $(KSELFTEST)/attach_hostile

# All kselftests on a board that is plugged in and on one of the VM's own, on each kernel and on the debug
# kernel (SOFT_KERNELS), and a table of what passes where.
.PHONY: test-soft test-soft-built run-test-soft
SOFT_KERNELS ?= $(KERNELS) debug
test-soft:
	tools/install-packages build board vm test $(filter debug,$(SOFT_KERNELS))
	tools/vm/kernel --out $(O)/vm fetch $(filter-out debug,$(SOFT_KERNELS))
	+$(MAKE) $(BUILD_JOBS) KERNELS='$(filter-out debug,$(SOFT_KERNELS))' \
		$(if $(filter debug,$(SOFT_KERNELS)),debug-kernel) test-soft-built
	+$(MAKE) run-test-soft

test-soft-built: $(VM) $(BOARD) $(MODULES) kselftest

soft-environment = NNLOOP_MODULE_ROUNDS=28 NNLOOP_TEST_SECONDS=1200 \
	$(if $(filter debug,$1),NNLOOP_KO=$(call absolute,$(DEBUG_MODULE)))
run-test-soft:
	status=0; \
	tests/run --jobs $$(nproc) --timeout 3400 --log $(O)/tests/log $(foreach k,$(SOFT_KERNELS), \
		'$(k)/plugged: $(call soft-environment,$(k)) tests/vm-suite --time 3300 \
			--dmesg $(O)/tests/log/kernel-$(k)-plugged.log $(k) $(addprefix kselftest=,$(kselftest-programs))' \
		'$(k)/soft: $(call soft-environment,$(k)) tests/vm-suite --soft --time 3300 \
			--dmesg $(O)/tests/log/kernel-$(k)-soft.log $(k) $(addprefix kselftest=,$(soft-programs))') || \
		status=$$?; \
	tests/soft-table $(O)/tests/log $(SOFT_KERNELS) && exit $$status

.PHONY: test-built vm-tests-built run-tests
vm-tests-built: $(NETWORKS) $(ALL) $(BOARD) $(MODULES) $(VM) $(E2E_TESTS) $(E2E_NEWEST) $(E2E_ONCE) kselftest
test-built: vm-tests-built $(UNIT_TESTS) $(DSP_TESTS)

# What runs on which kernel. The driver's tests run on each; but for what does not depend on the
# kernel, or mostly waits, one is enough, and `make test-all` has it on each as well:
#   what models compute, and what a command says: on the first, in a VM of its own, and last there what
#   takes a board away
#   who may run when, which are rules of the driver's own: on the last
#   what several workers do, and boards that do not answer: on the last, in a VM with four workers
# The first kernel has one processor, which costs the emulator half, and the last two.
# A board of the VM's own, without one that is plugged in: what depends on how the DSP is reached, on the
# last; and in `make test-all`, on each, all tests but those that take a PCI function away or need a
# second board. Its firmware runs in an emulator inside an emulator, where a worker takes seconds to boot.
soft-programs = $(filter-out $(addprefix $(KSELFTEST)/,unplug stuck module board),$(kselftest-programs))
SOFT_TESTS = $(if $(NNLOOP_TEST_ALL),$(soft-programs),\
	$(addprefix $(KSELFTEST)/,attach fault trace prime))
is-last = $(filter $(lastword $(KERNELS)),$1)
WORKERS_TESTS := $(addprefix $(KSELFTEST)/,gang gang_end board)
RULES_TESTS := $(addprefix $(KSELFTEST)/,sched preempt pass_limit progress)
# What a board or its client can do to others, and takes long: on the last as well.
LONG_ATTACKS := $(addprefix $(KSELFTEST)/,attach_hostile memcg)
elsewhere = $(if $(NNLOOP_TEST_ALL),,$(WORKERS_TESTS) $(if $(is-last),$(KSELFTEST)/attach,$(RULES_TESTS) $(LONG_ATTACKS)))
on-last = $(if $(is-last)$(NNLOOP_TEST_ALL),$2)
vm-tests = $(VM_TESTS_$1) $(addprefix kselftest=,$(filter-out $2,$(kselftest-programs))) \
	$(if $(is-last),stress=$(STRESS) fuzz=$(FUZZ_IOCTL)) \
	$(addprefix e2e=,$(E2E_TESTS) $(call on-last,$1,$(E2E_NEWEST)) $(if $(NNLOOP_TEST_ALL),$(E2E_LAST)))
ifeq ($(NNLOOP_TEST_ALL),)
vm-suite = NNLOOP_MODULE_ROUNDS=28 NNLOOP_STRESS_SECONDS=10 NNLOOP_FUZZ_SECONDS=5 \
	tests/vm-suite $(if $(is-last),,--cpus 1) $1
once-options := --cpus 1
else
vm-suite = NNLOOP_MODULE_ROUNDS=50 tests/vm-suite $1
endif
once-suite = '$1/once: tests/vm-suite $(once-options) --dmesg $(O)/tests/log/kernel-$1-once.log $1 \
	$(addprefix e2e=,$(E2E_ONCE) $(E2E_LAST))'

# The VMs first: they take longest, and often wait. Then two that compute for minutes, which nothing
# could be beside if they came last. The rest fills in, so one more at a time than there are
# processors.
LONG_TESTS = $(O)/tests/dsp/test-kernels tests/dsp/speed
# What takes a minute and finds little that the others do not.
ONLY_IN_ALL := $(if $(NNLOOP_TEST_ALL),,coccicheck tests/install/dkms)
dsp-tests = $(foreach t,$1,'dsp/$(notdir $(t)): nice $(t)')
run-tests:
	tests/run --jobs $$(($$(nproc) + 1)) --log $(O)/tests/log \
		$(foreach k,$(KERNELS),'$(k): $(call vm-suite,$(k)) $(call vm-tests,$(k),$(call elsewhere,$(k)))') \
		$(call once-suite,$(firstword $(KERNELS))) \
		$(call dsp-tests,$(LONG_TESTS)) \
		$(foreach k,$(lastword $(KERNELS)),'$(k)/sleep: tests/vm-sleep $(k)') \
		$(foreach k,$(lastword $(KERNELS)),'$(k)/swiotlb: tests/vm-swiotlb $(k)') \
		$(foreach k,$(if $(NNLOOP_TEST_ALL),$(KERNELS),$(lastword $(KERNELS))),'$(k)/soft: tests/vm-suite --soft --dmesg $(O)/tests/log/kernel-$(k)-soft.log $(k) \
			$(addprefix kselftest=,$(SOFT_TESTS))') \
		$(foreach k,$(lastword $(KERNELS)),'$(k)/workers: tests/vm-suite --workers 4 --dmesg $(O)/tests/log/kernel-$(k)-workers.log $(k) \
			$(addprefix kselftest=,$(WORKERS_TESTS)) e2e=tests/e2e/workers e2e=tests/e2e/streams') \
		$(foreach k,$(KERNELS),$(call on-last,$(k),'$(k)/reboot: tests/vm-reboot $(k)')) \
		$(foreach l,$(filter-out $(ONLY_IN_ALL),$(LINTS)),'lint/$(l): $(call lint-test,$(l))') \
		$(call dsp-tests,$(filter-out $(LONG_TESTS),$(DSP_TESTS))) \
		$(foreach t,$(filter-out $(ONLY_IN_ALL),$(UNIT_TESTS)),'unit/$(notdir $(t)): nice $(t)')

# ---- the newest kernel ----

# All that runs in a VM, on the newest kernel that Debian has built for its next stable release or
# this one, whatever it is today (tools/vm/kernel); no warning either. And the series for the tree
# of that kernel.
.PHONY: test-newest run-tests-newest
test-newest:
	tools/install-packages build board vm test kernel-patch
	tools/vm/kernel --out $(O)/vm fetch newest
	+$(MAKE) kernel-patch
	+$(MAKE) $(BUILD_JOBS) KERNELS=newest KBUILD_OPTIONS='W=1e $(KBUILD_OPTIONS)' vm-tests-built
	+$(MAKE) KERNELS=newest run-tests-newest

run-tests-newest:
	tests/run --jobs $(shell nproc) --log $(O)/tests/log \
		'kernel-patch: nice tests/kernel-patch/test' \
		'newest: tests/vm-suite newest $(call vm-tests,newest)' \
		$(call once-suite,newest) \
		'newest/sleep: tests/vm-sleep newest'

# ---- arm64 ----

# Driver, library and tool without a warning; the selftests, and some tests from end to end, in
# emulated VMs. The board, and what else runs here, is the same.
.PHONY: test-arm64 test-arm64-built user-arm64 run-tests-arm64
test-arm64:
	tools/install-packages build board vm test arm64
	tools/vm/kernel --out $(O)/vm --arch arm64 fetch $(GIVEN_KERNELS)
	+$(MAKE) $(BUILD_JOBS) VM_ARCH=arm64 KBUILD_OPTIONS=W=1e test-arm64-built
	+$(MAKE) VM_ARCH=arm64 run-tests-arm64

test-arm64-built: $(BOARD) $(MODULES) $(VM) kselftest user-arm64

user-arm64: $(O)/vm/root-arm64
	+PKG_CONFIG_SYSROOT_DIR=$(call absolute,$<) \
		PKG_CONFIG_LIBDIR=$(call absolute,$<)/usr/lib/aarch64-linux-gnu/pkgconfig \
		$(MAKE) O=$(O)/arm64 CC='$(CC_arm64)' AR=aarch64-linux-gnu-ar KERNELS= WERROR=1 \
			build-all $(addprefix $(O)/arm64/,tests/e2e-golden $(basename $(wildcard examples/*.c)))

arm64-tests = $(addprefix kselftest=,$(kselftest-programs)) \
	$(addprefix e2e=tests/e2e/,digits operators examples)
run-tests-arm64:
	tests/run --jobs $(shell nproc) --log $(O)/tests/log \
		$(foreach k,$(KERNELS),'$(k)-arm64: tests/vm-suite --arch arm64 $(k) $(arm64-tests)')
