/* SPDX-License-Identifier: MIT */
/*
 * The host as the SMMU needs it beside C: it runs without a C library, in the process of another
 * program. All that depends on the host's processor is here.
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#if defined(__x86_64__)

#define HOST_ELF_MACHINE	EM_X86_64

/* The result, or -errno. */
static inline long system_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	register long r9 asm("r9") = f;
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		     : "rcx", "r11", "memory");
	return result;
}

/* The entry of a program: FUNCTION(stack) gets the stack that the kernel has made for it. */
#define HOST_ENTRY(function)						\
	asm(".globl _start\n"						\
	    "_start:\n"							\
	    "	mov	%rsp, %rdi\n"					\
	    "	call	" #function "\n")

/* Start a program as the kernel does. In rdx is what it is to call at its end: nothing. */
static inline void __attribute__((noreturn)) host_enter(uintptr_t entry, const void *stack)
{
	asm volatile("mov	%1, %%rsp\n\t"
		     "xor	%%ebp, %%ebp\n\t"
		     "jmp	*%0"
		     : : "r"(entry), "r"(stack), "d"(0) : "memory");
	__builtin_unreachable();
}

/* The flag and the function by which a signal handler returns, for SYS_rt_sigaction. */
#define SA_RESTORER	0x04000000
#define HOST_SIGNAL_RETURN(function)					\
	asm(#function ":\n"						\
	    "	mov	$15, %eax\n"	/* rt_sigreturn */		\
	    "	syscall\n")

/* Whether the access that raised a SIGSEGV was a write: bit 1 of the page fault's error code. */
static inline bool host_was_write(const ucontext_t *context)
{
	return context->uc_mcontext.gregs[REG_ERR] & 2;
}

#else
#error "the virtual board runs on x86-64; another processor needs the functions above"
#endif

#endif
