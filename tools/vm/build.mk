# SPDX-License-Identifier: MIT
#
# What tools/vm/run needs: its two halves, and for each kernel the unpacked image and an initramfs.

VM_PROGRAMS := $(O)/vm/host $(O)/vm/guest
VM := $(VM_PROGRAMS) $(RELEASES:%=$(O)/vm/initramfs-%)
LINT_SH += tools/install-packages $(addprefix tools/vm/,run kernel init make-initramfs with-module \
	nnloop-vmctl)

vm: $(VM)

$(VM_PROGRAMS): $(O)/vm/%: $(O)/obj/tools/vm/%.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^

$(O)/obj/tools/vm/%.o: private CPPFLAGS += -D_GNU_SOURCE

.PRECIOUS: $(O)/vm/kernel/%/vmlinux
$(O)/vm/kernel/%/vmlinux:
	tools/vm/kernel --out $(O)/vm fetch $*

$(O)/vm/initramfs-%: tools/vm/init tools/vm/make-initramfs | $(O)/vm/kernel/%/vmlinux
	tools/vm/make-initramfs $(O)/vm/kernel/$* $* $@
