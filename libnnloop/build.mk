# SPDX-License-Identifier: MIT
#
# The library: $(O)/libnnloop.so (with its soname beside it) and $(O)/libnnloop.a. It contains the kernels for the host.
#
#   LIBNNLOOP_SAN     the library's objects with sanitizers, for tests that look inside

# NN_VERSION of the public header, as text.
LIBNNLOOP_VERSION := $(shell sed -n 's/^.define NN_VERSION_[MP][A-Z]*\t//p' libnnloop/nn_graph.h | cut -f1 | paste -sd.)
LIBNNLOOP_SONAME := libnnloop.so.0

LIBNNLOOP_SOURCES := $(wildcard $(addprefix libnnloop/,*.c */*.c */*/*.c)) \
	$(addprefix dsp/program/,control.c interpreter.c share.c pack.c pack_scales.c) $(wildcard dsp/kernels/*.c)
LIBNNLOOP_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(LIBNNLOOP_SOURCES)) $(O)/obj/libnnloop/onnx.pb-c.o
LIBNNLOOP_SAN := $(patsubst %.c,$(O)/san/%.o,$(LIBNNLOOP_SOURCES)) $(O)/san/libnnloop/onnx.pb-c.o
LIBNNLOOP_LIBS = $$($(PKG_CONFIG) --libs libdrm libprotobuf-c) -lm -lpthread

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
	$(CC) $(BASE_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LIBNNLOOP_CPPFLAGS) -c $< -o $@

$(O)/san/libnnloop/onnx.pb-c.o: $(O)/gen/onnx.pb-c.c
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(SANITIZE_FLAGS) $(LIBNNLOOP_CPPFLAGS) -c $< -o $@

LIBNNLOOP_CPPFLAGS = -D_GNU_SOURCE -Ilibnnloop -I$(O)/gen $$($(PKG_CONFIG) --cflags libdrm libprotobuf-c)
$(patsubst %.c,$(O)/obj/%.o,$(LIBNNLOOP_SOURCES)): private BASE_CPPFLAGS += $(LIBNNLOOP_CPPFLAGS)
$(patsubst %.c,$(O)/san/%.o,$(LIBNNLOOP_SOURCES)): private BASE_CPPFLAGS += $(LIBNNLOOP_CPPFLAGS)
$(patsubst %.c,$(O)/obj/%.o,$(wildcard libnnloop/import/onnx/*.c libnnloop/quantize/*.c libnnloop/quantize/*/*.c)): $(O)/gen/onnx.pb-c.h
$(patsubst %.c,$(O)/san/%.o,$(wildcard libnnloop/import/onnx/*.c libnnloop/quantize/*.c libnnloop/quantize/*/*.c)): $(O)/gen/onnx.pb-c.h

# Floating point in the portable kernels and in tables is exactly as written.
$(patsubst %.c,$(O)/obj/%.o,$(LIBNNLOOP_SOURCES)): private CFLAGS += -ffp-contract=off
$(patsubst %.c,$(O)/san/%.o,$(LIBNNLOOP_SOURCES)): private CFLAGS += -ffp-contract=off

# Loops of the kernels, statistics and weights become vectors, also where elements are compared: nobody looks at floating point's exceptions.
$(patsubst %.c,$(O)/obj/%.o,$(wildcard libnnloop/device/host/*.c dsp/kernels/*.c) libnnloop/quantize/statistics.c libnnloop/quantize/weights.c): private CFLAGS += -O3 -fno-trapping-math
