# SPDX-License-Identifier: MIT
#
# `make kernel-bugs`: which of $(KERNELS) have the bugs of docs/kernel-bugs.md. The reproducers use
# nothing of nnloop's.

KERNEL_BUGS := $(addprefix $(O)/kernel-bugs/,vgem-pages accel-calls)
# The modules; accel_node where a kernel has accel nodes.
kernel-headers = $(O)/vm/kernel/$(1)/usr/src/linux-headers-$(1)
KERNEL_BUGS += $(foreach r,$(RELEASES),$(O)/kernel-bugs/$(r)/coredump_link.ko $(if \
	$(shell grep -s '^CONFIG_DRM_ACCEL=y' $(call kernel-headers,$(r))/.config),\
	$(O)/kernel-bugs/$(r)/accel_node.ko))

.PHONY: kernel-bugs kernel-bugs-built
kernel-bugs:
	tools/install-packages build vm
	for kernel in $(KERNELS); do tools/vm/kernel --out $(O)/vm fetch $$kernel || exit 1; done
	+$(MAKE) $(BUILD_JOBS) kernel-bugs-built
	tests/kernel-bugs/run $(KERNELS)

kernel-bugs-built: $(KERNEL_BUGS) $(VM)

$(O)/kernel-bugs/%: tests/kernel-bugs/%.c
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $$($(PKG_CONFIG) --cflags libdrm) $(CFLAGS) $(LDFLAGS) -o $@ $<

# Each module has a folder of its own, tests/kernel-bugs/accel-node for accel_node.ko.
define kernel-bugs-module
$(O)/kernel-bugs/%/$(subst -,_,$1).ko: $(wildcard tests/kernel-bugs/$1/*)
	$$(call note,KBUILD,$$@)
	@mkdir -p $$(basename $$@)
	@ln -sfr $$^ $$(basename $$@)/
	+$$(MAKE) -C $$(call kernel-headers,$$*) O= M=$$(call absolute,$$(basename $$@)) W=1 \
		CONFIG_DEBUG_INFO_BTF_MODULES= $$(call kbuild-cross,$$*) modules
	@cp $$(basename $$@)/$$(@F) $$@
endef
$(foreach m,accel-node coredump-link,$(eval $(call kernel-bugs-module,$m)))
