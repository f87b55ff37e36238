# SPDX-License-Identifier: MIT
#
# The fuzzers of the importers. `make fuzz` builds them with clang's libFuzzer and runs each for
# FUZZ_SECONDS, from the corpus tests/fuzz/FORMAT and the models of tests/models; the corpus alone
# is a test (replay-FORMAT), built as the other tests are.
#
#   $(O)/fuzz/FORMAT        the fuzzer
#   $(O)/fuzz/FORMAT.found  inputs that reach more code; crashes are written to FORMAT.crash-*

FUZZ_FORMATS := text onnx
FUZZ_SECONDS ?= 3600
FUZZ_CC := clang
FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
	-fno-sanitize=function -fno-omit-frame-pointer -ffp-contract=off

FUZZ_REPLAYS := $(addprefix $(O)/tests/fuzz/replay-,$(FUZZ_FORMATS))
UNIT_TESTS += $(addprefix $(O)/tests/fuzz/corpus-,$(FUZZ_FORMATS))

$(FUZZ_REPLAYS): $(O)/tests/fuzz/replay-%: $(O)/san/tests/fuzz/%.o $(O)/san/tests/fuzz/graph.o \
		$(O)/san/tests/fuzz/replay.o $(LIBNNLOOP_SAN)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ $(LIBNNLOOP_LIBS)

FUZZ_SEEDS_text := tests/fuzz/text
FUZZ_SEEDS_onnx := tests/fuzz/onnx tests/models/ops

# What runs in `make test`: a script that knows its corpus.
$(O)/tests/fuzz/corpus-%: $(O)/tests/fuzz/replay-% tests/fuzz/build.mk
	printf '#!/bin/sh\nexec %s %s\n' '$(abspath $<)' '$(abspath $(FUZZ_SEEDS_$*))' >$@
	chmod +x $@

FUZZ_SOURCES := $(LIBNNLOOP_SOURCES) $(wildcard tests/fuzz/*.c)
FUZZ_OBJECTS := $(patsubst %.c,$(O)/fuzz/obj/%.o,$(LIBNNLOOP_SOURCES) tests/fuzz/graph.c) \
	$(O)/fuzz/obj/onnx.pb-c.o
$(O)/fuzz/obj/%.o: %.c tests/fuzz/build.mk | $(O)/gen/onnx.pb-c.h
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(BASE_CFLAGS) $(CPPFLAGS) $(LIBNNLOOP_CPPFLAGS) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@

$(O)/fuzz/obj/onnx.pb-c.o: $(O)/gen/onnx.pb-c.c
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(BASE_CFLAGS) $(FUZZ_FLAGS) -I$(O)/gen -c $< -o $@

FUZZERS := $(addprefix $(O)/fuzz/,$(FUZZ_FORMATS))
$(FUZZERS): $(O)/fuzz/%: $(O)/fuzz/obj/tests/fuzz/%.o $(FUZZ_OBJECTS)
	$(call note,LD,$@)
	$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LIBNNLOOP_LIBS)

-include $(shell find $(O)/fuzz/obj -name '*.d' 2>/dev/null)

.PHONY: fuzz fuzz-built $(addprefix fuzz-,$(FUZZ_FORMATS))
fuzz:
	tools/install-packages build fuzz
	+$(MAKE) $(BUILD_JOBS) $(FUZZERS)
	+$(MAKE) -j2 $(addprefix fuzz-,$(FUZZ_FORMATS))

# $(call fuzz-run,FORMAT,SECONDS)
fuzz-run = mkdir -p $(O)/fuzz/$1.found && $(O)/fuzz/$1 -max_total_time=$2 -timeout=25 \
	-rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 -dict=tests/fuzz/$1.dict \
	-artifact_prefix=$(O)/fuzz/$1.crash- $(O)/fuzz/$1.found $(FUZZ_SEEDS_$1)

$(addprefix fuzz-,$(FUZZ_FORMATS)): fuzz-%: $(O)/fuzz/%
	$(call fuzz-run,$*,$(FUZZ_SECONDS)) >$<.log 2>&1 || { tail -n 40 $<.log; exit 1; }
	tail -n 12 $<.log
