/* SPDX-License-Identifier: MIT */
/*
 * Functions and tables of assembly, which every .S file of dsp/hvx begins and ends with these
 * macros: their symbols are global, and have a type and a size.
 */
#ifndef NN_ASM_H
#define NN_ASM_H

	/*
	 * `function NAME` to `endfunction`. The function begins at a multiple of 2^align bytes. It
	 * keeps r16 to r27, r29 and r30 for its caller, which tests/dsp/test-registers.c sees to.
	 */
	.macro	function name align=4
	.macro	endfunction
	.size	\name, . - \name
	.purgem	endfunction
	.endm
	.text
	.p2align \align
	.globl	\name
	.type	\name, @function
\name:
	.endm

	/* `table NAME` to `endtable`, the same of data that is only read. */
	.macro	table name align=3
	.macro	endtable
	.size	\name, . - \name
	.purgem	endtable
	.endm
	.section .rodata
	.p2align \align
	.globl	\name
	.type	\name, @object
\name:
	.endm

#endif
