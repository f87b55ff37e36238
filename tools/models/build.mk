# SPDX-License-Identifier: MIT
#
# `make fuzz-models`: random quantized graphs on the host device, against ONNX Runtime (random_onnx/fuzz.py).
# `make architectures`: the architectures that people have, likewise (networks/architectures.py).
# `make onnx-cases`: the ONNX project's own operator cases, quantized, likewise (onnx_project/cases.py).
# `make converters`: converters-torch and converters-keras;
# `make converters-torch`: PyTorch's models by the lines of docs/models.md, likewise (converters/from_torch.py).
# `make wild`: models in float32 that packages of npm ship, against ONNX Runtime and LiteRT (wild/wild.py), into docs/wild.md.
# `make onnxruntime`: whether today's ONNX Runtime gives the golden values, and where it computes what nnloop does (levels/golden.py, levels.py);
# `make onnxruntime-saturating`: the latter for a processor without VNNI instructions.
# `make litert`, `make tflite-older`: where LiteRT of today and TensorFlow Lite 2.9 give other golden values (tflite/litert.py, golden.py);
# `make tflite-kernels`: which of their kernels compute what nnloop does (levels/kernels.py).
# `make converters-keras`: Keras's models by the lines of docs/models.md, against LiteRT (converters/from_keras.py).
# `make quantize-models`: float models for tests/e2e/quantize, with what ONNX Runtime makes of them when they are quantized (quantize/make.py).
# `make quantize-quality`: float models that people install, quantized by nnloop and by ONNX Runtime (quantize/quality.py).
# `make quantize-speed`: how long nnloop quantize takes, beside as many runs of ONNX Runtime (quantize/speed.py).
# `make bench-host`: how long the host device takes for whole networks, beside ONNX Runtime (onnxruntime/bench_host.mjs).
#
#   $(NETWORKS)                 whole networks with random weights, which tests and bench run
#   $(O)/architectures/report.md what of them is equal, refused or wrong, and the models
#   $(O)/onnx-cases/report.md    what of these is equal, refused or wrong, by operator
# `make fuzz-tflite-models`: random TensorFlow Lite graphs, against LiteRT (random_tflite/fuzz.py), which Python's index has.
#
#   $(O)/fuzz-tflite             the same of these
#   $(O)/fuzz-models/report.md   for each operator and attribute value: accepted, refused, wrong
#   $(O)/fuzz-models/wrong       what was wrong, made small
#   $(UNPACKED_MODELS)           the archives of tests/models, unpacked in $(O)/models: what reads them depends on this

UNPACKED_MODELS := $(O)/models/.unpacked
MODEL_FOLDERS := $(addprefix tests/models/,ops tflite tflite-refused)
# The folders, too: an archive may go.
$(UNPACKED_MODELS): tools/models/common/archive.py $(MODEL_FOLDERS) $(wildcard $(addsuffix /*.tar,$(MODEL_FOLDERS)) $(addsuffix /*.txt,$(MODEL_FOLDERS)))
	$(call note,UNPACK,$(@D))
	/usr/bin/python3 $< unpack

NETWORKS := $(addprefix $(O)/networks/,mobilenet_v2.onnx resnet50.onnx yolo.onnx)
$(NETWORKS) &: tools/models/networks/full_size.py tests/e2e/onnx_file.py
	$(call note,PYTHON,$(@D))
	/usr/bin/python3 $< $(@D)

# What `make bench` has beside them.
TYPICAL_NETWORKS := $(O)/networks/typical/.made
$(TYPICAL_NETWORKS): $(addprefix tools/models/networks/,typical.py architectures.py static_quantize.py)
	$(call note,PYTHON,$(@D))
	@/usr/bin/python3 -c 'import numpy, onnx' 2>/dev/null || \
		{ echo 'error: python3-numpy and python3-onnx are needed: tools/install-packages bench' >&2; exit 1; }
	/usr/bin/python3 $< $(@D)
	@touch $@

FUZZ_MODELS ?= 20000
FUZZ_TFLITE ?= 20000
ONNXRUNTIME := onnxruntime-node@1.30.0
# --ignore-scripts: what they would download is for other processors.
ONNXRUNTIME_INSTALL = npm install --ignore-scripts --silent --no-audit --no-fund --prefix $(O)/npm $(ONNXRUNTIME)

ONNX_CASES := $(O)/onnx-cases/data

.PHONY: fuzz-models fuzz-models-run architectures architectures-run onnx-cases onnx-cases-run judge-models
judge-models:
	tools/install-packages build fuzz-models
	@command -v npm >/dev/null || { echo 'error: npm is needed, and Node.js' >&2; exit 1; }
	+$(MAKE) $(BUILD_JOBS) $(O)/tests/e2e-golden $(O)/nnloop
	[ -d $(O)/npm/node_modules/onnxruntime-node ] || { mkdir -p $(O)/npm && $(ONNXRUNTIME_INSTALL); }

fuzz-models: judge-models
	+$(MAKE) fuzz-models-run

architectures: judge-models
	+$(MAKE) architectures-run

architectures-run:
	NODE_PATH=$(OUT)/npm/node_modules nice /usr/bin/python3 tools/models/networks/architectures.py --save --work $(O)/architectures --runner $(O)/tests/e2e-golden

# Of Python's package onnx, as new as that is.
onnx-cases: judge-packages $(O)/venv/.done
	+$(MAKE) $(BUILD_JOBS) $(O)/tests/e2e-golden
	+$(MAKE) onnx-cases-run

onnx-cases-run: $(ONNX_CASES)/.done
	nice $(O)/venv/bin/python tools/models/onnx_project/cases.py --save --data $(ONNX_CASES) --work $(O)/onnx-cases --runner $(O)/tests/e2e-golden

$(ONNX_CASES)/.done: tools/models/onnx_project/export.py $(O)/venv/.done
	rm -rf $(@D)
	$(O)/venv/bin/python $< $(@D)
	touch $@

# Python's packages that are judges, of the versions that requirements.txt names.
.PHONY: judge-packages
judge-packages:
	tools/install-packages judges

$(O)/venv/.done: tools/models/requirements.txt | judge-packages
	/usr/bin/python3 -m venv $(O)/venv
	$(O)/venv/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# What PyTorch's exporters and ONNX Runtime's quantizer write, and TensorFlow's converter and ai-edge-quantizer of Keras's models, by the lines of
# docs/models.md.
CONVERTERS := torch keras
.PHONY: converters $(foreach c,$(CONVERTERS),converters-$(c) converters-$(c)-run)
converters: $(addprefix converters-,$(CONVERTERS))

$(foreach c,$(CONVERTERS),$(O)/venv-$(c)/.done): $(O)/venv-%/.done: tools/models/converters/%.txt | judge-packages
	/usr/bin/python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

$(addprefix converters-,$(CONVERTERS)): converters-%: judge-packages $(O)/venv-%/.done
	tools/install-packages build
	+$(MAKE) $(BUILD_JOBS) $(O)/nnloop
	+$(MAKE) $@-run

$(foreach c,$(CONVERTERS),converters-$(c)-run): converters-%-run:
	nice $(O)/venv-$*/bin/python tools/models/converters/from_$*.py --work $(O)/converters/$* $(O)/nnloop

.PHONY: quantize-models
quantize-models: judge-packages $(O)/venv/.done
	tools/install-packages build
	+$(MAKE) $(BUILD_JOBS) $(O)/nnloop
	$(O)/venv/bin/python tools/models/quantize/make.py

.PHONY: quantize-quality
$(O)/venv-quantize/.done: tools/models/quantize/quality.txt | judge-packages
	/usr/bin/python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

quantize-quality: judge-packages $(O)/venv-quantize/.done
	tools/install-packages build
	@command -v npm >/dev/null || { echo 'error: npm is needed, and Node.js' >&2; exit 1; }
	+$(MAKE) $(BUILD_JOBS) $(O)/nnloop
	nice $(O)/venv-quantize/bin/python tools/models/quantize/quality.py --nnloop $(O)/nnloop --work $(O)/quantize-quality

.PHONY: quantize-speed
quantize-speed: judge-packages $(O)/venv/.done
	tools/install-packages build
	+$(MAKE) $(BUILD_JOBS) $(O)/nnloop
	$(O)/venv/bin/python tools/models/quantize/speed.py --nnloop $(O)/nnloop

# WILD: of those models only whose names have that in them; the table is of all.
WILD ?=
.PHONY: wild wild-run
wild: judge-packages $(O)/venv/.done
	tools/install-packages build
	+$(MAKE) $(BUILD_JOBS) $(O)/nnloop
	+$(MAKE) wild-run

wild-run:
	nice $(O)/venv/bin/python tools/models/wild/wild.py --files $(O)/wild $(if $(WILD),--only '$(WILD)',--save docs/wild.md) $(O)/nnloop

.PHONY: wild-quantize
wild-quantize: judge-packages $(O)/venv/.done
	tools/install-packages build
	+$(MAKE) $(BUILD_JOBS) $(O)/nnloop
	nice $(O)/venv/bin/python tools/models/wild/quantized.py --files $(O)/wild --only '$(WILD)' $(O)/nnloop

.PHONY: onnx-schemas
onnx-schemas: judge-packages $(O)/venv/.done
	$(O)/venv/bin/python tools/models/onnx_project/schemas.py >$(O)/onnx-schemas.txt
	mv $(O)/onnx-schemas.txt tests/unit/onnx-schemas.txt

.PHONY: litert
litert: judge-packages $(O)/venv/.done
	nice $(O)/venv/bin/python tools/models/tflite/litert.py

# TensorFlow Lite 2.9, which npm has.
TFLITE_OLDER := $(O)/npm-tflite/node_modules/tfjs-tflite-node/cc_deps/linux_amd64/libtensorflowlite_c.so
$(TFLITE_OLDER):
	@command -v npm >/dev/null || { echo 'error: npm is needed, and Node.js' >&2; exit 1; }
	mkdir -p $(O)/npm-tflite
	npm install --ignore-scripts --silent --no-audit --no-fund --prefix $(O)/npm-tflite tfjs-tflite-node@0.0.2
	touch $@

.PHONY: tflite-older tflite-kernels
tflite-older: judge-packages $(O)/venv/.done $(TFLITE_OLDER)
	nice $(O)/venv/bin/python tools/models/tflite/golden.py --compare $(TFLITE_OLDER)

tflite-kernels: judge-packages $(O)/venv/.done $(TFLITE_OLDER)
	tools/install-packages build
	+$(MAKE) $(BUILD_JOBS) $(O)/nnloop $(UNPACKED_MODELS)
	nice $(O)/venv/bin/python tools/models/levels/kernels.py --older $(TFLITE_OLDER)

# Emulated, as this processor may have VNNI instructions; the program of nnloop runs on this one.
.PHONY: onnxruntime onnxruntime-saturating onnxruntime-packages
onnxruntime-packages: judge-packages $(O)/venv/.done
	tools/install-packages build
	+$(MAKE) $(BUILD_JOBS) $(O)/nnloop $(UNPACKED_MODELS)

onnxruntime: onnxruntime-packages
	nice $(O)/venv/bin/python tools/models/levels/golden.py
	nice $(O)/venv/bin/python tools/models/levels/levels.py

onnxruntime-saturating: onnxruntime-packages
	@command -v qemu-x86_64 >/dev/null || { echo 'error: qemu-x86_64 is needed: tools/install-packages judges' >&2; exit 1; }
	nice qemu-x86_64 -cpu Haswell $(O)/venv/bin/python tools/models/levels/levels.py --saturating

.PHONY: bench-host bench-host-run
bench-host: judge-models $(NETWORKS)
	+$(MAKE) bench-host-run

bench-host-run:
	NODE_PATH=$(OUT)/npm/node_modules node tools/models/onnxruntime/bench_host.mjs $(O)/nnloop $(NETWORKS)

fuzz-models-run:
	NODE_PATH=$(OUT)/npm/node_modules nice /usr/bin/python3 tools/models/random_onnx/fuzz.py --graphs $(FUZZ_MODELS) --seed $(FUZZ_SEED) \
		--work $(O)/fuzz-models --runner $(O)/tests/e2e-golden

.PHONY: fuzz-tflite-models fuzz-tflite-models-run
fuzz-tflite-models: judge-packages $(O)/venv/.done
	tools/install-packages build fuzz-models
	+$(MAKE) $(BUILD_JOBS) $(O)/tests/e2e-golden
	+$(MAKE) fuzz-tflite-models-run

fuzz-tflite-models-run:
	nice /usr/bin/python3 tools/models/random_tflite/fuzz.py --python $(O)/venv/bin/python --graphs $(FUZZ_TFLITE) --seed $(FUZZ_SEED) \
		--work $(O)/fuzz-tflite --runner $(O)/tests/e2e-golden
