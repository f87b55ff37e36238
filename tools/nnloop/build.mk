# SPDX-License-Identifier: MIT
#
# The command $(O)/nnloop. It uses the shared library like any application: what the symbol map hides, it cannot reach. It has copies of its own
# of the readers that a model's metadata needs (metadata.c), which is no affair of the library's.

NNLOOP_TOOL_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(wildcard tools/nnloop/*.c)) \
	$(addprefix $(O)/obj/libnnloop/,base/guard.o import/folder.o import/zip.o import/tflite/flatbuffer.o)

NNLOOP_TOOL_LINK = $(CC) $(LDFLAGS) $(NNLOOP_TOOL_OBJECTS) -L$(O) -lnnloop $$($(PKG_CONFIG) --libs libpng libjpeg) -lm

ALL += $(O)/nnloop

$(O)/nnloop: $(NNLOOP_TOOL_OBJECTS) $(O)/libnnloop.so
	$(call note,LD,$@)
	$(NNLOOP_TOOL_LINK) -Wl,-rpath,'$$ORIGIN' -o $@

# The same as `make install` puts it in its place (tools/install.mk).
ALL += $(INSTALL_BUILT_TOOL)

$(INSTALL_BUILT_TOOL): $(NNLOOP_TOOL_OBJECTS) $(O)/libnnloop.so
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(NNLOOP_TOOL_LINK) $(INSTALL_RPATH:%=-Wl,-rpath,%) -o $@

$(O)/obj/tools/nnloop/%.o: private BASE_CPPFLAGS += -Ilibnnloop -D_GNU_SOURCE \
	-DNNLOOP_VERSION='"$(LIBNNLOOP_VERSION)"' $$($(PKG_CONFIG) --cflags libpng libjpeg libdrm)
