# SPDX-License-Identifier: MIT
#
# $(O)/tests/board: the virtual board without a VM.

BOARD_TEST_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(wildcard tests/board/*.c))

DSP_TESTS += $(O)/tests/board

$(O)/tests/board: $(BOARD_TEST_OBJECTS) | $(O)/firmware.elf $(O)/vdsp $(O)/smmu $(O)/cache.so
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@
