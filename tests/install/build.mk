# SPDX-License-Identifier: MIT
#
# What `make install`, `make modules-install` and `make dkms-install` install.

UNIT_TESTS += tests/install/install tests/install/dkms
LINT_SH += tests/install/common.sh tests/install/install tests/install/dkms
