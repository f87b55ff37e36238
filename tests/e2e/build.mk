# SPDX-License-Identifier: MIT
#
# End to end: the command and the library through /dev/nnloop, inside the VM.

E2E_TESTS += tests/e2e/examples
# What models compute and what nnloop says is the library's and the firmware's affair, whatever the
# kernel: once is enough. Of streams e2e/streams has enough on four workers (tests/build.mk), of
# dumps and batches the emulated DSP without a VM, below.
E2E_ONCE += $(addprefix tests/e2e/,operators reader models state random-models bench digits errors doctor top interrupt $(if $(NNLOOP_TEST_ALL),dump batch streams))
# Last, whatever other parts add: a board that is gone is gone for that boot.
E2E_LAST := tests/e2e/board-death

# On this processor outside of the VM, where it is fast; the last ones there only, because no device
# has a part in them.
UNIT_TESTS += $(patsubst %,$(O)/tests/e2e-%-host,digits reader unseen doctor top plan info refused verbose signals files progress arrays photographs limit vm dump batch bench classes streams workers errors examples compare quantize shapes state tiles loops large beside described floats)
$(O)/tests/e2e-workers-host: | $(NETWORKS) $(O)/tests/e2e-golden $(O)/tests/operators-reach
tests/e2e/workers: $(NETWORKS)
# In the VM each of them has the command.
$(addprefix tests/e2e/,batch bench board-death digits doctor dump errors interrupt models reader state streams top workers): $(O)/nnloop
tests/e2e/doctor tests/e2e/interrupt: kselftest
$(O)/tests/e2e-%-host: tests/e2e/build.mk $(O)/nnloop | $(UNPACKED_MODELS)
	@mkdir -p $(@D)
	printf '#!/bin/sh\nNNLOOP_E2E_DEVICE=host O=%s exec tests/e2e/%s\n' '$(O)' $* >$@
	chmod +x $@

# And on the DSP without driver and VM: the nnloop of tests/dsp/emulated.c.
DSP_TESTS += $(patsubst %,$(O)/tests/e2e-%-emulated,dump batch bench state tiles loops large floats)
$(O)/tests/e2e-%-emulated: tests/e2e/build.mk $(O)/tests/dsp/nnloop-emulated | $(UNPACKED_MODELS)
	@mkdir -p $(O)/tests/emulated
	ln -sf ../dsp/nnloop-emulated $(O)/tests/emulated/nnloop
	ln -sfn ../../models $(O)/tests/emulated/models
	printf '#!/bin/sh\nO=%s exec tests/e2e/%s\n' '$(O)/tests/emulated' $* >$@
	chmod +x $@

# Models with what ONNX Runtime makes of them, or TensorFlow Lite (tests/e2e/golden.c).
E2E_GOLDEN_OBJECTS := $(addprefix $(O)/obj/,$(addprefix tests/e2e/,golden.o golden_files.o) $(addprefix tools/nnloop/,error.o file.o npy.o))
vm-tests-built test-built tests/unit/onnx-operators tests/unit/onnx-random tests/unit/tflite-random tests/e2e/operators tests/e2e/random-models tests/e2e/workers: $(O)/tests/e2e-golden $(UNPACKED_MODELS)
$(O)/tests/e2e-golden: $(E2E_GOLDEN_OBJECTS) $(O)/libnnloop.so | $(UNPACKED_MODELS)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/..' -o $@ $(filter %.o,$^) -L$(O) -lnnloop -lm

$(O)/tests/dsp/golden-emulated: $(E2E_GOLDEN_OBJECTS) | $(UNPACKED_MODELS)

# Models that have all operators between them, which is what the VM has time for.
vm-tests-built tests/e2e/operators tests/e2e/workers: $(O)/tests/operators-reach
$(O)/tests/operators-reach: $(O)/tests/e2e-golden $(UNPACKED_MODELS)
	$< --reach host $(O)/models/ops $(O)/models/tflite >$@.new
	mv $@.new $@

vm-tests-built: $(O)/tests/e2e-jpeg
$(O)/tests/e2e-photographs-host: $(O)/tests/e2e-jpeg
$(O)/tests/e2e-jpeg: $(O)/obj/tests/e2e/jpeg.o $(patsubst %,$(O)/obj/tools/nnloop/%.o,error file jpeg out_file picture) $(O)/libnnloop.so
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/..' -o $@ $(filter %.o,$^) -L$(O) -lnnloop $$($(PKG_CONFIG) --libs libpng libjpeg) -lm

$(O)/obj/tests/e2e/%.o: private BASE_CPPFLAGS += -Ilibnnloop -D_GNU_SOURCE
