# SPDX-License-Identifier: MIT
#
# `make kernel-bugs`: which of $(KERNELS) have the bugs of docs/kernel-bugs.md. The reproducers use
# nothing of nnloop's.

KERNEL_BUGS := $(addprefix $(O)/kernel-bugs/,vgem-pages accel-calls)
# The module, where a kernel has accel nodes.
kernel-headers = $(O)/vm/kernel/$(1)/usr/src/linux-headers-$(1)
KERNEL_BUGS += $(foreach r,$(RELEASES),$(if \
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
	$(CC) $(BASE_CFLAGS) $$(pkg-config --cflags libdrm) $(CFLAGS) $(LDFLAGS) -o $@ $<

$(O)/kernel-bugs/%/accel_node.ko: $(wildcard tests/kernel-bugs/accel-node/*)
	$(call note,KBUILD,$@)
	@mkdir -p $(@D)
	@ln -sf $(abspath $^) $(@D)/
	+$(MAKE) -C $(call kernel-headers,$*) O= M=$(abspath $(@D)) W=1 \
		CONFIG_DEBUG_INFO_BTF_MODULES= $(call kbuild-cross,$*) modules
