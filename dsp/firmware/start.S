/* SPDX-License-Identifier: MIT */
/*
 * Entry: the stack holds argc, then the argv pointers. main(argc, argv) gets them; what it returns
 * is the exit status.
 */
	.text
	.globl	_start
	.type	_start, @function
	.p2align 4
_start:
	{
		r0 = memw(r29+#0)
		r1 = add(r29,#4)
	}
	r29 = and(r29,#-128)
	r30 = #0
	call	main
	r6 = #94		// exit_group
	trap0(#1)
	.size	_start, .-_start
