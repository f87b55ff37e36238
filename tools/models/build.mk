# SPDX-License-Identifier: MIT
#
# `make fuzz-models`: random quantized graphs on the host device, against ONNX Runtime (fuzz_models.py).
# `make architectures`: the architectures that people have, likewise (architectures.py).
#
#   $(O)/architectures/report.md what of them is equal, refused or wrong, and the models
#   $(O)/fuzz-models/report.md   for each operator and attribute value: accepted, refused, wrong
#   $(O)/fuzz-models/wrong       what was wrong, made small

FUZZ_MODELS ?= 20000
ONNXRUNTIME := onnxruntime-node@1.30.0
# --ignore-scripts: what they would download is for other processors.
ONNXRUNTIME_INSTALL = npm install --ignore-scripts --silent --no-audit --no-fund --prefix $(O)/npm $(ONNXRUNTIME)

.PHONY: fuzz-models fuzz-models-run architectures architectures-run judge-models
judge-models:
	tools/install-packages build fuzz-models
	@command -v npm >/dev/null || { echo 'error: npm is needed, and Node.js' >&2; exit 1; }
	+$(MAKE) $(BUILD_JOBS) $(O)/tests/e2e-cases
	[ -d $(O)/npm/node_modules/onnxruntime-node ] || { mkdir -p $(O)/npm && $(ONNXRUNTIME_INSTALL); }

fuzz-models: judge-models
	+$(MAKE) fuzz-models-run

architectures: judge-models
	+$(MAKE) architectures-run

architectures-run:
	NODE_PATH=$(abspath $(O)/npm/node_modules) nice /usr/bin/python3 tools/models/architectures.py --save --work $(O)/architectures --runner $(O)/tests/e2e-cases

fuzz-models-run:
	NODE_PATH=$(abspath $(O)/npm/node_modules) nice /usr/bin/python3 tools/models/fuzz_models.py --graphs $(FUZZ_MODELS) --seed $(FUZZ_SEED) \
		--work $(O)/fuzz-models --runner $(O)/tests/e2e-cases
