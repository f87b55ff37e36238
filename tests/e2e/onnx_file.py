# SPDX-License-Identifier: MIT
"""Writes small ONNX files, of what decides whether a model can run, without the onnx package.

A file is described in lines on standard input:

    opset VERSION [DOMAIN]
    input NAME TYPE DIM...            a dimension of 0 is named n, and may vary; so may one that is
                                      a word, its name, or ?, which has none. A single -: no dimensions
    output NAME TYPE
    constant NAME TYPE DIM... [= ELEMENT...]      without them, all of its elements are 1
    beside NAME TYPE DIM... @ KEY=VALUE...        a constant in another file: location, offset, length
    node [DOMAIN.]OP INPUT... -> OUTPUT... [: ATTRIBUTE=INTEGER[,INTEGER]...]
    if CONDITION -> OUTPUT...         then the lines of a branch, of which `result NAME` names an
    else                              output; of the other one;
    end                               and on with the graph

TYPE: float, uint8, int8, int32, int64, bool. A node is named as its first output.
"""
import struct
import sys

TYPES = {"float": (1, "f"), "uint8": (2, "B"), "int8": (3, "b"), "int32": (6, "i"), "int64": (7, "q"),
         "bool": (9, "?")}


def varint(value):
    out = bytearray()
    value &= 2**64 - 1
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def dimension(text):
    if text == "?":
        return b""
    if not str(text).isdigit():
        return block(2, text)
    return number(1, int(text)) if int(text) else block(2, "n")


def value_info(name, kind, dims):
    shape = b"".join(block(1, dimension(d)) for d in dims if d != "-")
    return block(1, name) + block(2, block(1, number(1, TYPES[kind][0]) + (block(2, shape) if dims else b"")))


def constant(name, kind, dims):
    words = " ".join(dims)
    dims, _, elements = words.partition("=")
    dims, count = dims.split(), 1
    for d in dims:
        count *= int(d)
    code, letter = TYPES[kind]
    elements = [float(e) if letter == "f" else int(e) for e in elements.split()] or [1] * count
    return (b"".join(number(1, int(d)) for d in dims) + number(2, code) + block(8, name) +
            block(9, struct.pack(f"<{count}{letter}", *elements)))


def beside(name, kind, words):
    at = words.index("@")
    keys = [word.split("=", 1) for word in words[at + 1:]]
    return (b"".join(number(1, int(d)) for d in words[:at]) + number(2, TYPES[kind][0]) + block(8, name) +
            b"".join(block(13, block(1, k) + block(2, v)) for k, v in keys) + number(14, 1))


def attribute(text):
    name, values = text.split("=")
    if "," not in values:
        return block(1, name) + number(3, int(values)) + number(20, 2)
    return block(1, name) + b"".join(number(8, int(v)) for v in values.split(",")) + number(20, 7)


def node(words):
    words, _, attributes = " ".join(words).partition(" : ")
    made, _, outputs = words.partition(" -> ")
    op, *inputs = made.split()
    domain, _, op = op.rpartition(".")
    outputs = outputs.split()
    return (b"".join(block(1, i) for i in inputs) + b"".join(block(2, o) for o in outputs) +
            block(3, outputs[0]) + block(4, op) + (block(7, domain) if domain else b"") +
            b"".join(block(5, attribute(a)) for a in attributes.split()))


def branches(words, lines):
    """The node of an If, with its branches from the lines up to `end`."""
    graphs, names = [block(2, "branch")], iter(("then_branch", "else_branch"))
    for line in lines:
        kind, *rest = line.split()
        if kind in ("else", "end"):
            graphs[-1] = block(5, block(1, next(names)) + block(6, graphs[-1]) + number(20, 5))
            if kind == "end":
                return node(["If", *words]) + b"".join(graphs)
            graphs.append(block(2, "branch"))
        elif kind == "result":
            graphs[-1] += block(12, block(1, rest[0]))
        else:
            graphs[-1] += part(kind, rest, lines)
    raise ValueError("an If has no end")


def part(kind, words, lines):
    if kind == "constant":
        return block(5, constant(words[0], words[1], words[2:]))
    if kind == "beside":
        return block(5, beside(words[0], words[1], words[2:]))
    if kind == "if":
        return block(1, branches(words, lines))
    return block(1, node(words))


def main():
    graph, opsets = block(2, "test"), b""
    lines = iter(sys.stdin)
    for line in lines:
        kind, *words = line.split()
        if kind == "opset":
            opsets += block(8, (block(1, words[1]) if words[1:] else b"") + number(2, int(words[0])))
        elif kind == "input":
            graph += block(11, value_info(words[0], words[1], words[2:]))
        elif kind == "output":
            graph += block(12, value_info(words[0], words[1], []))
        else:
            graph += part(kind, words, lines)
    sys.stdout.buffer.write(number(1, 8) + block(2, "tests/e2e") + block(7, graph) + opsets)


main()
