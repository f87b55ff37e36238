// SPDX-License-Identifier: MIT
/*
 * Runs qemu-hexagon in a process that has an SMMU already.
 *
 * usage: smmu RAM_BASE QEMU ARGUMENT...
 *
 * QEMU has no place for an SMMU of ours: where it is linked statically, as Debian does since 13, it
 * loads no plugin and no library. So this program does to QEMU what execve() would, but without the
 * end of what was in the process before: it maps QEMU's executable and, if that names one, its
 * dynamic linker, tells them in the auxiliary vector where they are, and jumps to them. It stays
 * in the process as the two signal handlers of smmu.c. All of this an ordinary program may do:
 * nobody is traced.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "host.h"
#include "smmu.h"

#define PAGE_DOWN(x)	((x) & ~(uint64_t)(PAGE_SIZE - 1))
#define PAGE_UP(x)	PAGE_DOWN((x) + PAGE_SIZE - 1)

/* A program in memory. */
struct image {
	uintptr_t bias;			/* its addresses are this much more than the file says */
	uintptr_t entry;
	uintptr_t headers;		/* program headers */
	unsigned int header_count;
	char interpreter[256];		/* path of the dynamic linker; empty if it needs none */
};

HOST_ENTRY(start);
void __attribute__((noreturn)) start(long *stack);

static void read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	if (system_call(SYS_pread64, fd, (long)buffer, size, offset, 0, 0) != (long)size)
		fatal("QEMU's file is cut short", 0);
}

static void map_at(uintptr_t address, uint64_t size, int prot, int flags, int fd, uint64_t offset)
{
	long got = map(address, size, prot, MAP_PRIVATE | MAP_FIXED | flags, fd, offset);

	if (got < 0)
		fatal("cannot map QEMU", got);
}

/* One PT_LOAD segment. What the file does not have of it is zeros. */
static void load_segment(int fd, uintptr_t bias, const Elf64_Phdr *segment)
{
	uintptr_t start = bias + segment->p_vaddr;
	uintptr_t file_end = start + segment->p_filesz;
	uintptr_t end = start + segment->p_memsz;
	uintptr_t zeros = PAGE_UP(file_end);
	int prot = (segment->p_flags & PF_R ? PROT_READ : 0) |
		   (segment->p_flags & PF_W ? PROT_WRITE : 0) |
		   (segment->p_flags & PF_X ? PROT_EXEC : 0);

	if (segment->p_filesz)
		map_at(PAGE_DOWN(start), file_end - PAGE_DOWN(start), prot, 0, fd,
		       PAGE_DOWN(segment->p_offset));
	else
		zeros = PAGE_DOWN(start);
	if (end > zeros)
		map_at(zeros, end - zeros, prot, MAP_ANONYMOUS, -1, 0);
	if (segment->p_memsz > segment->p_filesz && segment->p_filesz)
		for (char *byte = (char *)file_end; byte < (char *)zeros; byte++)
			*byte = 0;
}

/* A free stretch of addresses for all segments, or the one at which they have to be. */
static uintptr_t reserve(const Elf64_Ehdr *elf, const Elf64_Phdr *header)
{
	uint64_t first = UINT64_MAX, end = 0, alignment = PAGE_SIZE;
	long got;
	int i;

	for (i = 0; i < elf->e_phnum; i++) {
		if (header[i].p_type != PT_LOAD)
			continue;
		if (header[i].p_vaddr < first)
			first = PAGE_DOWN(header[i].p_vaddr);
		if (header[i].p_vaddr + header[i].p_memsz > end)
			end = PAGE_UP(header[i].p_vaddr + header[i].p_memsz);
		if (header[i].p_align > alignment)
			alignment = header[i].p_align;
	}
	if (first >= end)
		fatal("nothing to load in QEMU's file", 0);
	if (elf->e_type == ET_EXEC) {
		got = map(first, end - first, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (got < 0)
			fatal("QEMU's addresses are taken", got);
		return 0;
	}
	got = map(0, end - first + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (got < 0)
		fatal("no room for QEMU", got);
	return ((got + alignment - 1) & ~(alignment - 1)) - first;
}

static void load(const char *path, struct image *image)
{
	Elf64_Phdr header[32];
	Elf64_Ehdr elf;
	long fd = system_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	int i;

	if (fd < 0)
		fatal("cannot open QEMU", fd);
	read_at(fd, &elf, sizeof(elf), 0);
	if (__builtin_memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != HOST_ELF_MACHINE ||
	    (elf.e_type != ET_EXEC && elf.e_type != ET_DYN) ||
	    elf.e_phentsize != sizeof(*header) || elf.e_phnum > sizeof(header) / sizeof(*header))
		fatal("qemu-hexagon is no program of this machine", 0);
	read_at(fd, header, elf.e_phnum * sizeof(*header), elf.e_phoff);

	image->bias = reserve(&elf, header);
	image->entry = image->bias + elf.e_entry;
	image->header_count = elf.e_phnum;
	image->interpreter[0] = '\0';
	for (i = 0; i < elf.e_phnum; i++) {
		if (header[i].p_type == PT_LOAD) {
			load_segment(fd, image->bias, &header[i]);
			if (elf.e_phoff - header[i].p_offset < header[i].p_filesz)
				image->headers = image->bias + header[i].p_vaddr + elf.e_phoff -
						 header[i].p_offset;
		} else if (header[i].p_type == PT_INTERP) {
			if (header[i].p_filesz > sizeof(image->interpreter))
				fatal("the path of QEMU's dynamic linker is too long", 0);
			read_at(fd, image->interpreter, header[i].p_filesz, header[i].p_offset);
		}
	}
	system_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static uint64_t parse_hex(const char *text)
{
	uint64_t value = 0;

	for (; *text; text++)
		value = value << 4 | (*text <= '9' ? *text - '0' : *text - 'a' + 10);
	return value;
}

/*
 * The stack holds argc, the argv pointers, NULL, the environment's, NULL, and pairs of a tag and a
 * value up to AT_NULL. QEMU gets the same without the first two arguments, so that the stack is
 * still aligned as it was.
 */
void start(long *stack)
{
	char **argv = (char **)(stack + 1);
	static struct image qemu, linker;
	Elf64_auxv_t *aux;
	long *entry;

	if (stack[0] < 3)
		fatal("is started by vdsp, not by hand", 0);
	smmu_init(parse_hex(argv[1]));
	load(argv[2], &qemu);
	if (qemu.interpreter[0])
		load(qemu.interpreter, &linker);
	system_call(SYS_prctl, PR_SET_NAME, (long)"qemu-hexagon", 0, 0, 0, 0);

	entry = (long *)(argv + stack[0] + 1);
	while (*entry++)
		;
	for (aux = (Elf64_auxv_t *)entry; aux->a_type != AT_NULL; aux++) {
		switch (aux->a_type) {
		case AT_PHDR:
			aux->a_un.a_val = qemu.headers;
			break;
		case AT_PHNUM:
			aux->a_un.a_val = qemu.header_count;
			break;
		case AT_ENTRY:
			aux->a_un.a_val = qemu.entry;
			break;
		case AT_BASE:
			aux->a_un.a_val = linker.bias;
			break;
		}
	}
	stack[2] = stack[0] - 2;
	host_enter(linker.entry ? linker.entry : qemu.entry, stack + 2);
}
