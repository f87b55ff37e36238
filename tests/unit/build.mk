# SPDX-License-Identifier: MIT
#
# Unit tests, on the host. tests/unit/test-X.c is a program, linked with the library's objects with sanitizers on, so that it can look inside;
# scripts use what `make` builds.

UNIT_PROGRAMS := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/test-*.c))
UNIT_SCRIPTS := tests/unit/onnx-operators

UNIT_TESTS += $(UNIT_PROGRAMS) $(UNIT_SCRIPTS)
LINT_SH += $(UNIT_SCRIPTS)

$(UNIT_PROGRAMS): $(O)/tests/unit/%: $(O)/san/tests/unit/%.o $(LIBNNLOOP_SAN)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $< $(LIBNNLOOP_SAN) $(LIBNNLOOP_LIBS)

$(O)/san/tests/unit/%.o: private CPPFLAGS += -Ilibnnloop $(LIBNNLOOP_CPPFLAGS)
$(patsubst %.c,$(O)/san/%.o,$(wildcard tests/unit/test-onnx*.c)): $(O)/gen/onnx.pb-c.h
