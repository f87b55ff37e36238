# SPDX-License-Identifier: MIT
"""The tables of write.py for ONNX: forms of operators that nnloop knows in float32 only, between quantized tensors."""
from common.cases import FLOAT_SUMS
from edges.write import F32, I8, Graph, In, i64, one

OUT = (0.05, 100)


def gemm(name, *others, says=None, fixed=False, a=(3, 4), b=(4, 5), to=(0.5, 120), opset=13, **attrs):
	"""others: what is added: a shape of constants, or In. b: a shape of weights, or In."""
	g = Graph("Gemm " + name)
	inputs = [g.real(In(*a, fixed=fixed)), g.real(b) if isinstance(b, In) else g.weights(b)]
	inputs += [g.real(x) if isinstance(x, In) else g.weights(x, scale=0.05) for x in others]
	g.output(g.node("Gemm", inputs, **attrs), quant=to)
	return g.case(opset, says, FLOAT_SUMS)


def gemms():
	yield gemm("with alpha", alpha=0.25)
	yield gemm("with alpha below 0", (5,), alpha=-1.5)
	yield gemm("with alpha of 0", (5,), alpha=0.0)
	yield gemm("with beta", (5,), beta=0.3)
	yield gemm("with beta, and nothing to add", beta=0.3)
	yield gemm("with both", (1, 5), alpha=0.7, beta=-2.0, transB=1, b=(5, 4))
	yield gemm("that adds a matrix", (3, 5), fixed=True)
	yield gemm("that adds a column", (3, 1), fixed=True, alpha=2.0, beta=0.5)
	yield gemm("that adds a tensor", In(3, 5), alpha=0.5)
	yield gemm("that adds a tensor of a factor", In(3, 5), beta=0.5)
	yield gemm("of two tensors", b=In(4, 5, fixed=True), fixed=True)
	yield gemm("of two tensors, both transposed", (5,), a=(4, 3), b=In(5, 4, fixed=True), fixed=True, transA=1, transB=1, alpha=0.5)
	yield gemm("transposed", (5,), a=(4, 3), fixed=True, transA=1)
	yield gemm("transposed, of a batch", (5,), a=(4, 3), transA=1, says="its operands have different first dimensions")
	yield gemm("that adds three dimensions", (1, 1, 5), alpha=0.5, says="of 3 dimensions to a product of 2")
	yield gemm("that adds a row to each item", (3, 5), says="what it adds has 3 rows, not one for all items")


def float_forms():
	for name, x, attrs in (
		("of images", In(2, 6, 3, 4), {"size": 3}),
		("of images, by default, between pools", In(2, 6, 3, 4, image=True), {"size": 5, "alpha": 0.5, "beta": 0.5, "bias": 2.0}),
		("of more than there are", In(2, 3, 3, 4), {"size": 9, "alpha": 0.3}),
		("of one", In(2, 3, 3, 4), {"size": 1, "alpha": 0.3}),
	):
		yield one("LRN " + name, "LRN", [x], to=(0.04, 9), flags=FLOAT_SUMS, **attrs)
	yield one("LRN of lines", "LRN", [In(2, 5, 7)], says="has 3 dimensions; nnloop knows images", size=3)
	yield one("LRN of an even size", "LRN", [In(2, 6, 3, 4)], says="its size is 4; nnloop knows odd ones", size=4)
	for name, shape, axes in (("by default", (2, 3, 4, 5), None), ("of items", (2, 3, 4, 5), [1, 2, 3]), ("of lines", (2, 3, 7), [-1])):
		attrs = {} if axes is None else {"axes": axes}
		yield one(f"MeanVarianceNormalization {name}", "MeanVarianceNormalization", [In(*shape, fixed=axes is None)], to=(0.02, 120), flags=FLOAT_SUMS, **attrs)
	yield one("MeanVarianceNormalization of a batch", "MeanVarianceNormalization", [In(2, 3, 4, 5)], says=" ")
	for name, shapes in (("of one", [(2, 3, 4)]), ("of two", [(2, 3, 4)] * 2), ("of three, broadcast", [(2, 3, 4), (2, 1, 4), (2, 3, 1)])):
		yield one("Mean " + name, "Mean", [In(*s, quant=(0.04 + 0.01 * i, 9 + i)) for i, s in enumerate(shapes)], to=OUT, flags=FLOAT_SUMS)
	for name, shape, groups in (("two of images", (2, 6, 3, 4), 2), ("one of images", (2, 4, 3, 4), 1), ("each channel", (2, 4, 3, 4), 4), ("of lines", (2, 6, 9), 3)):
		g = Graph("GroupNormalization " + name)
		numbers = [g.const(g.rng.uniform(0.5, 1.5, shape[1]).astype(F32)) for _ in range(2)]
		g.output(g.node("GroupNormalization", [g.real(In(*shape)), *numbers], num_groups=groups), quant=(0.03, 90))
		yield g.case(21, None, FLOAT_SUMS)
	g = Graph("GroupNormalization of groups that channels do not make")
	g.output(g.node("GroupNormalization", [g.real(In(2, 5, 3, 4)), g.const(F32([1] * 5)), g.const(F32([0] * 5))], num_groups=2))
	yield g.case(21, "5 channels do not make 2 groups", FLOAT_SUMS)
	g = Graph("a Concat of quantized constants, quantized again")
	parts = [g.weights((1, 2, 4)), g.const(g.rng.uniform(-0.6, 0.6, (1, 1, 4)).astype(F32))]
	again = [g.const(F32(0.006)), g.const(I8(7))]
	made = g.node("QuantizeLinear", [g.node("Concat", parts, axis=1), *again])
	g.output(g.node("Add", [g.real(In(2, 3, 4)), g.node("DequantizeLinear", [made, *again])]), quant=(0.06, 20))
	yield g.case(13, None, FLOAT_SUMS)
	g = Graph("a Slice of a Gemm with alpha")
	made = g.node("Gemm", [g.real(In(3, 4)), g.weights((4, 6))], alpha=0.5)
	g.output(g.node("Slice", [made, g.const(i64(1)), g.const(i64(5)), g.const(i64(1))]), quant=(0.5, 120))
	yield g.case(13, None, FLOAT_SUMS)


FILES = {"gemms": gemms, "float_forms": float_forms}
