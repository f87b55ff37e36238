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

COMPAT := $(abspath $(O)/compat)
# `exec` runs what it submits with calls that the others make, too.
COMPAT_32BIT := ioctl query buffer submit sync $(if $(NNLOOP_TEST_ALL),exec)
COMPAT_1.0 := query queue exec
COMPAT_LATER := query ioctl submit

$(COMPAT)/later/uapi/drm/nnloop_accel.h: uapi/drm/nnloop_accel.h tests/compat/grow
	@mkdir -p $(@D)
	tests/compat/grow $< >$@

# ---- selftests ----

# $(call compat-selftests,FOLDER,PROGRAMS,VARIABLE=VALUE...)
compat-selftests = +$(MAKE) -C tests/kselftest O= KSFT=$(abspath $(KSFT)) OUTPUT=$(COMPAT)/$(1) \
	$(3) $(addprefix $(COMPAT)/$(1)/,$(2))

.PHONY: compat-32bit compat-1.0 compat-later
compat-32bit: $(O)/kernel-source/.done
	$(call compat-selftests,32bit,$(COMPAT_32BIT),CC='$(CC) -m32 \
		-idirafter /usr/include/$(shell $(CC) -print-multiarch)')
compat-1.0: $(O)/kernel-source/.done
	$(call compat-selftests,1.0,$(COMPAT_1.0),UAPI=$(abspath tests/compat/uapi-1.0))
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
	printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec tests/e2e/readme\n' '$(@D)' >$@
	chmod +x $@
.PRECIOUS: $(COMPAT)/%/libnnloop.so.0

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
