/* SPDX-License-Identifier: MIT */
/*
 * Wrappers that are called instead of each assembly function (test-registers.c, ld's --wrap). Each
 * fills the registers that its function has to keep with a pattern, calls the function, notes which
 * bits of them are others afterwards, and gives the caller its own back. All other registers are
 * passed on in both directions as they are. Functions are leaves, so one place for all is enough.
 *
 *	caller's frame
 *	r29 + 8		r19:18 of the pattern: a function that writes above its own frame is found
 *	r29		r17:16 of the pattern
 *	the function's frame
 */
#include "dsp/hvx/common/asm.h"

/* struct wrapped_function */
#define CALLS		4
#define CHANGED		8
#define CHANGED_BYTES	72

/* In `expected` and `found`, behind r16 to r27: r29 and r30, and the words above the frame. */
#define STACK_POINTER	48
#define FRAME_POINTER	52
#define ABOVE		56

	.macro	WRAP name
	function __wrap_\name
	memd(##caller) = r17:16
	memd(##caller+8) = r19:18
	memd(##caller+16) = r21:20
	memd(##caller+24) = r23:22
	memd(##caller+32) = r25:24
	memd(##caller+40) = r27:26
	memd(##caller+48) = r31:30
	memw(##caller+56) = r29
	r29 = add(r29,#-16)
	memw(##expected+STACK_POINTER) = r29
	r17:16 = memd(##expected)
	r19:18 = memd(##expected+8)
	r21:20 = memd(##expected+16)
	r23:22 = memd(##expected+24)
	r25:24 = memd(##expected+32)
	r27:26 = memd(##expected+40)
	r30 = memw(##expected+FRAME_POINTER)
	memd(r29+#0) = r17:16
	memd(r29+#8) = r19:18
	call	__real_\name
	memd(##found) = r17:16
	memd(##found+8) = r19:18
	memd(##found+16) = r21:20
	memd(##found+24) = r23:22
	memd(##found+32) = r25:24
	memd(##found+40) = r27:26
	memw(##found+STACK_POINTER) = r29
	memw(##found+FRAME_POINTER) = r30
	r29 = memw(##expected+STACK_POINTER)
	r17:16 = memd(r29+#0)
	r19:18 = memd(r29+#8)
	memd(##found+ABOVE) = r17:16
	memd(##found+ABOVE+8) = r19:18
	.irp	at, 0, 8, 16, 24, 32, 40, 48, 56, 64
	r17:16 = memd(##expected+\at)
	r19:18 = memd(##found+\at)
	r17:16 = xor(r17:16,r19:18)
	r19:18 = memd(##.Lentry_\name+CHANGED+\at)
	r17:16 = or(r17:16,r19:18)
	memd(##.Lentry_\name+CHANGED+\at) = r17:16
	.endr
	r16 = memw(##.Lentry_\name+CALLS)
	r16 = add(r16,#1)
	memw(##.Lentry_\name+CALLS) = r16
	r29 = memw(##caller+56)
	r31:30 = memd(##caller+48)
	r17:16 = memd(##caller)
	r19:18 = memd(##caller+8)
	r21:20 = memd(##caller+16)
	r23:22 = memd(##caller+24)
	r25:24 = memd(##caller+32)
	r27:26 = memd(##caller+40)
	jumpr	r31
	endfunction

	.section .rodata
.Lname_\name:
	.string	"\name"
	.data
.Lentry_\name:
	.word	.Lname_\name, 0
	.fill	CHANGED_BYTES
	.endm

	.data
	.p2align 3
caller:
	.fill	64
found:
	.fill	CHANGED_BYTES
expected:
	.irp	register, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 29, 30
	.word	0xa5c30000 + 0x0101 * \register
	.endr
	.irp	register, 16, 17, 18, 19
	.word	0xa5c30000 + 0x0101 * \register
	.endr

	/* One WRAP for each function. */
	.globl	wrapped_functions
wrapped_functions:
#include "wrapped-functions.h"
	.globl	wrapped_functions_end
wrapped_functions_end:
