#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Trains the reader's detector; writes tests/models/reader.onnx and tests/models/pages/.

Run digits.py first. The reader is one ONNX file: pages -> BatchLoop -> detector -> Proposal -> CropResize -> the classifier of
digits.onnx. docs/reader.md defines it. pages/NAME.png are the test pages, pages/truth.txt their numbers.
"""
import argparse
import os
import sys
import time
from collections import Counter

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper
from PIL import Image

from reader import digits
from reader import glyphs
from reader import loops
from reader import number_lines
from reader import pages
from reader import qnet

TESTS = digits.TESTS
STRIDE = (8, 4)						# pixels between grid cells, down and across
ANCHORS = np.array([[17, 14], [26, 21], [39, 31]])	# height and width, pixels
GRID = (pages.HEIGHT // STRIDE[0], pages.WIDTH // STRIDE[1])
SHIFT = 7						# deltas are stored in 1/128, from -1

two = (2, 2)
LAYERS = [
	qnet.conv("conv1", 1, 16, stride=two),
	qnet.conv("depthwise2", 16, 16, stride=two, groups=16),
	qnet.conv("pointwise2", 16, 32, k=1),
	qnet.conv("depthwise3", 32, 32, groups=32),
	qnet.conv("pointwise3", 32, 32, k=1),
	qnet.conv("depthwise4", 32, 32, stride=(2, 1), groups=32),
	qnet.conv("pointwise4", 32, 64, k=1),
	qnet.conv("depthwise5", 64, 64, groups=64),
	qnet.conv("pointwise5", 64, 64, k=1),
	qnet.conv("depthwise6", 64, 64, groups=64),
	qnet.conv("pointwise6", 64, 64, k=1),
	qnet.conv("scores", 64, len(ANCHORS), k=1, relu=False),
	qnet.conv("deltas", 64, 4 * len(ANCHORS), k=1, relu=False, input="pointwise6", range=(-1.0, 127 / 128)),
]


def targets(boxes):
	"""For one page's boxes [k, 4]: score target [A, gh, gw] (1 object, 0 none, -1 do not care) and deltas [A, 4, gh, gw]."""
	a, (gh, gw) = len(ANCHORS), GRID
	score, deltas = np.zeros((a, gh, gw), np.float32), np.zeros((a, 4, gh, gw), np.float32)
	if not len(boxes):
		return score, deltas
	h, w = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
	dy = (boxes[:, 0] + boxes[:, 2])[:, None] / 2 - (np.arange(gh) + 0.5) * STRIDE[0]
	dx = (boxes[:, 1] + boxes[:, 3])[:, None] / 2 - (np.arange(gw) + 0.5) * STRIDE[1]
	ratio = np.abs(np.log(h[:, None] / ANCHORS[:, 0]))

	def region(ty, tx, ta):
		return (ta[:, :, None, None] & (np.abs(dy) <= ty[:, None])[:, None, :, None] & (np.abs(dx) <= tx[:, None])[:, None, None, :])

	near = ratio <= np.maximum(ratio.min(1, keepdims=True), 0.27)
	good = region(np.maximum(0.52 * STRIDE[0], 0.15 * h), np.maximum(0.52 * STRIDE[1], 0.12 * w), near)
	care = region(np.maximum(STRIDE[0], 0.3 * h), np.maximum(STRIDE[1] * 0.9, 0.25 * w), ratio <= np.maximum(ratio.min(1, keepdims=True), 0.6))
	distance = (dy / h[:, None])[:, None, :, None] ** 2 + (dx / w[:, None])[:, None, None, :] ** 2 + 0 * near[:, :, None, None]
	owner = np.where(good, distance, np.inf).argmin(0)
	score[care.any(0)] = -1
	score[good.any(0)] = 1
	r, c = np.arange(gh)[None, :, None], np.arange(gw)[None, None, :]
	ah, aw = ANCHORS[:, 0][:, None, None], ANCHORS[:, 1][:, None, None]
	deltas[:, 0], deltas[:, 1] = dy[owner, r] / ah, dx[owner, c] / aw
	deltas[:, 2], deltas[:, 3] = h[owner] / ah - 1, w[owner] / aw - 1
	return score, deltas


def augment(images, gen):
	"""Contrast, inversion and noise of uint8 pages; float in 0..1."""
	n = len(images)

	def uniform(lo, hi):
		return (torch.rand((n, 1, 1, 1), generator=gen) * (hi - lo) + lo)

	x = images[:, None].float() / 255
	x = torch.where(uniform(0, 1) < 0.3, 1 - x, x)
	x = (x - 0.5) * uniform(0.7, 1.15) + 0.5 + uniform(-0.12, 0.12)
	x = x + torch.randn(x.shape, generator=gen) * uniform(0, 0.02)
	return (x.clamp(0, 1) * 255).round() / 255


def shifted(image, boxes, rng):
	"""The page moved by a few pixels, its edge repeated."""
	dy, dx = rng.integers(-8, 9), rng.integers(-8, 9)
	moved = np.pad(image, 8, mode="edge")[8 - dy:8 - dy + pages.HEIGHT, 8 - dx:8 - dx + pages.WIDTH]
	boxes = boxes + np.array([dy, dx, dy, dx], np.float32)
	inside = (boxes[:, 0] > -3) & (boxes[:, 1] > -3) & (boxes[:, 2] < pages.HEIGHT + 3) & (boxes[:, 3] < pages.WIDTH + 3)
	return moved, boxes[inside]


def detector_loss(outputs, score, delta):
	"""Focal loss of the scores, smooth L1 of the deltas where there is an object."""
	logit = outputs["scores"]
	positive = score == 1
	count = positive.sum().clamp(min=1)
	chance = torch.sigmoid(logit)
	wrong = torch.where(positive, 1 - chance, chance)
	weight = torch.where(positive, torch.tensor(1.0), torch.tensor(0.5)) * wrong ** 1.5 * (score >= 0)
	scores = (weight * F.binary_cross_entropy_with_logits(logit, (score == 1).float(), reduction="none")).sum() / count
	found = outputs["deltas"].view(delta.shape).permute(0, 1, 3, 4, 2)[positive]
	return scores, 4 * F.smooth_l1_loss(found, delta.permute(0, 1, 3, 4, 2)[positive], beta=0.05, reduction="sum") / count


def train(net, data, rng, gen, steps, rate, batch=12):
	images, boxes = data
	optimizer = torch.optim.Adam(net.parameters(), lr=rate, weight_decay=1e-5)
	schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
	total = np.zeros(2)
	for step in range(steps):
		chosen = [shifted(images[i], boxes[i], rng) for i in rng.integers(0, len(images), batch)]
		x = augment(torch.from_numpy(np.stack([c[0] for c in chosen])), gen)
		score, delta = (torch.from_numpy(np.stack(v)) for v in zip(*[targets(c[1]) for c in chosen]))
		losses = detector_loss(net(x), score, delta)
		optimizer.zero_grad()
		sum(losses).backward()
		optimizer.step()
		schedule.step()
		total += [float(v) for v in losses]
		if step % 200 == 199:
			print(f"  step {step + 1}: loss of scores {total[0] / 200:.3f}, of boxes {total[1] / 200:.3f}", flush=True)
			total[:] = 0


def settings(score_min):
	"""Proposal's attributes."""
	return dict(stride=list(STRIDE), delta_zero=128, delta_shift=SHIFT, score_min=score_min, min_size=16 * 6, before=2048, after=256,
		    iou=96, step=16)


def detect(layers, images, attributes):
	"""Detector and Proposal in integers; boxes, scores, owners."""
	parts = [qnet.run(layers, images[i:i + 8, None]) for i in range(0, len(images), 8)]
	scores, deltas = (np.concatenate([p[k] for p in parts]) for k in ("scores", "deltas"))
	return loops.proposal(scores, deltas, 16 * ANCHORS, (pages.HEIGHT, pages.WIDTH), **attributes)


def read(layers, classifier, images, attributes):
	"""The whole reader in integers."""
	boxes, scores, owner = detect(layers, images, attributes)
	crops = loops.crop_resize(images[:, None], boxes, owner, height=glyphs.H, width=glyphs.W)
	parts = [qnet.run(classifier, crops[i:i + 256])["logits"] for i in range(0, len(crops), 256)]
	return boxes, scores, owner, np.concatenate(parts) if parts else np.zeros((0, 10), np.uint8)


def match(truth, boxes):
	"""For each true box (pixels) the index of the found box (1/16 pixel) that overlaps it most, by 0.4 at least, or -1."""
	pairs = []
	for t, box in enumerate(truth):
		for k, b in enumerate(boxes / 16):
			ih, iw = min(b[2], box[2]) - max(b[0], box[0]), min(b[3], box[3]) - max(b[1], box[1])
			if ih > 0 and iw > 0:
				union = (b[2] - b[0]) * (b[3] - b[1]) + (box[2] - box[0]) * (box[3] - box[1]) - ih * iw
				pairs.append((-ih * iw / union, t, k))
	out, used = [-1] * len(truth), set()
	for overlap, t, k in sorted(pairs):
		if -overlap >= 0.4 and out[t] < 0 and k not in used:
			out[t] = k
			used.add(k)
	return out


def accepted(classifier, logits):
	"""Which boxes hold a digit, says the classifier: the greatest logit is above its zero point."""
	return logits.max(1) > classifier[-1]["zy"]


def best_threshold(layers, classifier, images, boxes):
	"""The lowest stored score that should count by itself: on pages not trained on, of trained fonts, a lost digit costs as much
	as two other things taken for one."""
	head = next(q for q in layers if q["name"] == "scores")
	least = max(1, round(int(head["zy"]) - 4.6 / float(head["sy"])))	# chance of 1 %
	found, scores, owner, logits = read(layers, classifier, images, settings(least))
	good = accepted(classifier, logits)
	hits = np.zeros(len(found), bool)
	for page, truth in enumerate(boxes):
		mine = np.where((owner == page) & good)[0]
		hits[mine[[k for k in match(truth, found[mine]) if k >= 0]]] = True
	lost, invented = (lambda t: sum(map(len, boxes)) - (hits & (scores >= t)).sum()), (lambda t: (good & ~hits & (scores >= t)).sum())
	best = min(range(least, 256), key=lambda t: 2 * lost(t) + invented(t))
	print(f"threshold {best}: of {sum(map(len, boxes))} digits on {len(boxes)} further pages of trained fonts and layouts "
	      f"{lost(best)} lost, {invented(best)} other things taken for one")
	return best


def write_onnx(path, layers, classifier, score_min, page_step=5):
	w = qnet.Writer()
	w.nodes.append(helper.make_node("BatchLoop", ["pages"], ["page"], name="page_loop", domain=loops.DOMAIN, step=page_step))
	w.add_net(layers, "page", "detector_", {"scores": "scores", "deltas": "deltas"})
	w.const("anchors", (16 * ANCHORS).astype(np.int32))
	w.const("page_size", np.array([pages.HEIGHT, pages.WIDTH], np.int32))
	w.nodes.append(helper.make_node("Proposal", ["scores", "deltas", "anchors", "page_size"], ["boxes", "box_scores", "owner"],
					name="box_loop", domain=loops.DOMAIN, **settings(score_min)))
	w.nodes.append(helper.make_node("CropResize", ["page", "boxes", "owner"], ["digit"], name="crop", domain=loops.DOMAIN,
					height=glyphs.H, width=glyphs.W))
	w.add_net(classifier, "digit", "classifier_", {"logits": "logits"})
	info, t = helper.make_tensor_value_info, TensorProto
	doc = (f"Reads the digits of grey pages, {pages.HEIGHT} rows x {pages.WIDTH} columns, uint8. boxes: y0, x0, y1, x1 in 1/16 pixel; "
	       "owner: the page of each box; logits: of digits 0 to 9, the greatest is the answer. The boxes of all pages are packed in order. "
	       "Made by tools/models/reader/reader.py of nnloop from Debian's fonts.")
	qnet.save_model(path, w, "reader", [info("pages", t.UINT8, ["P", 1, pages.HEIGHT, pages.WIDTH])],
			[info("boxes", t.INT32, ["M", 4]), info("box_scores", t.UINT8, ["M"]), info("owner", t.INT32, ["M"]),
			 info("logits", t.UINT8, ["M", 10])], doc, opset=loops.OPSET, ir=8,
			functions=[loops.batch_loop_function(), loops.proposal_function(), loops.crop_resize_function()])


def write_pages(folder, test):
	os.makedirs(folder, exist_ok=True)
	with open(os.path.join(folder, "truth.txt"), "w") as f:
		f.write("# A line for each page: page NAME. Then a line for each number on it: its digits, and y0,x0,y1,x1 of each digit's box in pixels.\n")
		for name, image, numbers in test:
			Image.fromarray(image).save(os.path.join(folder, name + ".png"), optimize=True)
			f.write(f"page {name}\n")
			for number in numbers:
				places = " ".join(",".join(f"{v:.1f}" for v in d[1:]) for d in number)
				f.write(f"{''.join(str(d[0]) for d in number)} {places}\n")


def report(test, result, classifier):
	"""Prints for each page how many digits and whole numbers were found and right."""
	boxes, scores, owner, logits = result
	chance = number_lines.chances(logits, classifier[-1]["zy"], classifier[-1]["sy"])
	sums = np.zeros(6, int)
	for page, (name, image, numbers) in enumerate(test):
		truth = [d for n in numbers for d in n]
		here = np.where(owner == page)[0]
		read_here = [here[n] for n in number_lines.read(boxes[here], scores[here].ravel(), chance[here], image)]
		mine = np.concatenate(read_here) if read_here else here[:0]
		matched = match([d[1:] for d in truth], boxes[mine])
		found = sum(k >= 0 for k in matched)
		right = sum(k >= 0 and logits[mine[k]].argmax() == d[0] for k, d in zip(matched, truth))
		said = Counter("".join(str(logits[k].argmax()) for k in number) for number in read_here)
		true = Counter("".join(str(d[0]) for d in number) for number in numbers)
		row = np.array([len(truth), found, right, len(mine) - found, len(numbers), (said & true).total()])
		print(f"  {name}: {row[0]} digits, {row[1]} found, {row[2]} found and right, {row[3]} other things taken for one; "
		      f"{row[5]} of {row[4]} numbers right")
		sums += row
	print(f"all pages: {sums[0]} digits, {100 * sums[1] / sums[0]:.2f} % found, {100 * sums[2] / sums[0]:.2f} % found and right, "
	      f"{sums[3]} other things taken for one; {sums[5]} of {sums[4]} numbers right")


def train_detector(count, steps):
	"""Quantized layers of a detector trained on `count` pages."""
	start = time.time()
	torch.manual_seed(1)
	gen, rng = torch.Generator().manual_seed(2), np.random.default_rng(3)
	data = pages.make_training_pages(count, seed=4)
	print(f"{count} pages with {sum(map(len, data[1]))} digits, {time.time() - start:.0f} s; "
	      f"{qnet.macs(LAYERS, pages.HEIGHT, pages.WIDTH)} multiply-accumulates per page", flush=True)
	net = qnet.Net(LAYERS)
	torch.nn.init.constant_(net.weights["scores"].bias, -4.0)
	train(net, data, rng, gen, steps, 4e-3)
	net.eval()
	net.fold()
	pick = torch.from_numpy(data[0])
	net.calibrate([augment(pick[i:i + 16], gen) for i in range(0, min(320, count), 16)])
	train(net, data, rng, gen, steps // 4, 4e-4)
	return qnet.quantize(net, 1 / 255)


def main():
	parser = argparse.ArgumentParser(description=__doc__)
	parser.add_argument("--steps", type=int, default=5000, help="training steps in float; a quarter more with fake quantization")
	parser.add_argument("--pages", type=int, default=5000, help="pages to train with")
	parser.add_argument("--detector", help="take the detector of this reader.onnx and train none, for a new classifier")
	parser.add_argument("--out", default=TESTS, help="folder to write to; digits.onnx must be there")
	args = parser.parse_args()
	start = time.time()
	torch.set_num_threads(2)
	torch.use_deterministic_algorithms(True)
	glyphs.print_fonts()
	pages.print_layouts()
	if args.detector:
		layers = qnet.load_layers(args.detector, LAYERS, "page", "detector_")
	else:
		layers = train_detector(args.pages, args.steps)
	classifier = qnet.load_layers(os.path.join(args.out, "digits.onnx"), digits.LAYERS, "image")
	sure = best_threshold(layers, classifier, *pages.make_training_pages(120, seed=5))
	if sure != number_lines.SURE:
		print(f"SURE of number_lines.py, SURE_SCORE of tools/nnloop/numbers.c and docs/reader.md are for another detector: {sure} is best")
	score_min = number_lines.DOUBTFUL
	test = pages.make_test_pages(seed=6)
	write_pages(os.path.join(args.out, "pages"), test)
	path = os.path.join(args.out, "reader.onnx")
	write_onnx(path, layers, classifier, score_min)
	print(f"{path}: {os.path.getsize(path)} bytes, sha256 {qnet.sha256(path)}")
	print("quantized reader on held-out fonts and layouts:")
	result = read(layers, classifier, np.stack([image for _, image, _ in test]), settings(score_min))
	report(test, result, classifier)
	print(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
	main()
