/* SPDX-License-Identifier: MIT */
/*
 * The part of QEMU's interface for plugins, version 1, that cache.c uses. QEMU has had it since 4.2
 * and Debian 12's 7.2 loads such plugins. Debian has no package with QEMU's own header. QEMU looks
 * for two names in a plugin: qemu_plugin_version, and qemu_plugin_install(), which it calls once
 * and which returns 0, or else ends QEMU.
 */
#ifndef QEMU_PLUGIN_H
#define QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION	1

struct qemu_plugin_tb;		/* a block of code that is being translated */
struct qemu_plugin_insn;	/* one instruction of it; of Hexagon code, one packet */

/* A function that needs no registers of the guest; and accesses of both directions. */
#define QEMU_PLUGIN_NO_REGISTERS	0
#define QEMU_PLUGIN_READS_AND_WRITES	3

/* The API versions that QEMU has. More follows that nobody needs here. */
struct qemu_plugin_info {
	const char *target_name;	/* "hexagon" */
	struct {
		int least, current;
	} version;
};

extern int qemu_plugin_version;
int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc, char **argv);

/* Have a function called for each block before it runs for the first time. */
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*translated)(uint64_t id,
					   struct qemu_plugin_tb *block));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);

/* Have a function called for each access to memory of an instruction, just after it. */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
				      void (*accessed)(unsigned int cpu, uint32_t what,
						       uint64_t address, void *opaque),
				      int registers, int directions, void *opaque);

/* A memory access: whether it was a write, and the logarithm of its bytes. */
bool qemu_plugin_mem_is_store(uint32_t what);
unsigned int qemu_plugin_mem_size_shift(uint32_t what);

#endif
