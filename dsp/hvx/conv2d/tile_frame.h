/* SPDX-License-Identifier: MIT */
/*
 * The frame of tile_4x64.S and tile_8x32.S: how they begin and end, how they note ties, and where
 * members of struct conv2d_tiles are.
 */

/* struct conv2d_tiles, in bytes */
#define SCALARS		(6 * 128)
#define IS_CLAMPED	(SCALARS + 72)
#define BEHIND		(SCALARS + 76)
#define PARTS_BEFORE	(SCALARS + 80)

/* struct conv2d_ties, from `sum` on, in vectors and bytes */
#define FLAGS		-1
#define NEXT		(8 * 128)
#define TIES_SIZE	(10 * 128)

/* Words on the stack, behind the registers that are saved. */
#define END		48	/* of the pixels of tiles */
#define FULL		52	/* the last place of the queue but one */
#define SELF		56
#define PARTS		60	/* of the next tile's sums, or 0 */
#define LIMITS		64	/* of sums */
#define FRAME		72

	/*
	 * ENTER saves registers, and loads r16 - r25, m0, v17 - v20, q0, q1 and p3 as they are
	 * needed; r6 and r7, where to go on and the steps; r8, block 1's weights; r5, the
	 * constants; r1:0, what END and FULL have to be.
	 */
	.macro	ENTER
	{ allocframe(#FRAME) }
	{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18 }
	{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22 }
	{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26 }
	{ r2 = r0; r3 = add(r0,#SCALARS); r6 = memw(r0+#IS_CLAMPED); r1 = memw(r0+#PARTS_BEFORE) }
	{ v20 = vmem(r2++#1); memd(r29+#SELF) = r1:0; p3 = cmp.eq(r6,#1) }
	{ v19 = vmem(r2++#1); r17:16 = memd(r3+#0); r1 = #-1 }
	{ v18 = vmem(r2++#1); r19:18 = memd(r3+#8) }
	{ v17 = vmem(r2+#0); r5:4 = memd(r3+#64) }
	{ v8 = vmem(r4+#0); r21:20 = memd(r3+#16); m0 = r19 }
	{ v9 = vmem(r5+#0); q0 = vand(v8,r1); r23:22 = memd(r3+#24) }
	{ q1 = vand(v9,r1); r25:24 = memd(r3+#32); r5:4 = memd(r3+#40) }
	{ r8 = r4; r7:6 = memd(r3+#48); r1:0 = memd(r3+#56) }
	.endm

	/* LEAVE returns the next tile, which is \bytes before r16: those up to it are done. */
	.macro	LEAVE bytes
leave:
	{ r1 = memw(r29+#SELF); r30 = add(r29,#FRAME) }
	{ r0 = add(r16,#-\bytes); memw(r1+##BEHIND) = r22 }
	{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
	{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
	{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
	{ dealloc_return }
	.endm

	/*
	 * TIES notes that the tile before the one that has begun has ties: their lanes are noted
	 * behind its sums, and the next tile's go behind that. If that was the last place but one,
	 * the tile that has begun is the last.
	 */
	.macro	TIES back
	{ r17 = #-1 }
	{ v9 = vand(q2,r17); r17 = memw(r29+#FULL) }
	{ vmem(r22+#FLAGS) = v9; p0 = cmp.eq(r22,r17) }
	{ memw(r22+#NEXT) = r16; r22 = add(r22,#TIES_SIZE) }
	{ if (!p0) jump:t \back; r17 = #1 }
	{ memw(r29+#END) = #0; lc1 = r17; jump \back }
	.endm
