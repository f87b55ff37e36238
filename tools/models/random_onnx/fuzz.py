#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random quantized graphs on nnloop's host device, against ONNX Runtime: `make fuzz-models`.

usage: fuzz.py [--graphs N] [--seed SEED] [--kinds KIND,...] [--work DIR] [--runner PROGRAM] [--shrink N] [--jobs N]
       fuzz.py --commit DIR [--graphs N] ...

Graph I of a seed is always the same one. Each is judged by onnxruntime/judge.mjs and run by tests/e2e/golden.c. Of 20,000 and more, others follow, four times as many at most, until
each operator, and each value of an attribute that was accepted at all, has been accepted 200 times: accepted graphs that have it, some of whose choices are drawn anew. Writes
to DIR (build/fuzz-models):

	report.md	for each operator and attribute value how many graphs were accepted (equal; near), refused and wrong
	results.tsv	for each graph the verdict and why
	refusals.txt	the sentences of refusals, the most frequent first
	wrong/		of each kind of failure a few graphs made small: NAME.onnx, inputs NAME.in0.npy, ..., ONNX Runtime's outputs
			NAME.ort0.npy, ..., and README.md, a table

Its exit status is 0 if nothing accepted was wrong, nor refused by ONNX Runtime as no valid model; and of 20,000 graphs and more each operator and each attribute
of the importer's table, docs/onnx.md, was accepted 200 times, but for loops and what is only in them, and each value of an attribute that was accepted at all.

--commit writes, for `make test`, N graphs that are right or refused to DIR/KIND.cases, of all kinds or those that are given.

NODE_PATH says where onnxruntime-node is. On x86 processors without VNNI instructions ONNX Runtime adds two products uint8 * int8 in 16 saturating bits; there, and in
what is committed, weights keep to -64..64, where the sum fits.
"""
import argparse
import collections
import functools
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where other folders are, too

import numpy as np

from common import cases
import random_onnx.stages
from common.draw import Draw
from random_onnx.builder import name_operator

HERE = os.path.dirname(os.path.abspath(__file__))
CHUNK = 1000
ENOUGH = 200  # accepted graphs of each operator and attribute value
PARENTS = 100  # accepted graphs that are kept of each, to make others of
# What ONNX itself does not allow, as far as ONNX Runtime tells it from what only it cannot do.
INVALID = re.compile(r"This is an invalid model|InferenceError|ValidateOpsetForDomain|Type Error")
ACCEPTED = ("equal", "near")
NEWER = (26, 27, 28)  # opsets that nnloop knows, and the judge does not
ORDINARY = {"Constant.initializer=raw", "ir_version.form=usual", "opset.imports=as usual", "opset.version=13", "output.type=integers"}
RUNTIME = "onnxruntime-node 1.30.0, optimizations off"
# Not for what must be accepted for ever: opsets that the judge does not know well yet, and scales that are no scales.
UNSURE = {f"opset.version={v}" for v in (24, 25, 26, 29, 99, "absurd")} | {f"scale.value={v}" for v in ("huge", "tiny", "large", "small", "greatest", "subnormal", "0", "negative", "infinite", "nan")}
BAD = ("wrong", "invalid", "crashed")


def has_vnni():
	with open("/proc/cpuinfo") as file:
		return "vnni" in file.read()


def excuse(made, verdict, why):
	"""What is no fault of nnloop's. Opsets are newer than the judge. ONNX's shape inference counts a last window that begins in the padding, its kernels do not: ONNX Runtime may refuse what comes of it."""
	if verdict == "invalid" and "ValidateOpsetForDomain" in why and any(f"opset.version={v}" in made.tags for v in NEWER):
		return "not judged", why
	# Such a model is for one item, whatever other inputs have; and of no boxes ONNX Runtime keeps dimensions that are reduced.
	if verdict == "wrong" and made.kind == "NonMaxSuppression" and ("has another shape" in why or re.search(r"has shape \[ 0[ 1]* \], not \[ 0[ 1]* \]", why)):
		return "not judged", why
	if verdict == "invalid" and "ShapeInferenceError" in why and any(t.endswith("ceil_mode=1") for t in made.tags):
		return "not judged", why
	return verdict, why


class Run:
	"""random_tflite/fuzz.py has one of another format."""
	extension, reference, runtime, invalid, ordinary, unsure = "onnx", "ort", RUNTIME, INVALID, ORDINARY, UNSURE
	work = "build/fuzz-models"
	tries = 50  # graphs for each that --commit writes
	program = "random_onnx/fuzz.py"
	name = "ONNX Runtime"

	@staticmethod
	def load_graphs():
		import random_onnx.graphs  # pylint: disable=import-outside-toplevel
		return random_onnx.graphs

	def __init__(self, args):
		self.args = args
		self.graphs = self.load_graphs()
		self.env = dict(os.environ)
		self.narrow = bool(args.commit) or not has_vnni()
		os.makedirs(args.work, exist_ok=True)

	def make(self, seed=None, replay=None, fresh=0):
		with np.errstate(all="ignore"):
			return self.graphs.make_graph(Draw(seed, replay, fresh), self.args.kinds, self.narrow)

	def judge_command(self, paths):
		return ["node", os.path.join(HERE, "../onnxruntime/judge.mjs"), *paths]

	def is_attribute(self, tag):
		return is_attribute(tag)

	def wanted(self):
		"""The tags that must have been accepted often enough, and of each tag those that it stands for."""
		return table_tags(), lambda tag: [tag.partition("=")[0]]

	def judge(self, batch, part=""):
		"""Fills in what ONNX Runtime says; a case that ends its process is told from the others."""
		done = []
		paths = [os.path.join(self.args.work, name + part) for name in ("cases", "judged")]
		while len(done) < len(batch):
			cases.write(paths[0], batch[len(done):])
			if os.path.exists(paths[1]):
				os.unlink(paths[1])
			with open(os.path.join(self.args.work, f"judge{part}.log"), "wb") as log:
				status = subprocess.run(self.judge_command(paths), stdout=log, stderr=log, env=self.env).returncode
			judged = cases.read(paths[1]) if os.path.exists(paths[1]) else []
			if not judged and not done and not os.path.exists(paths[1]):
				with open(log.name) as log:
					sys.exit(f"error: {' '.join(self.judge_command(paths))} failed; NODE_PATH={self.env.get('NODE_PATH')}: {log.read()}")
			done += judged
			if len(done) < len(batch):
				culprit = batch[len(done)]
				culprit.state, culprit.reason, culprit.twin = cases.CRASHED, f"{self.name} died of it", b""
				done.append(culprit)
		return done

	def run(self, judged, part=""):
		"""nnloop's verdict on each: (verdict, why)."""
		verdicts = []
		path = os.path.join(self.args.work, "judged" + part)
		while len(verdicts) < len(judged):
			cases.write(path, judged[len(verdicts):])
			result = subprocess.run([self.args.runner, "--verdicts", "host", path], capture_output=True, text=True, errors="replace")
			lines = [line.split("\t") for line in result.stdout.splitlines() if line.count("\t") == 2]
			verdicts += [(line[1], line[2]) for line in lines]
			if len(verdicts) < len(judged):
				if not lines and not result.returncode:
					sys.exit(f"error: {self.args.runner}: {result.stderr}")
				verdicts.append(("crashed", f"nnloop died of it: status {result.returncode}"))
		return [self.settle(case, verdict) for case, verdict in zip(judged, verdicts)]

	def settle(self, case, verdict):
		if verdict[0] == "invalid":
			return "invalid" if case.state == cases.REFUSED and self.invalid.search(case.reason) else "not judged", case.reason
		return verdict

	def try_graphs(self, made, names):
		batch = [cases.Case(name, m.model, m.inputs, cases.FLOAT_SUMS if m.sums else m.flags, m.twin) for name, m in zip(names, made)]
		size = -(-len(batch) // self.args.jobs) or 1
		parts = [batch[i:i + size] for i in range(0, len(batch), size)]
		with ThreadPoolExecutor(self.args.jobs) as pool:
			done = list(pool.map(self.try_part, parts, [f"-{i}" for i in range(len(parts))]))
		judged, verdicts = ([one for part in done for one in part[i]] for i in (0, 1))
		verdicts = [excuse(m, *v) for m, v in zip(made, verdicts)]
		return judged, [self.judge_stages(case, *v) for case, v in zip(judged, verdicts)]

	def try_part(self, batch, part):
		judged = self.judge(batch, part)
		return judged, self.run(judged, part)

	def judge_stages(self, case, verdict, why):
		"""Where a sum in float is a step off, what comes of it is judged by itself."""
		if case.flags & cases.FLOAT_SUMS and (verdict == "near" or (verdict == "wrong" and "steps off" in why)):
			return random_onnx.stages.judge(self, case) or ("wrong", f"not only by its sums in float: {why}")
		return verdict, why


# ---- making failures small ----

def failure_class(made, verdict, why):
	"""What must stay as it is while a graph is made small."""
	why = re.sub(r'"[^"]*"', '""', why)
	why = re.sub(r"\d+", "#", why)
	if verdict == "wrong":
		why = "shape" if "has shape" in why else "loop" if "loop" in why else "optimized" if "optimized" in why else "values" if "steps off" in why else why
	if verdict == "invalid":
		unknown = re.search(r"(Unrecognized attribute: \w+ for operator \w+|No Op registered for \w+|ValidateOpset|input size # not in range|"
				    r"Type Error|\w+Error\][^:]*|running \w+ node)", why)
		return "", verdict, (unknown.group(1) if unknown else why)[:80]
	return made.kind, verdict, why[:60]


def size(graph):
	return len(graph.model) + sum(a.size for _, a in graph.inputs), sum(1 for c in graph.choices if c), sum(graph.choices)


def shrink(run, made, verdict, why, rounds=30):
	"""Tries smaller choices, many at a time, as long as the failure stays. A coroutine: it yields graphs, is sent the verdict on each, and
	returns the smallest."""
	wanted = failure_class(made, verdict, why)
	best = made
	for _ in range(rounds):
		choices = best.choices
		tries = [choices[:i] + [0] + choices[i + 1:] for i, c in enumerate(choices) if c and i > 0]
		tries += [choices[:i] + [c // 2] + choices[i + 1:] for i, c in enumerate(choices) if c > 1 and i > 0]
		tries += [choices[:i] + choices[i + n:] for n in (1, 2, 4, 8) for i in range(3, len(choices) - n)]
		graphs, seen = [], set()
		for one in tries:
			try:
				graph = run.make(replay=one)
			except Exception:  # pylint: disable=broad-except
				continue  # a list that was cut may make no graph
			key = tuple(graph.choices)
			if key not in seen and size(graph) < size(best):
				seen.add(key)
				graphs.append(graph)
		graphs.sort(key=size)
		verdicts = yield graphs[:60]
		good = [g for g, v in zip(graphs, verdicts) if failure_class(g, *v) == wanted]
		if not good:
			break
		best = good[0]
	return best


def shrink_all(run, failures):
	"""Each of (made, verdict, why) made small; one process judges a round of all of them."""
	small = [f[0] for f in failures]
	running = []
	for i, failure in enumerate(failures):
		coroutine = shrink(run, *failure)
		running.append((i, coroutine, next(coroutine)))
	while running:
		graphs = [g for _, _, batch in running for g in batch]
		_, verdicts = run.try_graphs(graphs, [str(i) for i in range(len(graphs))])
		print(f"  making {len(running)} small: {len(graphs)} graphs tried", flush=True)
		still, at = [], 0
		for i, coroutine, batch in running:
			try:
				still.append((i, coroutine, coroutine.send(verdicts[at:at + len(batch)])))
			except StopIteration as end:
				small[i] = end.value
			at += len(batch)
		running = still
	return small


def npy(path, array):
	np.save(path, array)


def write_wrong(run, failures, directory):
	"""A few of each kind, made small, with a table."""
	shutil.rmtree(directory, ignore_errors=True)
	os.makedirs(directory)
	groups = collections.defaultdict(list)
	for failure in failures:
		groups[failure_class(*failure)].append(failure)
	order = sorted(groups.values(), key=lambda members: (members[0][1] != "wrong", -len(members)))
	for members in order:
		members.sort(key=lambda failure: len(failure[0].model))
	chosen = [members[:run.args.shrink] for members in order]
	small = iter(shrink_all(run, [failure for members in chosen for failure in members]))
	rows, seen = [], collections.Counter()
	for members, some in zip(order, chosen):
		kept = {}
		for graph in [next(small) for _ in some]:
			kept.setdefault(tuple(sorted(t for t in graph.tags if "=" in t)), graph)
		for graph in kept.values():
			stem = f"{graph.kind.replace('+', '_')}-{members[0][1]}".lower()
			seen[stem] += 1
			rows.append((f"{stem}-{seen[stem]}", graph, len(members)))
	judged, verdicts = run.try_graphs([graph for _, graph, _ in rows], [name for name, _, _ in rows])
	with open(os.path.join(directory, "README.md"), "w") as table:
		table.write("| model | graphs of this kind | what happens | what is in it |\n|---|---|---|---|\n")
		for (name, graph, count), case, (_, why) in zip(rows, judged, verdicts):
			path = os.path.join(directory, name)
			with open(f"{path}.{run.extension}", "wb") as file:
				file.write(graph.model)
			for i, (_, array) in enumerate(case.inputs):
				np.save(f"{path}.in{i}.npy", array)
			for i, (_, array) in enumerate(case.outputs):
				np.save(f"{path}.{run.reference}{i}.npy", array)
			tags = sorted(t for t in graph.tags if "=" in t and not t.endswith("=absent") and t not in run.ordinary)
			why = re.sub(r"/onnxruntime_src/\S+ ", "", why).replace("|", "/")
			table.write(f"| `{name}` | {count} | {why[:200]} | {', '.join(tags)} |\n")


# ---- the table ----

COLUMNS = ("equal", "near", "refused", "wrong", "invalid", "crashed", "not judged")


# Tests of their own are for computed shapes (tests/unit/test-onnx.c, tests/models/ops), and for what only opsets before 10 have, which cannot quantize.
LOOPS = {"Range", "Shape", "Size", "ConstantOfShape", "Constant.value_int"}
OLD = {"Upsample"}
# Known in float32 only, or of models quantized dynamically (tests/models/edges): tests/unit/onnx-schemas has the same.
FLOATS = set("RMSNormalization Swish GroupNormalization LRN Mean MeanVarianceNormalization DynamicQuantizeLinear DynamicQuantizeMatMul MatMulIntegerToFloat".split())
OLD_ATTRIBUTE = re.compile(r"`\w+`[^;|]*\((?:\d+ )?to [789]\)")
# Of the tags those that stand for an attribute, or an input that is one in other opsets.
ATTRIBUTES = set("allowzero alpha approximate auto_pad axes axis beta block_size bounds C ceil_mode channels_last count_include_pad dilations end gamma group indices kernel_shape mask "
		 "output_dtype pads perm precision max min ratio saturate seed start storage_order strides to training_mode transA transB value value_float "
		 "value_floats value_int value_ints x_zero_point y_zero_point".split())


def is_attribute(tag):
	operator, _, attribute = tag.partition(".")
	name = attribute.partition("=")[0]
	return operator[0].isupper() and (not attribute or name in ATTRIBUTES or f"{operator}.{name}" in all_attributes())


def write_report(path, tally, seconds, args):
	with open(path, "w") as file:
		file.write(f"# {sum(tally.total.values())} random graphs, seed {args.seed}, {seconds:.0f} s\n\n")
		file.write("*near*: a sum in float that has no twin of integers, at most one step off. *invalid*: accepted, though the judge says that it is no valid "
			   f"model. *not judged*: accepted, and the judge, {tally.run.name}, cannot run it.\n\n")
		file.write("| | accepted | " + " | ".join(COLUMNS) + " |\n|---|" + "---|" * (len(COLUMNS) + 1) + "\n")
		for tag, count in [("all", tally.total), *sorted(tally.counts.items(), key=lambda item: item[0].lower())]:
			accepted = sum(count[v] for v in ACCEPTED)
			file.write(f"| {tag} | {accepted} | " + " | ".join(str(count[c]) for c in COLUMNS) + " |\n")
		known = sorted(t for t in tally.counts if tally.run.is_attribute(t))
		rare = [f"{t} ({tally.accepted(t)} of {sum(tally.counts[t].values())})" for t in tally.rare()]
		summary = (f"Operators and values of attributes that were accepted at all: {sum(tally.accepted(t) > 0 for t in known)}; of these accepted fewer than {ENOUGH} "
			   f"times: {len(rare)}.\n")
		file.write(f"\n{summary}\nFewer: {', '.join(rare) or 'none'}.\n\nNever accepted: {', '.join(t for t in known if not tally.accepted(t))}.\n")
		print(f"{sum(tally.total.values())} graphs, {seconds:.0f} s: {dict(tally.total)}\n{summary}report in {path}", flush=True)


# ---- a whole run ----

@functools.cache
def all_attributes():
	"""Of each operator of the importer's table."""
	with open(os.path.join(HERE, "../../../docs/onnx.md")) as page:
		rows = [re.findall(r"`([\w.]+)`", line) for line in page if line.startswith("| `")]
	return {f"{name_operator(*row[0].rpartition('.')[::2])}.{name}" for row in rows for name in row[1:]}


def table_tags():
	"""Each operator of the importer's table, and each attribute of which it can do something."""
	with open(os.path.join(HERE, "../../../docs/onnx.md")) as page:
		for line in page:
			operator, *cells = re.findall(r"`([^`]*)`((?:: none)?)", OLD_ATTRIBUTE.sub("", line)) if line.startswith("| `") else [("org.nnloop.", "")]
			name = name_operator(*operator[0].rpartition(".")[::2])
			if name.startswith("org.nnloop.") or name in LOOPS | OLD | FLOATS:
				continue
			yield name
			for attribute, is_none in cells:
				if not is_none and f"{name}.{attribute}" not in LOOPS:
					yield f"{name}.{attribute}"


class Tally:
	"""Verdicts by tag."""

	def __init__(self, results, run):
		self.results, self.run = results, run
		self.counts, self.total, self.reasons = collections.defaultdict(collections.Counter), collections.Counter(), collections.Counter()
		self.failures, self.parents = [], collections.defaultdict(list)

	def add(self, name, made, verdict, why):
		self.total[verdict] += 1
		for tag in made.tags:
			self.counts[tag][verdict] += 1
			if verdict in ACCEPTED and len(self.parents[tag]) < PARENTS:
				self.parents[tag].append(made.choices)
		if verdict == "refused":
			self.reasons[re.sub(r'"[^"]*"', '""', re.sub(r"\d+", "#", why))] += 1
		if verdict in BAD:
			self.failures.append((made, verdict, why))
		self.results.write(f"{name}\t{made.kind}\t{verdict}\t{' '.join(why.split())}\n")

	def accepted(self, tag):
		return sum(self.counts[tag][v] for v in ACCEPTED)

	def missing(self):
		"""What of the importer's table was not accepted often enough."""
		count = collections.Counter()
		table, stands_for = self.run.wanted()
		for tag in self.counts:
			for other in stands_for(tag):
				count[other] += self.accepted(tag) if not tag.endswith("=absent") else 0
		return sorted({t for t in table if count[t] < ENOUGH} | set(self.rare()))

	def rare(self):
		return sorted(t for t in self.counts if self.run.is_attribute(t) and 0 < self.accepted(t) < ENOUGH)


def vary(run, tally, tag, chance, seen, name):
	"""A graph that is like an accepted one with the tag, and has it still; None: there was none."""
	for i in range(10):
		graph = run.make(f"{name}/{i}", replay=chance.choice(tally.parents[tag]), fresh=chance.choice((0.05, 0.15, 0.3)))
		if tag in graph.tags and tuple(graph.choices) not in seen:
			seen.add(tuple(graph.choices))
			return graph
	return None


def top_up(run, tally, args, begin):
	"""More graphs with the operators and values that are accepted, but were so too seldom, of the scarcest first."""
	chance, seen, number = random.Random(args.seed), set(), 0
	while len(seen) < 4 * args.graphs:
		wanted = {t: ENOUGH - tally.accepted(t) for t in tally.rare()}
		if not wanted:
			break
		print(f"{len(wanted)} too seldom:", ", ".join(f"{t} {tally.accepted(t)}" for t in sorted(wanted, key=tally.accepted)[:5]), flush=True)
		made, names = [], []
		while len(made) < CHUNK and max(wanted.values()) > 0:
			number += 1
			name = f"{args.seed}/more/{number}"
			tag = max(wanted, key=wanted.get)
			graph = vary(run, tally, tag, chance, seen, name)
			if not graph:
				wanted[tag] -= 1
				continue
			for hit in graph.tags & set(wanted):
				wanted[hit] -= 0.6  # some are refused
			made.append(graph)
			names.append(name)
		if not made:
			break
		_, verdicts = run.try_graphs(made, names)
		for name, m, verdict in zip(names, made, verdicts):
			tally.add(name, m, *verdict)
		print(f"{len(made)} more, {time.time() - begin:.0f} s: {dict(tally.total)}", flush=True)


# ---- what make test runs ----

def commit(run, args):
	"""Graphs of each kind, by their numbers; those that are wrong today, or invalid, are left out."""
	per_kind = collections.defaultdict(list)
	kinds = run.graphs.KINDS
	wanted = {k: max(4, round(args.graphs * kinds[k][-1] / sum(v[-1] for v in kinds.values()))) for k in args.kinds or kinds}
	index = 0
	while any(len(per_kind[k]) < n for k, n in wanted.items()) and index < run.tries * args.graphs:
		made = [run.make(seed=f"{args.seed}/{index + i}") for i in range(CHUNK)]
		names = [f"{args.seed}/{index + i}" for i in range(CHUNK)]
		index += CHUNK
		keep = [(m, n) for m, n in zip(made, names) if len(m.model) + sum(a.nbytes for _, a in m.inputs) < 6000]
		judged, verdicts = run.try_graphs([m for m, _ in keep], [n for _, n in keep])
		for (m, _), case, (verdict, _) in zip(keep, judged, verdicts):
			chosen = per_kind[m.kind]
			if m.tags & run.unsure or m.kind not in wanted:
				continue
			refused = sum(not c.flags & cases.MUST_ACCEPT for c in chosen)
			if len(chosen) >= wanted[m.kind] or case.state == cases.CRASHED:
				continue
			if verdict in ACCEPTED and case.state == cases.JUDGED:
				case.flags |= cases.MUST_ACCEPT
				if verdict == "equal":
					case.flags &= ~cases.FLOAT_SUMS
			elif verdict != "refused" or refused * 4 >= wanted[m.kind] or not (case.state == cases.JUDGED or run.invalid.search(case.reason)):
				continue
			case.reason = case.reason.split("\n")[0][:100]
			chosen.append(case)
	os.makedirs(args.commit, exist_ok=True)
	with open(os.path.join(args.commit, "made.txt" if not args.kinds else f"made-{'-'.join(args.kinds).lower()}.txt"), "w") as file:
		file.write(f"{run.program} --commit, seed {args.seed}; {run.runtime}\n")
	for kind, chosen in sorted(per_kind.items()):
		cases.write(os.path.join(args.commit, kind.replace("+", "_").lower() + ".cases"), chosen)
		print(f"{kind}: {len(chosen)}, of which {sum(c.flags & cases.MUST_ACCEPT for c in chosen)} must be accepted")


def main(make_run=Run, more_arguments=()):
	parser = argparse.ArgumentParser()
	for name, meaning in more_arguments:
		parser.add_argument(name, required=True, help=meaning)
	parser.add_argument("--graphs", type=int, default=20000)
	parser.add_argument("--seed", default="1")
	parser.add_argument("--kinds", type=lambda text: text.split(","))
	parser.add_argument("--work", default=make_run.work)
	parser.add_argument("--runner", default="build/tests/e2e-golden")
	parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
	parser.add_argument("--shrink", type=int, default=3, help="graphs of each kind of failure that are made small")
	parser.add_argument("--commit")
	args = parser.parse_args()
	run = make_run(args)
	if args.commit:
		return commit(run, args)
	print(f"seed {args.seed}", flush=True)
	begin = time.time()
	with open(os.path.join(args.work, "results.tsv"), "w") as results:
		tally = Tally(results, run)
		for first in range(0, args.graphs, CHUNK):
			names = [f"{args.seed}/{i}" for i in range(first, min(first + CHUNK, args.graphs))]
			made = [run.make(name) for name in names]
			_, verdicts = run.try_graphs(made, names)
			for name, m, verdict in zip(names, made, verdicts):
				tally.add(name, m, *verdict)
			print(f"{first + len(names)} graphs, {time.time() - begin:.0f} s: {dict(tally.total)}", flush=True)
		if args.graphs >= 100 * ENOUGH:
			top_up(run, tally, args, begin)
	write_report(os.path.join(args.work, "report.md"), tally, time.time() - begin, args)
	with open(os.path.join(args.work, "refusals.txt"), "w") as file:
		for why, count in tally.reasons.most_common():
			file.write(f"{count}\t{why}\n")
	if tally.failures and args.shrink:
		print(f"{len(tally.failures)} accepted graphs are wrong; making some small", flush=True)
		write_wrong(run, tally.failures, os.path.join(args.work, "wrong"))
	missing = tally.missing() if args.graphs >= 100 * ENOUGH else []
	if missing:
		print(f"too few graphs with: {', '.join(missing)}", flush=True)
	return 1 if tally.failures or missing else 0


if __name__ == "__main__":
	sys.exit(main())
