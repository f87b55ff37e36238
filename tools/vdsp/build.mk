# SPDX-License-Identifier: MIT
#
# The virtual board: $(O)/vdsp and its SMMU plugin for qemu-hexagon, $(O)/smmu.so.

VDSP_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(filter-out %/smmu.c,$(wildcard tools/vdsp/*.c)))

BOARD += $(O)/vdsp $(O)/smmu.so

$(O)/vdsp: $(VDSP_OBJECTS)
	$(call note,LD,$@)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# What QEMU looks up is marked in the source; the functions of QEMU that the plugin calls are
# resolved when it is loaded.
$(O)/smmu.so: $(O)/obj/tools/vdsp/smmu.o
	$(call note,LD,$@)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared $^ -o $@

$(O)/obj/tools/vdsp/smmu.o: private CPPFLAGS += -fvisibility=hidden
