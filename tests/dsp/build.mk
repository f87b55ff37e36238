# SPDX-License-Identifier: MIT
#
# Tests of the DSP's code: in qemu-hexagon without a board or VM, and of what is portable, on the
# host.

# An executable for qemu-hexagon NAME.elf, and NAME, which runs it.
HEXAGON_TESTS := test-kernels test-share test-fuse test-requant test-float32 test-fractions test-runtime test-progress

# The model of memory against patterns whose misses are known, and what is printed of it.
DSP_TESTS += tests/dsp/memory
tests/dsp/memory: $(O)/cache.so $(addprefix $(O)/tests/dsp/,test-memory nnloop-emulated bench)

DSP_TESTS += $(addprefix $(O)/tests/dsp/,$(HEXAGON_TESTS))
.SECONDARY: $(addsuffix .elf,$(addprefix $(O)/tests/dsp/,$(HEXAGON_TESTS) float-bits bench grid bench-passes emulated-job emulated-share test-memory))

$(O)/tests/dsp/%.elf: $(O)/hexagon/tests/dsp/%.o $(O)/hexagon/tests/dsp/harness.o \
		$(O)/hexagon/dsp/program/pack_scales.o $(DSP_OBJECTS) $(HEXAGON_RUNTIME)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(HEXAGON_LINK) -o $@ $^

# A grid of calls for each opcode, beside tests/dsp/grid.txt; `make grid` writes that, unless something
# is worse and not said to be (WORSE=1).
DSP_TESTS += tests/dsp/grid
tests/dsp/grid: $(O)/tests/dsp/grid
.PHONY: grid
grid: $(O)/tests/dsp/grid
	@$(HEXAGON_CC) --version | grep -q 'clang version 14\.' || { echo 'the bounds of tests/dsp/grid.txt are those of clang 14, Debian 12'"'"'s'; exit 1; }
	O=$(O) /usr/bin/python3 tests/dsp/grid.py write $(if $(WORSE),worse)
	O=$(O) /usr/bin/python3 tests/dsp/figures.py write grid
$(O)/tests/dsp/grid.elf: $(call hexagon-objects,$(wildcard tests/dsp/grids/*.c))
$(O)/tests/dsp/bench.elf: $(call hexagon-objects,tests/dsp/bench-moves.c)

# What runs jobs, where no board is.
ONE_WORKER_FIRMWARE := $(addprefix dsp/firmware/,control.c gang.c job.c programs.c) tests/dsp/one-worker.c

# The firmware's own passes, and the one kernel that it has is the program's.
$(O)/tests/dsp/bench-passes.elf: $(call hexagon-objects,tests/dsp/bench-passes.c tests/dsp/bench-control.c tests/dsp/harness.c $(ONE_WORKER_FIRMWARE) dsp/program/pack_scales.c) \
		$(filter-out %/dsp/hvx/common/kernels.o,$(DSP_OBJECTS)) $(HEXAGON_RUNTIME)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(HEXAGON_LINK) -o $@ $^

# What kernels ask to be fetched ahead: those that do with a recorder in the instruction's place.
DSP_TESTS += $(O)/tests/dsp/test-fetch
FETCHING := $(call hexagon-objects,$(shell grep -l '"dsp/hvx/common/fetch.h"' $(HVX_SOURCES)))
RECORDED := $(patsubst $(O)/hexagon/%,$(O)/hexagon/recorded/%,$(FETCHING))
define record
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(HEXAGON_CC) $(HEXAGON_CFLAGS) -I. -include tests/dsp/record-fetch.h -MMD -MP -c $< -o $@
endef
$(O)/hexagon/recorded/%.o: %.c dsp/build.mk tests/dsp/build.mk
	$(record)
$(O)/hexagon/recorded/%.o: %.S dsp/build.mk tests/dsp/build.mk
	$(record)

$(O)/tests/dsp/test-fetch.elf: $(call hexagon-objects,$(addprefix tests/dsp/,test-fetch.c harness.c kernel-test.c large-call.c random-call.c) \
		$(wildcard tests/dsp/kernels/*.c) dsp/program/pack_scales.c) $(RECORDED) $(filter-out $(FETCHING),$(DSP_OBJECTS)) $(HEXAGON_RUNTIME)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(HEXAGON_LINK) -o $@ $^

# That assembly functions keep their callers' registers: each is called by way of what
# wrapped-functions.S puts before it.
DSP_TESTS += $(O)/tests/dsp/test-registers
ASSEMBLY := $(call hexagon-objects,$(filter %.S,$(HVX_SOURCES)))
$(O)/tests/dsp/wrapped-functions.h: $(ASSEMBLY)
	$(call note,NM,$@)
	@mkdir -p $(@D)
	nm -g --defined-only $^ | sed -n 's/^[0-9a-f]* T /	WRAP /p' | sort > $@

$(O)/hexagon/tests/dsp/wrapped-functions.o: HEXAGON_CFLAGS += -I$(O)/tests/dsp
$(O)/hexagon/tests/dsp/wrapped-functions.o: $(O)/tests/dsp/wrapped-functions.h

$(O)/tests/dsp/test-registers.elf: $(call hexagon-objects,$(addprefix tests/dsp/,test-registers.c wrapped-functions.S harness.c \
		kernel-test.c large-call.c random-call.c) \
		$(wildcard tests/dsp/kernels/*.c) dsp/program/pack_scales.c) $(DSP_OBJECTS) $(HEXAGON_RUNTIME)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(HEXAGON_LINK) $$(sed 's/.* /--wrap=/' $(O)/tests/dsp/wrapped-functions.h) -o $@ $^

# That nn_call_has_vectors() is right: the portable kernels are the test's own.
DSP_TESTS += $(O)/tests/dsp/test-vectors
OPCODES := $(shell grep -o 'NN_OPCODE.[A-Z0-9_]*, [a-z0-9_]*, [0-9][0-9]*' dsp/program/operators.h | cut -d, -f2)
$(O)/tests/dsp/test-vectors.elf: $(call hexagon-objects,$(addprefix tests/dsp/,test-vectors.c harness.c kernel-test.c large-call.c random-call.c) \
		$(wildcard tests/dsp/kernels/*.c) dsp/program/pack_scales.c) $(DSP_OBJECTS) $(HEXAGON_RUNTIME)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(HEXAGON_LINK) $(patsubst %,--wrap=nn_%_portable,$(OPCODES)) -o $@ $^

# nnloop whose device `hexagon` is the firmware in qemu-hexagon, without board and VM: for packets
# of whole models. Not the library's own hexagon_open.c, because emulated.o has what the library
# asks it for.
$(O)/tests/dsp/emulated-job.elf: $(call hexagon-objects,tests/dsp/emulated-job.c tests/dsp/harness.c $(ONE_WORKER_FIRMWARE)) $(DSP_OBJECTS) $(HEXAGON_RUNTIME)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(HEXAGON_LINK) -o $@ $^

# The same with the shares of several workers for kernels.
$(O)/tests/dsp/emulated-share.elf: $(call hexagon-objects,$(addprefix tests/dsp/,emulated-job.c emulated-share.c harness.c) \
		$(ONE_WORKER_FIRMWARE)) \
		$(filter-out %/dsp/hvx/common/kernels.o,$(DSP_OBJECTS)) $(HEXAGON_RUNTIME)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(HEXAGON_LINK) -o $@ $^

$(O)/tests/dsp/nnloop-emulated: $(O)/obj/tests/dsp/emulated.o $(NNLOOP_TOOL_OBJECTS) $(O)/libnnloop.a | $(addprefix $(O)/tests/dsp/,emulated-job.elf emulated-share.elf)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS) $$($(PKG_CONFIG) --libs libpng libjpeg)
$(O)/obj/tests/dsp/emulated.o: private BASE_CPPFLAGS += $(LIBNNLOOP_CPPFLAGS)

# What runs models from end to end, on that device: all models, because here they take seconds.
# tests/e2e/build.mk has its objects.
$(O)/tests/dsp/golden-emulated: $(O)/obj/tests/dsp/emulated.o $(O)/libnnloop.a | $(addprefix $(O)/tests/dsp/,emulated-job.elf emulated-share.elf)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(O)/libnnloop.a $(LIBNNLOOP_LIBS)

DSP_TESTS += $(addprefix tests/dsp/,operators operators-whole operators-shared random-models loop-trees loop-cascades loop-leaves)
$(addprefix tests/dsp/,operators operators-whole operators-shared random-models loop-trees loop-cascades loop-leaves): $(O)/tests/dsp/golden-emulated

# The operators' own tests, one file each, which five of these go through.
$(addprefix $(O)/tests/dsp/,test-kernels.elf test-share.elf test-fuse.elf test-progress.elf float-bits.elf): $(call hexagon-objects, \
	$(wildcard tests/dsp/kernels/*.c) \
	$(addprefix tests/dsp/,kernel-test.c large-call.c random-call.c))

# Times the usual random calls, where all tests are wanted.
RANDOM_TESTS := test-kernels test-share test-fuse test-registers
most-calls = $(if $(filter test-kernels,$1),4,2)
$(O)/tests/dsp/%: $(O)/tests/dsp/%.elf tests/dsp/build.mk
	printf '#!/bin/sh\n%sexec qemu-hexagon "$$0.elf" "$$@"\n' \
		'$(if $(filter $*,$(RANDOM_TESTS)),[ -z "$$NNLOOP_TEST_ALL" ] || [ $$# -gt 1 ] || set -- "$$1" $(call most-calls,$*); )' > $@
	chmod +x $@

# What their checks refuse.
$(O)/tests/dsp/test-checks: $(patsubst %.c,$(O)/san/%.o,$(wildcard tests/dsp/checks/*.c))

$(O)/tests/dsp/test-pack: $(O)/san/dsp/program/pack.o $(O)/san/dsp/program/pack_scales.o

# The interpreter and the kernels on the host.
HOST_KERNELS := dsp/program/control.c dsp/program/interpreter.c dsp/program/share.c $(wildcard dsp/kernels/*.c libnnloop/device/host/*.c)

HOST_TESTS := $(addprefix $(O)/tests/dsp/,test-interpreter test-checks test-program test-counts test-control test-rows test-functions test-pack)

UNIT_TESTS += $(HOST_TESTS)

$(HOST_TESTS): $(O)/tests/dsp/%: $(O)/san/tests/dsp/%.o $(patsubst %.c,$(O)/san/%.o,$(HOST_KERNELS))
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $^ -lm -o $@

# The host's own kernels against the portable ones, and parts of their calls against whole ones: the
# operators' own tests, as above.
HOST_KERNEL_TESTS := $(addprefix $(O)/tests/dsp/,test-host-kernels host/test-share)
UNIT_TESTS += $(HOST_KERNEL_TESTS)

# Kernels of float32 on both.
DSP_TESTS += tests/dsp/same-floats
tests/dsp/same-floats: $(O)/tests/dsp/float-bits $(O)/tests/dsp/host/float-bits

HOST_KERNEL_OBJECTS := $(patsubst %.c,$(O)/san/%.o,$(HOST_KERNELS) dsp/program/pack_scales.c $(wildcard tests/dsp/kernels/*.c) \
	$(addprefix tests/dsp/,harness.c kernel-test.c large-call.c random-call.c))
$(patsubst %,$(O)/san/tests/dsp/%.o,harness large-call): private BASE_CPPFLAGS += -D_GNU_SOURCE
$(O)/tests/dsp/test-host-kernels: $(O)/san/tests/dsp/test-host-kernels.o $(HOST_KERNEL_OBJECTS)
$(O)/tests/dsp/host/test-share: $(O)/san/tests/dsp/test-share.o $(HOST_KERNEL_OBJECTS)
$(O)/tests/dsp/host/float-bits: $(O)/san/tests/dsp/float-bits.o $(HOST_KERNEL_OBJECTS)
$(HOST_KERNEL_TESTS) $(O)/tests/dsp/host/float-bits:
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $^ -lm -o $@

# Passes of several workers, which are threads here, with ThreadSanitizer.
UNIT_TESTS += $(O)/tests/dsp/test-workers

$(O)/tests/dsp/test-workers: $(patsubst %.c,$(O)/tsan/%.o,tests/dsp/test-workers.c $(HOST_KERNELS))
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(TSAN_FLAGS) $(LDFLAGS) $^ -lm -o $@

UNIT_TESTS += $(O)/tests/dsp/test-golden

$(O)/tests/dsp/test-golden: $(patsubst %.c,$(O)/san/%.o,tests/dsp/test-golden.c dsp/program/pack.c dsp/program/pack_scales.c \
		$(HOST_KERNELS))
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $^ -lm -o $@

$(O)/san/tests/dsp/test-golden.o: private BASE_CPPFLAGS += -I$(O)/tests/dsp
$(O)/san/tests/dsp/test-golden.o: $(O)/tests/dsp/golden.h

$(O)/tests/dsp/golden.h: tests/dsp/golden.py
	$(call note,PYTHON,$@)
	@mkdir -p $(@D)
	/usr/bin/python3 $< > $@

UNIT_TESTS += $(O)/tests/dsp/test-golden-float

$(O)/tests/dsp/test-golden-float: $(patsubst %.c,$(O)/san/%.o,tests/dsp/test-golden-float.c \
		$(HOST_KERNELS))
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANITIZE_FLAGS) $^ -lm -o $@

$(O)/san/tests/dsp/test-golden-float.o: private BASE_CPPFLAGS += -I$(O)/tests/dsp
$(O)/san/tests/dsp/test-golden-float.o: $(O)/tests/dsp/golden-float.h

$(O)/tests/dsp/golden-float.h: tests/dsp/golden_float.py
	$(call note,PYTHON,$@)
	@mkdir -p $(@D)
	/usr/bin/python3 $< > $@

# A network whose passes are divided among workers.
DSP_TESTS += tests/dsp/shares
tests/dsp/shares: $(O)/tests/dsp/nnloop-emulated $(NETWORKS)

# Loops whose iterations the DSP counts.
DSP_TESTS += tests/dsp/reader
tests/dsp/reader: $(O)/tests/dsp/nnloop-emulated

# A network whose sums and functions are part of its convolutions.
DSP_TESTS += tests/dsp/fused
tests/dsp/fused: $(O)/tests/dsp/nnloop-emulated $(O)/nnloop $(NETWORKS)

# Packets per layer, of what the firmware does around operators and of whole networks: a comparison
# with docs/packets.md and docs/performance.md.
FIGURES := $(addprefix $(O)/tests/dsp/,bench bench-passes nnloop-emulated) $(O)/cache.so $(NETWORKS)
DSP_TESTS += tests/dsp/speed
tests/dsp/speed: $(FIGURES)

# The same, and writes them there, unless they are worse and not said to be (WORSE=1). NNLOOP_MODELS=DIR
# has published models, of which the tables have rows, too.
.PHONY: bench
bench: $(FIGURES) $(TYPICAL_NETWORKS) $(O)/tests/dsp/grid
	@$(HEXAGON_CC) --version | grep -q 'clang version 14\.' || { echo 'the figures of docs/packets.md are those of clang 14, Debian 12'"'"'s'; exit 1; }
	O=$(O) HEXAGON_CC=$(HEXAGON_CC) /usr/bin/python3 tests/dsp/figures.py write $(if $(WORSE),worse)

.PHONY: bench-dsp
bench-dsp: $(O)/tests/dsp/bench $(O)/tests/dsp/bench-passes
	$(O)/tests/dsp/bench
	$(O)/tests/dsp/bench-passes

# Packets between two reports, for test-progress.
.PHONY: record-progress
record-progress: $(O)/tests/dsp/test-progress
	{ sed -n 1,2p tests/dsp/progress-expected.h; $< | sed -n 's/^# {/{/p'; } > $(O)/progress-expected.h
	mv $(O)/progress-expected.h tests/dsp/progress-expected.h
