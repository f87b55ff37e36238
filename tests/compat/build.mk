# SPDX-License-Identifier: MIT
#
# Other user space than that of today's header in 64 bits: selftests, and the library under an
# example, are built
#
#   in 32 bits                         and run on the driver, through its compat_ioctl
#   with 1.0's header (uapi-1.0)       and run on a later driver, whose structures have grown
#   with the later one's header        and run on today's driver
#
# Today's library runs on a driver that says that it is 1.0 (driver-1.0).
#
# The later header comes from `grow`. 1.0's `ioctl` and `submit` cannot run on a later driver: they
# test what happens with bytes that the driver does not know (E2BIG), and that one does.

UNIT_TESTS += tests/compat/uapi-header

COMPAT := $(OUT)/compat
# `exec` runs what it submits with calls that the others make, too.
COMPAT_32BIT := ioctl query buffer submit sync $(if $(NNLOOP_TEST_ALL),exec)
COMPAT_1.0 := query queue exec
COMPAT_LATER := query ioctl submit

$(COMPAT)/later/uapi/drm/nnloop_accel.h: uapi/drm/nnloop_accel.h tests/compat/grow
	@mkdir -p $(@D)
	ln -sfnr uapi/misc $(@D)/../misc
	tests/compat/grow $< >$@

# ---- selftests ----

# $(call compat-selftests,FOLDER,PROGRAMS,VARIABLE=VALUE...)
compat-selftests = +$(MAKE) -C tests/kselftest O= KSFT=$(call absolute,$(KSFT)) OUTPUT=$(COMPAT)/$(1) \
	$(3) $(addprefix $(COMPAT)/$(1)/,$(2))

.PHONY: compat-32bit compat-1.0 compat-later
compat-32bit: $(O)/kernel-source/.done
	$(call compat-selftests,32bit,$(COMPAT_32BIT),CC='$(CC) -m32 \
		-idirafter /usr/include/$(shell $(CC) -print-multiarch)')
compat-1.0: $(O)/kernel-source/.done
	$(call compat-selftests,1.0,$(COMPAT_1.0),UAPI=../compat/uapi-1.0)
compat-later: $(O)/kernel-source/.done $(COMPAT)/later/uapi/drm/nnloop_accel.h
	$(call compat-selftests,later,$(COMPAT_LATER),UAPI=$(COMPAT)/later/uapi)

# ---- the library ----

# Only these files of it have to do with the driver.
COMPAT_FILES := hexagon.o hexagon_open.o
COMPAT_OBJECTS := $(foreach v,1.0 later,$(addprefix $(COMPAT)/$(v)/,$(COMPAT_FILES)))

$(filter $(COMPAT)/1.0/%,$(COMPAT_OBJECTS)): private UAPI := tests/compat/uapi-1.0
$(filter $(COMPAT)/later/%,$(COMPAT_OBJECTS)): private UAPI := $(COMPAT)/later/uapi
$(filter $(COMPAT)/later/%,$(COMPAT_OBJECTS)): $(COMPAT)/later/uapi/drm/nnloop_accel.h
$(COMPAT_OBJECTS): $(LIBNNLOOP_OBJECTS)
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) -I$(UAPI) $(BASE_CPPFLAGS) $(CPPFLAGS) $(LIBNNLOOP_CPPFLAGS) $(CFLAGS) \
		-c libnnloop/device/$(basename $(@F)).c -o $@

$(COMPAT)/%/libnnloop.so.0: $(addprefix $(COMPAT)/%/,$(COMPAT_FILES))
	$(call note,LD,$@)
	$(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=libnnloop/libnnloop.map $(LDFLAGS) -o $@ \
		$(filter-out $(addprefix %/,$(COMPAT_FILES)),$(LIBNNLOOP_OBJECTS)) \
		$(filter %.o,$^) $(LIBNNLOOP_LIBS)

# A test from end to end with another library than its own.
$(COMPAT)/%/library: $(COMPAT)/%/libnnloop.so.0 tests/compat/build.mk
	printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec tests/e2e/examples --device-only\n' '$(@D)' >$@
	chmod +x $@
.PRECIOUS: $(COMPAT)/%/libnnloop.so.0

# ---- programs of other versions of the library's headers ----

# api.c with the headers of 0.2 and with later ones, whose structures have grown, on today's library;
# with those of 0.2 and with today's on a library of later headers, a copy of libnnloop/ with them.
API_HEADERS := nn_device.h nn_graph.h nn_import.h
API_LATER := $(COMPAT)/api-later
API_LATER_OBJECTS := $(patsubst libnnloop/%.c,$(API_LATER)/obj/%.o,$(filter libnnloop/%,$(LIBNNLOOP_SOURCES)))
API_TESTS := $(addprefix $(COMPAT)/api-,0.2-on-today later-on-today 0.2-on-later today-on-later)

UNIT_TESTS += tests/compat/api $(API_TESTS)

$(API_LATER)/.copied: $(wildcard $(addprefix libnnloop/,*.[ch] */*.[ch] */*/*.[ch])) tests/compat/grow-api
	rm -rf $(API_LATER)/libnnloop
	@mkdir -p $(API_LATER)
	cp -r libnnloop $(API_LATER)/libnnloop
	for header in $(API_HEADERS); do \
		tests/compat/grow-api libnnloop/$$header >$(API_LATER)/libnnloop/$$header || exit 1; \
	done
	@touch $@

$(API_LATER_OBJECTS): $(API_LATER)/obj/%.o: $(API_LATER)/.copied | $(O)/gen/onnx.pb-c.h
	$(call note,CC,$@)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -fPIC -O0 -ffp-contract=off $(BASE_CPPFLAGS) $(CPPFLAGS) \
		$(subst -Ilibnnloop,-I$(API_LATER)/libnnloop,$(LIBNNLOOP_CPPFLAGS)) -c $(API_LATER)/libnnloop/$*.c -o $@

$(API_LATER)/libnnloop.so.0: $(API_LATER_OBJECTS) $(LIBNNLOOP_OBJECTS)
	$(call note,LD,$@)
	$(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=libnnloop/libnnloop.map $(LDFLAGS) -o $@ $(API_LATER_OBJECTS) \
		$(filter-out $(patsubst %.c,$(O)/obj/%.o,$(filter libnnloop/%,$(LIBNNLOOP_SOURCES))),$(LIBNNLOOP_OBJECTS)) \
		$(LIBNNLOOP_LIBS)
	ln -sf $(@F) $(basename $@)

$(COMPAT)/api-0.2-%: private API_INCLUDE := tests/compat/api-0.2
$(COMPAT)/api-today-%: private API_INCLUDE := libnnloop
$(COMPAT)/api-later-%: private API_INCLUDE := $(API_LATER)/libnnloop -DGROWN
$(filter %-today,$(API_TESTS)): private API_LIBRARY := $(OUT)
$(filter %-later,$(API_TESTS)): private API_LIBRARY := $(API_LATER)
$(filter %-today,$(API_TESTS)): $(O)/libnnloop.so
$(filter %-later,$(API_TESTS)): $(API_LATER)/libnnloop.so.0
$(API_TESTS): tests/compat/api.c $(API_LATER)/.copied $(addprefix tests/compat/api-0.2/,$(API_HEADERS))
	$(call note,CC,$@)
	$(CC) $(BASE_CFLAGS) -I$(API_INCLUDE) $(CFLAGS) $< -L$(API_LIBRARY) -lnnloop -Wl,-rpath,$(API_LIBRARY) -o $@

# ---- a driver of 1.0 ----

$(COMPAT)/driver-1.0.so: tests/compat/driver-1.0.c tests/compat/uapi-1.0/drm/nnloop_accel.h
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) -Itests/compat/uapi-1.0 $(BASE_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) -isystem /usr/include/libdrm -shared $(LDFLAGS) -o $@ $<

$(COMPAT)/driver-1.0: $(COMPAT)/driver-1.0.so tests/compat/build.mk
	printf '#!/bin/sh\nexec tests/compat/driver-1.0 %s\n' '$<' >$@
	chmod +x $@

# ---- the later driver ----

COMPAT_MODULE := $(COMPAT)/later/kmod/$(firstword $(RELEASES))/nnloop.ko

.PHONY: compat-module
compat-module: $(COMPAT)/later/uapi/drm/nnloop_accel.h
	+$(MAKE) modules KERNELS=$(firstword $(KERNELS)) KMOD=$(COMPAT)/later/kmod UAPI=$(COMPAT)/later/uapi

# ---- in `make test` ----

# Beside the module, which is another one for each kernel. later/query tells the later driver from any other.
COMPAT_LATER_TEST := $(dir $(COMPAT_MODULE))later-driver
COMPAT_LATER_DRIVER := $(addprefix later=$(COMPAT)/later/,query) \
	$(addprefix 1.0=$(COMPAT)/1.0/,$(COMPAT_1.0) library)
$(COMPAT_LATER_TEST): tests/compat/build.mk
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec tests/compat/later-driver %s %s\n' '$(COMPAT_MODULE)' '$(COMPAT_LATER_DRIVER)' >$@
	chmod +x $@

# With one kernel each; first of all, for other tests leave a board dead.
VM_TESTS_$(firstword $(KERNELS)) += compat=$(COMPAT_LATER_TEST) \
	$(addprefix later=$(COMPAT)/later/,$(filter-out query,$(COMPAT_LATER)) library) \
	compat=$(COMPAT)/driver-1.0
VM_TESTS_$(lastword $(KERNELS)) += $(addprefix 32bit=$(COMPAT)/32bit/,$(COMPAT_32BIT))

vm-tests-built: compat-32bit compat-1.0 compat-later compat-module $(COMPAT_LATER_TEST) \
	$(COMPAT)/1.0/library $(COMPAT)/later/library $(COMPAT)/driver-1.0
