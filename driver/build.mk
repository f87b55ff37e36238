# SPDX-License-Identifier: MIT
#
# nnloop.ko, for each of $(KERNELS) of $(VM_ARCH), in $(O)/kmod/RELEASE. Kbuild writes its objects
# beside the sources, so it is given a folder of symbolic links to them.

# Another interface than the present one: tests/compat.
UAPI ?= uapi

DRIVER_SOURCES := Kbuild $(wildcard driver/*.[ch] driver/*.sh $(UAPI)/drm/*.h $(UAPI)/misc/*.h)
# The last part of a release's name says what it is for.
KBUILD_CROSS_arm64 := ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
kbuild-cross = $(KBUILD_CROSS_$(lastword $(subst -, ,$(1))))

RELEASES := $(foreach k,$(KERNELS),\
	$(shell tools/vm/kernel --out $(O)/vm --arch $(VM_ARCH) release $(k) 2>/dev/null))
KMOD ?= $(O)/kmod
MODULES := $(foreach r,$(RELEASES),$(KMOD)/$(r)/nnloop.ko)

# The headers' tools of another Debian's kernel run in that Debian's root.
kbuild-root = $(if $(wildcard $(O)/vm/kernel/$(1)/root),tools/vm/in-root $(OUT)/vm/kernel/$(1)/root \
	'$(CURDIR)' $(OUT) --)

kbuild-headers = $(OUT)/vm/kernel/$(1)/usr/src/linux-headers-$(1)

# BTF would need pahole and is of no use here: the VM's kernel never traces the module by type.
$(KMOD)/%/nnloop.ko: $(DRIVER_SOURCES) | $(O)/vm/kernel/%/vmlinux
	$(call note,KBUILD,$@)
	@mkdir -p $(@D)/driver
	@ln -sfnr $(UAPI) $(@D)/uapi
	@ln -sfnr dsp $(@D)/dsp
	@ln -sfr Kbuild $(@D)/Kbuild
	@find $(@D)/driver -xtype l -delete
	@ln -sfr $(filter driver/%,$(DRIVER_SOURCES)) $(@D)/driver/
	+$(call kbuild-root,$*) $(MAKE) -C $(call kbuild-headers,$*) O=$(call kbuild-headers,$*) M=$(call absolute,$(@D)) W=1 \
		CONFIG_DEBUG_INFO_BTF_MODULES= $(call kbuild-cross,$*) $(KBUILD_OPTIONS) modules
	@touch $@
