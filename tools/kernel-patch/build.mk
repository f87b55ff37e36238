# SPDX-License-Identifier: MIT
#
# The driver as a series of patches for the kernel's tree, in $(O)/kernel-patch/series.

KERNEL_PATCH := $(O)/kernel-patch

.PHONY: kernel-patch
kernel-patch:
	tools/install-packages kernel-patch
	tools/kernel-patch/source $(O)/vm
	tools/kernel-patch/series $(O)/vm/source $(KERNEL_PATCH)/series
	@printf '%s\n' $(KERNEL_PATCH)/series/*.patch
