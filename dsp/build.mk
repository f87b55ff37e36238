# SPDX-License-Identifier: MIT
#
# The firmware: $(O)/firmware.elf, and the rules for any other Hexagon executable (the tests').
#
#   $(O)/hexagon/X.o       an object for the DSP built from X.c or X.S
#   HEXAGON_RUNTIME        objects that every executable needs: entry, memory functions,
#                          division
#   HEXAGON_LINK           the link command; add `-o $@` and the objects
#   HVX_SOURCES            vector kernels
#   DSP_OBJECTS            interpreter and kernels as they run on the DSP

HEXAGON_CC ?= clang
HEXAGON_LD ?= ld.lld
# v67: the newest that Debian 12's qemu-hexagon runs.
# No vector combining: it turns unaligned vector loads into aligned ones and then reads whole
# vectors past the end of what was asked for, which faults at the edge of a page.
HEXAGON_CFLAGS := --target=hexagon -mv67 -mhvx -mhvx-length=128B -std=gnu11 -ffreestanding \
	-nostdlib -O3 -g -G0 -fno-pic -fno-stack-protector -ffp-contract=off \
	-mllvm -hexagon-vector-combine=false $(WARNINGS)
HEXAGON_LINK = $(HEXAGON_LD) -static -T dsp/firmware/firmware.lds

hexagon-objects = $(addprefix $(O)/hexagon/,$(addsuffix .o,$(basename $(1))))

HEXAGON_RUNTIME := $(call hexagon-objects,dsp/firmware/start.S dsp/firmware/runtime.c dsp/firmware/float32.c)
HVX_SOURCES := $(sort $(wildcard dsp/hvx/*/*.c dsp/hvx/*/*.S))
DSP_OBJECTS := $(call hexagon-objects,dsp/program/control.c dsp/program/interpreter.c dsp/program/share.c \
	$(wildcard dsp/kernels/*.c) $(HVX_SOURCES))
FIRMWARE_OBJECTS := $(call hexagon-objects,$(wildcard dsp/firmware/*.c dsp/firmware/*.S))

BOARD += $(O)/firmware.elf

$(O)/firmware.elf: $(FIRMWARE_OBJECTS) $(DSP_OBJECTS) dsp/firmware/firmware.lds
	$(call note,LD,$@)
	$(HEXAGON_LINK) -o $@ $(FIRMWARE_OBJECTS) $(DSP_OBJECTS)

$(O)/hexagon/%.o: %.c dsp/build.mk
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(HEXAGON_CC) $(HEXAGON_CFLAGS) -I. -MMD -MP -c $< -o $@

$(O)/hexagon/%.o: %.S dsp/build.mk
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(HEXAGON_CC) $(HEXAGON_CFLAGS) -I. -MMD -MP -c $< -o $@

$(O)/hexagon/dsp/firmware/runtime.o $(O)/hexagon/dsp/firmware/float32.o: HEXAGON_CFLAGS += -fno-builtin

-include $(call dependencies,$(O)/hexagon)
