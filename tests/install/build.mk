# SPDX-License-Identifier: MIT
#
# `make install`, and what it installed.

UNIT_TESTS += tests/install/install
LINT_SH += tests/install/install
