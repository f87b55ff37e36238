# SPDX-License-Identifier: MIT
"""The areas of the source that tests/mutants/mutants changes, and the tests that are to notice, the quick ones first."""

import pathlib

TESTS = pathlib.Path(__file__).resolve().parent.parent

# What has no address sanitizer, which asks for terabytes and limits itself: KiB of address space.
LIMIT = "ulimit -v 16000000;"


class Test:
    """A command, in the tree, and the target of make that it needs."""

    def __init__(self, target, command=None):
        self.target, self.command = target, command or target


class Area:
    """The files of `patterns`, but for what is between the two texts of `without`, by path. At least `share` of the mutants
    are to die. `tests` is a list, or a function of a path that returns one."""

    def __init__(self, share, patterns, tests, without=None):
        self.share, self.patterns, self.without = share, patterns, without or {}
        self.tests = tests if callable(tests) else lambda path: tests

    def files(self, tree):
        return sorted(str(path.relative_to(tree)) for pattern in self.patterns for path in tree.glob(pattern))


def unit_tests(*names):
    return [Test(f"build/tests/unit/test-{name}") for name in names]


OPERATORS = [
    Test("build/tests/e2e-golden", f"{LIMIT} tests/unit/onnx-operators"),
    Test("build/tests/e2e-golden", f"{LIMIT} tests/unit/onnx-random"),
    Test("build/tests/e2e-golden", f"{LIMIT} tests/unit/tflite-random"),
]
PACKING = [Test("build/tests/unit/packing", f"{LIMIT} build/tests/unit/packing")]
LIBRARY = [
    Test("build/tests/unit/golden", "tests/unit/edges"),
    *unit_tests("arena", "offsets", "operators", "optimize", "graph", "import", "rows", "limits", "calls", "work", "onnx-refused", "onnx-shapes", "hexagon", "allocations"),
    *OPERATORS,
    *unit_tests("text-variants", "tflite-variants", "onnx-variants"),
    Test("build/tests/fuzz/corpus-onnx"),
    Test("build/tests/fuzz/corpus-text"),
    Test("build/tests/fuzz/corpus-tflite"),
    Test("build/tests/unit/onnx-table", "tests/unit/onnx-schemas"),
    *unit_tests("threads", "host", "memory", "decisions", "partition", "weights", "onnx-spellings", "nests", "refusals", "tflite", "onnx"),
    Test("build/tests/unit/cost", f"{LIMIT} build/tests/unit/cost"),
    *PACKING,
    *unit_tests("detection", "expect", "reader", "sized"),
    *[Test(f"build/tests/e2e-{name}-host") for name in ("info", "plan", "refused", "verbose", "limit", "dump", "batch", "bench", "shapes", "beside", "described")],
]
PORTABLE = [
    Test("build/tests/dsp/test-golden"),
    Test("build/tests/dsp/test-golden-float"),
    Test("build/tests/dsp/test-checks"),
    Test("build/tests/dsp/test-interpreter"),
    Test("build/tests/dsp/test-program"),
    Test("build/tests/dsp/test-pack"),
    Test("build/tests/dsp/test-rows"),
    Test("build/tests/dsp/test-functions"),
    *OPERATORS,
    *unit_tests("graph", "decisions", "hexagon"),
]
SPEED = [Test("build/tests/dsp/bench", "/usr/bin/python3 tests/dsp/figures.py check operators")]
BOARD = [Test("build/vdsp build/smmu build/firmware.elf build/tests/board", "build/tests/board")]


# Folders of dsp/hvx and beginnings of names in them whose files are all one operator's.
FAMILIES = {"conv2d/": "conv2d", "depthwise/": "depthwise_conv2d", "pool/average": "average_pool", "pool/max": "max_pool",
            "move/transpose": "transpose", "move/copy": "copy"}


def own_test(path):
    """The operator whose file it is, alone or with others of its family; "" if it is of several."""
    name = pathlib.Path(path).stem
    if path.startswith("dsp/hvx/"):
        for family, operator in FAMILIES.items():
            if path.startswith(f"dsp/hvx/{family}") and not (TESTS / "dsp/kernels" / f"{name}.c").exists():
                return operator
    while name and not (TESTS / "dsp/kernels" / f"{name}.c").exists():
        name = name.rpartition("_")[0]
    return name


def dsp_tests(path):
    """qemu-hexagon takes half a minute for all operators: of a file that is one operator's, that operator's alone; and of what
    the tests in qemu-hexagon do not call, none."""
    own = own_test(path)
    vector = [Test(f"build/tests/dsp/{test}", f"{LIMIT} env NNLOOP_TEST_ALL=1 build/tests/dsp/{test} {own}")
              for test in ("test-requant", "test-kernels", "test-vectors", "test-progress") if not (own and test == "test-requant")]
    if path == "dsp/program/interpreter.c":
        return PORTABLE + BOARD
    if path.startswith("dsp/program/share."):
        return [Test("build/tests/dsp/test-workers"), Test("build/tests/dsp/test-share")]
    if path in ("dsp/program/pack.c", "dsp/program/pack_scales.c"):
        return PORTABLE + PACKING
    if path.startswith("libnnloop/device/host/"):
        return [Test("build/tests/dsp/test-host-kernels")]
    if path.startswith("dsp/firmware/"):
        is_job = pathlib.Path(path).stem in ("job", "programs", "board", "main", "platform")
        own_tests = [Test(f"build/tests/dsp/test-{name}") for name in ("runtime", "float32")]
        return BOARD if is_job else own_tests + BOARD + vector
    vector = SPEED + vector
    return vector if path.startswith("dsp/hvx/") else PORTABLE + vector


AREAS = {
    "libnnloop": Area(0.95, ["libnnloop/**/*.c"], LIBRARY),
    "dsp": Area(0.90, ["dsp/**/*.c", "dsp/**/*.h"], dsp_tests),
    # What the KUnit suites cover: page tables, the scheduler's rules, and the board, but for how long it is waited for.
    "driver": Area(0.90, ["driver/nnloop_pt.[ch]", "driver/nnloop_rules.c", "driver/nnloop_rules_gang.c", "driver/nnloop_rules_hang.c",
                                 "driver/nnloop_rules_limit.c", "driver/nnloop_board.c"], [Test("build/tests/kunit/kunit")],
                   without={"driver/nnloop_board.c": ("struct nnloop_patience", "nnloop_board_wait_ack")}),
}
