#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How long nnloop quantize takes, beside as many runs of the float model in ONNX Runtime: `make quantize-speed`.

usage: speed.py [--nnloop COMMAND] [--count N] [--size PIXELS] [--threads N] [--options WORDS]

The model is a MobileNetV2 with random weights, as its paper has it, with as many examples of random pictures; both get that many threads.
Prints the seconds of each and their ratio, those of processors too, as others may want these meanwhile, the greatest memory that nnloop had, and how much of it the float model and one
example's tensors would be three times and once.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

# Expansion, channels, blocks, stride of the first one.
STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


# Runs a command, and prints the greatest memory that it had: a process that began as a large one counts that, too.
RUN = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)"""


class Network:
    def __init__(self):
        self.random, self.nodes, self.constants = numpy.random.default_rng(1), [], []
        self.elements = 0  # of all that is computed

    def constant(self, values):
        self.constants.append(numpy_helper.from_array(numpy.asarray(values, numpy.float32), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def node(self, op, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [f"t{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def conv(self, x, inputs, outputs, size, kernel=1, stride=1, group=1, clamp=True):
        weights = self.random.standard_normal((outputs, inputs // group, kernel, kernel)) * (2 / (inputs // group * kernel**2)) ** 0.5
        x = self.node("Conv", x, self.constant(weights), self.constant(self.random.standard_normal(outputs) * 0.1), group=group,
                      strides=[stride] * 2, pads=[kernel // 2] * 4)
        self.elements += outputs * (size // stride) ** 2 * (1 + clamp)
        return self.node("Clip", x, "zero", "six") if clamp else x


def mobilenet_v2(size):
    n = Network()
    n.constants += [numpy_helper.from_array(numpy.float32(value), name) for name, value in (("zero", 0), ("six", 6))]
    x, channels, pixels = n.conv("image", 3, 32, size, 3, 2), 32, size // 2
    for expansion, outputs, blocks, first in STAGES:
        for i in range(blocks):
            stride, wide, y = first if not i else 1, channels * expansion, x
            if expansion > 1:
                y = n.conv(y, channels, wide, pixels)
            y = n.conv(y, wide, wide, pixels, 3, stride, wide)
            pixels //= stride
            y = n.conv(y, wide, outputs, pixels, clamp=False)
            x = n.node("Add", x, y) if stride == 1 and channels == outputs else y
            channels = outputs
    x = n.node("Flatten", n.node("GlobalAveragePool", n.conv(x, channels, 1280, pixels)))
    n.nodes.append(helper.make_node("Gemm", [x, n.constant(n.random.standard_normal((1000, 1280)) * 0.03), n.constant(numpy.zeros(1000))], ["classes"], transB=1))
    graph = helper.make_graph(n.nodes, "g", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, size, size])],
                              [helper.make_tensor_value_info("classes", TensorProto.FLOAT, [1, 1000])], n.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7), 4 * n.elements


def processor(whose):
    """Seconds of all processors."""
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nnloop", default="build/nnloop")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--options", default="", help="of nnloop quantize")
    args = parser.parse_args()
    model, tensors = mobilenet_v2(args.size)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        onnx.save(model, folder / "float.onnx")
        examples = numpy.random.default_rng(2).standard_normal((args.count, 3, args.size, args.size)).astype(numpy.float32)
        for i, example in enumerate(examples):
            numpy.save(folder / f"{i:04}.npy", example[None])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = args.threads
        session = onnxruntime.InferenceSession(str(folder / "float.onnx"), options, providers=["CPUExecutionProvider"])
        session.run(None, {"image": examples[:1]})
        begin, used = time.monotonic(), processor(resource.RUSAGE_SELF)
        for example in examples:
            session.run(None, {"image": example[None]})
        theirs, their_work = time.monotonic() - begin, processor(resource.RUSAGE_SELF) - used
        begin = time.monotonic()
        most = int(subprocess.run([sys.executable, "-c", RUN, args.nnloop, "quantize", folder / "float.onnx", "--examples", *sorted(folder.glob("*.npy")), "-o",
                                   folder / "made.onnx", "--device", f"host:{args.threads}", *args.options.split()], check=True, stdout=subprocess.PIPE).stdout)
        ours = time.monotonic() - begin
        weights = os.path.getsize(folder / "float.onnx")
    print(f"{args.count} runs of ONNX Runtime: {theirs:.1f} s; nnloop quantize: {ours:.1f} s, {ours / theirs:.2f} times as long")
    work = processor(resource.RUSAGE_CHILDREN)
    print(f"of processors: {their_work:.1f} s and {work:.1f} s, {work / their_work:.2f} times as long")
    print(f"memory of nnloop: {most / 1e6:.0f} MB; three times the model and an example's tensors: {(3 * weights + tensors) / 1e6:.0f} MB")


main()
