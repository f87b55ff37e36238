# SPDX-License-Identifier: MIT
#
# What `make install`, `make modules-install` and `make dkms-install` install.

UNIT_TESTS += tests/install/install tests/install/dkms
E2E_NEWEST += tests/install/system
