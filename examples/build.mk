# SPDX-License-Identifier: MIT
#
# Programs that show how the library is used, built as a user would who is strict. tests/e2e/examples
# runs them.

EXAMPLES := $(patsubst %.c,$(O)/%,$(wildcard examples/*.c))

test-built vm-tests-built $(O)/tests/e2e-examples-host: $(EXAMPLES)
$(O)/examples/%: examples/%.c libnnloop/nn_graph.h libnnloop/nn_import.h libnnloop/nn_device.h | $(O)/libnnloop.so
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) -std=c99 -Wpedantic -Wall -Wextra -Werror $< -Ilibnnloop -L$(O) -lnnloop -Wl,-rpath,'$$ORIGIN/..' -o $@
