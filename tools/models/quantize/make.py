#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Small float models for tests/e2e/quantize, with what ONNX Runtime makes of the files that nnloop quantizes.

usage: tools/models/quantize/make.py [FOLDER]    tests/models/quantize without it

Needs the packages of tools/models/requirements.txt (make quantize-models). Of each NAME it writes

    NAME.onnx        the float model; or NAME.tflite
    NAME.npy         its examples
    NAME.bytes.npy   those of which the examples were made, if the quantized model takes bytes
    NAME.words       the options of nnloop quantize
    NAME.sha256      of the file that nnloop quantize made when this was written
    NAME.golden.npy  what ONNX Runtime makes of that file, of all examples one after the other
    NAME.sqnr        how that differs from what it, or LiteRT, makes of the float model, in dB, without the second digit
"""
import hashlib
import pathlib
import subprocess
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])  # where other folders are, too

# pylint: disable=wrong-import-position
import tflite.model
from edges.controlled_tflite import Graph
from reader import loops
from tflite.model import NONE, RELU, RELU6, SAME, VALID

NNLOOP = "build/nnloop"
COUNT = 12


class Model:
    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.constants, self.count = [], [], 0

    def constant(self, values):
        self.count += 1
        name = f"c{self.count}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(values), name))
        return name

    def weights(self, *shape, scale=None):
        scale = scale or (2 / numpy.prod(shape[1:])) ** 0.5
        return self.constant((self.random.standard_normal(shape) * scale).astype(numpy.float32))

    def node(self, op, *inputs, outputs=1, **attributes):
        self.count += 1
        names = [f"{op.lower()}{self.count}" + (f"_{i}" if outputs > 1 else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"the_{names[0]}", **attributes))
        return names[0] if outputs == 1 else names

    def finish(self, inputs, outputs, opset, functions=()):
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, self.constants)
        imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(f.domain, 1) for f in functions)]
        model = helper.make_model(graph, opset_imports=imports, functions=functions, producer_name="make.py")
        model.ir_version = 10 if opset > 20 else 8 if functions else 7
        onnx.checker.check_model(model)
        return model


def info(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def classifier():
    """A convolutional network of opset 11: BatchNormalization, hard swish, a residual sum, a softmax."""
    m = Model(1)

    def normalize(x, channels):
        return m.node("BatchNormalization", x, m.constant(m.random.uniform(0.5, 2, channels).astype(numpy.float32)),
                      m.weights(channels, scale=0.3), m.weights(channels, scale=0.2),
                      m.constant(m.random.uniform(0.3, 2, channels).astype(numpy.float32)))

    x = m.node("Relu", normalize(m.node("Conv", "in", m.weights(8, 3, 3, 3), pads=[1, 1, 1, 1], strides=[2, 2]), 8))
    y = normalize(m.node("Conv", x, m.weights(8, 1, 3, 3), pads=[1, 1, 1, 1], group=8), 8)
    three, six = m.constant(numpy.float32(3)), m.constant(numpy.float32(6))
    clipped = m.node("Clip", m.node("Add", y, three), m.constant(numpy.float32(0)), six)
    y = m.node("Div", m.node("Mul", y, clipped), six)
    y = m.node("Conv", y, m.weights(8, 8, 1, 1), m.weights(8, scale=0.1))
    x = m.node("Relu", m.node("Add", x, y))
    x = m.node("Concat", m.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]),
               m.node("Conv", x, m.weights(8, 8, 3, 3), pads=[1, 1, 1, 1], strides=[2, 2]), axis=1)
    x = m.node("Flatten", m.node("GlobalAveragePool", x), axis=1)
    x = m.node("Gemm", x, m.weights(5, 16), m.weights(5, scale=0.1), transB=1)
    m.nodes.append(helper.make_node("Softmax", [x], ["out"], axis=1))
    model = m.finish([info("in", "N", 3, 12, 12)], [info("out", "N", 5)], 11)
    return model, m.random.standard_normal((COUNT, 3, 12, 12)), "--method min-max --all"


def lines():
    """A mixer of matrices, with int8 activations, an operand of several elements, and two outputs."""
    m = Model(2)
    x = m.node("Add", "in", m.weights(6, 8, scale=0.5))
    y = m.node("Transpose", x, perm=[0, 2, 1])
    y = m.node("LeakyRelu", m.node("MatMul", y, m.weights(6, 10)), alpha=0.1)
    y = m.node("Transpose", m.node("MatMul", y, m.weights(10, 6)), perm=[0, 2, 1])
    x = m.node("Sub", x, m.node("Mul", y, m.node("Sigmoid", y)))
    a, b = m.node("Split", x, m.constant(numpy.array([4, 4], numpy.int64)), outputs=2, axis=2)
    x = m.node("Mul", m.node("Tanh", a), b)
    m.nodes.append(helper.make_node("ReduceMean", [x], ["mean"], axes=[1], keepdims=0))
    m.nodes.append(helper.make_node("Reshape", [x, m.constant(numpy.array([-1, 24], numpy.int64))], ["out"]))
    model = m.finish([info("in", 1, 6, 8)], [info("out", 1, 24), info("mean", 1, 4)], 13)
    return model, m.random.standard_normal((COUNT, 6, 8)), "--activations int8 --method squared-error --all"


def normalized():
    """A model of words: normalizations step by step, a convolution without a bias, a sigmoid at the end; of opset 13."""
    m = Model(3)

    def normalize(x, length):
        centered = m.node("Sub", x, m.node("ReduceMean", x, axes=[-1]))
        variance = m.node("ReduceMean", m.node("Pow", centered, m.constant(numpy.float32(2))), axes=[-1])
        x = m.node("Div", centered, m.node("Sqrt", m.node("Add", variance, m.constant(numpy.float32(1e-5)))))
        x = m.node("Mul", x, m.constant(m.random.uniform(0.5, 2, length).astype(numpy.float32)))
        return m.node("Add", x, m.weights(length, scale=0.3))

    x = m.node("Relu", m.node("Conv", "in", m.weights(6, 4, 3), pads=[1, 1]))
    x = m.node("Gemm", m.node("Flatten", x), m.weights(16, 60), m.weights(16, scale=0.2), transB=1)
    x = m.node("Relu", normalize(x, 16))
    x = m.node("Relu", normalize(m.node("Gemm", x, m.weights(16, 12), m.weights(12, scale=0.2)), 12))
    m.nodes.append(helper.make_node("Sigmoid", [m.node("Gemm", x, m.weights(12, 2, scale=0.5))], ["out"], name="the_sigmoid"))
    model = m.finish([info("in", 1, 4, 10)], [info("out", 1, 2)], 13)
    return model, m.random.standard_normal((COUNT, 4, 10)) + 0.5, "--method min-max --all"


def bounded():
    """Decibels that are clipped some way below the greatest one: what reads that bound has no form that reads integers."""
    m = Model(4)
    x = m.node("Sub", m.node("MatMul", "in", m.weights(6, 10)), m.constant(numpy.float32(0.5)))
    bound = m.node("Sub", m.node("ReduceMax", x, keepdims=0), m.constant(numpy.float32(1.5)))
    bound = m.node("Cast", bound, to=TensorProto.FLOAT)
    m.nodes.append(helper.make_node("Clip", [x, bound, m.constant(numpy.float32(100))], ["out"], name="the_clip"))
    model = m.finish([info("in", 1, 4, 6)], [info("out", 1, 4, 10)], 13)
    return model, m.random.standard_normal((COUNT, 4, 6)), "--method min-max --all"


def branches():
    """Two branches by a rate that somebody knows, and in one of them two others; constants in them, and what they read from outside."""
    m = Model(6)
    x = m.node("Relu", m.node("Conv", "in", m.weights(6, 4, 3), pads=[1, 1]))

    def branch(name, outputs, build):
        before, m.nodes, constants, m.constants = m.nodes, [], m.constants, []
        made = build()
        made = [made] if isinstance(made, str) else made
        graph = helper.make_graph(m.nodes, name, [], [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in made], m.constants)
        m.nodes, m.constants = before, constants
        assert len(made) == outputs
        return graph

    def inner():
        y = m.node("Conv", x, m.weights(6, 6, 3), m.weights(6, scale=0.2), pads=[1, 1])
        z = m.node("If", m.node("Not", condition), then_branch=branch("never", 1, lambda: m.node("Neg", y)),
                   else_branch=branch("always", 1, lambda: m.node("Relu", y)))
        return m.node("Conv", z, m.weights(3, 6, 1)), m.node("Sigmoid", z)

    condition = m.node("Equal", "rate", m.constant(numpy.int64(16000)))
    first, second = m.node("If", condition, outputs=2, then_branch=branch("fast", 2, inner),
                           else_branch=branch("slow", 2, lambda: (m.node("Neg", x), m.node("Abs", x))))
    m.nodes.append(helper.make_node("Gemm", [m.node("Flatten", first), m.weights(5, 30), m.weights(5, scale=0.1)], ["out"], transB=1))
    m.nodes.append(helper.make_node("ReduceMean", [second], ["mean"], axes=[2], keepdims=0))
    model = m.finish([info("in", 1, 4, 10), helper.make_tensor_value_info("rate", TensorProto.INT64, [])],
                     [info("out", 1, 5), info("mean", 1, 6)], 13)
    return model, m.random.standard_normal((COUNT, 4, 10)), "--method min-max --set rate=16000 --all"


def uneven():
    """Some examples are far greater than the others, which need 16 bits; and weights of one input far greater, which need floats; of opset 13."""
    m = Model(7)
    first, second = m.random.standard_normal((8, 12)) * 0.3, m.random.standard_normal((12, 10)) * 0.4
    first[:, 0] /= 300
    second[0] *= 600
    first, second = m.constant(first.astype(numpy.float32)), m.constant(second.astype(numpy.float32))
    x = m.node("Tanh", m.node("Gemm", "in", first, m.weights(12, scale=0.001)))
    x = m.node("Relu", m.node("Gemm", x, second, m.weights(10, scale=0.2)))
    x = m.node("Concat", x, m.node("Mul", x, m.weights(10, scale=0.5)), axis=1)
    m.nodes.append(helper.make_node("Gemm", [x, m.weights(6, 20), m.weights(6, scale=0.1)], ["out"], transB=1, name="the_last"))
    examples = m.random.standard_normal((COUNT, 8))
    examples[::6] *= 100
    return m.finish([info("in", "N", 8)], [info("out", "N", 6)], 13), examples, "--method min-max"


def wide():
    """Nodes that are to have 16 bits between others of int8, what is only moved there among them; of opset 21."""
    m = Model(8)
    x = m.node("Relu", m.node("Conv", "in", m.weights(6, 3, 3, 3), m.weights(6, scale=0.1), pads=[1, 1, 1, 1]))
    y = m.node("MaxPool", m.node("Conv", x, m.weights(6, 6, 1, 1)), kernel_shape=[2, 2], strides=[2, 2])
    x = m.node("Concat", y, m.node("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2]), axis=1)
    x = m.node("Mul", x, m.node("Sigmoid", x))
    x = m.node("Sub", m.node("Transpose", x, perm=[0, 2, 3, 1]), m.weights(12, scale=0.2))
    m.nodes.append(helper.make_node("ReduceMean", [x, m.constant(numpy.array([1, 2]))], ["out"], keepdims=0, name="the_mean"))
    model = m.finish([info("in", 1, 3, 8, 8)], [info("out", 1, 12)], 21)
    convs = [n.name for n in m.nodes if n.op_type == "Conv"]
    wanted = [convs[1], *(n.name for n in m.nodes if n.op_type in ("Sigmoid", "Sub"))]
    words = "--activations int8 --method min-max --all " + " ".join(f"--int16 {name}" for name in wanted)
    return model, m.random.standard_normal((COUNT, 3, 8, 8)), words


def channels():
    """Products between which channels are of many sizes, of images and of lines, with what passes on factors of them in between."""
    m = Model(9)

    def uneven_pair(first, second, axis):
        factors = 2.0 ** m.random.uniform(-5, 5, first.shape[0])
        shape = [-1 if i == axis else 1 for i in range(second.ndim)]
        first = first * factors.reshape([-1] + [1] * (first.ndim - 1))
        return m.constant(first.astype(numpy.float32)), m.constant((second / factors.reshape(shape)).astype(numpy.float32)), factors

    def normal(*shape):
        return m.random.standard_normal(shape) * (2 / numpy.prod(shape[1:])) ** 0.5

    a, b, factors = uneven_pair(normal(8, 3, 3, 3), normal(8, 1, 3, 3), 0)
    x = m.node("Conv", "in", a, m.constant((m.random.standard_normal(8) * 0.1 * factors).astype(numpy.float32)), pads=[1, 1, 1, 1])
    x = m.node("MaxPool", m.node("PRelu", x, m.constant(m.random.uniform(0.1, 0.4, (8, 1, 1)).astype(numpy.float32))), kernel_shape=[2, 2], strides=[2, 2])
    x = m.node("Relu", m.node("Conv", x, b, pads=[1, 1, 1, 1], group=8))
    a, b, _ = uneven_pair(normal(10, 8, 1, 1), normal(6, 10, 1, 1), 1)
    x = m.node("Conv", m.node("Conv", x, a), b, m.weights(6, scale=0.1))
    x = m.node("Flatten", m.node("GlobalAveragePool", m.node("Sigmoid", x)))
    a, b, factors = uneven_pair(normal(12, 6), normal(5, 12), 1)
    x = m.node("Relu", m.node("Gemm", x, a, m.constant((m.random.standard_normal(12) * 0.1 * factors).astype(numpy.float32)), transB=1))
    m.nodes.append(helper.make_node("Gemm", [x, b, m.weights(5, scale=0.1)], ["out"], transB=1, name="the_last"))
    model = m.finish([info("in", "N", 3, 8, 8)], [info("out", "N", 5)], 13)
    return model, m.random.standard_normal((COUNT, 3, 8, 8)), "--all"


def looped():
    """A loop of org.nnloop's, in front of which there are two other layers, and one node of 16 bits."""
    m = Model(10)
    x = m.node("Relu", m.node("Conv", "in", m.weights(4, 3, 3, 3), m.weights(4, scale=0.1), pads=[1, 1, 1, 1]))
    x = m.node("BatchLoop", x, domain=loops.DOMAIN, step=4)
    x = m.node("Relu", m.node("Conv", x, m.weights(6, 4, 3, 3), pads=[1, 1, 1, 1]))
    x = m.node("Flatten", m.node("GlobalAveragePool", x))
    m.nodes.append(helper.make_node("Gemm", [x, m.weights(5, 6), m.weights(5, scale=0.1)], ["out"], transB=1, name="the_last"))
    model = m.finish([info("in", "N", 3, 8, 8)], [info("out", "N", 5)], loops.OPSET, [loops.batch_loop_function()])
    return model, m.random.standard_normal((COUNT, 3, 8, 8)), "--method min-max --all --int16 the_last"


def image():
    """A TensorFlow Lite model: what it is in ONNX has the channels of images second."""
    tflite.model.rng = m_random = numpy.random.default_rng(5)
    m = Graph()
    m.inputs.append(m.tensor([1, 12, 12, 3], "float32", name="in"))

    def layer(op, x, shape, made, *options, inputs):
        return m.make(op, [x, m.floats(*shape, low=-1.5 / inputs ** 0.5, high=1.5 / inputs ** 0.5), m.floats(made[-1])], *options, shape=made, version=2)

    x = layer("CONV_2D", m.inputs[0], (8, 3, 3, 3), [1, 6, 6, 8], SAME, 2, 2, RELU6, 1, 1, inputs=27)
    y = layer("DEPTHWISE_CONV_2D", x, (1, 3, 3, 8), [1, 6, 6, 8], SAME, 1, 1, 1, NONE, 1, 1, inputs=9)
    y = m.make("HARD_SWISH", [y], shape=[1, 6, 6, 8])
    x = m.make("ADD", [x, layer("CONV_2D", y, (8, 1, 1, 8), [1, 6, 6, 8], VALID, 1, 1, NONE, 1, 1, inputs=8)], NONE, shape=[1, 6, 6, 8])
    y = m.make("PAD", [x, m.tensor([4, 2], "int32", data=numpy.array([[0, 0], [0, 1], [0, 1], [0, 0]], numpy.int32))], shape=[1, 7, 7, 8])
    y = layer("CONV_2D", y, (12, 3, 3, 8), [1, 3, 3, 12], VALID, 2, 2, RELU, 1, 1, inputs=72)
    y = m.make("RESIZE_BILINEAR", [y, m.ints([6, 6])], None, None, 0, 1, shape=[1, 6, 6, 12], version=3)
    x = m.make("CONCATENATION", [x, y], 3, NONE, shape=[1, 6, 6, 20])
    x = m.make("MEAN", [x, m.ints([1, 2])], 0, shape=[1, 20])
    x = m.make("FULLY_CONNECTED", [x, m.floats(4, 20, low=-0.6, high=0.6), m.floats(4)], NONE, 0, 0, 0, 0, shape=[1, 4], version=5)
    y = m.make("LOGISTIC", [x], shape=[1, 4])
    m.tensors[y][3] = tflite.model.fb.string("out")
    pixels = m_random.integers(0, 256, (COUNT, 12, 12, 3)).astype(numpy.uint8)
    examples = (pixels / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    return m.encode([y]), examples, "--method min-max --uint8-input --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 --all", pixels


def run_lite(path, examples):
    """The same of a TensorFlow Lite model in its own runtime."""
    from ai_edge_litert.interpreter import Interpreter  # pylint: disable=import-outside-toplevel

    interpreter, made = Interpreter(model_path=path, num_threads=1), []
    interpreter.allocate_tensors()
    for x in examples:
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x[None])
        interpreter.invoke()
        made.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))
    return numpy.concatenate(made)


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Each operator by itself, in float: what the file says, whatever the processor.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(path, examples):
    """The first output of each example."""
    of = session(path)
    known = {"rate": numpy.array(16000)} if len(of.get_inputs()) > 1 else {}
    return numpy.concatenate([of.run(None, {"in": x[None]} | known)[0] for x in examples])


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/models/quantize")
    folder.mkdir(parents=True, exist_ok=True)
    for make in (classifier, lines, normalized, bounded, branches, image, uneven, wide, channels, looped):
        model, examples, words, *pixels = make()
        examples = examples.astype(numpy.float32)
        path = folder / make.__name__
        source = path.with_suffix(".tflite" if isinstance(model, bytes) else ".onnx")
        source.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        numpy.save(path.with_suffix(".npy"), examples)
        path.with_suffix(".words").write_text(words + "\n")
        quantized = folder / "quantized.onnx"
        subprocess.run([NNLOOP, "quantize", "-q", source, "--examples", f"{path}.npy", "-o", quantized,
                        *words.split()], check=True)
        onnx.checker.check_model(str(quantized), full_check=True)
        path.with_suffix(".sha256").write_text(hashlib.sha256(quantized.read_bytes()).hexdigest() + "\n")
        wanted = run_lite(str(source), examples) if isinstance(model, bytes) else run(source, examples)
        golden = run(quantized, pixels[0] if pixels else examples)
        if pixels:
            numpy.save(path.with_suffix(".bytes.npy"), pixels[0])
        numpy.save(path.with_suffix(".golden.npy"), golden)
        error = numpy.sum((wanted.astype(numpy.float64) - golden) ** 2)
        sqnr = 10 * numpy.log10(numpy.sum(wanted.astype(numpy.float64) ** 2) / error)
        path.with_suffix(".sqnr").write_text(f"{sqnr:.2f}"[:-1] + "\n")
        print(f"{make.__name__}: {sqnr:.2f} dB")
        quantized.unlink()


main()
