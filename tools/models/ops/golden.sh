#!/bin/sh
# SPDX-License-Identifier: MIT
# Golden outputs of tests/models/ops: NODE_PATH=DIR/node_modules tools/models/ops/golden.sh
set -e
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../../tests/models/ops"
grep -v '^#' levels.txt | while read -r name level inputs; do
	files=""
	for i in $(seq 0 $((inputs - 1))); do
		files="$files $name.in$i.npy"
	done
	# shellcheck disable=SC2086 # the names have no spaces
	node "$here/../onnxruntime/golden.mjs" --level "$level" "$name.onnx" "$name.golden" $files
done
