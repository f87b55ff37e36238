# SPDX-License-Identifier: MIT
#
# The command $(O)/nnloop. It uses the shared library like any application: what the symbol map hides, it cannot reach.

NNLOOP_TOOL_OBJECTS := $(patsubst %.c,$(O)/obj/%.o,$(wildcard tools/nnloop/*.c))

NNLOOP_TOOL_LINK = $(CC) $(LDFLAGS) $(NNLOOP_TOOL_OBJECTS) -L$(O) -lnnloop $$(pkg-config --libs libpng libjpeg) -lm

ALL += $(O)/nnloop

$(O)/nnloop: $(NNLOOP_TOOL_OBJECTS) $(O)/libnnloop.so
	$(call note,LD,$@)
	$(NNLOOP_TOOL_LINK) -Wl,-rpath,'$$ORIGIN' -o $@

$(O)/obj/tools/nnloop/%.o: private CPPFLAGS += -Ilibnnloop -D_GNU_SOURCE \
	-DNNLOOP_VERSION='"$(LIBNNLOOP_VERSION)"' $$(pkg-config --cflags libpng libjpeg libdrm)
