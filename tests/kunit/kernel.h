/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel and of KUnit as the driver's page tables, its board, the rules of its
 * scheduler and their KUnit suites use, in user space. Every header of the kernel's that they
 * include is this one (build.mk). An allocation is the C library's, so that the address sanitizer
 * watches it; a DMA address is an address of this process; time passes when somebody waits, and
 * then at once.
 */
#ifndef KUNIT_KERNEL_H
#define KUNIT_KERNEL_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types, bits and bytes ---- */

typedef uint8_t u8;
typedef uint8_t __u8;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef long long s64;
typedef uint32_t __le32;
typedef unsigned long long __le64;
typedef u64 dma_addr_t;
typedef unsigned int gfp_t;

#define __iomem
#define __force
#define CONFIG_64BIT			1
#define CONFIG_KASAN			0
#define IS_ENABLED(option)		(option)
#define U32_MAX				UINT32_MAX
#define U64_MAX				UINT64_MAX
#define SZ_2M				(2u << 20)
#define USEC_PER_SEC			1000000
#define NSEC_PER_USEC			1000L
#define NSEC_PER_MSEC			1000000L
#define NSEC_PER_SEC			1000000000L

#define BIT(n)				(1ul << (n))
#define BIT_ULL(n)			(1ull << (n))
#define GENMASK_ULL(high, low)		((~0ull >> (63 - (high))) & (~0ull << (low)))
#define lower_32_bits(n)		((u32)(n))
#define upper_32_bits(n)		((u32)((u64)(n) >> 32))
#define cpu_to_le32(n)			((__le32)(n))
#define cpu_to_le64(n)			((__le64)(n))
#define le32_to_cpu(n)			((u32)(n))
#define le64_to_cpu(n)			((u64)(n))
#define static_assert(condition)	_Static_assert(condition, #condition)
#define ARRAY_SIZE(array)		(sizeof(array) / sizeof((array)[0]))
#define min(a, b)			({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b)			({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

#define WRITE_ONCE(place, value)	(*(volatile typeof(place) *)&(place) = (value))
#define dma_wmb()			__sync_synchronize()
#define dma_rmb()			__sync_synchronize()

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline bool IS_ERR_OR_NULL(const void *pointer)
{
	return !pointer || (uintptr_t)pointer >= (uintptr_t)-4095;
}

static inline int PTR_ERR_OR_ZERO(const void *pointer)
{
	return (uintptr_t)pointer >= (uintptr_t)-4095 ? (int)(intptr_t)pointer : 0;
}

/* ---- lists ---- */

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)	struct list_head name = { &(name), &(name) }

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	entry->next = head->next;
	entry->prev = head;
	head->next->prev = entry;
	head->next = entry;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

#define list_add_tail(entry, head)	list_add(entry, (head)->prev)

static inline void list_del_init(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

#define list_first_entry(head, type, member)	container_of((head)->next, type, member)

#define list_for_each_entry(entry, head, member)						\
	for (entry = container_of((head)->next, typeof(*entry), member);			\
	     &entry->member != (head);								\
	     entry = container_of(entry->member.next, typeof(*entry), member))

static inline size_t list_count_nodes(struct list_head *head)
{
	size_t count = 0;

	for (struct list_head *entry = head->next; entry != head; entry = entry->next)
		count++;
	return count;
}

#define list_for_each_entry_safe(entry, following, head, member)				\
	for (entry = container_of((head)->next, typeof(*entry), member);			\
	     following = container_of(entry->member.next, typeof(*entry), member),		\
	     &entry->member != (head);								\
	     entry = following)

/* ---- trees: lists in order, of few entries ---- */

struct rb_node {
	struct rb_node *next;
	struct rb_node **link;	/* what points to it; NULL: it is in no tree */
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
};

#define RB_ROOT_CACHED			((struct rb_root_cached){ { NULL } })
#define RB_EMPTY_ROOT(root)		(!(root)->rb_node)
#define RB_CLEAR_NODE(node)		((node)->link = NULL)
#define RB_EMPTY_NODE(node)		(!(node)->link)
#define rb_entry(node, type, member)	container_of(node, type, member)
#define rb_first_cached(root)		((root)->rb_root.rb_node)
#define rb_next(node)			((node)->next)

/* Equal ones stay in the order in which they came. */
static inline void rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
				 bool (*before)(struct rb_node *a, const struct rb_node *b))
{
	struct rb_node **link = &root->rb_root.rb_node;

	while (*link && !before(node, *link))
		link = &(*link)->next;
	node->next = *link;
	node->link = link;
	if (node->next)
		node->next->link = &node->next;
	*link = node;
}

static inline void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	(void)root;
	*node->link = node->next;
	if (node->next)
		node->next->link = node->link;
}

/* ---- memory, registers and time ---- */

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0

static inline void *kcalloc(size_t count, size_t size, gfp_t flags)
{
	(void)flags;
	return calloc(count, size);
}

#define kzalloc(size, flags)	kcalloc(1, size, flags)
#define kfree(pointer)		free(pointer)

struct device {
	const char *name;
};

static inline void *dma_alloc_coherent(struct device *dev, size_t size, dma_addr_t *dma,
				       gfp_t flags)
{
	void *memory = NULL;

	(void)dev;
	(void)flags;
	if (posix_memalign(&memory, 4096, (size + 4095) & ~4095ul))
		return NULL;
	memset(memory, 0, size);
	*dma = (uintptr_t)memory;
	return memory;
}

static inline void dma_free_coherent(struct device *dev, size_t size, void *memory, dma_addr_t dma)
{
	(void)dev;
	(void)size;
	(void)dma;
	free(memory);
}

#define phys_to_virt(address)			((void *)(uintptr_t)(address))
#define DMA_BIT_MASK(bits)			(~0ull >> (64 - (bits)))
#define dma_coerce_mask_and_coherent(dev, mask)	((void)(dev), (void)(mask), 0)
#define root_device_unregister(dev)		free(dev)
#define __root_device_register(name, owner)	((struct device *)calloc(1, sizeof(struct device)))
#define dev_err(dev, ...)			((void)(dev), printf("# " __VA_ARGS__))

#define readl(address)		(*(const volatile u32 *)(address))
#define writel(value, address)	(*(volatile u32 *)(address) = (value))

/* Nothing answers while one waits. */
#define readl_poll_timeout(address, value, condition, interval, timeout) \
	((void)(interval), (void)(timeout), (value) = readl(address), (condition) ? 0 : -ETIMEDOUT)

/* ---- random numbers ---- */

struct rnd_state {
	u64 state;
};

static inline void prandom_seed_state(struct rnd_state *random, u64 seed)
{
	random->state = seed;
}

static inline u32 prandom_u32_state(struct rnd_state *random)
{
	random->state = random->state * 6364136223846793005ull + 1442695040888963407ull;
	return random->state >> 32;
}

/* ---- KUnit ---- */

struct kunit {
	void *priv;
	bool failed;
	void *memory[8];	/* freed after the case */
	unsigned int memory_count;
};

struct kunit_case {
	void (*run)(struct kunit *kunit);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *kunit);
	void (*exit)(struct kunit *kunit);
	struct kunit_case *test_cases;
};

/* Ends the case: what asserts cannot go on. */
_Noreturn void kunit_abort(struct kunit *kunit);
void kunit_fail(struct kunit *kunit, const char *file, int line, const char *what);
void *kunit_kcalloc(struct kunit *kunit, size_t count, size_t size, gfp_t flags);
void kunit_add_suite(struct kunit_suite *suite);

#define kunit_kzalloc(kunit, size, flags)	kunit_kcalloc(kunit, 1, size, flags)
#define KUNIT_CASE(function)			{ function, #function }

#define kunit_test_suite(suite)						\
	static void __attribute__((constructor)) add_##suite(void)	\
	{								\
		kunit_add_suite(&(suite));				\
	}

#define KUNIT_CHECK(kunit, condition, what)				\
	((condition) ? (void)0 : kunit_fail(kunit, __FILE__, __LINE__, what))
#define KUNIT_CHECK_ALL(kunit, condition, what)				\
	((condition) ? (void)0 : (kunit_fail(kunit, __FILE__, __LINE__, what), kunit_abort(kunit)))

#define KUNIT_EXPECT_EQ(kunit, a, b)		KUNIT_CHECK(kunit, (a) == (b), #a " == " #b)
#define KUNIT_EXPECT_NE(kunit, a, b)		KUNIT_CHECK(kunit, (a) != (b), #a " != " #b)
#define KUNIT_EXPECT_TRUE(kunit, a)		KUNIT_CHECK(kunit, a, #a)
#define KUNIT_EXPECT_FALSE(kunit, a)		KUNIT_CHECK(kunit, !(a), "!" #a)
#define KUNIT_EXPECT_TRUE_MSG(kunit, a, ...) \
	((a) ? (void)0 : (printf("# " __VA_ARGS__), printf("\n"), KUNIT_EXPECT_TRUE(kunit, a)))
#define KUNIT_ASSERT_EQ(kunit, a, b)		KUNIT_CHECK_ALL(kunit, (a) == (b), #a " == " #b)
#define KUNIT_ASSERT_TRUE(kunit, a)		KUNIT_CHECK_ALL(kunit, a, #a)
#define KUNIT_ASSERT_NOT_NULL(kunit, a)		KUNIT_CHECK_ALL(kunit, (a) != NULL, #a)
#define KUNIT_ASSERT_EQ_MSG(kunit, a, b, ...) \
	((a) == (b) ? (void)0 : (printf("# " __VA_ARGS__), printf("\n"), KUNIT_ASSERT_EQ(kunit, a, b)))

#endif
