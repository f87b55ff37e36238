# SPDX-License-Identifier: MIT
"""Markdown, as far as docs/driver.md and docs/uapi.md use it, as the kernel's reStructuredText."""

import re
import textwrap

UNDERLINES = {1: "=", 2: "=", 3: "-"}
BULLET = re.compile(r"([-*]|\d+\.) +")


def slug(title):
    """As links name a heading."""
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


def literal(code, before, after):
    """Inline code. What stands beside it must not be a letter, or it would not end there."""
    return ("\\ " if before.isalnum() else "") + f"``{code}``" + ("\\ " if after.isalnum() else "")


def link(text, target, titles, pages):
    if target.startswith("#"):
        if target[1:] not in titles:
            raise ValueError(f"no heading for the link {target}")
        return f"`{text} <{titles[target[1:]]}_>`__"
    if target.removesuffix(".md") in pages:
        return f":doc:`{target.removesuffix('.md')}`"
    return text


def inline(text, titles, pages):
    """Code is the same in both but for its ticks; links and escapes are not. Emphasis is."""
    parts = re.split(r"(`[^`]*`)", text)
    for i, part in enumerate(parts):
        if i % 2:
            continue
        part = re.sub(r"\[([^]]*)\]\(([^)]*)\)",
                      lambda m: link(m.group(1), m.group(2), titles, pages), part)
        # A name that ends in _ would be a link.
        parts[i] = re.sub(r"(\w)_(?!\w|>)", r"\1\\_", part)
    for i in range(1, len(parts), 2):
        parts[i] = literal(parts[i][1:-1], parts[i - 1][-1:], parts[i + 1][:1])
    return "".join(parts)


def fill(text, first="", rest="", width=80):
    lines = textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest,
                          break_long_words=False, break_on_hyphens=False)
    # A line must not begin like a list's.
    for i in range(len(lines) - 1, 0, -1):
        if BULLET.match(lines[i].strip()):
            lines[i - 1] += " " + lines.pop(i).strip()
    return lines


def cells(row):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip())[1:-1]]


def table(rows, convert):
    head, body = cells(rows[0]), [cells(row) for row in rows[2:]]
    out = [".. list-table::"] + (["   :header-rows: 1"] if any(head) else []) + [""]
    for row in ([head] if any(head) else []) + body:
        for i, cell in enumerate(row):
            out += [line.rstrip() for line in fill(convert(cell) or "\\", "   * - " if i == 0 else "     - ", "       ")]
    return out + [""]


def convert(markdown, pages, skip=(), omit=()):
    """The page as reStructuredText. pages: names that links can have; skip: headings of sections that
    are left out; omit: regular expressions of table rows that are."""
    sections = re.split(r"(?m)^(?=## )", markdown)
    for title in skip:
        kept = [s for s in sections if not s.startswith(f"## {title}\n")]
        if len(kept) != len(sections) - 1:
            raise ValueError(f"there is no section {title}")
        sections = kept
    lines = "".join(sections).split("\n")
    titles = {slug(m.group(1)): m.group(1) for m in map(re.compile(r"#+ (.*)").match, lines) if m}
    out, i = [".. SPDX-License-Identifier: GPL-2.0", ""], 0

    def text(part):
        return inline(part, titles, pages)

    while i < len(lines):
        line = lines[i]
        heading = re.match(r"(#+) (.*)", line)
        if heading:
            title, rule = text(heading.group(2)), UNDERLINES[len(heading.group(1))]
            if rule == "=" and len(heading.group(1)) == 1:
                out += [rule * len(title)]
            out += [title, rule * len(title), ""]
            i += 1
        elif line.startswith("```"):
            end = lines.index("```", i + 1)
            language = {"c": "c", "sh": "sh"}.get(line[3:].strip())
            out += [f".. code-block:: {language}" if language else "::", ""]
            out += [("    " + code).rstrip() for code in lines[i + 1:end]] + [""]
            i = end + 1
        elif line.startswith("|"):
            rows = []
            while lines[i].startswith("|"):
                if not any(re.search(row, lines[i]) for row in omit):
                    rows.append(lines[i])
                i += 1
            out += table(rows, text)
        elif line.startswith("    "):
            out += ["::", ""]
            while lines[i].startswith("    "):
                out.append(lines[i])
                i += 1
            out.append("")
        elif not line.strip():
            i += 1
        else:
            mark = BULLET.match(line)
            part = line[mark.end():] if mark else line
            i += 1
            while lines[i].strip() and not BULLET.match(lines[i]) and not re.match(r"#|\||```", lines[i]):
                part += " " + lines[i].strip()
                i += 1
            indent = mark.group(0) if mark else ""
            out += fill(text(part), indent, " " * len(indent)) + [""]
    return "\n".join(out).rstrip() + "\n"
