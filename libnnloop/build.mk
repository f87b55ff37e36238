# SPDX-License-Identifier: MIT
#
# The library: $(O)/libnnloop.so (with its soname beside it) and $(O)/libnnloop.a. It contains the kernels for the host.
#
#   LIBNNLOOP_SAN     the library's objects with sanitizers, for tests that look inside

LIBNNLOOP_VERSION := 0.1.0
LIBNNLOOP_SONAME := libnnloop.so.0

# In the order in which they are linked.
LIBNNLOOP_OPS := \
	libnnloop/ops/support/activation.c \
	libnnloop/ops/add.c \
	libnnloop/ops/add_int16.c \
	libnnloop/ops/support/alias.c \
	libnnloop/ops/arg.c \
	libnnloop/ops/assign.c \
	libnnloop/ops/average_pool.c \
	libnnloop/ops/batch_loop.c \
	libnnloop/ops/support/binary.c \
	libnnloop/ops/support/binary_int16.c \
	libnnloop/ops/support/box.c \
	libnnloop/ops/cast.c \
	libnnloop/ops/support/check.c \
	libnnloop/ops/clamp.c \
	libnnloop/ops/compare.c \
	libnnloop/ops/concat.c \
	libnnloop/ops/const.c \
	libnnloop/ops/conv2d.c \
	libnnloop/ops/support/conv2d_pixels.c \
	libnnloop/ops/copy.c \
	libnnloop/ops/count_loop.c \
	libnnloop/ops/crop_resize.c \
	libnnloop/ops/cumulate.c \
	libnnloop/ops/depthwise_conv2d.c \
	libnnloop/ops/detection_post_process.c \
	libnnloop/ops/div.c \
	libnnloop/ops/support/emit.c \
	libnnloop/ops/expect.c \
	libnnloop/ops/fully_connected.c \
	libnnloop/ops/support/function.c \
	libnnloop/ops/gather.c \
	libnnloop/ops/support/heap.c \
	libnnloop/ops/support/host.c \
	libnnloop/ops/input.c \
	libnnloop/ops/integers.c \
	libnnloop/ops/l2_normalize.c \
	libnnloop/ops/support/layer.c \
	libnnloop/ops/support/layer_int16.c \
	libnnloop/ops/leaky_relu.c \
	libnnloop/ops/matmul.c \
	libnnloop/ops/max_pool.c \
	libnnloop/ops/maximum.c \
	libnnloop/ops/minimum.c \
	libnnloop/ops/move.c \
	libnnloop/ops/support/moving.c \
	libnnloop/ops/mul.c \
	libnnloop/ops/non_max_suppression.c \
	libnnloop/ops/nop.c \
	libnnloop/ops/normalize.c \
	libnnloop/ops/ops.c \
	libnnloop/ops/output.c \
	libnnloop/ops/support/owner.c \
	libnnloop/ops/pad.c \
	libnnloop/ops/support/indices.c \
	libnnloop/ops/support/pooling.c \
	libnnloop/ops/prelu.c \
	libnnloop/ops/proposal.c \
	libnnloop/ops/reduce.c \
	libnnloop/ops/support/reduce_int16.c \
	libnnloop/ops/support/registered.c \
	libnnloop/ops/relu.c \
	libnnloop/ops/relu6.c \
	libnnloop/ops/requantize.c \
	libnnloop/ops/rescale.c \
	libnnloop/ops/reshape.c \
	libnnloop/ops/resize.c \
	libnnloop/ops/roi_align.c \
	libnnloop/ops/scatter.c \
	libnnloop/ops/select.c \
	libnnloop/ops/sigmoid.c \
	libnnloop/ops/sink.c \
	libnnloop/ops/slice.c \
	libnnloop/ops/softmax.c \
	libnnloop/ops/support/softmax_int16.c \
	libnnloop/ops/spread.c \
	libnnloop/ops/squared_difference.c \
	libnnloop/ops/sub.c \
	libnnloop/ops/support/sum.c \
	libnnloop/ops/table.c \
	libnnloop/ops/take.c \
	libnnloop/ops/tanh.c \
	libnnloop/ops/top.c \
	libnnloop/ops/transpose.c \
	libnnloop/ops/variable.c \
	libnnloop/ops/support/window.c \
	libnnloop/ops/support/work.c
LIBNNLOOP_SOURCES := $(wildcard $(addprefix libnnloop/,*.c base/*.c device/*.c graph/*.c import/*.c)) $(LIBNNLOOP_OPS) \
	$(wildcard $(addprefix libnnloop/,plan/*.c run/*.c import/*/*.c)) \
	$(addprefix dsp/program/,interpreter.c share.c pack.c pack_scales.c) $(wildcard dsp/kernels/*.c) \
	$(wildcard libnnloop/device/host/*.c)
LIBNNLOOP_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(LIBNNLOOP_SOURCES)) $(O)/obj/libnnloop/onnx.pb-c.o
LIBNNLOOP_SAN := $(patsubst %.c,$(O)/san/%.o,$(LIBNNLOOP_SOURCES)) $(O)/san/libnnloop/onnx.pb-c.o
LIBNNLOOP_LIBS = $$(pkg-config --libs libdrm libprotobuf-c) -lm -lpthread

ALL += $(O)/libnnloop.so $(O)/libnnloop.a

$(O)/libnnloop.so.$(LIBNNLOOP_VERSION): $(LIBNNLOOP_OBJECTS) libnnloop/libnnloop.map
	$(call note,LD,$@)
	$(CC) -shared -Wl,-soname,$(LIBNNLOOP_SONAME) -Wl,--version-script=libnnloop/libnnloop.map -Wl,-z,defs $(LDFLAGS) \
		-o $@ $(LIBNNLOOP_OBJECTS) $(LIBNNLOOP_LIBS)

$(O)/libnnloop.so: $(O)/libnnloop.so.$(LIBNNLOOP_VERSION)
	ln -sf $(<F) $(O)/$(LIBNNLOOP_SONAME)
	ln -sf $(<F) $@

$(O)/libnnloop.a: $(LIBNNLOOP_OBJECTS)
	$(call note,AR,$@)
	rm -f $@
	$(AR) rcs $@ $^

# C for ONNX files, made from the description that Debian's libonnx-dev installs.
ONNX_PROTO_DIR ?= /usr/include/onnx
$(O)/gen/onnx.pb-c.c: $(ONNX_PROTO_DIR)/onnx.proto
	$(call note,PROTOC,$@)
	@mkdir -p $(@D)
	protoc-c --c_out=$(@D) -I$(<D) $(<F)
$(O)/gen/onnx.pb-c.h: $(O)/gen/onnx.pb-c.c ;

$(O)/obj/libnnloop/onnx.pb-c.o: $(O)/gen/onnx.pb-c.c
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(CFLAGS) -I$(O)/gen -c $< -o $@

$(O)/san/libnnloop/onnx.pb-c.o: $(O)/gen/onnx.pb-c.c
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(CFLAGS) $(SANITIZE_FLAGS) -I$(O)/gen -c $< -o $@

LIBNNLOOP_CPPFLAGS = -D_GNU_SOURCE -Ilibnnloop -I$(O)/gen $$(pkg-config --cflags libdrm)
$(patsubst %.c,$(O)/obj/%.o,$(LIBNNLOOP_SOURCES)): private CPPFLAGS += $(LIBNNLOOP_CPPFLAGS)
$(patsubst %.c,$(O)/san/%.o,$(LIBNNLOOP_SOURCES)): private CPPFLAGS += $(LIBNNLOOP_CPPFLAGS)
$(patsubst %.c,$(O)/obj/%.o,$(wildcard libnnloop/import/onnx/*.c)): $(O)/gen/onnx.pb-c.h
$(patsubst %.c,$(O)/san/%.o,$(wildcard libnnloop/import/onnx/*.c)): $(O)/gen/onnx.pb-c.h

# Floating point in the portable kernels and in tables is exactly as written.
$(patsubst %.c,$(O)/obj/%.o,$(LIBNNLOOP_SOURCES)): private CFLAGS += -ffp-contract=off
$(patsubst %.c,$(O)/san/%.o,$(LIBNNLOOP_SOURCES)): private CFLAGS += -ffp-contract=off

# Loops of the kernels become vectors, also where elements are compared: nobody looks at floating point's exceptions.
$(patsubst %.c,$(O)/obj/%.o,$(wildcard libnnloop/device/host/*.c dsp/kernels/*.c)): private CFLAGS += -O3 -fno-trapping-math
