# SPDX-License-Identifier: MIT
#
# The virtual board: $(O)/vdsp; $(O)/smmu, which a worker runs QEMU in; and $(O)/cache.so, a plugin for QEMU that counts what passes between
# memories.

SMMU_SOURCES := tools/vdsp/smmu.c tools/vdsp/loader.c tools/vdsp/barrier.c
VDSP_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(filter-out $(SMMU_SOURCES) tools/vdsp/cache.c,$(wildcard tools/vdsp/*.c)))

BOARD += $(O)/vdsp $(O)/smmu $(O)/cache.so

# QEMU's own functions are found when it loads it.
$(O)/cache.so: $(O)/obj/tools/vdsp/cache.o
	$(call note,LD,$@)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared $^ -o $@
$(O)/obj/tools/vdsp/cache.o: private CFLAGS += -fvisibility=hidden

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
	$(CC) $(BASE_CPPFLAGS) $(SMMU_CFLAGS) $(SMMU_SOURCES) -o $@
