/* SPDX-License-Identifier: MIT */
/*
 * Entry: the stack holds argc, then the argv pointers. main(argc, argv) gets them; what it returns
 * is the exit status.
 */
#include "dsp/hvx/common/asm.h"

	function _start
	{
		r0 = memw(r29+#0)
		r1 = add(r29,#4)
	}
	r29 = and(r29,#-128)
	r30 = #0
	call	main
	r6 = #94		// exit_group
	trap0(#1)
	endfunction
