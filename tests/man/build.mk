# SPDX-License-Identifier: MIT
#
# The library's manual pages, against the library.

UNIT_TESTS += tests/man/pages
tests/man/pages: $(O)/libnnloop.so
