# SPDX-License-Identifier: MIT
#
# $(O)/tests/kunit/kunit: the driver's KUnit suites, and what they test, in user space with sanitizers on. The debug kernel
# (tests/debug) runs them as well; here they are a few seconds' work. Each header of the kernel's that they include is kernel.h.
# As in the kernel, memory may be accessed as another type: nnloop_pte_write_halves() does.

KUNIT := $(O)/tests/kunit/kunit
KUNIT_OBJECTS := $(patsubst %.c,$(O)/kunit/%.o,driver/nnloop_board.c driver/nnloop_pt.c $(filter-out %_test.c,$(wildcard driver/nnloop_rules*.c)) $(wildcard driver/*_test.c) \
	tests/kunit/suites.c)
KUNIT_HEADERS := $(addprefix $(O)/gen/kunit/,kunit/test.h asm/barrier.h asm/byteorder.h \
	$(addprefix linux/,bits.h build_bug.h compiler.h delay.h device.h dma-mapping.h io.h iopoll.h kernel.h list.h math64.h \
	minmax.h prandom.h rbtree.h sizes.h slab.h time64.h types.h))

UNIT_TESTS += $(KUNIT)

$(KUNIT): $(KUNIT_OBJECTS)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^

$(KUNIT_OBJECTS): $(O)/kunit/%.o: %.c tests/kunit/build.mk | $(KUNIT_HEADERS)
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(filter -Werror,$(WARNINGS)) -Wall -D__KERNEL__ -I$(O)/gen/kunit -Itests/kunit -Idriver $(CFLAGS) \
		-fno-strict-aliasing $(SANITIZE_FLAGS) -MMD -MP -c $< -o $@

$(KUNIT_HEADERS): tests/kunit/build.mk
	@mkdir -p $(@D)
	echo '#include <kernel.h>' >$@

-include $(KUNIT_OBJECTS:.o=.d)
