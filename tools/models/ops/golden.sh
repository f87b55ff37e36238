#!/bin/sh
# SPDX-License-Identifier: MIT
# Golden outputs of tests/models/ops: NODE_PATH=DIR/node_modules tools/models/ops/golden.sh
set -e
cd "$(dirname "$0")/../../.."
archive=$PWD/tools/models/common/archive.py golden=$PWD/tools/models/onnxruntime/golden.mjs
[ -e "${O:-build}/models/.unpacked" ] || "$archive" unpack
cd "${O:-build}/models/ops"
grep -v '^#' levels.txt | while read -r name level inputs; do
	files=""
	for i in $(seq 0 $((inputs - 1))); do
		files="$files $name.in$i.npy"
	done
	# shellcheck disable=SC2086 # the names have no spaces
	node "$golden" --level "$level" "$name.onnx" "$name.golden" $files
done
"$archive" pack ops
