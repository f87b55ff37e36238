# SPDX-License-Identifier: MIT
#
# The stress run: clients and workers killed at random, inside the VM. A short one is part of
# `make test`, an hour of `make soak`.

STRESS := $(O)/tests/stress/stress

vm-tests-built test-debug-built soak-built: $(STRESS)
$(STRESS): $(addprefix $(O)/obj/tests/stress/,stress.o client.o)
	$(call note,LD,$@)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^

$(O)/obj/tests/stress/%.o: private BASE_CPPFLAGS += -D_GNU_SOURCE -isystem $(KSFT) \
	$$($(PKG_CONFIG) --cflags libdrm)
$(addprefix $(O)/obj/tests/stress/,stress.o client.o): | $(O)/kernel-source/.done
