# SPDX-License-Identifier: MIT
#
# The fuzzers of the importers, and below them the driver's. `make fuzz` builds the former with
# clang's libFuzzer and runs each for FUZZ_SECONDS, from tests/fuzz/FORMAT, where there is one, what
# fuzzers found before (tests/fuzz/found/FORMAT.tar) and models of tests/models; these files alone are
# a test (corpus-FORMAT), built as the other tests are. tools/models/common/archive.py adds files to
# an archive.
#
#   $(O)/fuzz/seeds/FORMAT  an archive, unpacked
#   $(O)/fuzz/FORMAT        the fuzzer
#   $(O)/fuzz/FORMAT.found  inputs that reach more code; crashes are written to FORMAT.crash-*

FUZZ_FORMATS := text onnx tflite
FUZZ_SECONDS ?= 3600
FUZZ_CC := clang
# Members that are left out are 0: clang 14 warns of those behind a designated one, too.
FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
	-Wno-missing-field-initializers \
	-fno-sanitize=function -fno-omit-frame-pointer -ffp-contract=off

FUZZ_REPLAYS := $(addprefix $(O)/tests/fuzz/replay-,$(FUZZ_FORMATS))
UNIT_TESTS += $(addprefix $(O)/tests/fuzz/corpus-,$(FUZZ_FORMATS))

$(FUZZ_REPLAYS): $(O)/tests/fuzz/replay-%: $(O)/san/tests/fuzz/%.o $(O)/san/tests/fuzz/graph.o \
		$(O)/san/tests/fuzz/replay.o $(LIBNNLOOP_SAN)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS)

FUZZ_SEEDS_text := tests/fuzz/text $(O)/fuzz/seeds/text
FUZZ_SEEDS_onnx := tests/fuzz/onnx $(O)/fuzz/seeds/onnx $(O)/models/ops
FUZZ_SEEDS_tflite := $(O)/models/tflite $(O)/models/tflite-refused
FUZZ_FOUND := $(patsubst tests/fuzz/found/%.tar,%,$(wildcard tests/fuzz/found/*.tar))
FUZZ_UNPACKED := $(patsubst %,$(O)/fuzz/seeds/%/.unpacked,$(FUZZ_FOUND))

$(FUZZ_UNPACKED): $(O)/fuzz/seeds/%/.unpacked: tests/fuzz/found/%.tar
	$(call note,UNPACK,$(@D))
	rm -rf $(@D) && mkdir -p $(@D) && tar -C $(@D) -xf $<
	touch $@

# What runs in `make test`: a script that knows its corpus.
$(O)/tests/fuzz/corpus-%: $(O)/tests/fuzz/replay-% tests/fuzz/build.mk | $(FUZZ_UNPACKED) $(UNPACKED_MODELS)
	printf '#!/bin/sh\nexec %s %s\n' '$<' '$(FUZZ_SEEDS_$*)' >$@
	chmod +x $@

FUZZ_OBJECTS := $(patsubst %.c,$(O)/fuzz/obj/%.o,$(LIBNNLOOP_SOURCES) tests/fuzz/graph.c) \
	$(O)/fuzz/obj/onnx.pb-c.o
$(O)/fuzz/obj/%.o: %.c tests/fuzz/build.mk | $(O)/gen/onnx.pb-c.h
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(BASE_CFLAGS) $(BASE_CPPFLAGS) $(CPPFLAGS) $(LIBNNLOOP_CPPFLAGS) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@

$(O)/fuzz/obj/onnx.pb-c.o: $(O)/gen/onnx.pb-c.c
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(BASE_CFLAGS) $(FUZZ_FLAGS) -I$(O)/gen -c $< -o $@

FUZZERS := $(addprefix $(O)/fuzz/,$(FUZZ_FORMATS))
$(FUZZERS): $(O)/fuzz/%: $(O)/fuzz/obj/tests/fuzz/%.o $(FUZZ_OBJECTS)
	$(call note,LD,$@)
	$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LIBNNLOOP_LIBS)

-include $(call dependencies,$(O)/fuzz/obj)

.PHONY: fuzz fuzz-built $(addprefix fuzz-,$(FUZZ_FORMATS))
fuzz:
	tools/install-packages build fuzz
	+$(MAKE) $(BUILD_JOBS) $(FUZZERS)
	+$(MAKE) -j2 $(addprefix fuzz-,$(FUZZ_FORMATS))

# $(call fuzz-run,FORMAT,SECONDS)
fuzz-run = mkdir -p $(O)/fuzz/$1.found && $(O)/fuzz/$1 -max_total_time=$2 -timeout=120 \
	-rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 -dict=tests/fuzz/$1.dict \
	-artifact_prefix=$(O)/fuzz/$1.crash- $(O)/fuzz/$1.found $(FUZZ_SEEDS_$1)

$(addprefix fuzz-,$(FUZZ_FORMATS)): fuzz-%: $(O)/fuzz/% | $(FUZZ_UNPACKED) $(UNPACKED_MODELS)
	$(call fuzz-run,$*,$(FUZZ_SECONDS)) >$<.log 2>&1 || { tail -n 40 $<.log; exit 1; }
	tail -n 12 $<.log

# ---- The driver ----

# `make fuzz-ioctl` runs $(O)/tests/fuzz/ioctl for FUZZ_SECONDS in a VM with FUZZ_KERNEL; a short run
# is part of `make test`. It is built as the kselftests are.

FUZZ_KERNEL ?= debug
FUZZ_SEED ?= $(shell date +%s)
FUZZ_IOCTL := $(O)/tests/fuzz/ioctl
FUZZ_IOCTL_SOURCES := $(wildcard tests/fuzz/ioctl*.c) tests/fuzz/kcov.c

$(FUZZ_IOCTL): $(FUZZ_IOCTL_SOURCES) $(wildcard tests/fuzz/*.h tests/kselftest/*.h) \
		uapi/drm/nnloop_accel.h dsp/program/nn_program.h dsp/program/nn_control.h \
		dsp/program/operators.h $(O)/kernel-source/.done
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) -I. -Iuapi -Itests/kselftest \
		-isystem $(KSFT) -isystem /usr/include/libdrm -o $@ $(FUZZ_IOCTL_SOURCES) -lpthread

vm-tests-built test-debug-built soak-built: $(FUZZ_IOCTL)

.PHONY: fuzz-ioctl fuzz-ioctl-built fuzz-ioctl-run
fuzz-ioctl:
	tools/install-packages build board vm test $(filter debug,$(FUZZ_KERNEL))
	tools/vm/kernel --out $(O)/vm fetch $(filter-out debug,$(FUZZ_KERNEL))
	+$(MAKE) $(BUILD_JOBS) fuzz-ioctl-built
	+$(MAKE) fuzz-ioctl-run

fuzz-ioctl-built: $(VM) $(BOARD) $(FUZZ_IOCTL)
fuzz-ioctl-built: $(if $(filter debug,$(FUZZ_KERNEL)),debug-kernel,$(MODULES))

# More time than asked for: the last round may be slow, and the VM has to boot.
fuzz-ioctl-run: export NNLOOP_FUZZ_SEED = $(FUZZ_SEED)
fuzz-ioctl-run: export NNLOOP_FUZZ_SECONDS = $(FUZZ_SECONDS)
fuzz-ioctl-run: export NNLOOP_TEST_SECONDS = $(shell expr $(FUZZ_SECONDS) + 300)
fuzz-ioctl-run:
	tests/run --timeout $$(($(FUZZ_SECONDS) + 900)) --log $(O)/tests/log \
		"fuzz-ioctl: tests/vm-suite --time $$(($(FUZZ_SECONDS) + 600)) $(FUZZ_KERNEL) \
			fuzz=$(FUZZ_IOCTL) $(if $(filter debug,$(FUZZ_KERNEL)),debug=tests/debug/kmemleak)"; \
	status=$$?; sed -n 's/^ *# /  /p' $(O)/tests/log/fuzz-ioctl.log; exit $$status

# What of the driver that reaches, as far as the debug kernel's KCOV sees it.
.PHONY: fuzz-ioctl-coverage
fuzz-ioctl-coverage: export NNLOOP_FUZZ_COVERAGE = $(OUT)/fuzz/ioctl.places
fuzz-ioctl-coverage:
	@mkdir -p $(O)/fuzz
	+$(MAKE) FUZZ_KERNEL=debug fuzz-ioctl
	tests/fuzz/coverage $(DEBUG_MODULE) $(O)/fuzz/ioctl.places

# syzkaller's description, and the fuzzer's table, against the header.
UNIT_TESTS += tests/fuzz/descriptions
