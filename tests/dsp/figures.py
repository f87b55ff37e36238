#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packets that are counted without a VM, against the tables of docs/packets.md and docs/performance.md.

usage: figures.py check TABLE...    says what is more than 1 % above its figure, or 5 % below, and exits with 1 then
       figures.py check tables      says which of the tables that are made of the table of operators are not what that has; measures nothing
       figures.py write [worse]     measures all, and writes tables and pictures unless something is worse at all; with "worse", all the same
       figures.py write tables      writes those that are made of the table of operators and of tests/dsp/grid.txt; measures nothing
       figures.py write grid        writes the one that is made of tests/dsp/grid.txt

TABLE: operators (of typical layers), passes (what the firmware does beside operators), networks (models of tools/models/networks/full_size.py and typical.py, and of
the folder NNLOOP_MODELS; `check` has the first alone, unless NNLOOP_TEST_ALL is set), workers (of the first, each pass divided among workers: the longest chain of them), loops (a batch in steps, beside the same without a loop; minutes), memory (bytes that the layers of
the table of convolutions fetch from behind a memory, where QEMU can model one), roofline (the same of the networks, and what that is beside their packets). A table stands between
<!-- figures: TABLE --> and <!-- end of figures -->: names, packets, and what else there is. The long ones, operators and memory, are in docs/packets.md, all others in
docs/performance.md. `write` also measures and writes tests/dsp/grid.txt (grid.py), of which a table is made. Figures are those of Debian 12's clang; packets are exact.
"""
import json
import math
import os
import platform
import re
import signal
import subprocess
import sys

import grid

OUT = os.environ.get("O", "build")
DOC = "docs/performance.md"
PACKETS = "docs/packets.md"
# Tables that are not in DOC.
HOMES = {"operators": PACKETS, "memory": PACKETS}
NETWORKS = ["mobilenet_v2", "resnet50", "yolo"]
# Of tools/models/networks/typical.py; small_NAME is NAME of architectures.py.
TYPICAL = ["mobilenet_v2_uint8", "mobilenet_v3_small_96", "resnet18", "yolov5n_160", "unet_128", "ssd_head_375", "deeplab_aspp", "shufflenet_unit", "espcn_64",
           "inception_block"]
SMALL = [f"small_{name}" for name in ("mobilenet_v1", "squeezenet", "efficientnet_lite", "yolov5_relu", "yolox", "vit_block", "ds_cnn", "autoencoder",
                                      "autoencoder_conv", "se_block", "conv1d", "interpolate")]
# Published ones, each in a folder of that name of NNLOOP_MODELS, as model.tflite.
PUBLISHED = ["gc_mobilenet_v1_0.25_128_quant", "gc_deeplabv3_mnv2_dm05_pascal_quant", "ml_kws_ref_model", "tm_person_detect", "ml_vww_96_int8"]
LIMIT = 256
SHARES = [2, 4]
BATCH = 64
ROOFS = [8, 16, 32]
ROOFLINE_MEMORY = "512K"
# Operators of the table `operators` that are also counted by vectors of 128 bytes of what they write: the output's height, width and channels.
VECTORS = {
    "conv 3x3 3->32 224x224 stride 2": (112, 112, 32),
    "requantize 56x56x64": (56, 56, 64),
    "requantize 56x56x24": (56, 56, 24),
    "requantize 56x56x96": (56, 56, 96),
    "requantize 28x28x144": (28, 28, 144),
    "requantize 56x56x17": (56, 56, 17),
    "requantize 28x28x255": (28, 28, 255),
    "requantize 14x14x1000": (14, 14, 1000),
    "requantize 14x14x1000, any sums": (14, 14, 1000),
    "requantize 56x56x64, powers of two": (56, 56, 64),
    "depthwise 3x3 32 112x112": (112, 112, 32),
    "depthwise 3x3 24 112x112": (112, 112, 24),
    "depthwise 3x3 96 56x56": (56, 56, 96),
    "depthwise 3x3 128 56x56": (56, 56, 128),
    "depthwise 3x3 144 56x56": (56, 56, 144),
    "depthwise 3x3 512 14x14": (14, 14, 512),
    "depthwise 3x3 576 14x14": (14, 14, 576),
    "depthwise 3x3 960 7x7": (7, 7, 960),
    "depthwise 3x3 32 112x112, powers of two": (112, 112, 32),
    "depthwise 3x3 128 56x56, powers of two": (56, 56, 128),
    "depthwise 3x3 128 56x56, some powers of two": (56, 56, 128),
    "depthwise 3x3 64 112x112 stride 2": (56, 56, 64),
    "depthwise 3x3 96 112x112 stride 2": (56, 56, 96),
    "depthwise 3x3 96 112x112 stride 2, powers of two": (56, 56, 96),
    "depthwise 3x3 128 56x56 stride 2": (28, 28, 128),
    "depthwise 3x3 144 56x56 stride 2": (28, 28, 144),
    "depthwise 3x3 192 28x28 stride 2": (14, 14, 192),
    "depthwise 3x3 576 14x14 stride 2": (7, 7, 576),
    "depthwise 3x3 16 112x112 stride 2": (56, 56, 16),
    "depthwise 3x3 24 112x112 stride 2": (56, 56, 24),
    "depthwise 3x3 32 112x112 stride 2": (56, 56, 32),
    "depthwise 3x3 48 112x112 stride 2": (56, 56, 48),
    "depthwise 3x3 128 56x56 stride 2, some powers of two": (28, 28, 128),
    "depthwise 5x5 128 28x28": (28, 28, 128),
    "depthwise 5x5 128 28x28, powers of two": (28, 28, 128),
    "depthwise 5x5 240 28x28": (28, 28, 240),
    "depthwise 5x5 120 28x28": (28, 28, 120),
    "depthwise 5x5 480 14x14": (14, 14, 480),
    "depthwise 5x5 672 14x14": (14, 14, 672),
    "depthwise 5x5 576 7x7": (7, 7, 576),
    "depthwise 5x5 960 7x7": (7, 7, 960),
    "depthwise 5x5 128 28x28, some powers of two": (28, 28, 128),
    "depthwise 5x5 72 56x56 stride 2": (28, 28, 72),
    "depthwise 5x5 96 56x56 stride 2": (28, 28, 96),
    "depthwise 5x5 240 28x28 stride 2": (14, 14, 240),
    "depthwise 5x5 672 14x14 stride 2": (7, 7, 672),
    "add 56x56x64": (56, 56, 64),
    "add 56x56x24": (56, 56, 24),
    "add 28x28x144": (28, 28, 144),
    "add 56x56x64, float32": (56, 56, 64),
    "table 56x56x64": (56, 56, 64),
    "table 56x56x24": (56, 56, 24),
    "table 28x28x144": (28, 28, 144),
    "max pool 2x2 64 56x56": (28, 28, 64),
    "max pool 3x3 64 56x56": (28, 28, 64),
    "max pool 2x2 24 56x56": (28, 28, 24),
    "max pool 2x2 144 56x56": (28, 28, 144),
    "max pool 3x3 24 56x56": (28, 28, 24),
    "max pool 3x3 144 56x56": (28, 28, 144),
    "max pool 2x2 40 56x56": (28, 28, 40),
    "max pool 2x2 48 56x56": (28, 28, 48),
    "max pool 2x2 96 56x56": (28, 28, 96),
    "max pool 3x3 24 112x112": (56, 56, 24),
    "max pool 3x3 40 56x56": (28, 28, 40),
    "max pool 3x3 48 56x56": (28, 28, 48),
    "max pool 2x2 20 56x56": (28, 28, 20),
    "max pool 2x2 28 56x56": (28, 28, 28),
    "max pool 2x2 20 112x112": (56, 56, 20),
    "max pool 2x2 28 112x112": (56, 56, 28),
    "max pool 2x2 80 56x56": (28, 28, 80),
    "max pool 3x3 20 56x56": (28, 28, 20),
    "max pool 3x3 28 56x56": (28, 28, 28),
    "max pool 3x3 20 112x112": (56, 56, 20),
    "max pool 3x3 28 112x112": (56, 56, 28),
    "max pool 3x3 80 56x56": (28, 28, 80),
    "max pool 3x3 64 56x56, stride 1": (56, 56, 64),
    "max pool 5x5 256 20x20, stride 1": (20, 20, 256),
    "average pool 2x2 64 56x56": (28, 28, 64),
    "average pool 2x2 96 56x56": (28, 28, 96),
    "average pool 2x2 40 56x56": (28, 28, 40),
    "average pool 2x2 48 56x56": (28, 28, 48),
    "average pool 2x2 24 56x56": (28, 28, 24),
    "average pool 3x3 24 56x56, stride 1": (56, 56, 24),
    "average pool 3x3 64 56x56, stride 1": (56, 56, 64),
    "average pool 3x3 192 35x35, stride 1": (35, 35, 192),
    "average pool 3x3 768 17x17, stride 1": (17, 17, 768),
    "average pool 3x3 1280 8x8, stride 1": (8, 8, 1280),
    "average pool 2x2 64 56x56, float32": (28, 28, 64),
    "copy 64 of 128 channels 56x56": (56, 56, 64),
    "copy 24 of 48 channels 56x56": (56, 56, 24),
    "copy 32 of 64 channels 56x56": (56, 56, 32),
    "copy 96 of 192 channels 56x56": (56, 56, 96),
    "copy 144 of 288 channels 28x28": (28, 28, 144),
    "take 32 of 64 channels 56x56": (56, 56, 32),
    "take 24 of 48 channels 56x56": (56, 56, 24),
    "take 40 of 100 channels 56x56": (56, 56, 40),
    "take 58 of 116 channels 28x28": (28, 28, 58),
    "take 96 of 192 channels 56x56": (56, 56, 96),
    "take 3 of 6 channels 112x112": (112, 112, 3),
    "transpose 24x16x8 to channels first": (24, 16, 8),
    "transpose 56x56x64 to channels first": (56, 56, 64),
    "transpose 56x56x64 to channels last": (56, 56, 64),
    "transpose 28x28x144 to channels first": (28, 28, 144),
    "transpose 28x28x144 to channels last": (28, 28, 144),
    "transpose 7x7x960 to channels first": (7, 7, 960),
    "transpose 28x28x48 to channels first": (28, 28, 48),
    "transpose 28x28x80 to channels first": (28, 28, 80),
    "transpose 28x28x96 to channels last": (28, 28, 96),
    "transpose 56x56x24 to channels first": (56, 56, 24),
    "transpose 56x56x24 to channels last": (56, 56, 24),
    "transpose 224x224x3 to channels first": (224, 224, 3),
    "transpose 224x224x3 to channels last": (224, 224, 3),
    "max pool 2x2 12 56x56": (28, 28, 12),
    "max pool 2x2 112 56x56": (28, 28, 112),
    "max pool 3x3 12 56x56": (28, 28, 12),
    "max pool 3x3 112 56x56": (28, 28, 112),
    "max pool 5x5 256 20x20, stride 1, half of the channels": (20, 20, 256),
    "max pool 5x5 64 20x20, stride 1, half of the channels": (20, 20, 64),
    "average pool 7x7 1024": (1, 1, 1024),
    "average pool 7x7 1024, float32": (1, 1, 1024),
    "average pool 2x2 64 56x56, float32, a quarter ties": (28, 28, 64),
    "add 56x56x64, float32, half ties": (56, 56, 64),
    "multiply 56x56x64": (56, 56, 64),
    "multiply 56x56x64, a channel's by one": (56, 56, 64),
    "multiply 56x56x24, a channel's by one": (56, 56, 24),
    "subtract 56x56x64": (56, 56, 64),
    "divide 56x56x64, all by one": (56, 56, 64),
    "divide 56x56x64": (56, 56, 64),
    "divide 56x56x64, a channel's by one": (56, 56, 64),
    "multiply 56x56x64, a pixel's by one": (56, 56, 64),
    "multiply 56x56x3, a pixel's by one": (56, 56, 3),
    "multiply 7x7x960, a channel's by one": (7, 7, 960),
    "multiply 14x14x40, a channel's by one": (14, 14, 40),
    "multiply 56x56x64, a quarter ties": (56, 56, 64),
    "multiply 56x56x64, columns by rows": (56, 56, 64),
    "multiply 56x56x64, all by one": (56, 56, 64),
    "subtract 56x56x64, a channel's by one": (56, 56, 64),
    "maximum 56x56x64": (56, 56, 64),
    "maximum 56x56x64, a channel's by one": (56, 56, 64),
    "maximum 56x56x64, all by one": (56, 56, 64),
    "maximum 56x56x64, one scale": (56, 56, 64),
    "maximum 7x7x64": (7, 7, 64),
    "prelu 56x56x64": (56, 56, 64),
    "prelu 56x56x64, a channel's by one": (56, 56, 64),
    "prelu 56x56x24, a channel's by one": (56, 56, 24),
    "prelu 7x7x960, a channel's by one": (7, 7, 960),
    "prelu 7x7x64, a channel's by one": (7, 7, 64),
    "prelu 56x56x64, fixed point": (56, 56, 64),
    "squared difference 56x56x64": (56, 56, 64),
    "select 56x56x64": (56, 56, 64),
    "select 56x56x64, a pixel's condition": (56, 56, 64),
    "select 56x56x16, int32, a pixel's condition": (56, 56, 16, 4),
    "select 56x56x64, one of two elements": (56, 56, 64),
    "integers 56x56x16, int32, add": (56, 56, 16, 4),
    "integers 56x56x16, int32, multiply, a channel's by one": (56, 56, 16, 4),
    "integers 56x56x16, int64, add": (56, 56, 16, 8),
    "integers 56x56x16, int64, multiply": (56, 56, 16, 8),
    "integers 56x56x16, int32, divide": (56, 56, 16, 4),
    "integers 56x56x16, int64, divide": (56, 56, 16, 8),
    "integers 56x56x64, bool, and": (56, 56, 64),
    "compare 56x56x64": (56, 56, 64),
    "compare 56x56x64, all by one": (56, 56, 64),
    "compare 56x56x64, int32": (56, 56, 64),
    "compare 56x56x64, int64": (56, 56, 64),
    "compare 56x56x64, two scales": (56, 56, 64),
    "compare 56x56x64, equality of two scales": (56, 56, 64),
    "cumulate 56x56x64 down": (56, 56, 64),
    "cumulate 56x56x64 along": (56, 56, 64),
    "cumulate 56x56x16, int32, down": (56, 56, 16, 4),
    "cumulate 56x56x16, int32, along": (56, 56, 16, 4),
    "convert 56x56x16 from uint8 to int32": (56, 56, 16, 4),
    "convert 56x56x16 from int64 to int32": (56, 56, 16, 4),
    "convert 56x56x16 from int32 to int64": (56, 56, 16, 8),
    "convert 56x56x64 from int32 to bool": (56, 56, 64),
    "convert 56x56x64 from bool to uint8": (56, 56, 64),
    "requantize 1000": (1, 1, 1000),
    "transpose 20x20x255 to channels first": (20, 20, 255),
    "depthwise 3x3 64 56x56, weights with a zero point": (56, 56, 64),
    "depthwise 3x3 512 14x14, weights with a zero point": (14, 14, 512),
    "depthwise 3x3 32 112x112 stride 2, weights with a zero point": (56, 56, 32),
    "depthwise 3x3 96 112x112 stride 2, weights with a zero point": (56, 56, 96),
    "depthwise 7x7 64 56x56": (56, 56, 64),
    "depthwise 7x7 96 56x56": (56, 56, 96),
    "depthwise 7x7 384 14x14": (14, 14, 384),
    "depthwise 7x7 768 7x7": (7, 7, 768),
    "depthwise 7x7 64 56x56 stride 2": (28, 28, 64),
    "depthwise 9x9 64 56x56": (56, 56, 64),
    "depthwise 4x4 64 56x56": (55, 55, 64),
    "depthwise 2x2 64 56x56": (55, 55, 64),
    "depthwise 3x1 64 56x56": (56, 56, 64),
    "depthwise 1x3 64 56x56": (56, 56, 64),
    "depthwise 1x5 64 56x56": (56, 56, 64),
    "depthwise 1x7 64 56x56": (56, 56, 64),
    "depthwise 3x3 64 56x56 dilation 2": (56, 56, 64),
    "depthwise 3x3 256 14x14 dilation 2": (14, 14, 256),
    "depthwise 3x3 64 56x56 stride 2, dilation 2": (28, 28, 64),
    "depthwise 5x5 64 56x56 dilation 2": (56, 56, 64),
    "depthwise 3x3 32 56x56 to 64": (56, 56, 64),
    "depthwise 3x3 1 24x16 to 8": (12, 8, 8),
    "depthwise 3x3 3 224x224 stride 2": (112, 112, 3),
    "depthwise 7x7 64 56x56, weights with a zero point": (56, 56, 64),
    "average pool 2x2 64 56x56, away": (28, 28, 64),
    "average pool 3x3 64 56x56, stride 1, away": (56, 56, 64),
    "resize nearest 64 32x32 to 64": (64, 64, 64),
    "resize nearest 21 65x65 to 257": (257, 257, 21),
    "resize nearest 3 64x64 to 128": (128, 128, 3),
    "resize nearest 3 512x512 to 224": (224, 224, 3),
    "resize nearest 255 13x13 to 26": (26, 26, 255),
    "resize 64 32x32 to 64, half pixels": (64, 64, 64),
    "resize 64 32x32 to 64, aligned corners": (64, 64, 64),
    "resize 64 32x32 to 64, half pixels, whole numbers": (64, 64, 64),
    "resize 64 32x32 to 64, aligned corners, whole numbers": (64, 64, 64),
    "resize 64 32x32 to 64, aligned corners, other scale": (64, 64, 64),
    "resize 256 33x33 to 129, aligned corners": (129, 129, 256),
    "resize 21 65x65 to 400, aligned corners, whole numbers": (400, 400, 21),
    "resize 21 65x65 to 513, aligned corners, whole numbers": (513, 513, 21),
    "resize 3 256x256 to 512, half pixels": (512, 512, 3),
    "resize 3 640x640 to 224, half pixels": (224, 224, 3),
    "resize 1 64x64 to 320, aligned corners": (320, 320, 1),
    "resize 320 1x1 to 33, aligned corners": (33, 33, 320),
    "roi align 8 boxes of 56x56x256 to 7x7": (8 * 7, 7, 256),
    "roi align 8 boxes of 56x56x64 to 7x7": (8 * 7, 7, 64),
}

# Convolutions 1x1 with so many outputs each, of two numbers of inputs, in pixels of 28x28: what both take beside their products.
EPILOGUES = [24, 32, 64, 96, 144, 1000]
EPILOGUE_INPUTS = [128, 256]
EPILOGUE_PIXELS = 28 * 28
# Rows of the table of the best and the worst layer of each kind: the first pattern that a layer's name begins with. MACs a packet, or else packets for 128 bytes.
KINDS = {
    "convolutions 3x3 and 7x7 of few channels": (r"conv 3x3 (1|3|16)->|conv 7x7 3->", "MACs"),
    "convolutions 3x3": (r"conv 3x3 (?!.* and )", "MACs"),
    "layers of a single pixel, or row": (r"conv 1x1 .* 1x1$|fully connected 40->", "MACs"),
    "convolutions 1x1 of fewer than 64 channels": (r"conv 1x1 (16|24|32)->", "MACs"),
    "convolutions 1x1": (r"conv 1x1 (?!.* and )", "MACs"),
    "convolutions with a sum or a function fused": (r"conv .* and ", "MACs"),
    "fully connected": (r"fully connected ", "MACs"),
    "depthwise, other kernels, dilation or few channels": (r"depthwise (?!3x3|5x5)|depthwise .*( dilation | to )|depthwise 3x3 3 ", "packets"),
    "depthwise 3x3, stride 1": (r"depthwise 3x3 (?!.*stride 2)", "packets"),
    "depthwise 3x3, stride 2": (r"depthwise 3x3 ", "packets"),
    "depthwise 5x5, stride 1": (r"depthwise 5x5 (?!.*stride 2)", "packets"),
    "depthwise 5x5, stride 2": (r"depthwise 5x5 ", "packets"),
    "max pools 2x2, stride 2": (r"max pool 2x2 ", "packets"),
    "max pools 3x3, stride 2": (r"max pool 3x3 (?!.*stride 1)", "packets"),
    "max pools, stride 1": (r"max pool ", "packets"),
    "average pools": (r"average pool ", "packets"),
    "sums": (r"add ", "packets"),
    "products, differences and quotients": (r"multiply |subtract |divide ", "packets"),
    "maxima and PRelu": (r"maximum \d+x|prelu ", "packets"),
    "squared differences": (r"squared difference ", "packets"),
    "selections": (r"select ", "packets"),
    "integers and comparisons": (r"integers |compare ", "packets"),
    "casts": (r"convert ", "packets"),
    "cumulative sums": (r"cumulate ", "packets"),
    "functions by table": (r"table ", "packets"),
    "requantization": (r"requantize ", "packets"),
    "parts of channels copied or taken": (r"copy |take ", "packets"),
    "transpositions": (r"transpose ", "packets"),
    "resizing to the nearest pixels": (r"resize nearest ", "packets"),
    "bilinear resizing": (r"resize ", "packets"),
}
# What the operators of networks take beyond their MACs / 256.
LOSSES = {
    "convolutions, and the sums and functions fused with them": ["Conv2d", "FullyConnected", "Add", "LeakyRelu"],
    "depthwise convolutions": ["DepthwiseConv2d"],
    "concatenation, with requantization": ["Concat", "Requantize"],
    "pools and resizing": ["MaxPool", "AveragePool", "Resize"],
}


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def number(text):
    return int(text.replace(",", ""))


# ---- what is measured: for each name packets and, if it has any, what else there is to a row ----

def lines_of(program):
    """NAME: N packets[, X MACs a packet]"""
    figures = {}
    for line in run(f"{OUT}/tests/dsp/{program}").splitlines():
        match = re.fullmatch(r"(.*): (\d+) packets(?:, ([\d.]+) (MACs|bytes) a packet)?", line)
        if not match:
            sys.exit(f"{program}: {line}")
        figures[match[1]] = int(match[2]), [f"{match[3]} {match[4]}"] if match[3] else []
    return figures


def operators():
    """Packets of single operators, MACs or bytes in a packet, and packets for 128 bytes of output."""
    figures = lines_of("bench")
    for key in VECTORS:
        if key not in figures:
            sys.exit(f"{key} is not measured")
    for key, (packets, more) in figures.items():
        more.append(f"{packets * 128 / math.prod(VECTORS[key]):.1f}" if key in VECTORS else "")
    return figures


benches = {}


def path_of(name):
    """Where a network is."""
    if name in NETWORKS:
        return f"{OUT}/networks/{name}.onnx"
    if name in PUBLISHED:
        return f"{os.environ.get('NNLOOP_MODELS', '')}/{name}/model.tflite"
    return f"{OUT}/networks/typical/{name}.onnx"


def absent_networks():
    """Published ones that are not where NNLOOP_MODELS says."""
    return [name for name in PUBLISHED if not os.path.exists(path_of(name))]


def bench(name):
    """What nnloop bench says of a network in the emulator, once."""
    if name not in benches:
        benches[name] = json.loads(run(f"{OUT}/tests/dsp/nnloop-emulated", "bench", "--repeat", "1", "--json", path_of(name)))
    return benches[name]


def networks(names=None):
    """Packets of whole networks, over MACs / 256, how many nodes run in portable C, and what most packets are for."""
    figures = {}
    if names is None:
        absent = absent_networks()
        names = [name for name in [*NETWORKS, *TYPICAL, *PUBLISHED, *SMALL] if name not in absent]
    for name in names:
        found = bench(name)
        portable = sum(node["portable"] for node in found["nodes"])
        most = ", ".join(f"{kind['nodes']} {kind['op']} {100 * kind['share']:.0f} %" for kind in found["costliest"])
        figures[name] = found["packets"], [f"{found['packets'] / found['packets_at_best']:,.2f}", f"{portable} of {len(found['nodes'])}", most]
    return figures


def chain(name, count):
    """Packets from a pass's beginning to its end, with its operators divided among so many workers."""
    # What it says of the first run is all that is asked for; the emulator is its child.
    words = [f"{OUT}/tests/dsp/nnloop-emulated", "bench", "--repeat", "1", f"{OUT}/networks/{name}.onnx"]
    with subprocess.Popen(words, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
                          env={**os.environ, "NNLOOP_EMULATED_WORKERS": str(count)}) as found:
        line = found.stderr.readline()
        os.killpg(found.pid, signal.SIGKILL)
    match = re.match(rf"{count} workers: (\d+) packets", line)
    if not match:
        sys.exit(f"{' '.join(words)}: {line}")
    return int(match[1])


def chain_rows(names):
    """The name of each row, and whose it is."""
    return {f"{name}, {count} workers": (name, count) for name in names for count in SHARES}


def chains(names):
    return {row: (chain(name, count), []) for row, (name, count) in chain_rows(names).items()}


def workers():
    """Chains, and what they are of one worker's packets."""
    figures = chains(NETWORKS)
    for name in NETWORKS:
        one = chain(name, 1)
        for row in chain_rows([name]):
            packets, more = figures[row]
            more.append(f"{packets / one:.3f}")
    return figures


def loop_packets(path, *words):
    found = run(f"{OUT}/tests/dsp/nnloop-emulated", "bench", "--repeat", "1", "--json", "--rows", str(BATCH), *words, path)
    return json.loads(found)["packets"]


def loops():
    """Packets of a batch in steps, and with its arena how they compare with those of the whole batch in one pass."""
    figures = {}
    for name, path, steps in (("mobilenet_v2", f"{OUT}/networks/mobilenet_v2.onnx", (8,)), ("digits", "tests/models/digits.onnx", (8, 4))):
        whole = loop_packets(path)
        for step in steps:
            packets = loop_packets(path, "--step", str(step))
            plan = json.loads(run(f"{OUT}/nnloop", "plan", "--format", "json", "--rows", str(BATCH), "--step", str(step), path))
            figures[f"{name}, steps of {step}"] = packets, [f"{whole:,}", f"{100 * packets / whole - 100:+.2f} %",
                                                            f"1/{plan['arena_bytes_unlooped'] / plan['arena_bytes']:.0f}"]
    return figures


def has_memory():
    return not subprocess.run(["tests/dsp/with-memory", "--check"], stderr=subprocess.DEVNULL, check=False).returncode


def memory():
    """What single convolutions fetch, allocate and write back, and how often that is each byte once."""
    layers = list(Documents().rows("convolutions"))
    figures = {}
    for size in (512, 256):
        for line in run("tests/dsp/with-memory", f"{size}K", f"{OUT}/tests/dsp/bench", "conv").splitlines():
            match = re.fullmatch(r"(.*): \d+ packets, .*, (\d+) bytes fetched: ([\d.]+) of \d+, (\d+) allocated, (\d+) written back", line)
            if not match:
                sys.exit(f"bench: {line}")
            if match[1] in layers:
                figures[f"{match[1]}, {size} KiB"] = int(match[2]), [match[3], f"{int(match[4]):,}", f"{int(match[5]):,}"]
    return figures


def roofline():
    """
    What networks fetch and write back in a pass after another, and what they would take if each operator took its packets or the time of its bytes, whichever
    is more, over their packets: where so many bytes pass in a packet's time.
    """
    figures = {}
    for name in NETWORKS:
        found = json.loads(run("tests/dsp/with-memory", ROOFLINE_MEMORY, f"{OUT}/tests/dsp/nnloop-emulated", "bench", "--repeat", "1", "--json",
                               f"{OUT}/networks/{name}.onnx"))
        nodes = [(node["packets"], node["memory"]["fetched"] + node["memory"]["written_back"]) for node in found["nodes"]]
        fetched, written = (sum(node["memory"][what] for node in found["nodes"]) for what in ("fetched", "written_back"))
        ratios = [sum(max(packets, passed / roof) for packets, passed in nodes) / sum(packets for packets, _ in nodes) for roof in ROOFS]
        figures[name] = fetched, [f"{written:,}", *(f"{ratio:.2f}" for ratio in ratios)]
    return figures


# Bytes, not packets, and only where QEMU can model a memory.
MEMORIES = {"memory": memory, "roofline": roofline}
MEASURES = {"operators": operators, "passes": lambda: lines_of("bench-passes"), "networks": networks, "workers": workers,
            "loops": loops, **MEMORIES}


# ---- what is written ----

def cells(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


class Documents:
    """The text of both files, and the tables in them."""

    def __init__(self):
        self.texts = {}
        for path in (DOC, PACKETS):
            with open(path) as file:
                self.texts[path] = file.read()
        self.before = dict(self.texts)

    @staticmethod
    def home(name):
        return HOMES.get(name, DOC)

    def find(self, name):
        """Where a table's rows begin and end."""
        match = re.search(rf"<!-- figures: {name} -->\n(?:.*\n)*?\|[-:|]+\|\n((?:\|.*\n)*)<!-- end of figures -->", self.texts[self.home(name)])
        if not match:
            sys.exit(f"{self.home(name)} has no table {name}")
        return match.span(1)

    def rows(self, name):
        begin, end = self.find(name)
        rows = [cells(row) for row in self.texts[self.home(name)][begin:end].splitlines()]
        return {row[0]: row[1:] for row in rows}

    def columns(self, name):
        return len(cells(self.texts[self.home(name)][:self.find(name)[0]].splitlines()[-1]))

    def put(self, name, rows):
        """Puts rows, each a list of cells, in place of those that a table has."""
        begin, end = self.find(name)
        path = self.home(name)
        table = "".join("| " + " | ".join(row) + " |\n" for row in rows)
        self.texts[path] = self.texts[path][:begin] + table + self.texts[path][end:]

    def changed(self):
        return [path for path, text in self.texts.items() if text != self.before[path]]

    def save(self):
        for path in self.changed():
            with open(path, "w") as file:
                file.write(self.texts[path])


def compare(name, figures, documents, left=(), percent=1):
    """Sentences about what is worse by more than so much, and about what is otherwise not as it is written; but for names that are left out."""
    worse, other = [], []
    unit = "bytes" if name in MEMORIES else "packets"
    rows, path = documents.rows(name), documents.home(name)
    for key, (packets, _) in figures.items():
        if key not in rows:
            other.append(f"{path} has no {key}: {packets:,} {unit}")
            continue
        written = number(rows[key][0])
        line = f"{key}: {packets:,} {unit}, {written:,} in {path}"
        if packets * 100 > written * (100 + percent):
            worse.append(line)
        elif packets * 100 < written * 95:
            other.append(line)
    return worse, other + [f"{key} in {path} is not measured" for key in rows if key not in figures and key not in left]


def write_rows(documents, name, figures, left=()):
    """Packets and what is measured beside them; cells behind that stay, and so do rows that are left."""
    rows, columns = documents.rows(name), documents.columns(name)
    table = [[key, f"{packets:,}", *more, *rows.get(key, [""] * (columns - 1))[1 + len(more):]] for key, (packets, more) in figures.items()]
    for at, key in enumerate(rows):
        if key in left and key not in figures:
            table.insert(at, [key, *rows[key]])
    documents.put(name, table)


# ---- tables that are made of the table of operators ----

def macs(row):
    """MACs a packet of a row of the table of operators."""
    return float(row[1].split()[0])


def write_convolutions(documents):
    """The table that sets convolutions beside their limits has the same figures once more."""
    operators_rows = documents.rows("operators")
    rows = documents.rows("convolutions")
    for key in rows:
        if key not in operators_rows:
            sys.exit(f"{key} in {DOC} is not in {PACKETS}")
    documents.put("convolutions", [[key, f"{macs(operators_rows[key]):.0f}", *row[1:]] for key, row in rows.items()])


def write_epilogues(documents):
    """For each number of outputs, packets of 128 results that are the same however many products these have."""
    rows, table = documents.rows("operators"), []
    for outputs in EPILOGUES:
        few, many = (number(rows[f"conv 1x1 {inputs}->{outputs} 28x28"][0]) for inputs in EPILOGUE_INPUTS)
        rest = few - (many - few) * EPILOGUE_INPUTS[0] / (EPILOGUE_INPUTS[1] - EPILOGUE_INPUTS[0])
        table.append([f"{outputs:,}", f"{rest * 128 / (EPILOGUE_PIXELS * outputs):.1f}"])
    documents.put("epilogues", table)


def write_kinds(documents):
    """The best and the worst layer of each kind."""
    found = {kind: [] for kind in KINDS}
    for key, row in documents.rows("operators").items():
        for kind, (pattern, unit) in KINDS.items():
            if re.match(pattern, key):
                if unit == "MACs":
                    found[kind].append((macs(row), key))
                elif row[2]:
                    found[kind].append((float(row[2]), key))
                break
    table = []
    for kind, layers in found.items():
        unit = KINDS[kind][1]
        order = sorted(layers, key=lambda layer: layer[0], reverse=unit == "MACs")
        if not order:
            sys.exit(f"{PACKETS} has no {kind}")
        (best, best_key), (worst, worst_key) = order[0], order[-1]
        table.append([kind, "MACs a packet" if unit == "MACs" else "packets for 128 bytes", f"{best:,}", best_key, f"{worst:,}", worst_key])
    documents.put("kinds", table)


def write_grid(documents):
    """The best and the worst call of each opcode's grid, of those that are not small."""
    found = {}
    for (opcode, kind), (words, _, best, _, worst, best_call, worst_call) in grid.read_bounds().items():
        if words != grid.SMALL:
            found.setdefault((opcode, words), []).append((float(best), float(worst), kind, best_call, worst_call))
    table = []
    for (opcode, words), classes in found.items():
        best, worst = min(classes), max(classes, key=lambda entry: entry[1])
        alone = sum(other == opcode for other, _ in found) == 1
        table.append([f"`{opcode}`" + ("" if alone else f", {words}"), words, grid.text_of(best[0]), f"{best[2]}: {best[3]}", grid.text_of(worst[1]), f"{worst[2]}: {worst[4]}"])
    documents.put("grid", table)


DERIVED = {"convolutions": write_convolutions, "epilogues": write_epilogues, "kinds": write_kinds, "grid": write_grid}


# ---- tables of networks ----

def write_losses(documents):
    """Packets above MACs / 256, by what operators do, and what is around them."""
    table = []
    rest = {name: bench(name)["packets"] - bench(name)["macs"] / LIMIT for name in NETWORKS}
    for kind, operators in LOSSES.items():
        lost = {}
        for name in NETWORKS:
            nodes = [node for node in bench(name)["nodes"] if node["op"] in operators]
            lost[name] = sum(node["packets"] - node["macs"] / LIMIT for node in nodes)
            rest[name] -= lost[name]
        table.append([kind, *(f"{lost[name] / 1000:,.0f}" for name in NETWORKS)])
    table.append(["around operators", *(f"{rest[name] / 1000:,.0f}" for name in NETWORKS)])
    documents.put("losses", table)


def write_snpe(documents):
    """MobileNetV2's packets beside the microseconds that SNPE's log has for the same layers."""
    with open(f"{os.path.dirname(__file__)}/snpe_mobilenet_v2.txt") as file:
        layers = [line.split(None, 1) for line in file.read().splitlines() if not line.startswith("#")]
    nodes = bench("mobilenet_v2")["nodes"]
    if len(nodes) != len(layers):
        sys.exit(f"mobilenet_v2 has {len(nodes)} nodes, and SNPE's log {len(layers)} layers")
    groups = {}
    for node, (microseconds, group) in zip(nodes, layers):
        sums = groups.setdefault(group, [0, 0, 0])
        for i, amount in enumerate((node["macs"] / LIMIT, node["packets"], int(microseconds))):
            sums[i] += amount
    groups["all"] = [sum(group[i] for group in groups.values()) for i in range(3)]
    table = []
    for group, (ideal, packets, microseconds) in groups.items():
        share, share_of_time = (100 * part / whole for part, whole in zip((packets, microseconds), groups["all"][1:]))
        table.append([group, f"{ideal / 1000:,.0f}", f"{packets / 1000:,.0f}", f"{share:.1f} %", f"{microseconds:,}", f"{share_of_time:.1f} %",
                      f"{packets / microseconds:,.0f}"])
    documents.put("snpe", table)


# ---- pictures ----

FONT = 'font-family="sans-serif" font-size="12"'
COLOURS = {"Conv2d": "#3b6ea5", "DepthwiseConv2d": "#d98a29", "Add": "#6a9f58", "LeakyRelu": "#a25b95", "Concat": "#8a8a8a", "MaxPool": "#58a2a8"}


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def label(x, y, text, anchor="start", colour="#444"):
    return f'<text x="{x:.0f}" y="{y:.0f}" {FONT} text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>\n'


def bar(x, y, width, height, colour, title=""):
    title = f"<title>{escape(title)}</title>" if title else ""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}">{title}</rect>\n'


def save_picture(path, width, height, body):
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
                   f'<rect width="{width}" height="{height}" fill="#fff"/>\n{body}</svg>\n')


def draw_convolutions(documents):
    """MACs a packet of each layer that has them, against 256, with nnlib's where there are any."""
    rows = [(key, macs(row)) for key, row in documents.rows("operators").items() if row[1].endswith("MACs")]
    nnlib = {key: float(row[2]) for key, row in documents.rows("convolutions").items()}
    left, scale, line = 250, 2, 18
    bottom, body = 34 + line * len(rows), ""
    for i, (key, figure) in enumerate(rows):
        y = 30 + line * i
        colour = COLOURS["DepthwiseConv2d" if key.startswith("depthwise") else "Conv2d" if key.startswith("conv") else "Concat"]
        body += label(left - 8, y + 11, key, "end") + bar(left, y, figure * scale, line - 5, colour)
        body += label(left + 6, y + 11, f"{figure:.0f}", colour="#fff") if figure > 16 else label(left + figure * scale + 5, y + 11, f"{figure:.0f}")
        if key in nnlib:
            body += bar(left + nnlib[key] * scale - 1, y - 2, 3, line - 1, "#c0392b", f"nnlib: {nnlib[key]:.0f}")
    for mark in (0, 64, 128, 192, LIMIT):
        x = left + mark * scale
        body += f'<line x1="{x}" y1="24" x2="{x}" y2="{bottom}" stroke="{"#222" if mark == LIMIT else "#ddd"}"/>\n' + label(x, 18, str(mark), "middle")
    body += bar(left, bottom + 8, 3, 12, "#c0392b") + label(left + 9, bottom + 18, "nnlib's assembly; MACs a packet, of 256 that are possible")
    save_picture("docs/performance-layers.svg", left + LIMIT * scale + 60, bottom + 30, body)


def draw_network(name):
    """Each node's packets in the order in which they run, coloured by operator, and what MACs / 256 would be of them."""
    found = bench(name)
    nodes = found["nodes"]
    most = max(node["packets"] for node in nodes)
    step, height, left, top = 11, 260, 70, 50
    body, kinds = "", {}
    for i, node in enumerate(nodes):
        kinds[node["op"]] = kinds.get(node["op"], 0) + node["packets"]
        tall, ideal = (height * packets / most for packets in (node["packets"], node["macs"] / LIMIT))
        x = left + step * i
        title = f"{node['id']} {node['op']}: {node['packets']:,} packets, {node['macs']:,} MACs"
        body += bar(x, top + height - tall, step - 2, tall, COLOURS.get(node["op"], "#555"), title)
        body += bar(x, top + height - ideal, step - 2, ideal, "#0003")
    x = left
    for op, packets in sorted(kinds.items(), key=lambda kind: -kind[1]):
        words = f"{op} {100 * packets / found['packets']:.1f}%"
        body += bar(x, 12, 12, 12, COLOURS.get(op, "#555")) + label(x + 17, 22, words)
        x += 40 + 7 * len(words)
    for part in (0, 0.5, 1):
        body += label(left - 8, top + height * (1 - part) + 4, f"{most * part / 1000:,.0f} k", "end")
    body += label(left, top + height + 20, f"{name}: packets of each operator, in order; the darker part of a bar is its MACs / {LIMIT}")
    save_picture(f"docs/performance-{name}.svg", max(left + step * len(nodes), x) + 20, top + height + 35, body)


# ---- commands ----

def check_tables():
    """Whether tables that are made of others are what these have."""
    documents = Documents()
    for name, write_table in DERIVED.items():
        was = documents.rows(name)
        write_table(documents)
        now = documents.rows(name)
        for key in {**was, **now}:
            if was.get(key) != now.get(key):
                written, made = (" | ".join(rows[key]) if key in rows else "no such row" for rows in (was, now))
                print(f"{DOC}, table {name}, {key}: {written}; {grid.BOUNDS if name == 'grid' else PACKETS} makes it {made}")
    return 1 if documents.changed() else 0


def check(names):
    documents = Documents()
    bad = 0
    # What takes longest, and has no operator that the others have not, is left to `make test-all` and `make bench`.
    out = [] if os.environ.get("NNLOOP_TEST_ALL") else ["resnet50"]
    measured = [network for network in NETWORKS if network not in out]
    for name in names:
        if name == "workers":
            figures, left = chains(measured), chain_rows(out)
        elif name == "networks":
            rest = [network for network in [*TYPICAL, *PUBLISHED, *SMALL] if not os.environ.get("NNLOOP_TEST_ALL") or not os.path.exists(path_of(network))]
            figures, left = networks([network for network in [*measured, *TYPICAL, *PUBLISHED, *SMALL] if network not in rest]), [*out, *rest]
        else:
            figures, left = MEASURES[name](), ()
        worse, other = compare(name, figures, documents, left)
        print("\n".join(worse + other))
        bad += len(worse) + len(other)
    return 1 if bad else 0


def write(accept_worse):
    documents = Documents()
    found = {name: measure() for name, measure in MEASURES.items() if name not in MEMORIES or has_memory()}
    all_worse = []
    left = absent_networks()
    for name in left:
        print(f"{name} is not in NNLOOP_MODELS={os.environ.get('NNLOOP_MODELS', '')}: its row stays as it is")
    for name, figures in found.items():
        # Nothing creeps up by less than one percent each time. Bytes do vary: those of the stack depend on where it is.
        worse, other = compare(name, figures, documents, left, percent=1 if name in MEMORIES else 0)
        for key, (packets, more) in figures.items():
            print(f"{key}: {packets:,} {'bytes' if name in MEMORIES else 'packets'}" + "".join(f", {cell}" for cell in more if cell))
        print("".join(f"worse: {line}\n" for line in worse) + "".join(f"otherwise: {line}\n" for line in other), end="")
        all_worse += worse
    if all_worse and not accept_worse:
        print(f"{len(all_worse)} figure(s) got worse: nothing was written. `make bench WORSE=1` writes them, for a commit that says why.")
        return 1
    if grid.write(accept_worse):
        return 1
    for name, figures in found.items():
        write_rows(documents, name, figures, left)
    for write_table in (*DERIVED.values(), write_losses, write_snpe):
        write_table(documents)
    draw_convolutions(documents)
    for name in NETWORKS:
        draw_network(name)
    if documents.changed():
        with open("/proc/cpuinfo") as file:
            machine = re.search(r"model name\s*: (.*)", file.read())
        made = f"{run(os.environ.get('HEXAGON_CC', 'clang'), '--version').splitlines()[0]}, " \
            f"{run('qemu-hexagon', '--version').splitlines()[0]}, on {os.cpu_count()} processors, {machine[1] if machine else platform.machine()}"
        documents.texts[PACKETS] = re.sub(r"(<!-- figures: made -->\n).*\n", lambda match: f"{match[1]}Written with {made}.\n", documents.texts[PACKETS])
        documents.save()
    print(f"{PACKETS} and {DOC} are as measured")
    return 0


def write_tables(names):
    documents = Documents()
    for name in names:
        DERIVED[name](documents)
    documents.save()
    return 0


def main(words):
    if words[:1] == ["write"] and words[1:] in ([], ["worse"]):
        return write(bool(words[1:]))
    if words == ["check", "tables"]:
        return check_tables()
    if words in (["write", "tables"], ["write", "grid"]):
        return write_tables(DERIVED if words[1] == "tables" else ["grid"])
    if words[:1] == ["check"] and words[1:] and set(words[1:]) <= set(MEASURES):
        return check(words[1:])
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
