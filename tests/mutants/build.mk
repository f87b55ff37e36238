# SPDX-License-Identifier: MIT
#
# `make mutants` changes MUTANTS places of each of MUTANTS_AREAS at random, one at a time, and says which changes no test
# noticed, on the terminal and in $(O)/mutants/report. No part of `make test`: each takes seconds, of which the compiler
# takes most.

MUTANTS ?= 100
MUTANTS_SEED ?= $(shell date +%s)
MUTANTS_AREAS ?= libnnloop dsp driver
MUTANTS_JOBS ?= $(shell nproc)

.PHONY: mutants
mutants:
	tools/install-packages build board test
	nice tests/mutants/mutants --count $(MUTANTS) --seed $(MUTANTS_SEED) --jobs $(MUTANTS_JOBS) \
		--report build/mutants/report $(MUTANTS_AREAS)
