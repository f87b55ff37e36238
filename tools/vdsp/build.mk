# SPDX-License-Identifier: MIT
#
# The virtual board: $(O)/vdsp, and $(O)/smmu, which a worker runs QEMU in.

SMMU_SOURCES := tools/vdsp/smmu.c tools/vdsp/loader.c
VDSP_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(filter-out $(SMMU_SOURCES),$(wildcard tools/vdsp/*.c)))

BOARD += $(O)/vdsp $(O)/smmu

$(O)/vdsp: $(VDSP_OBJECTS)
	$(call note,LD,$@)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# No C library and none of its start: the process is to be QEMU's. At addresses of its own, where no
# program is linked and the kernel puts nothing.
SMMU_CFLAGS := -std=gnu11 -O2 -g -ffreestanding -fno-pic -fno-stack-protector -fcf-protection=none \
	-fno-tree-loop-distribute-patterns $(WARNINGS) -no-pie -nostdlib -static \
	-Wl,-Ttext-segment=0x70000000,-z,noexecstack,--build-id=none

$(O)/smmu: $(SMMU_SOURCES) tools/vdsp/smmu.h tools/vdsp/host.h tools/vdsp/build.mk \
		dsp/firmware/board.h driver/nnloop_hw.h
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(SMMU_CFLAGS) $(SMMU_SOURCES) -o $@
