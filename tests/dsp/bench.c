// SPDX-License-Identifier: MIT
/*
 * Packets that the vector kernels take for typical layers, counted by qemu-hexagon: `make
 * bench-dsp`. Under tests/dsp/with-memory also what they fetch from behind a memory of the size
 * given there, that holds nothing at first.
 */
#include "bench-moves.h"
#include "dsp/firmware/counters.h"
#include "dsp/firmware/memory_counters.h"
#include "dsp/firmware/runtime.h"
#include "dsp/firmware/syscall.h"
#include "dsp/program/kernels.h"
#include "dsp/kernels/weights.h"
#include "dsp/program/pack.h"
#include "harness.h"
#include "tensor.h"

#define MOST_OUTPUTS	4096
#define MOST_SIZE	1024	/* pixels that something is resized to */

static const struct layer {
	const char *name;
	enum nn_opcode opcode;
	uint32_t height, width, channels, outputs, kernel, stride;
} layers[] = {
	{ "conv 3x3 64->64 56x56", NN_OPCODE_CONV2D, 56, 56, 64, 64, 3, 1 },
	{ "conv 3x3 128->128 28x28", NN_OPCODE_CONV2D, 28, 28, 128, 128, 3, 1 },
	{ "conv 3x3 256->256 14x14", NN_OPCODE_CONV2D, 14, 14, 256, 256, 3, 1 },
	{ "conv 3x3 256->256 28x28", NN_OPCODE_CONV2D, 28, 28, 256, 256, 3, 1 },
	{ "conv 3x3 512->512 8x8", NN_OPCODE_CONV2D, 8, 8, 512, 512, 3, 1 },
	{ "conv 3x3 512->512 7x7", NN_OPCODE_CONV2D, 7, 7, 512, 512, 3, 1 },
	{ "conv 3x3 64->128 56x56 stride 2", NN_OPCODE_CONV2D, 56, 56, 64, 128, 3, 2 },
	{ "conv 3x3 64->64 56x56, powers of two", NN_OPCODE_CONV2D, 56, 56, 64, 64, 3, 1 },
	{ "conv 1x1 64->64 56x56", NN_OPCODE_CONV2D, 56, 56, 64, 64, 1, 1 },
	{ "conv 1x1 64->256 56x56", NN_OPCODE_CONV2D, 56, 56, 64, 256, 1, 1 },
	{ "conv 1x1 64->256 56x56, powers of two", NN_OPCODE_CONV2D, 56, 56, 64, 256, 1, 1 },
	{ "conv 1x1 128->512 28x28", NN_OPCODE_CONV2D, 28, 28, 128, 512, 1, 1 },
	{ "conv 1x1 256->64 56x56", NN_OPCODE_CONV2D, 56, 56, 256, 64, 1, 1 },
	{ "conv 1x1 256->256 14x14", NN_OPCODE_CONV2D, 14, 14, 256, 256, 1, 1 },
	{ "conv 1x1 512->512 14x14", NN_OPCODE_CONV2D, 14, 14, 512, 512, 1, 1 },
	{ "conv 1x1 960->320 8x8", NN_OPCODE_CONV2D, 8, 8, 960, 320, 1, 1 },
	{ "conv 1x1 1024->1024 7x7", NN_OPCODE_CONV2D, 7, 7, 1024, 1024, 1, 1 },
	{ "conv 1x1 32->64 112x112", NN_OPCODE_CONV2D, 112, 112, 32, 64, 1, 1 },
	{ "conv 1x1 16->96 112x112", NN_OPCODE_CONV2D, 112, 112, 16, 96, 1, 1 },
	{ "conv 1x1 96->24 56x56", NN_OPCODE_CONV2D, 56, 56, 96, 24, 1, 1 },
	{ "conv 1x1 24->144 56x56", NN_OPCODE_CONV2D, 56, 56, 24, 144, 1, 1 },
	{ "conv 3x3 3->16 224x224 stride 2", NN_OPCODE_CONV2D, 224, 224, 3, 16, 3, 2 },
	{ "conv 3x3 3->24 224x224 stride 2", NN_OPCODE_CONV2D, 224, 224, 3, 24, 3, 2 },
	{ "conv 3x3 3->32 224x224 stride 2", NN_OPCODE_CONV2D, 224, 224, 3, 32, 3, 2 },
	{ "conv 3x3 16->32 160x160 stride 2", NN_OPCODE_CONV2D, 160, 160, 16, 32, 3, 2 },
	{ "conv 7x7 3->64 224x224 stride 2", NN_OPCODE_CONV2D, 224, 224, 3, 64, 7, 2 },
	{ "conv 3x3 1->16 24x16", NN_OPCODE_CONV2D, 24, 16, 1, 16, 3, 1 },
	{ "conv 3x3 64->64 56x56, half of the channels", NN_OPCODE_CONV2D, 56, 56, 64, 64, 3, 1 },
	{ "conv 1x1 64->64 56x56, half of the channels", NN_OPCODE_CONV2D, 56, 56, 64, 64, 1, 1 },
	{ "conv 1x1 64->256 56x56, half of the channels", NN_OPCODE_CONV2D, 56, 56, 64, 256, 1, 1 },
	{ "conv 1x1 24->144 56x56, half of the channels", NN_OPCODE_CONV2D, 56, 56, 24, 144, 1, 1 },
	/* Two of each number of outputs: what is not products is the same of both. */
	{ "conv 1x1 128->24 28x28", NN_OPCODE_CONV2D, 28, 28, 128, 24, 1, 1 },
	{ "conv 1x1 256->24 28x28", NN_OPCODE_CONV2D, 28, 28, 256, 24, 1, 1 },
	{ "conv 1x1 128->32 28x28", NN_OPCODE_CONV2D, 28, 28, 128, 32, 1, 1 },
	{ "conv 1x1 256->32 28x28", NN_OPCODE_CONV2D, 28, 28, 256, 32, 1, 1 },
	{ "conv 1x1 128->64 28x28", NN_OPCODE_CONV2D, 28, 28, 128, 64, 1, 1 },
	{ "conv 1x1 256->64 28x28", NN_OPCODE_CONV2D, 28, 28, 256, 64, 1, 1 },
	{ "conv 1x1 128->96 28x28", NN_OPCODE_CONV2D, 28, 28, 128, 96, 1, 1 },
	{ "conv 1x1 256->96 28x28", NN_OPCODE_CONV2D, 28, 28, 256, 96, 1, 1 },
	{ "conv 1x1 128->144 28x28", NN_OPCODE_CONV2D, 28, 28, 128, 144, 1, 1 },
	{ "conv 1x1 256->144 28x28", NN_OPCODE_CONV2D, 28, 28, 256, 144, 1, 1 },
	{ "conv 1x1 128->1000 28x28", NN_OPCODE_CONV2D, 28, 28, 128, 1000, 1, 1 },
	{ "conv 1x1 256->1000 28x28", NN_OPCODE_CONV2D, 28, 28, 256, 1000, 1, 1 },
	/* And what is fused with them. */
	{ "conv 1x1 64->256 56x56 and add", NN_OPCODE_CONV2D, 56, 56, 64, 256, 1, 1 },
	{ "conv 1x1 64->256 56x56 and add, float32", NN_OPCODE_CONV2D, 56, 56, 64, 256, 1, 1 },
	{ "conv 1x1 64->256 56x56 and table", NN_OPCODE_CONV2D, 56, 56, 64, 256, 1, 1 },
	{ "conv 1x1 512->2048 7x7 and add, float32", NN_OPCODE_CONV2D, 7, 7, 512, 2048, 1, 1 },
	{ "conv 1x1 144->24 56x56 and add, float32", NN_OPCODE_CONV2D, 56, 56, 144, 24, 1, 1 },
	{ "conv 3x3 64->64 56x56 and table", NN_OPCODE_CONV2D, 56, 56, 64, 64, 3, 1 },
	{ "conv 3x3 64->64 56x56 and add and table", NN_OPCODE_CONV2D, 56, 56, 64, 64, 3, 1 },
	{ "depthwise 3x3 32 112x112", NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 32, 32, 3, 1 },
	{ "depthwise 3x3 32 112x112, powers of two",
	  NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 32, 32, 3, 1 },
	{ "depthwise 3x3 64 112x112 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 64, 64, 3, 2 },
	{ "depthwise 3x3 512 14x14", NN_OPCODE_DEPTHWISE_CONV2D, 14, 14, 512, 512, 3, 1 },
	{ "depthwise 3x3 576 14x14", NN_OPCODE_DEPTHWISE_CONV2D, 14, 14, 576, 576, 3, 1 },
	{ "depthwise 3x3 24 112x112", NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 24, 24, 3, 1 },
	{ "depthwise 3x3 96 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 96, 96, 3, 1 },
	{ "depthwise 3x3 128 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 128, 128, 3, 1 },
	{ "depthwise 3x3 128 56x56, powers of two",
	  NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 128, 128, 3, 1 },
	{ "depthwise 3x3 128 56x56, some powers of two",
	  NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 128, 128, 3, 1 },
	{ "depthwise 3x3 144 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 144, 144, 3, 1 },
	{ "depthwise 3x3 960 7x7", NN_OPCODE_DEPTHWISE_CONV2D, 7, 7, 960, 960, 3, 1 },
	{ "depthwise 3x3 96 112x112 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 96, 96, 3, 2 },
	{ "depthwise 3x3 96 112x112 stride 2, powers of two",
	  NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 96, 96, 3, 2 },
	{ "depthwise 3x3 128 56x56 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 128, 128, 3, 2 },
	{ "depthwise 3x3 144 56x56 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 144, 144, 3, 2 },
	{ "depthwise 3x3 16 112x112 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 16, 16, 3, 2 },
	{ "depthwise 3x3 24 112x112 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 24, 24, 3, 2 },
	{ "depthwise 3x3 32 112x112 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 32, 32, 3, 2 },
	{ "depthwise 3x3 48 112x112 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 48, 48, 3, 2 },
	{ "depthwise 3x3 128 56x56 stride 2, some powers of two",
	  NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 128, 128, 3, 2 },
	{ "depthwise 3x3 192 28x28 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 28, 28, 192, 192, 3, 2 },
	{ "depthwise 3x3 576 14x14 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 14, 14, 576, 576, 3, 2 },
	{ "depthwise 3x3 64 56x56, weights with a zero point",
	  NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 3, 1 },
	{ "depthwise 3x3 512 14x14, weights with a zero point",
	  NN_OPCODE_DEPTHWISE_CONV2D, 14, 14, 512, 512, 3, 1 },
	{ "depthwise 3x3 32 112x112 stride 2, weights with a zero point",
	  NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 32, 32, 3, 2 },
	{ "depthwise 3x3 96 112x112 stride 2, weights with a zero point",
	  NN_OPCODE_DEPTHWISE_CONV2D, 112, 112, 96, 96, 3, 2 },
	{ "depthwise 5x5 128 28x28, weights with a zero point",
	  NN_OPCODE_DEPTHWISE_CONV2D, 28, 28, 128, 128, 5, 1 },
	{ "depthwise 5x5 128 28x28", NN_OPCODE_DEPTHWISE_CONV2D, 28, 28, 128, 128, 5, 1 },
	{ "depthwise 5x5 128 28x28, powers of two",
	  NN_OPCODE_DEPTHWISE_CONV2D, 28, 28, 128, 128, 5, 1 },
	{ "depthwise 5x5 240 28x28", NN_OPCODE_DEPTHWISE_CONV2D, 28, 28, 240, 240, 5, 1 },
	{ "depthwise 5x5 96 56x56 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 96, 96, 5, 2 },
	{ "depthwise 5x5 128 28x28, some powers of two",
	  NN_OPCODE_DEPTHWISE_CONV2D, 28, 28, 128, 128, 5, 1 },
	{ "depthwise 5x5 120 28x28", NN_OPCODE_DEPTHWISE_CONV2D, 28, 28, 120, 120, 5, 1 },
	{ "depthwise 5x5 480 14x14", NN_OPCODE_DEPTHWISE_CONV2D, 14, 14, 480, 480, 5, 1 },
	{ "depthwise 5x5 576 7x7", NN_OPCODE_DEPTHWISE_CONV2D, 7, 7, 576, 576, 5, 1 },
	{ "depthwise 5x5 672 14x14", NN_OPCODE_DEPTHWISE_CONV2D, 14, 14, 672, 672, 5, 1 },
	{ "depthwise 5x5 960 7x7", NN_OPCODE_DEPTHWISE_CONV2D, 7, 7, 960, 960, 5, 1 },
	{ "depthwise 5x5 72 56x56 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 72, 72, 5, 2 },
	{ "depthwise 5x5 240 28x28 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 28, 28, 240, 240, 5, 2 },
	{ "depthwise 5x5 672 14x14 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 14, 14, 672, 672, 5, 2 },
	{ "conv 1x1 40->40 28x28", NN_OPCODE_CONV2D, 28, 28, 40, 40, 1, 1 },
	{ "conv 1x1 56->56 28x28", NN_OPCODE_CONV2D, 28, 28, 56, 56, 1, 1 },
	{ "conv 1x1 72->72 28x28", NN_OPCODE_CONV2D, 28, 28, 72, 72, 1, 1 },
	{ "conv 1x1 112->112 28x28", NN_OPCODE_CONV2D, 28, 28, 112, 112, 1, 1 },
	{ "conv 1x1 80->80 28x28", NN_OPCODE_CONV2D, 28, 28, 80, 80, 1, 1 },
	{ "conv 1x1 200->200 28x28", NN_OPCODE_CONV2D, 28, 28, 200, 200, 1, 1 },
	{ "conv 3x3 40->40 28x28", NN_OPCODE_CONV2D, 28, 28, 40, 40, 3, 1 },
	{ "conv 3x3 56->56 28x28", NN_OPCODE_CONV2D, 28, 28, 56, 56, 3, 1 },
	{ "conv 3x3 72->72 28x28", NN_OPCODE_CONV2D, 28, 28, 72, 72, 3, 1 },
	{ "conv 3x3 80->80 28x28", NN_OPCODE_CONV2D, 28, 28, 80, 80, 3, 1 },
	{ "conv 3x3 112->112 28x28", NN_OPCODE_CONV2D, 28, 28, 112, 112, 3, 1 },
	{ "conv 3x3 200->200 28x28", NN_OPCODE_CONV2D, 28, 28, 200, 200, 3, 1 },
	{ "depthwise 7x7 64 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 7, 1 },
	{ "depthwise 7x7 96 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 96, 96, 7, 1 },
	{ "depthwise 7x7 384 14x14", NN_OPCODE_DEPTHWISE_CONV2D, 14, 14, 384, 384, 7, 1 },
	{ "depthwise 7x7 768 7x7", NN_OPCODE_DEPTHWISE_CONV2D, 7, 7, 768, 768, 7, 1 },
	{ "depthwise 7x7 64 56x56 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 7, 2 },
	{ "depthwise 9x9 64 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 9, 1 },
	{ "depthwise 4x4 64 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 4, 1 },
	{ "depthwise 2x2 64 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 2, 1 },
	{ "depthwise 3x1 64 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 3, 1 },
	{ "depthwise 1x3 64 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 3, 1 },
	{ "depthwise 1x5 64 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 5, 1 },
	{ "depthwise 1x7 64 56x56", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 7, 1 },
	{ "depthwise 3x3 64 56x56 dilation 2", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 3, 1 },
	{ "depthwise 3x3 256 14x14 dilation 2", NN_OPCODE_DEPTHWISE_CONV2D, 14, 14, 256, 256, 3,
	  1 },
	{ "depthwise 3x3 960 33x33 dilation 4",
	  NN_OPCODE_DEPTHWISE_CONV2D, 33, 33, 960, 960, 3, 1 },
	{ "depthwise 3x3 960 33x33 dilation 6",
	  NN_OPCODE_DEPTHWISE_CONV2D, 33, 33, 960, 960, 3, 1 },
	{ "depthwise 3x3 960 33x33 dilation 18",
	  NN_OPCODE_DEPTHWISE_CONV2D, 33, 33, 960, 960, 3, 1 },
	{ "depthwise 3x3 256 65x65 dilation 36",
	  NN_OPCODE_DEPTHWISE_CONV2D, 65, 65, 256, 256, 3, 1 },
	{ "depthwise 3x3 64 56x56 stride 2, dilation 2",
	  NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 3, 2 },
	{ "depthwise 5x5 64 56x56 dilation 2", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 5, 1 },
	{ "depthwise 3x3 32 56x56 to 64", NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 32, 64, 3, 1 },
	{ "depthwise 3x3 1 24x16 to 8", NN_OPCODE_DEPTHWISE_CONV2D, 24, 16, 1, 8, 3, 2 },
	{ "depthwise 3x3 3 224x224 stride 2", NN_OPCODE_DEPTHWISE_CONV2D, 224, 224, 3, 3, 3, 2 },
	{ "depthwise 7x7 64 56x56, weights with a zero point",
	  NN_OPCODE_DEPTHWISE_CONV2D, 56, 56, 64, 64, 7, 1 },
	{ "conv 1x1 16->8 1x1", NN_OPCODE_CONV2D, 1, 1, 16, 8, 1, 1 },
	{ "conv 1x1 16->64 1x1", NN_OPCODE_CONV2D, 1, 1, 16, 64, 1, 1 },
	{ "conv 1x1 64->16 1x1", NN_OPCODE_CONV2D, 1, 1, 64, 16, 1, 1 },
	{ "conv 1x1 96->24 1x1", NN_OPCODE_CONV2D, 1, 1, 96, 24, 1, 1 },
	{ "conv 1x1 24->96 1x1", NN_OPCODE_CONV2D, 1, 1, 24, 96, 1, 1 },
	{ "conv 1x1 576->144 1x1", NN_OPCODE_CONV2D, 1, 1, 576, 144, 1, 1 },
	{ "conv 1x1 72->24 1x1", NN_OPCODE_CONV2D, 1, 1, 72, 24, 1, 1 },
	{ "conv 1x1 24->72 1x1", NN_OPCODE_CONV2D, 1, 1, 24, 72, 1, 1 },
	{ "conv 1x1 40->10 1x1", NN_OPCODE_CONV2D, 1, 1, 40, 10, 1, 1 },
	{ "conv 1x1 10->40 1x1", NN_OPCODE_CONV2D, 1, 1, 10, 40, 1, 1 },
	{ "conv 1x1 120->32 1x1", NN_OPCODE_CONV2D, 1, 1, 120, 32, 1, 1 },
	{ "conv 1x1 32->120 1x1", NN_OPCODE_CONV2D, 1, 1, 32, 120, 1, 1 },
	{ "conv 1x1 240->64 1x1", NN_OPCODE_CONV2D, 1, 1, 240, 64, 1, 1 },
	{ "conv 1x1 144->576 1x1", NN_OPCODE_CONV2D, 1, 1, 144, 576, 1, 1 },
	{ "conv 1x1 72->24 2x2", NN_OPCODE_CONV2D, 2, 2, 72, 24, 1, 1 },
	{ "conv 1x1 96->24 2x2", NN_OPCODE_CONV2D, 2, 2, 96, 24, 1, 1 },
	{ "conv 1x1 24->96 2x2", NN_OPCODE_CONV2D, 2, 2, 24, 96, 1, 1 },
	{ "conv 1x1 240->64 2x2", NN_OPCODE_CONV2D, 2, 2, 240, 64, 1, 1 },
	{ "conv 1x1 576->144 2x2", NN_OPCODE_CONV2D, 2, 2, 576, 144, 1, 1 },
	{ "fully connected 40->1000", NN_OPCODE_FULLY_CONNECTED, 1, 1, 40, 1000, 1, 1 },
	{ "fully connected 1024->1000", NN_OPCODE_FULLY_CONNECTED, 1, 1, 1024, 1000, 1, 1 },
	{ "fully connected 128->10", NN_OPCODE_FULLY_CONNECTED, 1, 1, 128, 10, 1, 1 },
	{ "fully connected 576->1024", NN_OPCODE_FULLY_CONNECTED, 1, 1, 576, 1024, 1, 1 },
	{ "fully connected 40->1000, 4 rows", NN_OPCODE_FULLY_CONNECTED, 1, 4, 40, 1000, 1, 1 },
	{ "fully connected 40->1000, 16 rows", NN_OPCODE_FULLY_CONNECTED, 1, 16, 40, 1000, 1, 1 },
	{ "fully connected 128->10, 4 rows", NN_OPCODE_FULLY_CONNECTED, 1, 4, 128, 10, 1, 1 },
	{ "fully connected 128->10, 16 rows", NN_OPCODE_FULLY_CONNECTED, 1, 16, 128, 10, 1, 1 },
	{ "fully connected 576->1024, 4 rows", NN_OPCODE_FULLY_CONNECTED, 1, 4, 576, 1024, 1, 1 },
	{ "fully connected 576->1024, 16 rows", NN_OPCODE_FULLY_CONNECTED, 1, 16, 576, 1024, 1, 1 },
	{ "fully connected 1024->1000, 4 rows", NN_OPCODE_FULLY_CONNECTED, 1, 4, 1024, 1000, 1, 1 },
	{ "fully connected 1024->1000, 16 rows", NN_OPCODE_FULLY_CONNECTED, 1, 16, 1024, 1000, 1, 1 },
	{ "fully connected 1024->1000, 32 rows", NN_OPCODE_FULLY_CONNECTED, 1, 32, 1024, 1000, 1,
	  1 },
	/* Heads, rows, their elements, columns. A stride of 2: columns lie side by side. */
	{ "matmul 1 head 64x64 by 64x64, transposed", NN_OPCODE_MATMUL, 1, 64, 64, 64, 1, 2 },
	{ "matmul 12 heads 64x64 by 64x64, transposed", NN_OPCODE_MATMUL, 12, 64, 64, 64, 1, 2 },
	{ "matmul 12 heads 64x64 by 64x64, fixed", NN_OPCODE_MATMUL, 12, 64, 64, 64, 1, 2 },
	{ "matmul 3 heads 196x64 by 196x64, transposed", NN_OPCODE_MATMUL, 3, 196, 64, 196, 1, 2 },
	{ "matmul 3 heads 256x64 by 256x64, transposed", NN_OPCODE_MATMUL, 3, 256, 64, 256, 1, 2 },
	{ "matmul 3 heads 64x64 by 64x64", NN_OPCODE_MATMUL, 3, 64, 64, 64, 1, 1 },
	{ "matmul 3 heads 196x196 by 196x64", NN_OPCODE_MATMUL, 3, 196, 196, 64, 1, 1 },
	{ "matmul 3 heads 196x196 by 196x64, fixed", NN_OPCODE_MATMUL, 3, 196, 196, 64, 1, 1 },
	{ "matmul 3 heads 256x256 by 256x64", NN_OPCODE_MATMUL, 3, 256, 256, 64, 1, 1 },
	{ "matmul 3 heads 256x32 by 256x32, transposed", NN_OPCODE_MATMUL, 3, 256, 32, 256, 1, 2 },
	{ "matmul 12 heads 1x64 by 128x64, transposed", NN_OPCODE_MATMUL, 12, 1, 64, 128, 1, 2 },
	{ "matmul 12 heads 1x128 by 128x64", NN_OPCODE_MATMUL, 12, 1, 128, 64, 1, 1 },
	{ "matmul 1 head 1x512 by 512x512", NN_OPCODE_MATMUL, 1, 1, 512, 512, 1, 1 },
	{ "matmul 1 head 256x512 by 512x512", NN_OPCODE_MATMUL, 1, 256, 512, 512, 1, 1 },
	{ "matmul int16 1 head 64x64 by 64x64, transposed", NN_OPCODE_MATMUL_INT16, 1, 64, 64, 64, 1, 2 },
	{ "matmul int16 12 heads 64x64 by 64x64, transposed", NN_OPCODE_MATMUL_INT16, 12, 64, 64, 64, 1, 2 },
	{ "matmul int16 12 heads 64x64 by 64x64, once", NN_OPCODE_MATMUL_INT16, 12, 64, 64, 64, 1, 1 },
	{ "matmul int16 3 heads 196x64 by 196x64, transposed", NN_OPCODE_MATMUL_INT16, 3, 196, 64, 196, 1, 2 },
	{ "matmul int16 3 heads 196x196 by 196x64, once", NN_OPCODE_MATMUL_INT16, 3, 196, 196, 64, 1, 1 },
	{ "matmul int16 12 heads 1x64 by 128x64, transposed", NN_OPCODE_MATMUL_INT16, 12, 1, 64, 128, 1, 2 },
	{ "conv int16 3x3 64->64 56x56", NN_OPCODE_CONV2D_INT16, 56, 56, 64, 64, 3, 1 },
	{ "conv int16 3x3 64->64 56x56, 32 bits", NN_OPCODE_CONV2D_INT16, 56, 56, 64, 64, 3, 1 },
	{ "conv int16 3x3 64->64 14x14", NN_OPCODE_CONV2D_INT16, 14, 14, 64, 64, 3, 1 },
	{ "conv int16 1x1 64->64 56x56", NN_OPCODE_CONV2D_INT16, 56, 56, 64, 64, 1, 1 },
	{ "conv int16 1x1 24->144 28x28", NN_OPCODE_CONV2D_INT16, 28, 28, 24, 144, 1, 1 },
	{ "conv int16 depthwise 3x3 64 56x56", NN_OPCODE_CONV2D_INT16, 56, 56, 64, 64, 3, 1 },
	{ "conv int16 depthwise 3x3 64 56x56, 32 bits",
	  NN_OPCODE_CONV2D_INT16, 56, 56, 64, 64, 3, 1 },
	{ "conv int16 depthwise 3x3 96 112x112 stride 2",
	  NN_OPCODE_CONV2D_INT16, 112, 112, 96, 96, 3, 2 },
	{ "conv int16 depthwise 3x3 144 28x28", NN_OPCODE_CONV2D_INT16, 28, 28, 144, 144, 3, 1 },
	{ "conv int16 depthwise 3x3 16 112x112", NN_OPCODE_CONV2D_INT16, 112, 112, 16, 16, 3, 1 },
	{ "conv int16 depthwise 5x5 240 28x28", NN_OPCODE_CONV2D_INT16, 28, 28, 240, 240, 5, 1 },
	{ "conv int16 depthwise 7x7 96 56x56", NN_OPCODE_CONV2D_INT16, 56, 56, 96, 96, 7, 1 },
	{ "conv int16 depthwise 3x3 512 7x7", NN_OPCODE_CONV2D_INT16, 7, 7, 512, 512, 3, 1 },
	{ "conv int16 3x3 3->32 64x64 stride 2", NN_OPCODE_CONV2D_INT16, 64, 64, 3, 32, 3, 2 },
	{ "add int16 56x56x64", NN_OPCODE_ADD_INT16, 56, 56, 64, 64, 1, 1 },
	{ "add int16 56x56x64, a channel's to each", NN_OPCODE_ADD_INT16, 56, 56, 64, 64, 1, 1 },
	{ "multiply int16 56x56x64", NN_OPCODE_BINARY_INT16, 56, 56, 64, 64, 1, 1 },
	{ "multiply int16 56x56x64, a channel's by one", NN_OPCODE_BINARY_INT16, 56, 56, 64, 64, 1,
	  1 },
	{ "multiply int16 56x56x24, a pixel's by one", NN_OPCODE_BINARY_INT16, 56, 56, 24, 24, 1,
	  1 },
	{ "maximum int16 56x56x64", NN_OPCODE_BINARY_INT16, 56, 56, 64, 64, 1, 1 },
	{ "max pool int16 2x2 64 56x56", NN_OPCODE_POOL_INT16, 56, 56, 64, 64, 2, 2 },
	{ "average pool int16 2x2 64 56x56", NN_OPCODE_POOL_INT16, 56, 56, 64, 64, 2, 2 },
	{ "average pool int16 7x7 1024", NN_OPCODE_POOL_INT16, 7, 7, 1024, 1024, 7, 7 },
	{ "mean int16 7x7 1024", NN_OPCODE_REDUCE_INT16, 7, 7, 1024, 1, 1, 1 },
	{ "mean int16 7x7 1024, fixed", NN_OPCODE_REDUCE_INT16, 7, 7, 1024, 1, 1, 1 },
	{ "softmax int16 1001", NN_OPCODE_SOFTMAX_INT16, 1, 1, 1001, 1001, 1, 1 },
	{ "softmax int16 12x64x64", NN_OPCODE_SOFTMAX_INT16, 12, 64, 64, 64, 1, 1 },
	{ "table int16 56x56x64", NN_OPCODE_TABLE_INT16, 56, 56, 64, 64, 1, 1 },
	{ "table int16 56x56x64, of uint8", NN_OPCODE_TABLE_INT16, 56, 56, 64, 64, 1, 1 },
	{ "rescale int16 56x56x64", NN_OPCODE_RESCALE, 56, 56, 64, 64, 1, 1 },
	{ "rescale int16 56x56x64, leaky", NN_OPCODE_RESCALE, 56, 56, 64, 64, 1, 1 },
	{ "rescale int16 56x56x64, to uint8", NN_OPCODE_RESCALE, 56, 56, 64, 64, 1, 1 },
	{ "rescale int16 56x56x64, of sums", NN_OPCODE_RESCALE, 56, 56, 64, 64, 1, 1 },
	{ "max pool 2x2 64 56x56", NN_OPCODE_MAX_POOL, 56, 56, 64, 64, 2, 2 },
	{ "max pool 3x3 64 56x56", NN_OPCODE_MAX_POOL, 56, 56, 64, 64, 3, 2 },
	{ "max pool 2x2 24 56x56", NN_OPCODE_MAX_POOL, 56, 56, 24, 24, 2, 2 },
	{ "max pool 2x2 144 56x56", NN_OPCODE_MAX_POOL, 56, 56, 144, 144, 2, 2 },
	{ "max pool 3x3 24 56x56", NN_OPCODE_MAX_POOL, 56, 56, 24, 24, 3, 2 },
	{ "max pool 3x3 144 56x56", NN_OPCODE_MAX_POOL, 56, 56, 144, 144, 3, 2 },
	{ "max pool 2x2 40 56x56", NN_OPCODE_MAX_POOL, 56, 56, 40, 40, 2, 2 },
	{ "max pool 2x2 48 56x56", NN_OPCODE_MAX_POOL, 56, 56, 48, 48, 2, 2 },
	{ "max pool 2x2 96 56x56", NN_OPCODE_MAX_POOL, 56, 56, 96, 96, 2, 2 },
	{ "max pool 3x3 24 112x112", NN_OPCODE_MAX_POOL, 112, 112, 24, 24, 3, 2 },
	{ "max pool 3x3 40 56x56", NN_OPCODE_MAX_POOL, 56, 56, 40, 40, 3, 2 },
	{ "max pool 3x3 48 56x56", NN_OPCODE_MAX_POOL, 56, 56, 48, 48, 3, 2 },
	{ "max pool 2x2 12 56x56", NN_OPCODE_MAX_POOL, 56, 56, 12, 12, 2, 2 },
	{ "max pool 2x2 20 56x56", NN_OPCODE_MAX_POOL, 56, 56, 20, 20, 2, 2 },
	{ "max pool 2x2 28 56x56", NN_OPCODE_MAX_POOL, 56, 56, 28, 28, 2, 2 },
	{ "max pool 2x2 80 56x56", NN_OPCODE_MAX_POOL, 56, 56, 80, 80, 2, 2 },
	{ "max pool 2x2 112 56x56", NN_OPCODE_MAX_POOL, 56, 56, 112, 112, 2, 2 },
	{ "max pool 3x3 12 56x56", NN_OPCODE_MAX_POOL, 56, 56, 12, 12, 3, 2 },
	{ "max pool 3x3 20 56x56", NN_OPCODE_MAX_POOL, 56, 56, 20, 20, 3, 2 },
	{ "max pool 3x3 28 56x56", NN_OPCODE_MAX_POOL, 56, 56, 28, 28, 3, 2 },
	{ "max pool 3x3 80 56x56", NN_OPCODE_MAX_POOL, 56, 56, 80, 80, 3, 2 },
	{ "max pool 3x3 112 56x56", NN_OPCODE_MAX_POOL, 56, 56, 112, 112, 3, 2 },
	{ "max pool 2x2 20 112x112", NN_OPCODE_MAX_POOL, 112, 112, 20, 20, 2, 2 },
	{ "max pool 2x2 28 112x112", NN_OPCODE_MAX_POOL, 112, 112, 28, 28, 2, 2 },
	{ "max pool 3x3 20 112x112", NN_OPCODE_MAX_POOL, 112, 112, 20, 20, 3, 2 },
	{ "max pool 3x3 28 112x112", NN_OPCODE_MAX_POOL, 112, 112, 28, 28, 3, 2 },
	{ "max pool 3x3 64 56x56, stride 1", NN_OPCODE_MAX_POOL, 56, 56, 64, 64, 3, 1 },
	{ "max pool 5x5 256 20x20, stride 1", NN_OPCODE_MAX_POOL, 20, 20, 256, 256, 5, 1 },
	{ "max pool 5x5 256 20x20, stride 1, half of the channels",
	  NN_OPCODE_MAX_POOL, 20, 20, 256, 256, 5, 1 },
	{ "max pool 5x5 64 20x20, stride 1, half of the channels",
	  NN_OPCODE_MAX_POOL, 20, 20, 64, 64, 5, 1 },
	{ "average pool 7x7 1024", NN_OPCODE_AVERAGE_POOL, 7, 7, 1024, 1024, 7, 7 },
	{ "average pool 2x2 64 56x56", NN_OPCODE_AVERAGE_POOL, 56, 56, 64, 64, 2, 2 },
	{ "average pool 2x2 96 56x56", NN_OPCODE_AVERAGE_POOL, 56, 56, 96, 96, 2, 2 },
	{ "average pool 2x2 40 56x56", NN_OPCODE_AVERAGE_POOL, 56, 56, 40, 40, 2, 2 },
	{ "average pool 2x2 48 56x56", NN_OPCODE_AVERAGE_POOL, 56, 56, 48, 48, 2, 2 },
	{ "average pool 2x2 24 56x56", NN_OPCODE_AVERAGE_POOL, 56, 56, 24, 24, 2, 2 },
	{ "average pool 3x3 24 56x56, stride 1", NN_OPCODE_AVERAGE_POOL, 56, 56, 24, 24, 3, 1 },
	{ "average pool 3x3 64 56x56, stride 1", NN_OPCODE_AVERAGE_POOL, 56, 56, 64, 64, 3, 1 },
	{ "average pool 3x3 192 35x35, stride 1", NN_OPCODE_AVERAGE_POOL, 35, 35, 192, 192, 3, 1 },
	{ "average pool 3x3 768 17x17, stride 1", NN_OPCODE_AVERAGE_POOL, 17, 17, 768, 768, 3, 1 },
	{ "average pool 3x3 1280 8x8, stride 1", NN_OPCODE_AVERAGE_POOL, 8, 8, 1280, 1280, 3, 1 },
	{ "average pool 5x5 64 56x56, stride 2", NN_OPCODE_AVERAGE_POOL, 56, 56, 64, 64, 5, 2 },
	{ "average pool 3x3 64 56x56, stride 2", NN_OPCODE_AVERAGE_POOL, 56, 56, 64, 64, 3, 2 },
	{ "average pool 7x7 1024, away", NN_OPCODE_AVERAGE_POOL_AWAY, 7, 7, 1024, 1024, 7, 7 },
	{ "average pool 56x56 64, away", NN_OPCODE_AVERAGE_POOL_AWAY, 56, 56, 64, 64, 56, 56 },
	{ "average pool 2x2 64 56x56, away", NN_OPCODE_AVERAGE_POOL_AWAY, 56, 56, 64, 64, 2, 2 },
	{ "average pool 3x3 64 56x56, stride 1, away",
	  NN_OPCODE_AVERAGE_POOL_AWAY, 56, 56, 64, 64, 3, 1 },
	{ "average pool 5x5 64 56x56, stride 2, away",
	  NN_OPCODE_AVERAGE_POOL_AWAY, 56, 56, 64, 64, 5, 2 },
	{ "average pool 7x7 1024, float32", NN_OPCODE_AVERAGE_POOL_FLOAT, 7, 7, 1024, 1024, 7, 7 },
	{ "average pool 56x56 64, float32", NN_OPCODE_AVERAGE_POOL_FLOAT, 56, 56, 64, 64, 56, 56 },
	{ "average pool 56x56 64, float32, ties", NN_OPCODE_AVERAGE_POOL_FLOAT, 56, 56, 64, 64, 56,
	  56 },
	{ "average pool 56x56 64, float32, a fine output", NN_OPCODE_AVERAGE_POOL_FLOAT, 56, 56, 64,
	  64, 56, 56 },
	{ "average pool 3x3 64 56x56, stride 1, float32", NN_OPCODE_AVERAGE_POOL_FLOAT, 56, 56, 64,
	  64, 3, 1 },
	{ "average pool 3x3 192 28x28, stride 1, float32", NN_OPCODE_AVERAGE_POOL_FLOAT, 28, 28,
	  192, 192, 3, 1 },
	{ "average pool 3x3 64 56x56, stride 1, float32, ties", NN_OPCODE_AVERAGE_POOL_FLOAT, 56,
	  56, 64, 64, 3, 1 },
	{ "average pool 3x3 64 56x56, stride 1, float32, counting padding",
	  NN_OPCODE_AVERAGE_POOL_FLOAT, 56, 56, 64, 64, 3, 1 },
	{ "average pool 5x5 64 56x56, stride 2, float32", NN_OPCODE_AVERAGE_POOL_FLOAT, 56, 56, 64,
	  64, 5, 2 },
	{ "average pool 3x3 64 56x56, stride 2, float32", NN_OPCODE_AVERAGE_POOL_FLOAT, 56, 56, 64,
	  64, 3, 2 },
	{ "average pool 2x2 64 56x56, float32", NN_OPCODE_AVERAGE_POOL_FLOAT, 56, 56, 64, 64, 2,
	  2 },
	{ "average pool 2x2 64 56x56, float32, a quarter ties", NN_OPCODE_AVERAGE_POOL_FLOAT, 56,
	  56, 64, 64, 2, 2 },
	{ "add 56x56x64", NN_OPCODE_ADD, 56, 56, 64, 64, 1, 1 },
	{ "add 56x56x24", NN_OPCODE_ADD, 56, 56, 24, 24, 1, 1 },
	{ "add 28x28x144", NN_OPCODE_ADD, 28, 28, 144, 144, 1, 1 },
	{ "add 56x56x64, float32", NN_OPCODE_ADD_FLOAT, 56, 56, 64, 64, 1, 1 },
	{ "add 56x56x64, float32, half ties", NN_OPCODE_ADD_FLOAT, 56, 56, 64, 64, 1, 1 },
	{ "multiply 56x56x64", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "multiply 56x56x64, a channel's by one", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "multiply 56x56x24, a channel's by one", NN_OPCODE_BINARY, 56, 56, 24, 24, 1, 1 },
	{ "subtract 56x56x64", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "divide 56x56x64, all by one", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "divide 56x56x64", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "divide 56x56x64, a channel's by one", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "multiply 56x56x64, a pixel's by one", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "multiply 56x56x3, a pixel's by one", NN_OPCODE_BINARY, 56, 56, 3, 3, 1, 1 },
	{ "multiply 7x7x960, a channel's by one", NN_OPCODE_BINARY, 7, 7, 960, 960, 1, 1 },
	{ "multiply 14x14x40, a channel's by one", NN_OPCODE_BINARY, 14, 14, 40, 40, 1, 1 },
	{ "multiply 56x56x64, a quarter ties", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "multiply 24x24x16, gates, a channel's by one", NN_OPCODE_BINARY, 24, 24, 16, 16, 1, 1 },
	{ "subtract 4x4x16, a channel's by one", NN_OPCODE_BINARY, 4, 4, 16, 16, 1, 1 },
	{ "multiply 56x56x64, columns by rows", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "multiply 56x56x64, all by one", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "subtract 56x56x64, a channel's by one", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "maximum 56x56x64", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "maximum 56x56x64, a channel's by one", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "maximum 56x56x64, all by one", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "maximum 56x56x64, one scale", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "maximum 7x7x64", NN_OPCODE_BINARY, 7, 7, 64, 64, 1, 1 },
	{ "prelu 56x56x64", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "prelu 56x56x64, a channel's by one", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "prelu 56x56x24, a channel's by one", NN_OPCODE_BINARY, 56, 56, 24, 24, 1, 1 },
	{ "prelu 7x7x960, a channel's by one", NN_OPCODE_BINARY, 7, 7, 960, 960, 1, 1 },
	{ "prelu 7x7x64, a channel's by one", NN_OPCODE_BINARY, 7, 7, 64, 64, 1, 1 },
	{ "prelu 56x56x64, fixed point", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "squared difference 56x56x64", NN_OPCODE_BINARY, 56, 56, 64, 64, 1, 1 },
	{ "select 56x56x64", NN_OPCODE_SELECT, 56, 56, 64, 64, 1, 1 },
	{ "select 56x56x64, a pixel's condition", NN_OPCODE_SELECT, 56, 56, 64, 64, 1, 1 },
	{ "select 56x56x16, int32, a pixel's condition", NN_OPCODE_SELECT, 56, 56, 16, 16, 1, 1 },
	{ "select 56x56x64, one of two elements", NN_OPCODE_SELECT, 56, 56, 64, 64, 1, 1 },
	{ "integers 56x56x16, int32, add", NN_OPCODE_INTEGERS, 56, 56, 16, 16, 1, 1 },
	{ "integers 56x56x16, int32, multiply, a channel's by one",
	  NN_OPCODE_INTEGERS, 56, 56, 16, 16, 1, 1 },
	{ "integers 56x56x16, int64, add", NN_OPCODE_INTEGERS, 56, 56, 16, 16, 1, 1 },
	{ "integers 56x56x16, int64, multiply", NN_OPCODE_INTEGERS, 56, 56, 16, 16, 1, 1 },
	{ "integers 56x56x16, int32, divide", NN_OPCODE_INTEGERS, 56, 56, 16, 16, 1, 1 },
	{ "integers 56x56x16, int64, divide", NN_OPCODE_INTEGERS, 56, 56, 16, 16, 1, 1 },
	{ "integers 56x56x64, bool, and", NN_OPCODE_INTEGERS, 56, 56, 64, 64, 1, 1 },
	{ "compare 56x56x64", NN_OPCODE_INTEGERS, 56, 56, 64, 64, 1, 1 },
	{ "compare 56x56x64, all by one", NN_OPCODE_INTEGERS, 56, 56, 64, 64, 1, 1 },
	{ "compare 56x56x64, int32", NN_OPCODE_INTEGERS, 56, 56, 64, 64, 1, 1 },
	{ "compare 56x56x64, int64", NN_OPCODE_INTEGERS, 56, 56, 64, 64, 1, 1 },
	{ "compare 56x56x64, two scales", NN_OPCODE_INTEGERS, 56, 56, 64, 64, 1, 1 },
	{ "compare 56x56x64, equality of two scales", NN_OPCODE_INTEGERS, 56, 56, 64, 64, 1, 1 },
	{ "cumulate 56x56x64 down", NN_OPCODE_CUMULATE, 56, 56, 64, 64, 1, 1 },
	{ "cumulate 56x56x64 along", NN_OPCODE_CUMULATE, 56, 56, 64, 64, 1, 1 },
	{ "cumulate 56x56x16, int32, down", NN_OPCODE_CUMULATE, 56, 56, 16, 16, 1, 1 },
	{ "cumulate 56x56x16, int32, along", NN_OPCODE_CUMULATE, 56, 56, 16, 16, 1, 1 },
	{ "convert 56x56x16 from uint8 to int32", NN_OPCODE_CONVERT, 56, 56, 16, 16, 1, 1 },
	{ "convert 56x56x16 from int64 to int32", NN_OPCODE_CONVERT, 56, 56, 16, 16, 1, 1 },
	{ "convert 56x56x16 from int32 to int64", NN_OPCODE_CONVERT, 56, 56, 16, 16, 1, 1 },
	{ "convert 56x56x64 from int32 to bool", NN_OPCODE_CONVERT, 56, 56, 64, 64, 1, 1 },
	{ "convert 56x56x64 from bool to uint8", NN_OPCODE_CONVERT, 56, 56, 64, 64, 1, 1 },
	{ "requantize 56x56x64", NN_OPCODE_REQUANTIZE, 56, 56, 64, 64, 1, 1 },
	{ "requantize 56x56x24", NN_OPCODE_REQUANTIZE, 56, 56, 24, 24, 1, 1 },
	{ "requantize 56x56x96", NN_OPCODE_REQUANTIZE, 56, 56, 96, 96, 1, 1 },
	{ "requantize 28x28x144", NN_OPCODE_REQUANTIZE, 28, 28, 144, 144, 1, 1 },
	{ "requantize 56x56x17", NN_OPCODE_REQUANTIZE, 56, 56, 17, 17, 1, 1 },
	{ "requantize 28x28x255", NN_OPCODE_REQUANTIZE, 28, 28, 255, 255, 1, 1 },
	{ "requantize 14x14x1000", NN_OPCODE_REQUANTIZE, 14, 14, 1000, 1000, 1, 1 },
	{ "requantize 56x56x64, powers of two", NN_OPCODE_REQUANTIZE, 56, 56, 64, 64, 1, 1 },
	{ "requantize 14x14x1000, any sums", NN_OPCODE_REQUANTIZE, 14, 14, 1000, 1000, 1, 1 },
	{ "requantize 1000", NN_OPCODE_REQUANTIZE, 1, 1, 1000, 1000, 1, 1 },
	{ "table 56x56x64", NN_OPCODE_TABLE, 56, 56, 64, 64, 1, 1 },
	{ "table 56x56x24", NN_OPCODE_TABLE, 56, 56, 24, 24, 1, 1 },
	{ "table 28x28x144", NN_OPCODE_TABLE, 28, 28, 144, 144, 1, 1 },
	{ "softmax 1001", NN_OPCODE_SOFTMAX, 1, 1, 1001, 1001, 1, 1 },
	{ "softmax 1001, float32", NN_OPCODE_SOFTMAX, 1, 1, 1001, 1001, 1, 1 },
	{ "softmax 1917x21, float32", NN_OPCODE_SOFTMAX, 1, 1917, 21, 21, 1, 1 },
	{ "softmax 12x64x64, float32", NN_OPCODE_SOFTMAX, 12, 64, 64, 64, 1, 1 },
	{ "softmax 14x14x196, float32", NN_OPCODE_SOFTMAX, 14, 14, 196, 196, 1, 1 },
	{ "mean 7x7 1024", NN_OPCODE_REDUCE, 7, 7, 1024, 1, 1, 1 },
	{ "mean 56x56 64, float32", NN_OPCODE_REDUCE, 56, 56, 64, 1, 1, 1 },
	{ "mean 56x56 64", NN_OPCODE_REDUCE, 56, 56, 64, 1, 1, 1 },
	{ "mean of rows of 56, 64", NN_OPCODE_REDUCE, 56, 56, 64, 1, 1, 1 },
	{ "mean of columns of 56, 56x64", NN_OPCODE_REDUCE, 56, 56, 64, 1, 1, 1 },
	{ "mean of 64 channels first, 56x56", NN_OPCODE_REDUCE, 56, 56, 64, 1, 1, 1 },
	{ "mean of 64, 56x56", NN_OPCODE_REDUCE, 56, 56, 64, 1, 1, 1 },
	{ "mean of 64, 56x56, float32", NN_OPCODE_REDUCE, 56, 56, 64, 1, 1, 1 },
	{ "length of 64, 56x56", NN_OPCODE_REDUCE, 56, 56, 64, 1, 1, 1 },
	{ "maximum of 64 channels first, 56x56", NN_OPCODE_REDUCE, 56, 56, 64, 1, 1, 1 },
	{ "maximum of 196, 14x14", NN_OPCODE_REDUCE, 14, 14, 196, 1, 1, 1 },
	{ "normalize 196 vectors of 384", NN_OPCODE_NORMALIZE, 14, 14, 384, 384, 1, 1 },
	{ "normalize 196 vectors of 192", NN_OPCODE_NORMALIZE, 14, 14, 192, 192, 1, 1 },
	{ "normalize 3136 vectors of 96", NN_OPCODE_NORMALIZE, 56, 56, 96, 96, 1, 1 },
	{ "normalize 3136 vectors of 8", NN_OPCODE_NORMALIZE, 56, 56, 8, 8, 1, 1 },
	{ "normalize images of 56x56, 64", NN_OPCODE_NORMALIZE, 56, 56, 64, 64, 1, 1 },
	{ "normalize images of 7x7, 512", NN_OPCODE_NORMALIZE, 7, 7, 512, 512, 1, 1 },
	{ "L2 normalize 196 vectors of 128", NN_OPCODE_L2_NORMALIZE, 14, 14, 128, 128, 1, 1 },
	{ "normalize images of 2x2, 512", NN_OPCODE_NORMALIZE, 2, 2, 512, 512, 1, 1 },
	{ "copy 64 of 128 channels 56x56", NN_OPCODE_COPY, 56, 56, 64, 128, 1, 1 },
	{ "copy 24 of 48 channels 56x56", NN_OPCODE_COPY, 56, 56, 24, 48, 1, 1 },
	{ "copy 32 of 64 channels 56x56", NN_OPCODE_COPY, 56, 56, 32, 64, 1, 1 },
	{ "copy 96 of 192 channels 56x56", NN_OPCODE_COPY, 56, 56, 96, 192, 1, 1 },
	{ "copy 144 of 288 channels 28x28", NN_OPCODE_COPY, 28, 28, 144, 288, 1, 1 },
	{ "take 32 of 64 channels 56x56", NN_OPCODE_COPY, 56, 56, 64, 32, 1, 1 },
	{ "take 24 of 48 channels 56x56", NN_OPCODE_COPY, 56, 56, 48, 24, 1, 1 },
	{ "take 40 of 100 channels 56x56", NN_OPCODE_COPY, 56, 56, 100, 40, 1, 1 },
	{ "take 58 of 116 channels 28x28", NN_OPCODE_COPY, 28, 28, 116, 58, 1, 1 },
	{ "take 96 of 192 channels 56x56", NN_OPCODE_COPY, 56, 56, 192, 96, 1, 1 },
	{ "take 3 of 6 channels 112x112", NN_OPCODE_COPY, 112, 112, 6, 3, 1, 1 },
	{ "crop and resize 32 boxes of 192x256 to 24x16", NN_OPCODE_CROP_RESIZE, 192, 256, 1, 1, 1,
	  1 },
	{ "crop and resize 8 boxes of 56x56x64 to 7x7", NN_OPCODE_CROP_RESIZE, 56, 56, 64, 64, 1,
	  1 },
	/* The nearest pixels; to this height and width. */
	{ "resize nearest 64 32x32 to 64", NN_OPCODE_RESIZE, 32, 32, 64, 64, 1, 1 },
	{ "resize nearest 21 65x65 to 257", NN_OPCODE_RESIZE, 65, 65, 21, 257, 1, 1 },
	{ "resize nearest 3 64x64 to 128", NN_OPCODE_RESIZE, 64, 64, 3, 128, 1, 1 },
	{ "resize nearest 3 512x512 to 224", NN_OPCODE_RESIZE, 512, 512, 3, 224, 1, 1 },
	{ "resize nearest 255 13x13 to 26", NN_OPCODE_RESIZE, 13, 13, 255, 26, 1, 1 },
	/* Bilinear; to this height and width. */
	{ "resize 64 32x32 to 64, half pixels", NN_OPCODE_RESIZE_LINEAR, 32, 32, 64, 64, 1, 1 },
	{ "resize 64 32x32 to 64, aligned corners", NN_OPCODE_RESIZE_LINEAR, 32, 32, 64, 64, 1, 1 },
	{ "resize 64 32x32 to 64, half pixels, whole numbers",
	  NN_OPCODE_RESIZE_LINEAR, 32, 32, 64, 64, 1, 1 },
	{ "resize 64 32x32 to 64, aligned corners, whole numbers",
	  NN_OPCODE_RESIZE_LINEAR, 32, 32, 64, 64, 1, 1 },
	{ "resize 64 32x32 to 64, aligned corners, other scale",
	  NN_OPCODE_RESIZE_LINEAR, 32, 32, 64, 64, 1, 1 },
	{ "resize 256 33x33 to 129, aligned corners", NN_OPCODE_RESIZE_LINEAR, 33, 33, 256, 129,
	  1, 1 },
	{ "resize 21 65x65 to 400, aligned corners, whole numbers",
	  NN_OPCODE_RESIZE_LINEAR, 65, 65, 21, 400, 1, 1 },
	{ "resize 21 65x65 to 513, aligned corners, whole numbers",
	  NN_OPCODE_RESIZE_LINEAR, 65, 65, 21, 513, 1, 1 },
	{ "resize 3 256x256 to 512, half pixels", NN_OPCODE_RESIZE_LINEAR, 256, 256, 3, 512, 1, 1 },
	{ "resize 3 640x640 to 224, half pixels", NN_OPCODE_RESIZE_LINEAR, 640, 640, 3, 224, 1, 1 },
	{ "resize 1 64x64 to 320, aligned corners", NN_OPCODE_RESIZE_LINEAR, 64, 64, 1, 320, 1, 1 },
	{ "resize 320 1x1 to 33, aligned corners", NN_OPCODE_RESIZE_LINEAR, 1, 1, 320, 33, 1, 1 },
	/* Where the greatest of the channels are, or of the rows. */
	{ "arg 65x65 21", NN_OPCODE_ARG, 65, 65, 21, 1, 1, 1 },
	{ "arg 320x320 21", NN_OPCODE_ARG, 320, 320, 21, 1, 1, 1 },
	{ "arg 56x56 2", NN_OPCODE_ARG, 56, 56, 2, 1, 1, 1 },
	{ "arg 56x56 100", NN_OPCODE_ARG, 56, 56, 100, 1, 1, 1 },
	{ "arg 14x14 150", NN_OPCODE_ARG, 14, 14, 150, 1, 1, 1 },
	{ "arg 1000", NN_OPCODE_ARG, 1, 1, 1000, 1, 1, 1 },
	{ "arg 10", NN_OPCODE_ARG, 1, 1, 10, 1, 1, 1 },
	{ "arg of 56 rows, 56x64", NN_OPCODE_ARG, 56, 56, 64, 1, 1, 1 },
	{ "arg of 56 rows, 7x3", NN_OPCODE_ARG, 56, 7, 3, 1, 1, 1 },
	/* So many (the outputs) of the greatest channels. */
	{ "top 10 of 1000", NN_OPCODE_TOP, 1, 1, 1000, 10, 1, 1 },
	{ "top 100 of 1000", NN_OPCODE_TOP, 1, 1, 1000, 100, 1, 1 },
	{ "top 1000 of 1000", NN_OPCODE_TOP, 1, 1, 1000, 1000, 1, 1 },
	{ "top 48 of 1000", NN_OPCODE_TOP, 1, 1, 1000, 48, 1, 1 },
	{ "top 5 of 80, 14x14", NN_OPCODE_TOP, 14, 14, 80, 5, 1, 1 },
	/* Two samples in each direction of a bin. */
	{ "roi align 8 boxes of 56x56x256 to 7x7", NN_OPCODE_ROI_ALIGN, 56, 56, 256, 7, 1, 1 },
	{ "roi align 8 boxes of 56x56x64 to 7x7", NN_OPCODE_ROI_ALIGN, 56, 56, 64, 7, 1, 1 },
	{ "transpose 24x16x8 to channels first", NN_OPCODE_TRANSPOSE, 24, 16, 8, 8, 1, 1 },
	{ "transpose 56x56x64 to channels first", NN_OPCODE_TRANSPOSE, 56, 56, 64, 64, 1, 1 },
	{ "transpose 56x56x64 to channels last", NN_OPCODE_TRANSPOSE, 56, 56, 64, 64, 1, 2 },
	{ "transpose 28x28x144 to channels first", NN_OPCODE_TRANSPOSE, 28, 28, 144, 144, 1, 1 },
	{ "transpose 56x56x24 to channels first", NN_OPCODE_TRANSPOSE, 56, 56, 24, 24, 1, 1 },
	{ "transpose 56x56x24 to channels last", NN_OPCODE_TRANSPOSE, 56, 56, 24, 24, 1, 2 },
	{ "transpose 28x28x48 to channels first", NN_OPCODE_TRANSPOSE, 28, 28, 48, 48, 1, 1 },
	{ "transpose 28x28x80 to channels first", NN_OPCODE_TRANSPOSE, 28, 28, 80, 80, 1, 1 },
	{ "transpose 28x28x96 to channels last", NN_OPCODE_TRANSPOSE, 28, 28, 96, 96, 1, 2 },
	{ "transpose 20x20x255 to channels first", NN_OPCODE_TRANSPOSE, 20, 20, 255, 255, 1, 1 },
	{ "transpose 7x7x960 to channels first", NN_OPCODE_TRANSPOSE, 7, 7, 960, 960, 1, 1 },
	{ "transpose 28x28x144 to channels last", NN_OPCODE_TRANSPOSE, 28, 28, 144, 144, 1, 2 },
	{ "transpose 224x224x3 to channels first", NN_OPCODE_TRANSPOSE, 224, 224, 3, 3, 1, 1 },
	{ "transpose 224x224x3 to channels last", NN_OPCODE_TRANSPOSE, 224, 224, 3, 3, 1, 2 },
};

static uint8_t input[4 << 20] __attribute__((aligned(128)));
static uint8_t second[4 << 20] __attribute__((aligned(128)));
static uint8_t weights[4 << 20] __attribute__((aligned(128)));
static uint8_t output[6 << 20] __attribute__((aligned(128)));
static int32_t bias[MOST_OUTPUTS] __attribute__((aligned(128)));
/* The table of an exponential, or scales and biases of a normalization. */
static uint32_t table[MOST_OUTPUTS] __attribute__((aligned(128)));
/* Results of a hard sigmoid, some of which are 1. */
static uint8_t gates[16] __attribute__((aligned(128))) = {
	255, 131, 97, 180, 0, 143, 255, 122, 201, 110, 255, 33, 160, 149, 125, 214,
};
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

/* Whether its name ends so. */
static bool is_of(const char *name, const char *what)
{
	for (; *name; name++) {
		uint32_t i = 0;

		while (name[i] && name[i] == what[i])
			i++;
		if (!name[i] && !what[i])
			return true;
	}
	return false;
}

static bool begins_with(const char *name, const char *beginning)
{
	while (*beginning && *name == *beginning) {
		name++;
		beginning++;
	}
	return !*beginning;
}

static bool has(const char *name, const char *what)
{
	for (; *name; name++) {
		if (begins_with(name, what))
			return true;
	}
	return false;
}

/* Squares of a quarter of the image's height, here and there in it. */
static void describe_boxes(struct nn_call *call, uint32_t boxes, const struct layer *layer)
{
	static int32_t box[32][4], owner[32];
	const uint32_t digit[4] = { boxes, 24, 16, 1 };
	const uint32_t region[4] = { boxes, 7, 7, layer->channels };

	for (uint32_t i = 0; i < boxes; i++) {
		box[i][0] = random_below(12 * layer->height);
		box[i][1] = random_below(12 * layer->width);
		box[i][2] = box[i][0] + 4 * layer->height;
		box[i][3] = box[i][1] + 4 * layer->height;
	}
	describe_tensor(&call->input[1], NN_TYPE_INT32, DIMS(boxes, 4), (uint8_t *)box);
	describe_tensor(&call->input[2], NN_TYPE_INT32, DIMS(boxes), (uint8_t *)owner);
	describe_tensor(&call->output[0], NN_TYPE_UINT8, 4, layer->channels == 1 ? digit : region,
			output);
}

/* Positions and weights of a direction, from 0 to `from` - 1, roughly as libnnloop has them. */
static void describe_direction(struct nn_tensor *numbers, struct nn_tensor *parts, uint32_t from,
			       uint32_t to, const char *name, int32_t *near, uint32_t *weight)
{
	bool is_whole = has(name, "whole numbers"), is_aligned = has(name, "aligned corners");

	for (uint32_t i = 0; i < to; i++) {
		float at = is_aligned ? (float)i * (float)(from - 1) / (float)(to - 1) :
					((float)i + 0.5f) * (float)from / (float)to - 0.5f;

		at = at < 0 ? 0 : at > (float)(from - 1) ? (float)(from - 1) : at;
		near[i] = (int32_t)at;
		at -= (float)near[i];
		if (is_whole) {
			weight[i] = (uint32_t)(at * 2048 + 0.5f);
			continue;
		}
		if (near[i] == (int32_t)from - 1)
			at = 0.5f;
		weight[2 * i] = bits_of(1 - at);
		weight[2 * i + 1] = bits_of(at);
	}
	describe_constant(numbers, NN_TYPE_INT32, to, near);
	describe_constant(parts, is_whole ? NN_TYPE_INT32 : NN_TYPE_FLOAT32,
			  is_whole ? to : 2 * to, weight);
}

/* Boxes of a quarter to a half of the image's height. */
static void describe_rois(struct nn_call *call, struct nn_program_op *op,
			  const struct layer *layer)
{
	static uint32_t numbers[8][4] __attribute__((aligned(128)));
	static int32_t images[8];

	for (uint32_t i = 0; i < 8; i++) {
		for (uint32_t k = 0; k < 4; k++)
			numbers[i][k] = bits_of((float)random_below(4 * layer->height) / 16 +
						(float)(k / 2 * layer->height) / 2);
	}
	describe_tensor(&call->input[0], NN_TYPE_UINT8,
			DIMS(1, 1, layer->height, layer->width, layer->channels), input);
	describe_tensor(&call->input[1], NN_TYPE_FLOAT32, DIMS(1, 8, 4), (uint8_t *)numbers);
	call->input[1].packed = true;
	describe_tensor(&call->input[2], NN_TYPE_INT32, DIMS(1, 8), (uint8_t *)images);
	describe_tensor(&call->output[0], NN_TYPE_UINT8,
			DIMS(1, 8, layer->outputs, layer->outputs, layer->channels), output);
	op->roi_align = (struct nn_roi_align_params){
		.form = NN_ROI_ALIGN_AVERAGE,
		.samples = 2,
		.half_pixel = 1,
		.spatial_scale = 1,
		.scale_input = 0.0131f,
		.scale_boxes = 1,
		.scale_output = 0.0131f,
	};
}

static void describe_resize(struct nn_call *call, struct nn_program_op *op,
			    const struct layer *layer)
{
	static int32_t near[2][MOST_SIZE] __attribute__((aligned(128)));
	static uint32_t weight[2][2 * MOST_SIZE] __attribute__((aligned(128)));

	for (uint32_t i = 0; i < 2; i++)
		describe_direction(&call->input[1 + i], &call->input[3 + i],
				   i ? layer->width : layer->height, layer->outputs, layer->name,
				   near[i], weight[i]);
	if (layer->opcode == NN_OPCODE_RESIZE)
		call->input[3] = call->input[4] = (struct nn_tensor){ 0 };
	op->resize_linear = (struct nn_resize_linear_params){ 0.0131f, 0.0131f };
	if (has(layer->name, "other scale"))
		op->resize_linear.scale_output = 0.0117f;
	describe_tensor(&call->output[0], NN_TYPE_UINT8,
			DIMS(1, layer->outputs, layer->outputs, layer->channels), output);
}

/* The type whose name is behind `what` in a layer's; UINT8 if none is. */
static uint8_t type_in(const char *name, const char *what)
{
	static const struct {
		const char *name;
		uint8_t type;
	} types[] = {
		{ "bool", NN_TYPE_BOOL },   { "int8", NN_TYPE_INT8 },	{ "int16", NN_TYPE_INT16 },
		{ "int32", NN_TYPE_INT32 }, { "int64", NN_TYPE_INT64 },
	};

	for (; *name; name++) {
		const char *at = name;

		if (!begins_with(name, what))
			continue;
		for (const char *w = what; *w; w++)
			at++;
		for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
			if (begins_with(at, types[i].name))
				return types[i].type;
		}
	}
	return NN_TYPE_UINT8;
}

/* An operand of integers that are not quantized. */
static void describe_as(struct nn_tensor *tensor, uint8_t type, const uint32_t *dims, uint8_t *data)
{
	describe_tensor(tensor, type, 4, dims, data);
	tensor->zero_point = 0;
}

/* A condition for each element or each pixel, and two inputs. */
static void describe_select(struct nn_call *call, const struct layer *layer)
{
	const uint32_t image[4] = { 1, layer->height, layer->width, layer->channels };
	const uint32_t pixels[4] = { 1, layer->height, layer->width, 1 };
	const uint32_t one[4] = { 1, 1, 1, 1 };
	bool is_pixel = is_of(layer->name, "a pixel's condition");
	bool is_one = is_of(layer->name, "one of two elements");
	uint8_t type = type_in(layer->name, ", ");

	describe_as(&call->input[0], NN_TYPE_BOOL, is_pixel ? pixels : image, weights);
	describe_as(&call->input[1], type, is_one ? one : image, input);
	describe_as(&call->input[2], type, is_one ? one : image, second);
	describe_as(&call->output[0], type, image, output);
}

/* Describes what is reduced, by the name: channels, which may be in front, rows, columns, or both. */
static void describe_reduction(struct nn_call *call, struct nn_program_op *op,
			       const struct layer *layer)
{
	bool is_first = has(layer->name, "channels first"), is_row = has(layer->name, "rows");
	bool is_column = has(layer->name, "columns"), is_maximum = has(layer->name, "maximum");
	bool is_channels = is_first || has(layer->name, " of 64") || has(layer->name, " of 196");
	uint32_t pixels = layer->height * layer->width;

	op->reduce = (struct nn_reduce_params){
		.axes = is_first ? 2 : is_row ? 4 : is_column ? 2 : is_channels ? 8 : 6,
		.form = is_maximum		    ? NN_REDUCE_MAX :
			has(layer->name, "length")  ? NN_REDUCE_LENGTH :
			has(layer->name, "float32") ? NN_REDUCE_MEAN :
						      NN_REDUCE_MEAN_AWAY,
		.scale_input = 0.0131f,
		.scale_output = 0.0117f,
	};
	if (is_first)
		describe_tensor(&call->input[0], NN_TYPE_UINT8,
				DIMS(1, layer->channels, layer->height, layer->width), input);
	describe_tensor(&call->output[0], NN_TYPE_UINT8,
			DIMS(1, is_row	    ? layer->height * layer->channels :
				is_column   ? layer->width * layer->channels :
				is_channels ? pixels :
					      layer->channels), output);
}

static uint32_t integers_function(const char *name)
{
	if (begins_with(name, "compare"))
		return has(name, "equality") ? NN_INTEGERS_EQUAL_FLOAT :
		       has(name, "two scales") ? NN_INTEGERS_LESS_FLOAT : NN_INTEGERS_LESS;
	return has(name, "multiply") ? NN_INTEGERS_MUL :
	       has(name, "divide") ? NN_INTEGERS_FLOOR_DIV :
	       has(name, "and") ? NN_INTEGERS_AND : NN_INTEGERS_ADD;
}

static void describe_integers(struct nn_call *call, const struct layer *layer)
{
	const uint32_t image[4] = { 1, layer->height, layer->width, layer->channels };
	const uint32_t channel[4] = { 1, 1, 1, layer->channels }, one[4] = { 1, 1, 1, 1 };
	uint8_t type = type_in(layer->name, ", ");

	describe_as(&call->input[0], type, image, input);
	describe_as(&call->input[1], type,
		    is_of(layer->name, "a channel's by one") ? channel :
		    is_of(layer->name, "all by one") ? one : image, second);
	describe_as(&call->output[0], begins_with(layer->name, "compare") ? NN_TYPE_BOOL : type,
		    image, output);
}

static bool is_depthwise(const struct layer *layer)
{
	return layer->opcode == NN_OPCODE_DEPTHWISE_CONV2D;
}

static uint32_t count_products(const struct layer *layer)
{
	return layer->kernel * layer->kernel * (is_depthwise(layer) ? 1 : layer->channels);
}

/*
 * The exponent, as float32 has it, of scales that bring most results into range, as in a real
 * layer.
 */
static uint32_t scale_exponent(const struct layer *layer)
{
	uint32_t exponent = 127 + 6 - 14;

	for (uint32_t k = count_products(layer); k > 1; k /= 4)
		exponent--;
	return exponent;
}

static void draw_scales(uint32_t *scale, const struct layer *layer)
{
	bool powers = is_of(layer->name, ", powers of two");
	bool some = is_of(layer->name, "some powers of two");
	uint32_t exponent = scale_exponent(layer);
	/* None of REQUANTIZE's is a power of two by accident, whose results would often be ties. */
	uint32_t first = layer->opcode == NN_OPCODE_REQUANTIZE;

	for (uint32_t m = 0; m < layer->outputs; m++)
		scale[m] = exponent << 23 |
			   (powers || (some && m % 4 == 0) ? 0 : (first + m) * 0x54321 & 0x7fffff);
}

/* Describes scales for sums of any weights; for REQUANTIZE, for any sums. */
static void describe_scales(struct nn_tensor *scales, const struct layer *layer)
{
	static int32_t packed[NN_SCALE_ROWS * MOST_OUTPUTS] __attribute__((aligned(128)));
	static uint32_t scale[MOST_OUTPUTS], reach[MOST_OUTPUTS];
	bool is_any = layer->opcode == NN_OPCODE_REQUANTIZE;
	bool is_repeated = is_depthwise(layer) || is_any;
	uint32_t lanes = is_repeated ? nn_pack_repeated_lanes(layer->outputs) :
				       nn_pack_lanes(layer->outputs);

	draw_scales(scale, layer);
	for (uint32_t m = 0; m < layer->outputs; m++)
		reach[m] = count_products(layer) * 255 *
			   (is_depthwise(layer) && !is_of(layer->name, "zero point") ? 128 : 255);
	nn_pack_scales(packed, lanes, is_repeated ? lanes : layer->outputs, (const float *)scale,
		       is_any ? NULL : reach, layer->outputs);
	describe_tensor(scales, NN_TYPE_INT32, DIMS(NN_SCALE_ROWS, lanes), packed);
	scales->packed = true;
}

/* Sums for REQUANTIZE whose results are 8 bits with the greatest of its scales. */
static int32_t *draw_sums(const struct layer *layer)
{
	static int32_t sums[1 << 20] __attribute__((aligned(128)));
	uint32_t shift = is_of(layer->name, "any sums") ? 0 : scale_exponent(layer) - 127 + 25;

	for (uint32_t i = 0; i < layer->height * layer->width * layer->channels; i++)
		sums[i] = ((const int32_t *)input)[i] >> shift;
	return sums;
}

/* Bytes of operands that a call reads, and those that are part of it. */
static uint32_t bytes_read(const struct nn_call *call)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++)
		bytes += call->input[i].bytes;
	for (call = call->next; call; call = call->next)
		bytes += call->input[1].bytes;
	return bytes;
}

/* An operator in place of the output of the last one: that is its first operand. */
static void fuse(struct nn_call *call, const struct nn_call *first, struct nn_call *next,
		 struct nn_program_op *op)
{
	static uint8_t table[256] __attribute__((aligned(128)));

	*next = (struct nn_call){ .op = op };
	next->input[0] = next->output[0] = call->output[0];
	if (op->opcode == NN_OPCODE_TABLE) {
		describe_constant(&next->input[1], NN_TYPE_UINT8, 256, table);
	} else {
		next->input[1] = call->output[0];
		next->input[1].data = second;
	}
	if (nn_kernels[op->opcode].check(next) || !nn_call_fuses(first, next))
		print("%s: is not fused\n", nn_kernels[op->opcode].name);
	call->next = next;
}

/* Since a MEMORY_COMMAND_EMPTY that left the counters at `begin`. */
static void print_memory(const struct memory_counters *begin, uint32_t bytes)
{
	const volatile struct memory_counters *now = memory_counters_take(MEMORY_COMMAND_LATCH);
	uint32_t fetched = (now->fetched - begin->fetched) * MEMORY_LINE;
	uint32_t allocated = (now->allocated - begin->allocated) * MEMORY_LINE;
	uint32_t written = (now->written_back - begin->written_back) * MEMORY_LINE;
	uint32_t hundredths = ((uint64_t)fetched * 100 + bytes / 2) / bytes;

	print(", %u bytes fetched: %u.%u%u of %u, %u allocated, %u written back", fetched,
	      hundredths / 100, hundredths / 10 % 10, hundredths % 10, bytes, allocated, written);
}

/* The number behind "dilation" in a layer's name; 1 if there is none. */
static uint32_t dilation_in(const char *name)
{
	uint32_t dilation = 0;

	while (*name && !begins_with(name, "dilation "))
		name++;
	for (name += *name ? 9 : 0; *name >= '0' && *name <= '9'; name++)
		dilation = 10 * dilation + (*name - '0');
	return dilation ? dilation : 1;
}

/* A kernel is square unless its name says that it is a row or a column; and dense. */
static struct nn_window_params shape_window(const struct layer *layer, uint32_t pad)
{
	uint32_t dilation = dilation_in(layer->name);
	struct nn_window_params window = square_window(layer->kernel, layer->stride, dilation,
						       pad * dilation);

	if (has(layer->name, "depthwise 1x")) {
		window.kernel_h = 1;
		window.pad_top = 0;
	}
	if (has(layer->name, "x1 ") && is_depthwise(layer)) {
		window.kernel_w = 1;
		window.pad_left = 0;
	}
	return window;
}

static void run_layer(const struct layer *layer)
{
	static struct nn_run run;
	struct nn_program_op op = { .opcode = layer->opcode, .out_max = 255 };
	struct nn_call call = {
		.op = &op, .run = &run, .scratch = scratch, .scratch_size = sizeof(scratch)
	};
	const uint32_t image[4] = { 1, layer->height, layer->width, layer->channels };
	bool strided = layer->kernel == layer->stride;
	uint32_t pad = strided ? 0 : (layer->kernel - 1) / 2;
	uint32_t out_h = (layer->height + 2 * pad - layer->kernel) / layer->stride + 1;
	uint32_t out_w = (layer->width + 2 * pad - layer->kernel) / layer->stride + 1;
	uint32_t macs = 0, bytes;
	/* Scales are equal, or one twice the other. */
	bool ties = is_of(layer->name, "ties");
	struct nn_program_op sum = { .opcode = NN_OPCODE_ADD, .out_max = 255,
				     .add = { 1 << 19, 1 << 19, 20 } };
	struct nn_program_op function = { .opcode = NN_OPCODE_TABLE };
	static struct nn_call fused[2];
	struct counters counters;
	struct memory_counters memory;

	op.window = shape_window(layer, pad);
	if (op.window.kernel_h == 1)
		out_h = (layer->height - 1) / layer->stride + 1;
	if (op.window.kernel_w == 1)
		out_w = (layer->width - 1) / layer->stride + 1;
	op.window.multiplier = 1 << 30;
	op.window.shift = 36;
	describe_tensor(&call.input[0], NN_TYPE_UINT8, 4, image, input);
	describe_tensor(&call.output[0], NN_TYPE_UINT8, DIMS(1, out_h, out_w, layer->outputs),
			output);
	call.output[0].zero_point = 128;
	/* The input is a part of an image with twice the channels. */
	if (has(layer->name, "half of the channels")) {
		call.input[0].pitch *= 2;
		call.input[0].row_pitch *= 2;
	}
	switch (layer->opcode) {
	case NN_OPCODE_CONV2D:
	case NN_OPCODE_FULLY_CONNECTED:
		bytes = conv2d_weight_bytes(layer->outputs, layer->kernel, layer->kernel,
					    layer->channels);
		describe_constant(&call.input[1], NN_TYPE_UINT8, bytes, weights);
		macs = out_h * out_w * layer->outputs * layer->kernel * layer->kernel *
		       layer->channels;
		if (layer->opcode == NN_OPCODE_FULLY_CONNECTED) {
			describe_tensor(&call.input[0], NN_TYPE_UINT8,
					DIMS(layer->width, layer->channels), input);
			describe_tensor(&call.output[0], NN_TYPE_UINT8,
					DIMS(layer->width, layer->outputs), output);
		}
		break;
	case NN_OPCODE_DEPTHWISE_CONV2D:
		bytes = depthwise_weight_bytes(layer->outputs, op.window.kernel_h,
					       op.window.kernel_w);
		describe_constant(&call.input[1], NN_TYPE_INT8, bytes, weights);
		if (is_of(layer->name, "weights with a zero point"))
			call.input[1].zero_point = 13;
		macs = out_h * out_w * layer->outputs * op.window.kernel_h * op.window.kernel_w;
		break;
	case NN_OPCODE_ADD:
		describe_tensor(&call.input[1], NN_TYPE_UINT8, 4, image, second);
		op.add = (struct nn_add_params){ 1 << 19, 1 << 19, 20 };
		break;
	case NN_OPCODE_ADD_FLOAT:
		describe_tensor(&call.input[1], NN_TYPE_UINT8, 4, image, second);
		op.add_float = (struct nn_add_float_params){ 0.0131f, 0.0217f, 0.0293f,
							     NN_ADD_DEQUANTIZED };
		if (ties)
			op.add_float.scale_a = op.add_float.scale_b = op.add_float.scale_output / 2;
		break;
	case NN_OPCODE_BINARY:
		describe_tensor(&call.input[1], NN_TYPE_UINT8, 4, image, second);
		if (is_of(layer->name, "a channel's by one"))
			describe_tensor(&call.input[1], NN_TYPE_UINT8,
					DIMS(1, 1, 1, layer->channels), second);
		if (is_of(layer->name, "a pixel's by one"))
			describe_tensor(&call.input[1], NN_TYPE_UINT8,
					DIMS(1, layer->height, layer->width, 1), second);
		if (is_of(layer->name, "columns by rows")) {
			describe_tensor(&call.input[0], NN_TYPE_UINT8,
					DIMS(1, layer->height, 1, layer->channels), input);
			describe_tensor(&call.input[1], NN_TYPE_UINT8,
					DIMS(1, 1, layer->width, layer->channels), second);
		}
		if (is_of(layer->name, "all by one"))
			describe_tensor(&call.input[1], NN_TYPE_UINT8, DIMS(1, 1, 1, 1), second);
		op.binary = (struct nn_binary_params){ .function = NN_BINARY_MUL,
						       .scale_a = 0.0131f,
						       .scale_b = 0.0217f,
						       .scale_output = 0.0293f };
		if (ties)
			op.binary.scale_a = op.binary.scale_b = op.binary.scale_output = 0.25f;
		if (has(layer->name, "gates")) {
			op.binary.scale_a = 3 / 255.0f;
			op.binary.scale_b = 1 / 255.0f;
			op.binary.scale_output = 6 / 255.0f;
			call.input[0].zero_point = call.input[1].zero_point = 0;
			call.input[1].data = gates;
		}
		if (begins_with(layer->name, "subtract"))
			op.binary.function = NN_BINARY_SUB;
		if (begins_with(layer->name, "divide"))
			op.binary.function = NN_BINARY_DIV;
		if (begins_with(layer->name, "maximum"))
			op.binary.function = NN_BINARY_MAX;
		if (is_of(layer->name, "one scale"))
			op.binary.scale_b = op.binary.scale_a;
		if (begins_with(layer->name, "prelu")) {
			op.binary.function = NN_BINARY_PRELU;
			call.input[0].zero_point = 128;
		}
		op.binary.by[0] = op.binary.by[1] = op.binary.by[2] =
			(struct nn_fixed){ 1431655766, -8 };
		if (begins_with(layer->name, "squared")) {
			op.binary.function = NN_BINARY_SQUARED_DIFFERENCE_FIXED;
			op.binary.by[0].exponent = op.binary.by[1].exponent = -1;
			op.binary.by[2].exponent = -14;
		}
		if (is_of(layer->name, "fixed point"))
			op.binary.function = NN_BINARY_PRELU_FIXED;
		break;
	case NN_OPCODE_SELECT:
		describe_select(&call, layer);
		op.out_max = 0;
		break;
	case NN_OPCODE_INTEGERS:
		describe_integers(&call, layer);
		op.integers = (struct nn_integers_params){
			.function = integers_function(layer->name) };
		if (is_of(layer->name, "two scales")) {
			op.integers.scale_a = 0.0131f;
			op.integers.scale_b = 0.0217f;
		}
		op.out_max = 0;
		break;
	case NN_OPCODE_CUMULATE:
		op.cumulate = (struct nn_cumulate_params){
			.axis = is_of(layer->name, "along") ? 3 : 1,
			.form = NN_CUMULATE_FLOAT,
			.scale_input = 0.0131f,
			.scale_output = 0.4013f,
		};
		if (!has(layer->name, "int32"))
			break;
		op.cumulate.form = NN_CUMULATE_INTEGERS;
		op.cumulate.scale_input = op.cumulate.scale_output = 0;
		describe_as(&call.input[0], NN_TYPE_INT32, image, input);
		describe_as(&call.output[0], NN_TYPE_INT32, image, output);
		op.out_max = 0;
		break;
	case NN_OPCODE_CONVERT:
		describe_as(&call.input[0], type_in(layer->name, " from "), image, input);
		describe_as(&call.output[0], type_in(layer->name, " to "), image, output);
		break;
	case NN_OPCODE_AVERAGE_POOL_FLOAT:
		op.window.multiplier = op.window.shift = 0;
		op.average_float.scale_input = 0.0131f;
		op.average_float.scale_output = ties ? 0.0131f : 0.0117f;
		if (is_of(layer->name, "a fine output"))
			op.average_float.scale_output = 0.0131f / 100;
		op.window.count_padding = is_of(layer->name, "counting padding");
		op.average_float.order = layer->height == layer->kernel ? NN_AVERAGE_QUARTERS
									: NN_AVERAGE_COLUMNS;
		break;
	case NN_OPCODE_AVERAGE_POOL_AWAY:
		op.window.multiplier = op.window.shift = 0;
		call.output[0].zero_point = call.input[0].zero_point;
		break;
	case NN_OPCODE_REQUANTIZE:
		describe_tensor(&call.input[0], NN_TYPE_INT32, 4, image,
				(uint8_t *)draw_sums(layer));
		describe_scales(&call.input[1], layer);
		break;
	case NN_OPCODE_TABLE:
		describe_constant(&call.input[1], NN_TYPE_UINT8, 256, weights);
		break;
	case NN_OPCODE_SOFTMAX:
		describe_constant(&call.input[1], NN_TYPE_FLOAT32, 256, table);
		/* Powers of 7/8. */
		for (uint32_t i = 0, bits = 127u << 23; i < 256; i++) {
			table[i] = bits;
			bits = bits_of(float_of(bits) * 0.875f);
		}
		op.softmax.scale_output = 1.0f / 256;
		op.softmax.form = is_of(layer->name, "float32") ? NN_SOFTMAX_FLOAT :
								  NN_SOFTMAX_TENSORFLOW;
		call.output[0].zero_point = 0;
		break;
	case NN_OPCODE_REDUCE:
		describe_reduction(&call, &op, layer);
		break;
	case NN_OPCODE_SOFTMAX_INT16:
		describe_tensor(&call.input[0], NN_TYPE_INT16, 4, image, input);
		describe_tensor(&call.output[0], NN_TYPE_INT16, 4, image, output);
		describe_constant(&call.input[1], NN_TYPE_INT16, 1026, table);
		call.output[0].zero_point = 0;
		op.window = (struct nn_window_params){ 0 };
		op.softmax_int16.by = (struct nn_fixed){ 0x5bcdef12, 1 };
		op.out_max = INT16_MAX;
		break;
	case NN_OPCODE_POOL_INT16:
	case NN_OPCODE_REDUCE_INT16:
		describe_tensor(&call.input[0], NN_TYPE_INT16, 4, image, input);
		describe_tensor(&call.output[0], NN_TYPE_INT16,
				DIMS(1, out_h, out_w, layer->outputs), output);
		call.output[0].zero_point = 0;
		op.window.multiplier = op.window.shift = 0;
		op.out_min = INT16_MIN;
		op.out_max = INT16_MAX;
		op.pool_int16.average = begins_with(layer->name, "average");
		if (layer->opcode == NN_OPCODE_POOL_INT16)
			break;
		describe_tensor(&call.output[0], NN_TYPE_INT16, DIMS(1, 1, 1, layer->channels),
				output);
		op.reduce_int16 = (struct nn_reduce_int16_params){
			.form = is_of(layer->name, "fixed") ? NN_REDUCE_INT16_MEAN_FIXED :
							      NN_REDUCE_INT16_MEAN_AWAY,
			.count = layer->height * layer->width,
			.inner = layer->channels,
			.scale = 1.1f,
			.by = { 0x5bcdef12, 0 },
		};
		break;
	case NN_OPCODE_TABLE_INT16:
		describe_tensor(&call.output[0], NN_TYPE_INT16, 4, image, output);
		call.output[0].zero_point = 0;
		op.window = (struct nn_window_params){ 0 };
		if (!is_of(layer->name, "uint8"))
			describe_tensor(&call.input[0], NN_TYPE_INT16, 4, image, input);
		describe_constant(&call.input[1], NN_TYPE_INT16,
				  is_of(layer->name, "uint8") ? 256 : 65536, weights);
		break;
	case NN_OPCODE_RESCALE: {
		bool is_byte = is_of(layer->name, "uint8"), is_sum = is_of(layer->name, "sums");

		describe_tensor(&call.input[0], is_sum ? NN_TYPE_INT32 : NN_TYPE_INT16, 4, image,
				input);
		describe_tensor(&call.output[0], is_byte ? NN_TYPE_UINT8 : NN_TYPE_INT16, 4, image,
				output);
		if (is_sum)
			describe_constant(&call.input[1], NN_TYPE_INT32, 2 * layer->channels,
					  table);
		call.output[0].zero_point = is_byte ? 128 : 0;
		op.window = (struct nn_window_params){ 0 };
		op.out_min = is_byte ? 0 : INT16_MIN;
		op.out_max = is_byte ? 255 : INT16_MAX;
		if (!is_sum)
			op.rescale.by = op.rescale.by_below = (struct nn_fixed){ 0x5bcdef12, -1 };
		if (is_of(layer->name, "leaky"))
			op.rescale.by_below = (struct nn_fixed){ 0x5bcdef12, -3 };
		break;
	}
	case NN_OPCODE_ADD_INT16:
	case NN_OPCODE_BINARY_INT16:
		describe_tensor(&call.input[0], NN_TYPE_INT16, 4, image, input);
		describe_tensor(&call.input[1], NN_TYPE_INT16, 4, image, second);
		describe_tensor(&call.output[0], NN_TYPE_INT16, 4, image, output);
		if (has(layer->name, "a channel's"))
			describe_tensor(&call.input[1], NN_TYPE_INT16,
					DIMS(1, 1, 1, layer->channels), second);
		if (has(layer->name, "a pixel's"))
			describe_tensor(&call.input[1], NN_TYPE_INT16,
					DIMS(1, layer->height, layer->width, 1), second);
		call.output[0].zero_point = 0;
		op.window = (struct nn_window_params){ 0 };
		op.out_min = INT16_MIN;
		op.out_max = INT16_MAX;
		if (layer->opcode == NN_OPCODE_ADD_INT16)
			op.add_int16 = (struct nn_add_int16_params){
				15, 0, { 1 << 30, -1 }, { 0x5bcdef12, 0 }, { 1 << 30, -14 },
			};
		else
			op.binary_int16 = (struct nn_binary_int16_params){
				begins_with(layer->name, "max") ? NN_INT16_MAX : NN_INT16_MUL,
				{ 0x5bcdef12, -14 },
			};
		break;
	case NN_OPCODE_CONV2D_INT16: {
		bool is_depth = has(layer->name, "depthwise");
		bool is_32 = is_of(layer->name, "32 bits");

		describe_tensor(&call.input[0], NN_TYPE_INT16, 4, image, input);
		describe_tensor(&call.output[0], NN_TYPE_INT16,
				DIMS(1, out_h, out_w, layer->outputs), output);
		call.output[0].zero_point = 0;
		bytes = layer->outputs * layer->kernel * layer->kernel *
			(is_depth ? 1 : layer->channels);
		describe_constant(&call.input[1], NN_TYPE_INT8, bytes, weights);
		describe_constant(&call.input[2], NN_TYPE_INT32, 2 * layer->outputs, bias);
		for (uint32_t m = 0; m < layer->outputs; m++) {
			table[2 * m] = is_32 ? (1u << 30) + m * 0x54321 : (1 << 14) + m * 77 % (1 << 14);
			table[2 * m + 1] = is_32 ? 64 + 40 : 24;
		}
		describe_constant(&call.input[3], NN_TYPE_INT32, 2 * layer->outputs, table);
		op.window.multiplier = op.window.shift = 0;
		op.out_min = INT16_MIN;
		op.out_max = INT16_MAX;
		macs = out_h * out_w * bytes;
		break;
	}
	case NN_OPCODE_MATMUL:
	case NN_OPCODE_MATMUL_INT16:
		describe_tensor(&call.input[0], NN_TYPE_UINT8, 3, image + 1, input);
		bytes = layer->stride == 2 ? layer->outputs : layer->channels;
		describe_tensor(&call.input[1], NN_TYPE_INT8,
				DIMS(layer->height, bytes,
				     layer->channels + layer->outputs - bytes), second);
		describe_tensor(&call.output[0], NN_TYPE_UINT8,
				DIMS(layer->height, layer->width, layer->outputs), output);
		op.window = (struct nn_window_params){ 0 };
		op.matmul = (struct nn_matmul_params){
			.form = is_of(layer->name, "fixed") ? NN_MATMUL_FIXED : NN_MATMUL_FLOAT,
			.transpose_b = layer->stride == 2,
			.zero_a = 120,
			.zero_b = 3,
			.scale = 0.0007f,
			.by = { 0x5bcdef12, -10 },
		};
		if (layer->opcode == NN_OPCODE_MATMUL_INT16) {
			describe_tensor(&call.input[0], NN_TYPE_INT16, 3, image + 1, input);
			describe_tensor(&call.input[1], NN_TYPE_INT16, 3,
					(uint32_t[]){ call.input[1].dims[0], call.input[1].dims[1],
						      call.input[1].dims[2] },
					second);
			describe_tensor(&call.output[0], NN_TYPE_INT16,
					DIMS(layer->height, layer->width, layer->outputs), output);
			call.output[0].zero_point = 0;
			op.matmul = (struct nn_matmul_params){
				.transpose_b = layer->stride == 2,
				.by = { 0x5bcd, -36 },
			};
			if (is_of(layer->name, "once")) {
				op.matmul.form = NN_MATMUL_INT16_ONCE;
				op.matmul.by = (struct nn_fixed){ 0x5bcdef12, -19 };
			}
			op.out_min = INT16_MIN;
			op.out_max = INT16_MAX;
		}
		macs = layer->height * layer->width * layer->channels * layer->outputs;
		break;
	case NN_OPCODE_NORMALIZE:
		/* Scales are of channels, or of images with the channels in front. */
		draw_scales(table, layer);
		describe_constant(&call.input[1], NN_TYPE_FLOAT32, layer->channels, table);
		describe_constant(&call.input[2], NN_TYPE_FLOAT32, layer->channels, table);
		op.normalize = (struct nn_normalize_params){
			.form = NN_NORMALIZE_DEVIATION,
			.length = layer->channels,
			.run = 1,
			.step = 1,
			.square_step = 1,
			.epsilon = 0.00001f,
			.scale_output = 0.0117f,
		};
		if (begins_with(layer->name, "normalize images"))
			op.normalize.length = op.normalize.run = layer->height * layer->width;
		break;
	case NN_OPCODE_COPY:
		op.copy = (struct nn_copy_params){ layer->height * layer->width,
						   layer->channels < layer->outputs ?
							   layer->channels : layer->outputs,
						   0,
						   layer->channels,
						   0,
						   layer->outputs };
		break;
	case NN_OPCODE_TRANSPOSE:
		/* A stride of 2: the other way. */
		describe_tensor(&call.output[0], NN_TYPE_UINT8,
				DIMS(1, layer->channels, layer->height, layer->width), output);
		op.transpose = (struct nn_transpose_params){ { 0, 3, 1, 2 } };
		if (layer->stride == 2) {
			struct nn_tensor first = call.output[0];

			describe_tensor(&call.output[0], NN_TYPE_UINT8,
					DIMS(1, layer->height, layer->width, layer->channels),
					output);
			first.data = input;
			call.input[0] = first;
			op.transpose = (struct nn_transpose_params){ { 0, 2, 3, 1 } };
		}
		break;
	case NN_OPCODE_CROP_RESIZE:
		describe_boxes(&call, begins_with(layer->name, "crop and resize 32") ? 32 : 8,
			       layer);
		break;
	case NN_OPCODE_ARG:
		op.out_max = 0;
		op.arg = (struct nn_arg_params){ has(layer->name, "rows") ? 1 : 3, NN_ARG_MAX, 0 };
		describe_tensor(&call.output[0], NN_TYPE_INT32,
				DIMS(1, call.input[0].bytes / image[op.arg.axis]), output);
		break;
	case NN_OPCODE_TOP:
		op.out_max = 0;
		op.top.least = 0;
		describe_tensor(&call.output[0], NN_TYPE_INT64,
				DIMS(1, layer->height, layer->width, layer->outputs), output);
		break;
	case NN_OPCODE_ROI_ALIGN:
		describe_rois(&call, &op, layer);
		break;
	case NN_OPCODE_RESIZE:
	case NN_OPCODE_RESIZE_LINEAR:
		describe_resize(&call, &op, layer);
		break;
	default:
		break;
	}
	if (macs && layer->opcode != NN_OPCODE_MATMUL &&
	    layer->opcode != NN_OPCODE_MATMUL_INT16 && layer->opcode != NN_OPCODE_CONV2D_INT16) {
		describe_scales(&call.input[3], layer);
		describe_constant(&call.input[2], NN_TYPE_INT32, call.input[3].dims[1], bias);
	}
	if (nn_kernels[op.opcode].check(&call)) {
		print("%s: refused: %u\n", layer->name, nn_kernels[op.opcode].check(&call));
		return;
	}
	if (has(layer->name, "float32")) {
		sum.opcode = NN_OPCODE_ADD_FLOAT;
		sum.add_float = (struct nn_add_float_params){ 0.0131f, 0.0217f, 0.0293f,
							      NN_ADD_DEQUANTIZED };
	}
	if (has(layer->name, "and add"))
		fuse(&call, &call, &fused[0], &sum);
	if (has(layer->name, "and table"))
		fuse(call.next ? &fused[0] : &call, &call, &fused[1], &function);
	memory = *memory_counters_take(MEMORY_COMMAND_EMPTY);
	run.l2_bytes = memory.size;
	counters_start(&counters);
	nn_kernels[op.opcode].run(&call);
	counters_update(&counters);

	print("%s: %u packets", layer->name, (uint32_t)counters.packets);
	if (macs) {
		uint32_t tenths = (uint64_t)macs * 10 / counters.packets;

		print(", %u.%u MACs a packet", tenths / 10, tenths % 10);
	} else {
		uint32_t tenths = call.output[0].bytes * 10 / counters.packets;

		print(", %u.%u bytes a packet", tenths / 10, tenths % 10);
	}
	if (memory.size)
		print_memory(&memory, bytes_read(&call));
	print("\n");
}

/* `bench NAME` runs those alone whose name begins so. */
int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : "";

	sys_mmap(MEMORY_COUNTERS_ADDRESS & ~0xffff, 0x10000, PROT_READ | PROT_WRITE,
		 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1);
	random_fill(input, sizeof(input) / 4);
	random_fill(second, sizeof(second) / 8);
	random_fill(weights, sizeof(weights));
	for (uint32_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		if (begins_with(layers[i].name, wanted))
			run_layer(&layers[i]);
	}
	bench_moves(wanted);
	return 0;
}
