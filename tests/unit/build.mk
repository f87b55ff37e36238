# SPDX-License-Identifier: MIT
#
# Unit tests, on the host. tests/unit/test-X.c is a program, linked with the library's objects with
# sanitizers on, so that it can look inside; scripts use what `make` builds.

UNIT_PROGRAMS := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/test-*.c))
UNIT_SCRIPTS := tests/unit/onnx-operators tests/unit/onnx-random tests/unit/edges tests/unit/steps tests/unit/onnx-schemas tests/unit/onnx-levels tests/unit/tflite-kernels tests/unit/tflite-random tests/unit/loop-trees tests/unit/loop-cascades tests/unit/completion tests/unit/archives

tests/unit/completion: $(O)/nnloop

UNIT_TESTS += $(UNIT_PROGRAMS) $(UNIT_SCRIPTS) $(O)/tests/unit/cost $(O)/tests/unit/packing

$(UNIT_PROGRAMS) $(O)/tests/unit/onnx-table: $(O)/tests/unit/%: $(O)/san/tests/unit/%.o $(LIBNNLOOP_SAN) | $(UNPACKED_MODELS)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE_FLAGS) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS)

$(addprefix $(O)/tests/unit/test-,weights onnx-values onnx-apart): $(O)/san/tests/unit/onnx_writer.o

# tests/unit/edges and tests/unit/steps run tests/e2e/golden.c, which looks at no inside, but the
# sanitizers do.
GOLDEN_SAN := $(patsubst $(O)/obj/%,$(O)/san/%,$(E2E_GOLDEN_OBJECTS))
test-built tests/unit/edges tests/unit/steps tests/unit/loop-trees tests/unit/loop-cascades: $(O)/tests/unit/golden
$(O)/tests/unit/golden: $(GOLDEN_SAN) $(LIBNNLOOP_SAN)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS)

$(O)/san/tests/e2e/%.o: private BASE_CPPFLAGS += -Ilibnnloop -D_GNU_SOURCE

# What gives memory is the test's, where it wants.
comma := ,
ALLOCATORS := malloc calloc realloc aligned_alloc $(addprefix nn_pool_,alloc array copy string)
$(O)/tests/unit/test-allocations: private BASE_LDFLAGS += $(addprefix -Wl$(comma)--wrap=,$(ALLOCATORS))
$(O)/tests/unit/test-offsets: private BASE_LDFLAGS += $(addprefix -Wl$(comma)--wrap=,calloc nn_pool_alloc)

$(addprefix $(O)/tests/unit/test-,onnx-variants tflite-variants text-variants): private BASE_LDFLAGS += -Wl,--wrap=aligned_alloc

$(O)/tests/unit/test-host $(O)/tests/unit/tsan-host: private BASE_LDFLAGS += -Wl,--wrap=pthread_create -Wl,--wrap=nn_team_run

# It reads files of cases.
CONVERT_SAN := $(patsubst %,$(O)/san/%.o,tests/e2e/golden_files $(addprefix tools/nnloop/,error file npy))
$(O)/tests/unit/test-convert: $(CONVERT_SAN)
$(O)/tests/unit/test-convert: private LIBNNLOOP_SAN += $(CONVERT_SAN)
$(O)/san/tests/unit/test-convert.o: private BASE_CPPFLAGS += -I.

# Where tests/models' archives are unpacked (tools/models/build.mk).
$(O)/san/tests/unit/%.o: private BASE_CPPFLAGS += -Ilibnnloop $(LIBNNLOOP_CPPFLAGS) -DMODELS_DIR='"$(O)/models/"'
$(patsubst %.c,$(O)/san/%.o,$(wildcard tests/unit/*onnx*.c) tests/unit/test-quantize.c tests/unit/test-convert.c): $(O)/gen/onnx.pb-c.h

# Parts of the command.
READER_SAN := $(patsubst %,$(O)/san/tools/nnloop/%.o,contrast error labels number_lines)
$(O)/tests/unit/test-reader: $(READER_SAN)
$(O)/tests/unit/test-reader: private LIBNNLOOP_SAN += $(READER_SAN)
$(O)/san/tests/unit/test-reader.o: private BASE_CPPFLAGS += -Itools/nnloop
$(O)/san/tools/nnloop/%.o: private BASE_CPPFLAGS += -Ilibnnloop -D_GNU_SOURCE

tests/unit/onnx-schemas tests/unit/onnx-levels: $(O)/tests/unit/onnx-table

# Those that have threads, and the library, once more with ThreadSanitizer.
TSAN_FLAGS := -fsanitize=thread -fno-omit-frame-pointer
TSAN_PROGRAMS := $(addprefix $(O)/tests/unit/tsan-,threads host)
# Importers and the quantizer have no threads, and nothing that graphs share.
TSAN_WITHOUT := $(filter libnnloop/import/% libnnloop/quantize/%,$(LIBNNLOOP_SOURCES))
TSAN_OBJECTS := $(patsubst %.c,$(O)/tsan/%.o,$(filter-out $(TSAN_WITHOUT),$(LIBNNLOOP_SOURCES)))

UNIT_TESTS += $(TSAN_PROGRAMS)

$(TSAN_PROGRAMS): $(O)/tests/unit/tsan-%: $(O)/tsan/tests/unit/test-%.o $(TSAN_OBJECTS) \
		$(patsubst %.c,$(O)/obj/%.o,$(TSAN_WITHOUT)) $(O)/obj/libnnloop/onnx.pb-c.o
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(TSAN_FLAGS) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS)

$(O)/tsan/%.o: %.c tests/unit/build.mk | $(O)/gen/onnx.pb-c.h
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(BASE_CPPFLAGS) $(CPPFLAGS) $(LIBNNLOOP_CPPFLAGS) -O1 -g1 $(TSAN_FLAGS) -MMD -MP -c $< -o $@

-include $(TSAN_OBJECTS:.o=.d) $(TSAN_PROGRAMS:$(O)/tests/unit/tsan-%=$(O)/tsan/tests/unit/test-%.d)

# The library once more, with a call for each basic block that it enters, so that work can be
# counted.
COST_OBJECTS := $(patsubst %.c,$(O)/cost/%.o,$(LIBNNLOOP_SOURCES))

$(O)/tests/unit/cost: $(patsubst %,$(O)/obj/tests/unit/%.o,cost cost_onnx onnx_writer) $(COST_OBJECTS) $(O)/obj/libnnloop/onnx.pb-c.o
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS)

$(COST_OBJECTS): $(O)/cost/%.o: %.c tests/unit/build.mk | $(O)/gen/onnx.pb-c.h
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(BASE_CPPFLAGS) $(CPPFLAGS) $(LIBNNLOOP_CPPFLAGS) -O1 -fsanitize-coverage=trace-pc -MMD -MP -c $< -o $@

$(O)/obj/tests/unit/cost.o $(O)/obj/tests/unit/cost_onnx.o: private BASE_CPPFLAGS += -Ilibnnloop
-include $(COST_OBJECTS:.o=.d)

# The memory that the library takes is counted between it and the C library, too.
PACKING_WRAP := $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc aligned_alloc free)
PACKING_TEST := $(patsubst %,$(O)/obj/tests/unit/%.o,packing onnx_writer)

$(O)/tests/unit/packing: $(PACKING_TEST) $(COST_OBJECTS) $(O)/obj/libnnloop/onnx.pb-c.o
$(O)/tests/unit/bench-packing: $(PACKING_TEST) $(LIBNNLOOP_OBJECTS)
$(O)/tests/unit/packing $(O)/tests/unit/bench-packing:
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(PACKING_WRAP) -o $@ $^ $(LIBNNLOOP_LIBS)

$(O)/obj/tests/unit/packing.o: private BASE_CPPFLAGS += -Ilibnnloop

# How fast weights are imported and packed, beside a copy of as many bytes.
.PHONY: bench-packing
bench-packing: $(O)/tests/unit/bench-packing
	$< --bench

# Those that execute graphs once more, on the DSP: $(O)/tests/hexagon/test-X runs in the VM. Without
# sanitizers, which emulation makes too slow.
HEXAGON_PROGRAMS := $(addprefix $(O)/tests/hexagon/,test-controlled test-decisions test-graph test-nests test-rows test-state test-threads)
E2E_ONCE += $(HEXAGON_PROGRAMS)

$(HEXAGON_PROGRAMS): $(O)/tests/hexagon/%: $(O)/tests/hexagon/%.bin
	printf '#!/bin/sh\nexec %s --device hexagon\n' '$<' >$@
	chmod +x $@

$(addsuffix .bin,$(HEXAGON_PROGRAMS)): $(O)/tests/hexagon/%.bin: $(O)/obj/tests/unit/%.o $(O)/libnnloop.a
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS)

$(O)/obj/tests/unit/test-%.o: private BASE_CPPFLAGS += -Ilibnnloop $(LIBNNLOOP_CPPFLAGS)
