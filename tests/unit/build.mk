# SPDX-License-Identifier: MIT
#
# Unit tests, on the host. tests/unit/test-X.c is a program, linked with the library's objects with sanitizers on, so that it can look inside;
# scripts use what `make` builds.

UNIT_PROGRAMS := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/test-*.c))
UNIT_SCRIPTS := tests/unit/onnx-operators tests/unit/onnx-random

UNIT_TESTS += $(UNIT_PROGRAMS) $(UNIT_SCRIPTS) $(O)/tests/unit/cost

$(UNIT_PROGRAMS): $(O)/tests/unit/%: $(O)/san/tests/unit/%.o $(LIBNNLOOP_SAN)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $< $(LIBNNLOOP_SAN) $(LIBNNLOOP_LIBS)

$(O)/san/tests/unit/%.o: private CPPFLAGS += -Ilibnnloop $(LIBNNLOOP_CPPFLAGS)
$(patsubst %.c,$(O)/san/%.o,$(wildcard tests/unit/test-onnx*.c)): $(O)/gen/onnx.pb-c.h

# The library once more, with a call for each basic block that it enters, so that work can be counted.
COST_OBJECTS := $(patsubst %.c,$(O)/cost/%.o,$(LIBNNLOOP_SOURCES))

$(O)/tests/unit/cost: $(O)/obj/tests/unit/cost.o $(COST_OBJECTS) $(O)/obj/libnnloop/onnx.pb-c.o
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS)

$(COST_OBJECTS): $(O)/cost/%.o: %.c tests/unit/build.mk | $(O)/gen/onnx.pb-c.h
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(CPPFLAGS) $(LIBNNLOOP_CPPFLAGS) -O1 -fsanitize-coverage=trace-pc -MMD -MP -c $< -o $@

$(O)/obj/tests/unit/cost.o: private CPPFLAGS += -Ilibnnloop
-include $(COST_OBJECTS:.o=.d)

# Those that execute graphs once more, on the DSP: $(O)/tests/hexagon/test-X runs in the VM. Without sanitizers, which emulation makes too slow.
HEXAGON_PROGRAMS := $(addprefix $(O)/tests/hexagon/,test-decisions test-graph test-nests)
E2E_TESTS += $(HEXAGON_PROGRAMS)

$(HEXAGON_PROGRAMS): $(O)/tests/hexagon/%: $(O)/tests/hexagon/%.bin
	printf '#!/bin/sh\nexec %s --device hexagon\n' '$(abspath $<)' >$@
	chmod +x $@

$(addsuffix .bin,$(HEXAGON_PROGRAMS)): $(O)/tests/hexagon/%.bin: $(O)/obj/tests/unit/%.o $(O)/libnnloop.a
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS)

$(O)/obj/tests/unit/test-%.o: private CPPFLAGS += -Ilibnnloop $(LIBNNLOOP_CPPFLAGS)
