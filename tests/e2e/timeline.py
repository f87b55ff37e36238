#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Is a timeline of `nnloop run --trace` one? usage: timeline.py FILE DEVICE PASSES SUBMISSIONS

The file is JSON in the Trace Event Format; slices of a track lie inside of each other or apart; there are as many passes and
submissions as said; packets are there on the DSP only, those of a pass at least the sum of its operators'.
"""
import json
import sys


def main():
	path, device, passes, submissions = sys.argv[1:]
	with open(path) as f:
		events = json.load(f)["traceEvents"]
	names = {e["name"]: e["args"]["name"] for e in events if e["ph"] == "M"}
	assert names["thread_name"].startswith("queue "), names
	assert ("Hexagon" in names["process_name"]) == (device == "hexagon"), names
	slices = [e for e in events if e["ph"] == "X"]
	assert len({(e["pid"], e["tid"]) for e in slices}) == 1, "one queue, one track"

	open_slices = []
	found = {"submission": 0, "partition": 0, "operator": 0}
	for e in slices:
		# In whole nanoseconds: the file has three digits behind the microsecond.
		start, end = round(1000 * e["ts"]), round(1000 * (e["ts"] + e["dur"]))
		while open_slices and start >= open_slices[-1]["end"] and not (start == end == open_slices[-1]["end"]):
			open_slices.pop()
		kind = e["name"].split()[0] if e["name"].split()[0] in found else "operator"
		depth = {"submission": 0, "partition": 1, "operator": 2}[kind]
		open_slices = open_slices[:depth]
		assert len(open_slices) == depth, e
		if depth:
			assert open_slices[-1]["start"] <= start and end <= open_slices[-1]["end"], (e, open_slices[-1])
		found[kind] += 1
		assert ("packets" in e["args"]) == (device == "hexagon" and kind != "submission"), e
		if kind == "operator" and device == "hexagon":
			open_slices[-1]["packets"] -= e["args"]["packets"]
			assert open_slices[-1]["packets"] >= 0, e
		if kind == "partition":
			# What decides about the outermost loop is before that, in its partition.
			assert e["args"]["loops"] or e["name"] == "partition 1", e
		open_slices.append({"start": start, "end": end, "packets": e["args"].get("packets", 0)})
	assert found["partition"] == int(passes), found
	assert found["submission"] == int(submissions), found
	assert found["operator"] > found["partition"], found


if __name__ == "__main__":
	main()
