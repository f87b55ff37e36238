# SPDX-License-Identifier: MIT
#
# The firmware: $(O)/firmware.elf, and the rules for any other Hexagon executable (the tests').
#
#   $(O)/hexagon/X.o       an object for the DSP built from X.c or X.S
#   HEXAGON_RUNTIME        objects that every executable needs: entry, memory functions,
#                          division
#   HEXAGON_LINK           the link command; add `-o $@` and the objects
#   HVX_SOURCES            vector kernels, in the order in which they are linked
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
HVX_SOURCES := \
	dsp/hvx/elementwise/add.c \
	dsp/hvx/elementwise/add_float.c \
	dsp/hvx/pool/average_2x2s2.c \
	dsp/hvx/pool/average_3x3s1.c \
	dsp/hvx/pool/average_pool.c \
	dsp/hvx/pool/average_pool_float.c \
	dsp/hvx/elementwise/binary.c \
	dsp/hvx/conv2d/conv2d.c \
	dsp/hvx/conv2d/block.c \
	dsp/hvx/conv2d/constants.c \
	dsp/hvx/conv2d/divide.c \
	dsp/hvx/conv2d/group.c \
	dsp/hvx/conv2d/strip.c \
	dsp/hvx/conv2d/sums.c \
	dsp/hvx/move/copy.c \
	dsp/hvx/move/copy_gather.c \
	dsp/hvx/move/copy_scatter.c \
	dsp/hvx/move/crop_resize.c \
	dsp/hvx/depthwise/depthwise_conv2d.c \
	dsp/hvx/depthwise/exact_scales.c \
	dsp/hvx/depthwise/fill_rows.c \
	dsp/hvx/depthwise/5x5.c \
	dsp/hvx/depthwise/5x5_divide.c \
	dsp/hvx/depthwise/5x5_slices.c \
	dsp/hvx/depthwise/3x3s2_narrow.c \
	dsp/hvx/depthwise/3x3s1.c \
	dsp/hvx/depthwise/3x3s2.c \
	dsp/hvx/depthwise/rounding_fixup.c \
	dsp/hvx/elementwise/elementwise.c \
	dsp/hvx/conv2d/fully_connected.c \
	dsp/hvx/common/fuse.c \
	dsp/hvx/common/kernels.c \
	dsp/hvx/pool/max_pool.c \
	dsp/hvx/pool/max_s2_narrow.c \
	dsp/hvx/reduce/normalize.c \
	dsp/hvx/common/strided.c \
	dsp/hvx/reduce/reduce.c \
	dsp/hvx/elementwise/requantize.c \
	dsp/hvx/move/resize.c \
	dsp/hvx/reduce/softmax.c \
	dsp/hvx/common/strips.c \
	dsp/hvx/elementwise/table.c \
	dsp/hvx/move/transpose.c \
	dsp/hvx/move/transpose_8bytes.c \
	dsp/hvx/move/transpose_under64.c \
	dsp/hvx/move/transpose_rgb.c \
	dsp/hvx/move/transpose_tile.c \
	dsp/hvx/pool/interleave.c \
	dsp/hvx/elementwise/add_float_vectors.S \
	dsp/hvx/elementwise/add_vectors.S \
	dsp/hvx/pool/average_2x2s2_loop.S \
	dsp/hvx/pool/average_2x2s2_ties.S \
	dsp/hvx/conv2d/tile_8x32.S \
	dsp/hvx/conv2d/tile_4x64.S \
	dsp/hvx/conv2d/sums_long.S \
	dsp/hvx/conv2d/sums_folded.S \
	dsp/hvx/move/copy_loops.S \
	dsp/hvx/common/delta_spread.S \
	dsp/hvx/depthwise/exact_scales_loops.S \
	dsp/hvx/depthwise/5x5_loops.S \
	dsp/hvx/depthwise/5x5_pair_loops.S \
	dsp/hvx/depthwise/3x3s1_loops.S \
	dsp/hvx/depthwise/3x3s2_loops.S \
	dsp/hvx/depthwise/scale.S \
	dsp/hvx/depthwise/sum.S \
	dsp/hvx/pool/max_s2_narrow_delta.S \
	dsp/hvx/pool/max_s2_narrow_shift.S \
	dsp/hvx/pool/max_s2_narrow_single.S \
	dsp/hvx/pool/max_steps.S \
	dsp/hvx/pool/max_s2.S \
	dsp/hvx/pool/max_s2_narrow_interleave.S \
	dsp/hvx/elementwise/multiply_vectors.S \
	dsp/hvx/elementwise/requantize_vectors.S \
	dsp/hvx/elementwise/table_vectors.S \
	dsp/hvx/move/transpose_8bytes_loops.S \
	dsp/hvx/move/transpose_under64_loops.S \
	dsp/hvx/move/transpose_loops.S
DSP_OBJECTS := $(call hexagon-objects,dsp/program/interpreter.c dsp/program/share.c \
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
