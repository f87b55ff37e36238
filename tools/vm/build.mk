# SPDX-License-Identifier: MIT
#
# What tools/vm/run needs: its two halves, and for each kernel the unpacked image and an initramfs.

VM_PROGRAMS := $(O)/vm/host $(O)/vm/guest $(O)/vm/tsc
VM_arm64 := $(O)/vm/host $(O)/vm/guest-arm64 $(O)/vm/root-arm64
VM_amd64 := $(VM_PROGRAMS)
VM := $(VM_$(VM_ARCH)) $(RELEASES:%=$(O)/vm/initramfs-%)

vm: $(VM)

$(VM_PROGRAMS): $(O)/vm/%: $(O)/obj/tools/vm/%.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^

$(O)/obj/tools/vm/%.o: private BASE_CPPFLAGS += -D_GNU_SOURCE

$(O)/vm/guest-arm64: tools/vm/guest.c tools/vm/protocol.h | $(O)/vm/root-arm64
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC_arm64) $(BASE_CFLAGS) -D_GNU_SOURCE $(CFLAGS) -o $@ $<

$(O)/vm/root-%: tools/vm/make-root
	$(call note,ROOT,$@)
	$< $(@D) $*

.PRECIOUS: $(O)/vm/kernel/%/vmlinux
$(O)/vm/kernel/%/vmlinux:
	tools/vm/kernel --out $(O)/vm fetch $*

$(O)/vm/initramfs-%: tools/vm/init tools/vm/make-initramfs | $(O)/vm/kernel/%/vmlinux
	tools/vm/make-initramfs $(O)/vm/kernel/$* $* $@

$(O)/vm/initramfs-%-arm64: tools/vm/init tools/vm/make-initramfs $(O)/vm/root-arm64 | \
		$(O)/vm/kernel/%-arm64/vmlinux
	tools/vm/make-initramfs $(O)/vm/kernel/$*-arm64 $*-arm64 $@ $(O)/vm/root-arm64/bin/busybox
