# SPDX-License-Identifier: MIT
#
# `make install` puts what `make` builds below PREFIX, `make modules-install` the module of one
# kernel into its folder, `make dkms-install` the driver's source where DKMS builds it for every
# kernel; `make uninstall`, `modules-uninstall` and `dkms-uninstall` take exactly that away.
# DESTDIR goes before every path; with it, nothing but files is written and no rights are needed.
# Give uninstall the variables that install had, and LIBDIR or PREFIX to `make` as well. Installing
# builds and links nothing: so it runs as root in a tree that somebody else has built, and stays theirs.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
UDEVDIR ?= /lib/udev/rules.d
KERNELRELEASE := $(or $(KERNELRELEASE),$(shell uname -r))

# Plain copies, SOURCE:DESTINATION. The rest is made for its place.
INSTALL_FILES = \
	$(O)/libnnloop.so.$(LIBNNLOOP_VERSION):$(LIBDIR)/libnnloop.so.$(LIBNNLOOP_VERSION) \
	$(O)/libnnloop.a:$(LIBDIR)/libnnloop.a \
	libnnloop/nn_graph.h:$(INCLUDEDIR)/nnloop/nn_graph.h \
	libnnloop/nn_import.h:$(INCLUDEDIR)/nnloop/nn_import.h \
	libnnloop/nn_quantize.h:$(INCLUDEDIR)/nnloop/nn_quantize.h \
	libnnloop/nn_device.h:$(INCLUDEDIR)/nnloop/nn_device.h \
	uapi/drm/nnloop_accel.h:$(INCLUDEDIR)/drm/nnloop_accel.h \
	tools/udev/60-nnloop.rules:$(UDEVDIR)/60-nnloop.rules \
	tools/nnloop/completion.bash:$(COMPLETIONDIR)/nnloop \
	$(foreach page,$(wildcard docs/*.[1-8] docs/man/*.[1-8]),\
		$(page):$(MANDIR)/man$(patsubst .%,%,$(suffix $(page)))/$(notdir $(page)))
# TARGET:LINK, both in one folder. A page has one for each function and structure that shares it.
INSTALL_LINKS = \
	$(foreach link,$(LIBNNLOOP_SONAME) libnnloop.so,libnnloop.so.$(LIBNNLOOP_VERSION):$(LIBDIR)/$(link)) \
	$(subst :,:$(MANDIR)/man3/,$(shell tools/man-links docs/man/*.3))
INSTALL_PC = $(LIBDIR)/pkgconfig/libnnloop.pc
INSTALL_TOOL = $(BINDIR)/nnloop

# Paths of libnnloop.pc follow its prefix where they can, so that a tree can be moved.
below-prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
# Where Debian's loader looks by itself the command names no folder; elsewhere it finds its library by
# the final path. It is linked for that when all else is built, in a folder which says what for.
LOADER_DIRS := $(foreach dir,/lib /usr/lib /usr/local/lib,$(dir) $(dir)/%-linux-gnu) /lib64 /usr/lib64
INSTALL_RPATH := $(if $(filter $(LOADER_DIRS),$(LIBDIR)),,$(LIBDIR))
INSTALL_BUILT_TOOL := $(O)/install$(INSTALL_RPATH)/nnloop
INSTALL_BUILT = $(INSTALL_BUILT_TOOL) $(O)/libnnloop.so.$(LIBNNLOOP_VERSION) $(O)/libnnloop.a
as-root = $(if $(DESTDIR),,if [ "$$(id -u)" = 0 ]; then PATH=$$PATH:/usr/sbin:/sbin $(1); fi)

.PHONY: install uninstall modules-install modules-uninstall
install:
	for file in $(INSTALL_BUILT); do \
		if ! [ -e "$$file" ]; then \
			echo "error: there is no $$file. Run make$(if $(INSTALL_RPATH), LIBDIR=$(LIBDIR)) first:" \
				'make install builds nothing' >&2; \
			exit 1; \
		fi; \
	done
	$(call note,INSTALL,$(DESTDIR)$(PREFIX) $(DESTDIR)$(UDEVDIR))
	umask 022; for file in $(INSTALL_FILES); do \
		install -D -m 644 "$${file%%:*}" "$(DESTDIR)$${file#*:}" || exit 1; \
	done
	for link in $(INSTALL_LINKS); do \
		ln -sf "$${link%%:*}" "$(DESTDIR)$${link#*:}" || exit 1; \
	done
	umask 022; install -d "$(DESTDIR)$(dir $(INSTALL_PC))"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call below-prefix,$(LIBDIR))|' \
		-e 's|@INCLUDEDIR@|$(call below-prefix,$(INCLUDEDIR))|' \
		-e 's|@VERSION@|$(LIBNNLOOP_VERSION)|' libnnloop/libnnloop.pc.in \
		>"$(DESTDIR)$(INSTALL_PC)"
	chmod 644 "$(DESTDIR)$(INSTALL_PC)"
	umask 022; install -D -m 755 $(INSTALL_BUILT_TOOL) "$(DESTDIR)$(INSTALL_TOOL)"
	$(call as-root,ldconfig)

uninstall:
	for file in $(foreach file,$(INSTALL_FILES) $(INSTALL_LINKS),$(lastword $(subst :, ,$(file)))) \
			$(INSTALL_PC) $(INSTALL_TOOL); do \
		rm -f "$(DESTDIR)$$file" || exit 1; \
	done
	if [ -d "$(DESTDIR)$(INCLUDEDIR)/nnloop" ]; then \
		rmdir --ignore-fail-on-non-empty "$(DESTDIR)$(INCLUDEDIR)/nnloop"; \
	fi
	$(call as-root,ldconfig)

INSTALL_MODULE = /lib/modules/$(KERNELRELEASE)/updates/nnloop.ko
modules-install:
	if ! [ -e $(KMOD)/$(KERNELRELEASE)/nnloop.ko ]; then \
		echo 'error: there is no $(KMOD)/$(KERNELRELEASE)/nnloop.ko. Run make modules;' \
			'if that builds for other kernels than this, give KERNELRELEASE=.' \
			"Built: $$(cd $(KMOD) 2>/dev/null && echo *)" >&2; \
		exit 1; \
	fi
	$(call note,INSTALL,$(DESTDIR)$(INSTALL_MODULE))
	umask 022; install -D -m 644 $(KMOD)/$(KERNELRELEASE)/nnloop.ko "$(DESTDIR)$(INSTALL_MODULE)"
	$(call as-root,depmod $(KERNELRELEASE))

modules-uninstall:
	rm -f "$(DESTDIR)$(INSTALL_MODULE)"
	$(call as-root,depmod $(KERNELRELEASE))

# The source of one version, and a hook that has DKMS build it for each kernel that is installed
# (tools/dkms-hook.in). What DKMS already has of this version is replaced. Our make's options are not
# for the kernel's.
SRCDIR ?= /usr/src
HOOKDIR ?= /etc/kernel
DKMS ?= dkms
DKMS_MODULE = nnloop/$(LIBNNLOOP_VERSION)
DKMS_SOURCE = $(DESTDIR)$(SRCDIR)/nnloop-$(LIBNNLOOP_VERSION)
# As words of the shell.
DKMS_HOOKS = $(foreach dir,postinst.d header_postinst.d,"$(DESTDIR)$(HOOKDIR)/$(dir)/nnloop")

.PHONY: dkms-install dkms-uninstall dkms-source
dkms-source: dkms-uninstall
	$(call note,INSTALL,$(DKMS_SOURCE))
	umask 022; for file in $(DRIVER_SOURCES); do \
		case $$file in *.sh) mode=755 ;; *) mode=644 ;; esac; \
		install -D -m $$mode $$file "$(DKMS_SOURCE)/$$file" || exit 1; \
	done
	sed 's|@VERSION@|$(LIBNNLOOP_VERSION)|' tools/dkms.conf.in >"$(DKMS_SOURCE)/dkms.conf"
	chmod 644 "$(DKMS_SOURCE)/dkms.conf"
	for hook in $(DKMS_HOOKS); do \
		install -D -m 755 tools/dkms-hook.in "$$hook" && \
			sed -i 's|@VERSION@|$(LIBNNLOOP_VERSION)|' "$$hook" || exit 1; \
	done

dkms-install: dkms-source
ifndef DESTDIR
	unset MAKEFLAGS MFLAGS; PATH=$$PATH:/usr/sbin:/sbin; \
	$(DKMS) add $(DKMS_MODULE) && \
	NNLOOP_DKMS='$(DKMS)' $(firstword $(DKMS_HOOKS)) --install $(KERNELRELEASE)
endif

dkms-uninstall:
ifndef DESTDIR
	PATH=$$PATH:/usr/sbin:/sbin; \
	if ! command -v $(firstword $(DKMS)) >/dev/null; then \
		echo 'error: there is no dkms. Install it: apt-get install dkms linux-headers-$(KERNELRELEASE)' >&2; \
		exit 1; \
	fi; \
	if [ -n "$$($(DKMS) status $(DKMS_MODULE))" ]; then $(DKMS) remove --all $(DKMS_MODULE); fi
endif
	rm -rf "$(DKMS_SOURCE)"
	rm -f $(DKMS_HOOKS)

# Debian's packages, of this tree and for this Debian (debian/rules, which calls `make install`).
.PHONY: deb
deb:
	tools/install-packages build board deb
	tools/deb $(OUT)/deb
