# SPDX-License-Identifier: MIT
#
# What is checked without running it. `make lint` does all of it, and `make test`, too (lint/NAME in
# its report). Whatever is found is an error; what is not to be found is listed here, with the
# reason.

LINTS := checkpatch sparse coccicheck comments shell man links tests floors operators vectors duplexes patch
lint-test = echo 1..1; if nice $(MAKE) $(lint-part-$(1)) lint-$(1); then echo ok 1; else echo not ok 1; exit 1; fi

lint-part-sparse = $(if $(NNLOOP_TEST_ALL),,KERNELS=$(lastword $(KERNELS)))

.PHONY: lint-built $(addprefix lint-,$(LINTS))
lint-built: $(addprefix lint-,$(LINTS))

# ---- the kernel's style ----

# Headers that user space or the firmware reads as well have neither BIT() nor the kernel's types.
SHARED_HEADERS := uapi/drm/nnloop_accel.h uapi/misc/nnloop_attach.h driver/nnloop_hw.h
# A trace header's macros are laid out as the kernel's own are, not as code.
TRACE_HEADERS := driver/nnloop_trace.h
KERNEL_STYLE := $(filter-out $(SHARED_HEADERS) $(TRACE_HEADERS),\
	$(wildcard $(addsuffix /*.[ch],driver tests/kselftest tests/stress \
		tests/kernel-bugs tests/kernel-bugs/*)))
checkpatch = perl $(O)/kernel-source/scripts/checkpatch.pl --strict --no-tree --no-summary --terse \
	--max-line-length=100

lint-checkpatch: $(O)/kernel-source/.done
	$(checkpatch) -f $(KERNEL_STYLE)
	$(checkpatch) --ignore BIT_MACRO,PREFER_KERNEL_TYPES -f $(SHARED_HEADERS)
	$(checkpatch) --ignore OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT -f $(TRACE_HEADERS)

# ---- comments ----

# Each file says what it is for, and no comment begins with a fragment.
lint-comments:
	O=$(O) tests/lint/comments

# ---- the driver ----

# Modules of their own: C=2 has sparse check every file, and W=1e makes warnings errors. In `make
# test` for the last kernel, whose interfaces the driver is written for.
lint-sparse:
	+$(MAKE) modules KMOD=$(O)/lint/kmod KBUILD_OPTIONS='C=2 W=1e CF=-Wsparse-error'

# Not run: a check of one other driver, and one that needs an OCaml compiler (integers compared with
# pointers, which sparse finds, too). A count of fences that a job waits for is no count of
# references.
COCCI_EXCEPTIONS := api/check_bq27xxx_data null/badzero \
	api/atomic_as_refcounter:driver/nnloop_job.c

lint-coccicheck: $(O)/kernel-source/.done
	tests/lint/coccicheck $(O)/kernel-source $(COCCI_EXCEPTIONS)

# ---- scripts, manual pages and other documents ----

lint-shell:
	shellcheck $$(grep -rIlE '^(#!.*[/ ](ba)?sh|# shellcheck shell=.*)$$' .ci debian driver dsp libnnloop tools tests)

# What the formatter warns about.
lint-man:
	for page in docs/*.[1-8] docs/man/* debian/*.[1-8]; do \
		LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -E UTF-8 -l -Tutf8 -Z $$page 2>&1 >/dev/null | \
			sed "s,^,$$page: ,"; \
	done | if grep .; then exit 1; fi

# Each relative link of a .md file leads to a file, and to a heading of it.
lint-links:
	O=$(O) tests/lint/links

# Tests that a table names are there.
lint-tests:
	for test in $$(grep -h '^|' docs/driver.md docs/testing.md | grep -o '`[a-z_]*\.[a-z_0-9]*`' | tr -d '`' | \
			grep -v '\.\(c\|h\|sh\|ko\|md\|mk\|png\)$$'); do \
		grep -q "^TEST_F[A-Z_]*($${test%%.*}, $${test#*.}[,)]" tests/kselftest/*.c || \
			echo "there is no test $$test in tests/kselftest"; \
	done | if grep .; then exit 1; fi

# ---- the library ----

# A folder of the library uses what is below it, and nothing else.
lint-floors: $(LIBNNLOOP_OBJECTS)
	tests/lint/floors $(patsubst %.c,$(O)/obj/%.o,$(filter libnnloop/%,$(LIBNNLOOP_SOURCES)))

# Each operator of the list in its own file, with its row of docs/operators.md.
lint-operators:
	tests/lint/operators

# The list of what runs in portable C.
lint-vectors:
	tests/lint/vectors

# ---- the firmware ----

# Of the firmware and, where they have been built, of the tests that run on the DSP.
lint-duplexes: $(FIRMWARE_OBJECTS) $(DSP_OBJECTS) $(HEXAGON_RUNTIME)
	tests/lint/duplexes $$(find $(O)/hexagon -name '*.o')

# ---- the series for the kernel's tree ----

# Each place of the driver that is different there is known (tools/kernel-patch/in_tree.py).
lint-patch:
	tools/kernel-patch/series --check
