# SPDX-License-Identifier: MIT
"""What is different in the kernel's tree: the driver there has no /dev/nnloop and knows one kernel only.

So nnloop_node.[ch], nnloop_compat.h and compat-probe.sh are left out, and what the other files take from
them is replaced here by the kernel's own. Each replacement must be of use, and no name of those headers may
be left: where the driver has changed, this says what is missing.
"""

import re

LEFT_OUT = ["nnloop_compat.h", "nnloop_node.c", "nnloop_node.h"]

# In every file: names of nnloop_compat.h (regular expressions).
NAMES = [
    (r'#include "nnloop_(compat|node)\.h"\n', ""),
    (r"\bnnloop_drm_minor\(&ndev->drm\)->debugfs_root\b", "ndev->drm.debugfs_root"),
    (r"\bnnloop_drm_show_fdinfo\b", "drm_show_fdinfo"),
    (r"\bnnloop_drm_compat_ioctl\b", "drm_compat_ioctl"),
    (r"\bnnloop_drm_client_id\(filp, &nnloop_last_file\)", "filp->client_id"),
    (r"\bNNLOOP_DRIVER_NODE\b", "DRIVER_COMPUTE_ACCEL"),
    (r"\tNNLOOP_DRIVER_(PRIME|DATE)\n", ""),
    (r"\bNNLOOP_DRIVER_FDINFO\b", ".show_fdinfo = nnloop_show_fdinfo,"),
    (r"\bNNLOOP_NS_DMA_BUF\b", '"DMA_BUF"'),
    (r"\bnnloop_vm_flags_(set|clear)\b", r"vm_flags_\1"),
    (r"\bnnloop_eventfd_signal\b", "eventfd_signal"),
    (r"(?m)^ \*   (nnloop_node\.c|nnloop_compat\.h) .*\n", ""),
    # What is new since the oldest kernel that the driver is built for.
    (r"\bk([mz])alloc\(sizeof\((\*[\w>-]+)\), ", r"k\1alloc_obj(\2, "),
    # libdrm has its headers in a folder of its own.
    (r"#include <drm_mode\.h>", "#include <drm/drm_mode.h>"),
    # Where the documentation is.
    (r"\bdocs/(driver|uapi)\.md\b", r"Documentation/accel/nnloop/\1.rst"),
]

# In one file, exactly once.
TEXTS = {
    "nnloop_drv.c": [
        ("#include <drm/drm_drv.h>\n", "#include <drm/drm_accel.h>\n#include <drm/drm_drv.h>\n"),
        ("#include <drm/drm_managed.h>\n", "#include <drm/drm_managed.h>\n#include <drm/drm_prime.h>\n"),
        ("""	ret = drm_dev_register(&ndev->drm, 0);
	if (ret)
		return ret;
	ndev->node = nnloop_node_create(&ndev->drm);
	if (IS_ERR(ndev->node)) {
		ret = PTR_ERR(ndev->node);
		drm_dev_unplug(&ndev->drm);
		return ret;
	}
""", """	ret = drm_dev_register(&ndev->drm, 0);
	if (ret)
		return ret;
"""),
        ("""	drm_info(&ndev->drm, "/dev/%s: %u workers, firmware %u.%u\\n",
		 nnloop_node_name(ndev->node), ndev->board.worker_count,
		 ndev->board.firmware_version >> 16, ndev->board.firmware_version & 0xffff);
""", """	drm_info(&ndev->drm, "%u workers, firmware %u.%u\\n", ndev->board.worker_count,
		 ndev->board.firmware_version >> 16, ndev->board.firmware_version & 0xffff);
"""),
        ("	nnloop_node_remove(ndev->node);\n", ""),
        ("""	ret = nnloop_node_class_register();
	if (ret)
		goto err_fini_timelines;
	ret = nnloop_pci_register();
	if (ret)
		goto err_unregister_class;
	ret = nnloop_soft_register();
	if (ret)
		goto err_unregister_pci;
	return 0;

err_unregister_pci:
	nnloop_pci_unregister();
err_unregister_class:
	nnloop_node_class_unregister();
err_fini_timelines:
""", """	ret = nnloop_pci_register();
	if (ret)
		goto err_fini_timelines;
	ret = nnloop_soft_register();
	if (ret)
		goto err_unregister_pci;
	return 0;

err_unregister_pci:
	nnloop_pci_unregister();
err_fini_timelines:
"""),
        ("	nnloop_timelines_fini();\n	nnloop_node_class_unregister();\n}\n",
         "	nnloop_timelines_fini();\n}\n"),
    ],
    "nnloop_file.c": [
        ("/* The newest number of a file, for kernels whose DRM core numbers no files. */\nstatic atomic64_t nnloop_last_file;\n\n", ""),
    ],
    "nnloop_drv.h": [
        ("struct nnloop_node;\n", ""),
        ("	/** @node: /dev/nnloop */\n	struct nnloop_node *node;\n\n", ""),
    ],
    "nnloop_soft.c": [
        ("	nnloop_dma_set_coherent(dev);\n", """#if defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_DEVICE) || defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_CPU)
	/* A device that is made of processors sees their caches, whatever others do. */
	dev->dma_coherent = true;
#endif
"""),
    ],
    "nnloop_prime.c": [
        ("#include <drm/drm_drv.h>\n", "#include <drm/drm_drv.h>\n#include <drm/drm_prime.h>\n"),
    ],
    "nnloop_hw.h": [
        (""" * The driver (driver/), the firmware (dsp/) and the virtual board (tools/vdsp/) include it. User
 * space never sees any of it; what user space and firmware share (programs and pass arguments) is
 * in dsp/program/nn_program.h, which the driver in turn never reads.
""", """ * The driver, the firmware and the virtual board include it. User space never sees any of it;
 * what user space and firmware share (programs and pass arguments) is their own affair.
"""),
        ("""#if defined(__KERNEL__)
#include <linux/types.h>
#elif defined(__linux__)
#include <linux/types.h>
#include <stdint.h>
#else
#include <stdint.h>
typedef uint8_t __u8;
typedef uint32_t __le32;
typedef uint64_t __le64;
#endif
""", "#include <linux/types.h>\n"),
    ],
    "nnloop_accel.h": [
        (" * An open file of /dev/nnloop (or of the DRM node behind it) is one client\n",
         " * An open file of the accel node is one client\n"),
    ],
    "node.h": [
        ("""/*
 * Nodes that the tests open. In the kernel's tree there is no /dev/nnloop: the series for it has
 * the accel nodes here (tools/kernel-patch).
 */
""", "/*\n * Nodes that the tests open.\n */\n"),
        ('"/dev/nnloop"', '"/dev/accel/accel0"'),
        ('"/dev/nnloop1"', '"/dev/accel/accel1"'),
    ],
}

# In one page of the documentation, exactly once (regular expressions, over lines).
PAGES = {
    "driver": [
        (r"`driver/` is `nnloop\.ko`", "`drivers/accel/nnloop/` is `nnloop.ko`"),
        (r"    nnloop_node\.lock .*\n", ""),
        (r" and\s+`tests/vm-reboot`\s+have\s+calls", " has calls"),
        (r"\s+\[glossary\.md\]\(glossary\.md\)\s+explains\s+the\s+words\.", ""),
        (r"\s+\(\[What\s+was\s+tried\s+before\]\(record/driver-rules\.md\)\s+did\s+worse\.\)", ""),
    ],
    "uapi": [
        (r"`uapi/drm/nnloop_accel\.h`", "`include/uapi/drm/nnloop_accel.h`"),
        (r"\s+\[glossary\.md\]\(glossary\.md\)\s+explains\s+the\s+words\.", ""),
        (r"(?s)`/dev/nnloop` \(a second.*?What\s+DRM\s+offers\s+on\s+render\s+nodes\s+works\s+on\s+either\s+name:\s+(.*?)\s+DRM's\s+other\s+calls,\s+"
         r"which\s+are\s+about\s+displays,\s+fail\s+with\s+`EACCES`,.*?render\s+node\.\n",
         r"`/dev/accel/accelN` appears when the driver finds a board. What DRM offers on render nodes works on it: \1 "
         "DRM's other calls, which are about displays, fail with `EACCES`.\n"),
        (r"The\s+node\s+belongs\s+to\s+root\s+until\s+a\s+udev\s+rule\s+says\s+otherwise;\s+the\s+one\s+that\s+`make\s+install`\s+installs\s+gives\s+it\s+to\s+"
         r"group\s+`render`,\s+mode\s+0660\.",
         "The node belongs to root until a udev rule says otherwise."),
        (r"\s+`tests/compat`\s+has\s+the\s+header\s+of\s+1\.0,\s+and\s+compares\s+today's\s+with\s+it\.", ""),
        (r"\s+\(`dsp/program/nn_program\.h`\)", ""),
        (r'open\("/dev/nnloop"', 'open("/dev/accel/accel0"'),
    ],
}
# What has no meaning in the kernel's tree.
NOT_THERE = r"/dev/nnloop(?!-board)|\btests/|\btools/|\bdocs/|\bmake test|\blibnnloop/|\bdsp/"

# The macro of file.h that both nodes share is there for one only.
FOPS = re.compile(r"/\* The file operations, whichever name the file was opened by; all but \.open\. \*/\n"
                  r"#define NNLOOP_FOPS\s*\\\n((?:.*\\\n)*)\tNNLOOP_FOP_FLAGS\n\n")


class Drift(Exception):
    """The driver has changed in a place that is known here."""


def file_operations(header):
    """The header without NNLOOP_FOPS, and the lines of that for a struct file_operations."""
    found = FOPS.search(header)
    if not found:
        raise Drift("nnloop_file.h has no NNLOOP_FOPS as tools/kernel-patch/in_tree.py knows it")
    lines = re.sub(r"[ \t]*\\\n", "\n", found.group(1))
    owner = "\t.owner = THIS_MODULE,\n"
    lines = lines.replace(owner, owner + "\t.open = accel_open,\n")
    return header[:found.start()] + header[found.end():], lines + "\t.fop_flags = FOP_UNSIGNED_OFFSET,\n"


def names_left_out(texts):
    """What the headers that are left out define: macros, functions, types."""
    names = set()
    for text in texts:
        names.update(re.findall(r"#define (NNLOOP_\w+|nnloop_\w+)", text))
        names.update(re.findall(r"(?m)^[\w \t*]*\b(nnloop_\w+)\(", text))
        names.update(re.findall(r"\bstruct (nnloop_node\w*)", text))
    return {name for name in names if not name.endswith("_H")} - {"nnloop_show_fdinfo"}


def convert(files, left_out):
    """files: {name: text} of the driver, the interface and the tests, as they are; left_out: texts of
    LEFT_OUT. Gives {name: text} for the kernel's tree."""
    files = dict(files)
    header, operations = file_operations(files["nnloop_file.h"])
    files["nnloop_file.h"] = header
    if "\tNNLOOP_FOPS\n\t.open = nnloop_drm_open,\n" not in files["nnloop_drv.c"]:
        raise Drift("nnloop_drv.c does not use NNLOOP_FOPS as tools/kernel-patch/in_tree.py knows it")
    files["nnloop_drv.c"] = files["nnloop_drv.c"].replace(
        "\tNNLOOP_FOPS\n\t.open = nnloop_drm_open,\n", operations)
    used = set()
    for name, text in files.items():
        for old, new in TEXTS.get(name, []):
            if text.count(old) != 1:
                raise Drift(f"{name} does not have once, as tools/kernel-patch/in_tree.py knows it:\n{old}")
            text = text.replace(old, new)
        for old, new in NAMES:
            text, count = re.subn(old, new, text)
            if count:
                used.add(old)
        files[name] = text
    for old, _ in NAMES:
        if old not in used:
            raise Drift(f"nothing is left of what tools/kernel-patch/in_tree.py replaces: {old}")
    for name in TEXTS.keys() - files.keys():
        raise Drift(f"there is no {name}, which tools/kernel-patch/in_tree.py changes")
    gone = names_left_out(left_out)
    for name, text in files.items():
        if not name.startswith("nnloop_"):
            continue    # a test's names are its own
        for word in sorted(gone.intersection(re.findall(r"\w+", text))):
            raise Drift(f"{name} uses {word}, for which tools/kernel-patch/in_tree.py has nothing")
    return files


def convert_page(name, text):
    """A page of the documentation as it is in the kernel's tree, still in Markdown."""
    for old, new in PAGES[name]:
        text, count = re.subn(old, new, text)
        if count != 1:
            raise Drift(f"docs/{name}.md does not have once, as tools/kernel-patch/in_tree.py knows it: {old}")
    return text


def check_page(name, text):
    found = re.search(f"(?m)^.*({NOT_THERE}).*$", text)
    if found:
        raise Drift(f"docs/{name}.md names what the kernel's tree does not have: {found.group(0).strip()}")
