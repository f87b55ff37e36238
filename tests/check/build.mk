# SPDX-License-Identifier: MIT
#
# `make check`: what needs neither root nor a VM, within five minutes on two processors, with what is
# installed. `make check T=NAME`: all of it that is about NAME. `make vm-check T=NAME`: the same inside
# the VM. What that is, `select` says.

UNIT_TESTS += tests/check/choice

CHECK := $(O)/check

.PHONY: check vm-check vm-check-built
check:
	T='$(T)' KERNEL_SOURCE='$(KERNEL_SOURCE)' CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' \
		HEXAGON_CC='$(HEXAGON_CC)' HEXAGON_LD='$(HEXAGON_LD)' ONNX_PROTO_DIR='$(ONNX_PROTO_DIR)' \
		tests/check/select check $(CHECK) \
		$(addprefix unit=,$(UNIT_TESTS)) $(addprefix dsp=,$(DSP_TESTS)) $(addprefix lint=,$(LINTS))
	+xargs -r $(MAKE) $(BUILD_JOBS) KERNELS= <$(CHECK)/targets
	+tests/check/run $(CHECK)

# On the newest of KERNELS, or on the one that is given.
VM_CHECK_KERNEL = $(or $(lastword $(KERNELS)),default)
vm-check:
	T='$(T)' tests/check/select vm $(CHECK) $(VM_CHECK_KERNEL) \
		$(addprefix e2e=,$(VM_CHECK_E2E)) stress=$(STRESS) fuzz=$(FUZZ_IOCTL) \
		$(addprefix kselftest=$(KSELFTEST)/,$(shell sed -n 's/^TEST_GEN_PROGS\(_EXTENDED\)\? := //p' tests/kselftest/Makefile)) \
		$(addprefix e2e=,$(E2E_LAST))
	tools/install-packages --check build board vm test
	tools/vm/kernel --out $(O)/vm fetch $(VM_CHECK_KERNEL)
	+xargs $(MAKE) $(BUILD_JOBS) KERNELS=$(VM_CHECK_KERNEL) vm-check-built <$(CHECK)/targets
	+tests/check/run $(CHECK)
VM_CHECK_E2E = $(E2E_TESTS) $(E2E_NEWEST) $(filter-out $(E2E_TESTS),$(E2E_ONCE)) $(addprefix tests/e2e/,workers $(if $(NNLOOP_TEST_ALL),,streams dump batch))

vm-check-built: $(BOARD) $(MODULES) $(VM)
