# SPDX-License-Identifier: MIT
#
# `make soak`: the fuzzers and the stress run, SOAK_SECONDS each, SOAK_JOBS at a time. What they say
# is in $(O)/soak.

SOAK_SECONDS ?= 3600
SOAK_JOBS ?= 2

# $(call soak-vm,PROGRAM): alone in a VM, with time to boot and to end.
soak-vm = NNLOOP_TEST_SECONDS=$$(($(SOAK_SECONDS) + 900)) \
	tests/vm-suite --time $$(($(SOAK_SECONDS) + 1000)) --dmesg $(O)/soak/$(notdir $1)-kernel.log \
	$(lastword $(KERNELS)) soak=$1

.PHONY: soak soak-built soak-run
soak:
	tools/install-packages build board vm test fuzz
	tools/vm/kernel --out $(O)/vm fetch $(GIVEN_KERNELS)
	+$(MAKE) $(BUILD_JOBS) soak-built
	+$(MAKE) soak-run

# On the newest kernel of the suite.
soak-run:
	tests/soak/run --jobs $(SOAK_JOBS) --log $(O)/soak \
		'stress: NNLOOP_STRESS_SECONDS=$(SOAK_SECONDS) $(call soak-vm,$(STRESS))' \
		'fuzz-ioctl: NNLOOP_FUZZ_SEED=$(FUZZ_SEED) NNLOOP_FUZZ_SECONDS=$(SOAK_SECONDS) $(call soak-vm,$(FUZZ_IOCTL))' \
		'fuzz-text: $(call fuzz-run,text,$(SOAK_SECONDS))' \
		'fuzz-onnx: $(call fuzz-run,onnx,$(SOAK_SECONDS))' \
		'fuzz-tflite: $(call fuzz-run,tflite,$(SOAK_SECONDS))'

soak-built: $(BOARD) $(MODULES) $(VM) $(FUZZERS)
