# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For the tests in this folder.

. "$(dirname "${BASH_SOURCE[0]}")/../e2e/tap.sh"
out=$(realpath "$out")
# shellcheck disable=SC2034 # for the tests
version=$(sed -n 's/^.define NN_VERSION_[MP][A-Z]*\t//p' libnnloop/nn_graph.h | cut -f1 | paste -sd.)

# The build of whoever runs a test is not to be seen: its variables, its job server.
make_alone() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u PREFIX -u LIBDIR make O="$out" "$@"
}

# What is below a folder that is no folder itself, with its mode.
files() { # ROOT
	(cd "$1" && find . ! -type d -printf '/%P %M\n' | LC_ALL=C sort)
}
