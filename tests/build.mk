# SPDX-License-Identifier: MIT
#
# What runs in `make test`, and the kernel's selftest harness.

LINT_SH += tests/vm-suite

# Extracted from Debian's linux-source package, never kept here: the harness, and the checkers of `make lint`.
KERNEL_SOURCE ?= /usr/src/linux-source-6.12.tar.xz
KSFT := $(O)/kernel-source/tools/testing/selftests
CHECKPATCH := $(O)/kernel-source/scripts/checkpatch.pl

$(O)/kernel-source/.done: $(KERNEL_SOURCE)
	$(call note,EXTRACT,$(@D) from $<)
	@rm -rf $(@D) && mkdir -p $(@D)
	tar -C $(@D) --strip-components=1 --wildcards -xJf $< \
		'*/tools/testing/selftests/lib.mk' '*/tools/testing/selftests/kselftest*' \
		'*/tools/testing/selftests/run_kselftest.sh' '*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch' '*/scripts/coccinelle' '*/scripts/Makefile.compiler' \
		'*/tools/scripts/Makefile.*'
	@touch $@

# Its Makefile knows what depends on what.
.PHONY: kselftest
kselftest: $(O)/kernel-source/.done
	+$(MAKE) -C tests/kselftest O= KSFT=$(abspath $(KSFT)) OUTPUT=$(abspath $(O)/kselftest) all

kselftest-programs = $(shell $(MAKE) -s -C tests/kselftest O= KSFT=$(abspath $(KSFT)) OUTPUT=$(abspath $(O)/kselftest) \
	--eval='list: ; @echo $$(TEST_GEN_PROGS) $$(addprefix $(CURDIR)/tests/kselftest/,$$(TEST_PROGS))' list)

.PHONY: test-built run-tests
test-built: $(ALL) $(BOARD) $(MODULES) $(VM) $(UNIT_TESTS) $(filter $(O)/%,$(DSP_TESTS)) kselftest

run-tests:
	tests/run --jobs $(shell nproc) --log $(O)/tests/log \
		$(foreach k,$(KERNELS),'$(k): tests/vm-suite $(k) $(addprefix kselftest=,$(kselftest-programs)) \
			$(addprefix e2e=,$(E2E_TESTS))') \
		$(foreach t,$(UNIT_TESTS),'unit/$(notdir $(t)): $(t)') \
		$(foreach t,$(DSP_TESTS),'dsp/$(notdir $(t)): $(t)')

# ---- lint ----

KERNEL_STYLE := $(wildcard driver/*.[ch] uapi/drm/*.h tests/kselftest/*.[ch])

.PHONY: lint-built lint-checkpatch lint-sparse lint-shell
lint-built: lint-checkpatch lint-sparse lint-shell

lint-checkpatch: $(O)/kernel-source/.done
	perl $(CHECKPATCH) --strict --no-tree --quiet --terse --max-line-length=100 -f $(KERNEL_STYLE)

# A module of its own: C=2 checks every file, W=1e turns the extra warnings into errors.
lint-sparse:
	+$(MAKE) O=$(O)/lint modules KBUILD_OPTIONS='C=2 W=1e CF=-Wsparse-error'

lint-shell:
	shellcheck $(LINT_SH)
