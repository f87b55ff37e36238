# SPDX-License-Identifier: MIT
"""Keras's models with random weights, converted by the very lines of docs/models.md, run by nnloop and judged by LiteRT.

usage: from_keras.py [--work DIR] NNLOOP [MODEL...]

Each item is a run of LiteRT. A result is right if it has LiteRT's bytes. Exit status: 1 if any has not, or is refused.
"""
import argparse
import contextlib
import logging
import os
import subprocess
import sys
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import keras
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter
from keras import layers

import page

SECTION = "From Keras"
WAYS = {"8 bits": "TFLITE_BUILTINS_INT8", "16 bits": "ACTIVATIONS_INT16", "ai-edge-quantizer": "ai_edge_quantizer"}
NOT_MADE = [("transformer", "16 bits")]
ITEMS, EXAMPLES = 3, 6


def convolve(x, filters, size=3, **options):
	x = layers.Conv2D(filters, size, padding="same", use_bias=False, **options)(x)
	return layers.ReLU()(layers.BatchNormalization()(x))


def resnet(x):
	x = convolve(x, 8)
	for filters in (8, 16, 32):
		strides = 1 if filters == x.shape[-1] else 2
		y = layers.Conv2D(filters, 3, padding="same")(convolve(x, filters, strides=strides))
		x = x if strides == 1 else layers.Conv2D(filters, 1, strides=strides)(x)
		x = layers.ReLU()(layers.Add()([x, layers.BatchNormalization()(y)]))
	return layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x))


def mobilenet(x):
	x = convolve(x, 8, strides=2)
	for filters in (8, 16):
		y = layers.DepthwiseConv2D(3, padding="same")(convolve(x, 4 * filters, 1))
		y = layers.Activation("swish")(layers.BatchNormalization()(y))
		scale = layers.Conv2D(filters, 1, activation="relu")(layers.GlobalAveragePooling2D(keepdims=True)(y))
		y = layers.Multiply()([y, layers.Conv2D(4 * filters, 1, activation="sigmoid")(scale)])
		x = layers.Conv2D(filters, 1)(y)
	return layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x))


def u_net(x):
	top = convolve(x, 8)
	middle = convolve(layers.MaxPooling2D()(top), 16)
	x = layers.Conv2DTranspose(16, 2, strides=2, padding="same")(convolve(layers.MaxPooling2D()(middle), 24))
	x = convolve(layers.Concatenate()([x, middle]), 16)
	x = convolve(layers.Concatenate()([layers.UpSampling2D()(x), top]), 8)
	return layers.Conv2D(1, 1, activation="sigmoid")(x)


def keyword(x):
	x = convolve(x, 16, (10, 4), strides=2)
	for _ in range(2):
		x = layers.ReLU()(layers.BatchNormalization()(layers.DepthwiseConv2D(3, padding="same")(x)))
		x = convolve(x, 16, 1)
	return layers.Dense(12, activation="softmax")(layers.Flatten()(layers.AveragePooling2D((5, 5))(x)))


def sound(x):
	for filters in (8, 16, 24):
		x = layers.ReLU()(layers.BatchNormalization()(layers.Conv1D(filters, 9, strides=2, padding="same")(x)))
	return layers.Dense(6, activation="softmax")(layers.GlobalAveragePooling1D()(layers.MaxPooling1D(2)(x)))


def dilated(x):
	x = layers.Conv1D(12, 1)(x)
	for rate in (1, 2, 4):
		gate = layers.Conv1D(12, 2, dilation_rate=rate, padding="causal", activation="sigmoid")(x)
		y = layers.Conv1D(12, 2, dilation_rate=rate, padding="causal", activation="tanh")(x)
		x = layers.Add()([x, layers.Conv1D(12, 1)(layers.Multiply()([y, gate]))])
	return layers.Conv1D(4, 1, activation="softmax")(layers.ReLU()(x))


def lstm(x):
	x = layers.LSTM(12, unroll=True, return_sequences=True)(x)
	return layers.Dense(4, activation="softmax")(layers.LSTM(8, unroll=True)(x))


def gru(x):
	return layers.Dense(4)(layers.GRU(12, unroll=True)(x))


def autoencoder(x):
	x = layers.BatchNormalization()(layers.Dense(32, activation="relu")(x))
	x = layers.Dense(32, activation="tanh")(layers.Dense(8, activation="relu")(x))
	return layers.Dense(64, activation="sigmoid")(x)


def transformer(x):
	x = layers.Dense(24)(x)
	for _ in range(2):
		y = layers.LayerNormalization(epsilon=1e-6)(x)
		x = layers.Add()([x, layers.MultiHeadAttention(2, 12)(y, y)])
		y = layers.Dense(48, activation="gelu")(layers.LayerNormalization(epsilon=1e-6)(x))
		x = layers.Add()([x, layers.Dense(24)(y)])
	return layers.Dense(4, activation="softmax")(layers.GlobalAveragePooling1D()(x))


# What each is made by, and of an input of which shape.
MODELS = {
	"resnet": (resnet, (32, 32, 3)),
	"mobilenet": (mobilenet, (32, 32, 3)),
	"u_net": (u_net, (24, 24, 3)),
	"keyword": (keyword, (49, 10, 1)),
	"sound": (sound, (256, 1)),
	"dilated": (dilated, (64, 4)),
	"lstm": (lstm, (6, 8)),
	"gru": (gru, (6, 8)),
	"autoencoder": (autoencoder, (64,)),
	"transformer": (transformer, (12, 8)),  # whose NEG TensorFlow's converter does not know in 16 bits
}


def build(make, rng):
	"""The model that `make` returns, with normalizations as if trained."""
	keras.backend.clear_session()
	keras.utils.set_random_seed(7)
	model = make()
	for layer in model.layers:
		if isinstance(layer, layers.BatchNormalization):  # as if trained
			count = layer.gamma.shape
			layer.set_weights([rng.uniform(0.7, 1.3, count), rng.normal(0, 0.2, count), rng.normal(0, 0.2, count), rng.uniform(0.5, 1.5, count)])
	return model


def build_own(name):
	make, shape = MODELS[name]
	x = keras.Input(shape)
	return keras.Model(x, make(x))


def run_litert(x):
	"""What LiteRT makes of each item, and the items as the model takes them."""
	interpreter = Interpreter("model.tflite", num_threads=1)
	interpreter.allocate_tensors()
	into, out = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
	if into["dtype"] != np.float32:
		scale, zero = into["quantization"]
		info = np.iinfo(into["dtype"])
		x = np.clip(np.rint(x / np.float32(scale)) + zero, info.min, info.max).astype(into["dtype"])
	made = []
	for item in x:
		interpreter.set_tensor(into["index"], item[None])
		interpreter.invoke()
		made.append(interpreter.get_tensor(out["index"]))
	return x, np.concatenate(made)


def convert(make, word, change=str):
	"""Writes model.tflite here, by the page's lines with this word as `change` makes them, and returns inputs of a few items."""
	rng = np.random.default_rng(7)
	model = build(make, rng)
	shape = model.input_shape[1:]
	arrays = [rng.standard_normal((1, *shape)).astype(np.float32) for _ in range(EXAMPLES)]
	page.run(change(page.block(SECTION, word)), {"model": model, "examples": lambda: ([array] for array in arrays)})
	return rng.standard_normal((ITEMS, *shape)).astype(np.float32)


def judge(nnloop, x):
	"""Returns whether it is right, and what it is."""
	x, golden = run_litert(x)
	np.save("x.npy", x)
	real = ["--real"] if golden.dtype == np.float32 else []
	run = subprocess.run([nnloop, "run", "--device", "host", "--quiet", *real, "--output", "y.npy", "model.tflite", "x.npy"],
			     capture_output=True, text=True, check=False)
	if run.returncode:
		return False, "refused: " + run.stderr.strip()
	y = np.load("y.npy")
	if y.shape != golden.shape:
		return False, f"of {y.shape}, not {golden.shape}"
	differ = int((y != golden).sum())
	return not differ, f"{differ} of {golden.size} elements differ" if differ else "equal"


@contextlib.contextmanager
def quiet(path):
	"""The converters' own words, which C++ writes past Python, go to a file."""
	kept = [os.dup(1), os.dup(2)]
	with open(path, "w") as file:
		sys.stdout.flush()
		os.dup2(file.fileno(), 1)
		os.dup2(file.fileno(), 2)
		try:
			yield
		finally:
			sys.stdout.flush()
			for number, copy in zip((1, 2), kept):
				os.dup2(copy, number)
				os.close(copy)


def main():
	parser = argparse.ArgumentParser(description="Runs Keras's models by the lines of docs/models.md.")
	parser.add_argument("--work", default="build/converters/keras", help="where models are written")
	parser.add_argument("nnloop")
	parser.add_argument("models", nargs="*", choices=[[], *MODELS])
	args = parser.parse_args()
	nnloop, failed = os.path.abspath(args.nnloop), 0
	warnings.filterwarnings("ignore")
	logging.disable(logging.WARNING)
	tf.config.threading.set_intra_op_parallelism_threads(1)
	for name in args.models or MODELS:
		for way in WAYS:
			if (name, way) in NOT_MADE:
				continue
			folder = os.path.join(args.work, f"{name}-{way.replace(' ', '_')}")
			os.makedirs(folder, exist_ok=True)
			with contextlib.chdir(folder), quiet("log"):
				right, text = judge(nnloop, convert(lambda: build_own(name), WAYS[way]))
			failed += not right
			print(f"{'ok' if right else 'not ok'}: {name}, {way}: {text}", flush=True)
	return failed > 0


if __name__ == "__main__":
	sys.exit(main())
