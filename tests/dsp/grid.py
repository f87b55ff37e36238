#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packets of a grid of calls for each opcode, against the bounds of tests/dsp/grid.txt.

usage: grid.py check            prints TAP, a test for each opcode, with the best, the median and the worst call of each class of shapes; a test fails
                                where the worst or the median is more than 1 % above what grid.txt has
       grid.py write [worse]    measures all, and writes grid.txt unless something is worse; with "worse", all the same

build/tests/dsp/grid makes the calls, in qemu-hexagon (tests/dsp/grid.c). What they take is counted by 128 bytes of the output; by 128 bytes of the input where
much becomes little; by MACs / 256, or MACs / 128 of 16 bits, where these are multiplied. Classes that end with `small` are those of too little for that: below
1,024 bytes or 65,536 MACs, and count the packets of a call. Figures are those of Debian 12's clang.
"""
import os
import subprocess
import sys

OUT = os.environ.get("O", "build")
BOUNDS = "tests/dsp/grid.txt"
LEAST_BYTES = 1024
LEAST_MACS = 65536
PERCENT = 1
HEAD = """# SPDX-License-Identifier: MIT
#
# Packets of a grid of calls for each opcode, which tests/dsp/grid compares: of a class of shapes the best, the median and the worst call, and which one
# that is. `make grid` writes this file.
#
# opcode | class | what is counted | calls | best | median | worst | the best one | the worst one
"""
# What the program calls it: how much of it is one, in words, the least of it that is not small.
UNITS = {
    "output": (128, "packets for 128 bytes", LEAST_BYTES),
    "input": (128, "packets for 128 bytes read", LEAST_BYTES),
    "macs": (256, "times MACs / 256", LEAST_MACS),
    "wide macs": (128, "times MACs / 128", LEAST_MACS),
}
SMALL = "packets a call"


def measure():
    """For each opcode and class: what is counted, and (figure, call) of all calls, the best first."""
    program = f"{OUT}/tests/dsp/grid"
    ran = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False)
    classes = {}
    bad = []
    for line in ran.stdout.splitlines():
        if line.startswith("#"):
            bad.append(line[2:])
            continue
        try:
            opcode, kind, unit, amount, packets, call = line.split("\t")
            one, words, least = UNITS[unit]
            amount, packets = int(amount), int(packets)
        except (ValueError, KeyError):
            sys.exit(f"{program}: {line}")
        if amount < least:
            kind = f"{kind}, small" if kind else "small"
            figure, words = packets, SMALL
        else:
            figure = packets * one / amount
        classes.setdefault((opcode, kind or "all"), (words, []))[1].append((figure, call.strip()))
    if ran.returncode not in (0, 1) or not classes:
        sys.exit(f"{program}: it ended with {ran.returncode}")
    for _, calls in classes.values():
        calls.sort()
    return classes, bad


def text_of(figure):
    """Four digits at least."""
    return f"{figure:.0f}" if figure >= 1000 else f"{figure:.4g}"


def row_of(words, calls):
    """What grid.txt has of a class."""
    figures = [figure for figure, _ in calls]
    return [words, str(len(calls)), *(text_of(f) for f in (figures[0], figures[(len(figures) - 1) // 2], figures[-1])), calls[0][1], calls[-1][1]]


def read_bounds():
    bounds = {}
    with open(BOUNDS, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != 9:
                sys.exit(f"{BOUNDS}: {line}")
            bounds[cells[0], cells[1]] = cells[2:]
    return bounds


def compare(classes, bounds, percent):
    """What is worse than its bound or has none, for each opcode; and classes that are gone."""
    worse = {}
    for (opcode, kind), (words, calls) in classes.items():
        found = worse.setdefault(opcode, [])
        row = row_of(words, calls)
        bound = bounds.get((opcode, kind))
        if not bound or bound[0] != words:
            found.append(f"{kind}: has no bound in {BOUNDS}, which `make grid` writes")
            continue
        for what, at in (("median", 3), ("worst", 4)):
            if float(row[at]) > float(bound[at]) * (1 + percent / 100):
                call = f", {row[6]}" if what == "worst" else ""
                found.append(f"{kind}: the {what} takes {row[at]} {words}, not {bound[at]}{call}")
    for opcode, kind in bounds:
        if (opcode, kind) not in classes:
            worse.setdefault(opcode, []).append(f"{kind}: is in {BOUNDS}, and no call is of that class")
    return worse


def check():
    classes, bad = measure()
    worse = compare(classes, read_bounds(), PERCENT)
    failed = bool(bad)
    print(f"TAP version 13\n1..{len(worse) + 1}")
    for line in bad:
        print(f"# {line}")
    print(f"{'not ' if bad else ''}ok 1 each opcode has a grid of calls that its kernel takes")
    for number, (opcode, lines) in enumerate(worse.items(), 2):
        failed |= bool(lines)
        for line in lines:
            print(f"# {opcode} {line}")
        for (of, kind), (words, calls) in classes.items():
            if of == opcode:
                row = row_of(words, calls)
                print(f"# {kind}: {words} {row[2]} ({row[5]}) to {row[4]} ({row[6]}), median {row[3]} of {row[1]}")
        print(f"{'not ' if lines else ''}ok {number} {opcode}")
    return 1 if failed else 0


def write(accept_worse):
    classes, bad = measure()
    for line in bad:
        print(line)
    old = read_bounds() if os.path.exists(BOUNDS) else {}
    worse = compare({key: value for key, value in classes.items() if key in old}, {key: old[key] for key in old if key in classes}, 0)
    lines = [f"worse: {opcode} {line}" for opcode, found in worse.items() for line in found]
    print("".join(f"{line}\n" for line in lines), end="")
    if bad or (lines and not accept_worse):
        print(f"{len(lines)} bound(s) got worse: nothing was written. `make grid WORSE=1` writes them, for a commit that says why.")
        return 1
    with open(BOUNDS, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for (opcode, kind), (words, calls) in classes.items():
            file.write(" | ".join([opcode, kind, *row_of(words, calls)]) + "\n")
    print(f"{BOUNDS} is as measured: {sum(len(calls) for _, calls in classes.values())} calls of {len({opcode for opcode, _ in classes})} opcodes")
    return 0


def main(words):
    if words == ["check"]:
        return check()
    if words[:1] == ["write"] and words[1:] in ([], ["worse"]):
        return write(bool(words[1:]))
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
