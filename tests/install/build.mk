# SPDX-License-Identifier: MIT
#
# What `make install`, `make modules-install` and `make dkms-install` install.

UNIT_TESTS += tests/install/install tests/install/environment tests/install/dkms tests/install/build-folder tests/install/debian
E2E_NEWEST += tests/install/system

tests/install/install: $(O)/nnloop $(INSTALL_BUILT_TOOL) $(O)/libnnloop.a
tests/install/system: $(O)/nnloop kselftest

# README's second command on bare Debians, or another with FRESH='--debian 13 -- make demo': the options of
# tests/install/fresh-debian, which takes root.
.PHONY: test-fresh
test-fresh:
	tools/install-packages fresh
	tests/install/fresh-debian --dir $(OUT)/fresh $(FRESH)

# Debian's packages: what they are like, and how they fare in VMs with systemd, which takes root.
# PACKAGES_DEBIANS: in which Debians; PACKAGES has options of tests/install/packages-vm: --short, --time SECONDS.
.PHONY: test-deb test-packages
PACKAGES_DEBIANS ?= 13 12
test-deb:
	tools/install-packages build board deb
	tests/run --timeout 3600 --log $(O)/tests/log 'deb: tests/install/packages'

test-packages:
	tools/install-packages build board deb vm fresh
	+$(MAKE) $(O)/vm/tsc
	tests/run --jobs $$(nproc) --timeout 2400 --log $(O)/tests/log $(foreach d,$(PACKAGES_DEBIANS), \
		'packages/$(d): O=$(OUT) tests/install/packages-vm --debian $(d) $(PACKAGES)')
