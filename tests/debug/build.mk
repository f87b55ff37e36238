# SPDX-License-Identifier: MIT
#
# The debug kernel, from Debian's linux-source-6.1, vm.config and kernel.config, in $(O)/debug-kernel; it boots
# with tools/vm/run --kernel debug. Everything but nnloop.ko is built in.

DEBUG_SOURCE ?= /usr/src/linux-source-6.1.tar.xz
DEBUG_KERNEL := $(O)/debug-kernel
DEBUG_IMAGE := $(O)/vm/kernel/6.1-debug/vmlinux

.PHONY: debug-kernel
debug-kernel: $(DEBUG_IMAGE) $(O)/vm/initramfs-6.1-debug $(O)/kmod/6.1-debug/nnloop.ko

$(DEBUG_KERNEL)/.extracted: $(DEBUG_SOURCE)
	$(call note,EXTRACT,$(@D) from $<)
	@rm -rf $(@D) && mkdir -p $(@D)
	tar -C $(@D) --strip-components=1 -xJf $<
	@touch $@

# An option that Kconfig did not take is an error, not a kernel that checks less than it should.
$(DEBUG_KERNEL)/.config: tests/debug/vm.config tests/debug/kernel.config $(DEBUG_KERNEL)/.extracted
	$(call note,CONFIG,$@)
	cat tests/debug/vm.config tests/debug/kernel.config >$(@D)/all.config
	+$(MAKE) -C $(@D) O= KCONFIG_ALLCONFIG=all.config allnoconfig >/dev/null
	if grep '^CONFIG_' $(@D)/all.config | grep -vxFf $@; then \
		echo '$(@D)/all.config: this kernel does not take the options above' >&2; exit 1; \
	fi

# Compressed, though tools/vm/run calls it vmlinux: the entry for an uncompressed one (PVH) runs code
# with KASAN's checks before there is a shadow for them.
$(DEBUG_IMAGE): $(DEBUG_KERNEL)/.config
	$(call note,KERNEL,$@)
	+$(MAKE) -C $(DEBUG_KERNEL) O= bzImage modules_prepare
	cp $(DEBUG_KERNEL)/vmlinux.symvers $(DEBUG_KERNEL)/Module.symvers
	@mkdir -p $(@D)/lib/modules/6.1-debug
	cp $(DEBUG_KERNEL)/modules.builtin $(@D)/lib/modules/6.1-debug/
	touch $(@D)/lib/modules/6.1-debug/modules.order
	PATH=$$PATH:/usr/sbin:/sbin depmod -b $(@D) 6.1-debug
	cp $(DEBUG_KERNEL)/arch/x86/boot/bzImage $@

# The module alone is built with coverage (KCOV), and with debug information to say of which lines.
DEBUG_MODULE := $(O)/kmod/6.1-debug/nnloop.ko
$(DEBUG_MODULE): $(DRIVER_SOURCES) $(DEBUG_IMAGE)
	$(call note,KBUILD,$@)
	@rm -rf $(@D) && mkdir -p $(@D)
	cp -rs $(foreach source,Kbuild driver uapi dsp,'$(CURDIR)/$(source)') $(@D)/
	+$(MAKE) -C $(DEBUG_KERNEL) O= M=$(call absolute,$(@D)) KCOV_INSTRUMENT=y KCFLAGS=-g modules

# What `make test-debug` runs there, one after the other: KUnit's suites ran when the module was
# inserted, kmemleak looks at what all others left behind.
debug-tests = $(addprefix debug=,tests/debug/kunit) $(addprefix kselftest=,$(kselftest-programs)) \
	stress=$(STRESS) fuzz=$(FUZZ_IOCTL) \
	$(addprefix debug=,tests/debug/kmemleak)

.PHONY: test-debug test-debug-built
test-debug:
	tools/install-packages build board vm test debug
	tools/vm/kernel --out $(O)/vm fetch $(GIVEN_KERNELS)
	+$(MAKE) $(BUILD_JOBS) test-debug-built
	NNLOOP_TEST_SECONDS=1200 NNLOOP_KO=$(call absolute,$(DEBUG_MODULE)) NNLOOP_MODULE_ROUNDS=30 \
		tests/run --timeout 3400 --log $(O)/tests/log \
		'debug: tests/vm-suite --time 3300 debug $(debug-tests)'

test-debug-built: $(VM) $(BOARD) debug-kernel kselftest
