# SPDX-License-Identifier: MIT
#
# What `make install`, `make modules-install` and `make dkms-install` install.

UNIT_TESTS += tests/install/install tests/install/environment tests/install/dkms
E2E_NEWEST += tests/install/system

tests/install/install: $(O)/nnloop $(INSTALL_BUILT_TOOL) $(O)/libnnloop.a
tests/install/system: $(O)/nnloop kselftest
