# SPDX-License-Identifier: Apache-2.0
"""A hook of MkDocs: pages of the C++ reference, one for each public header, from Doxygen's XML.

docs/cpp-reference.md gets the list of headers in place of its marker. Declarations stand in the
order of the header. Consecutive functions of one name share a heading.
"""
import html
import itertools
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
XML = ROOT / "build" / "doxygen" / "xml"
HEADERS = "include/numpact/"
MARKER = "<!-- headers -->"
FOLDER = "cpp-reference/"
LINE = 80  # columns of a declaration
KINDS = {"class", "struct", "union"}


def text_of(node):
    """A description as Markdown: paragraphs, with code in backticks."""
    if node is None:
        return ""
    parts = []

    def walk(element):
        is_code = element.tag == "computeroutput"
        parts.append("`" if is_code else "")
        parts.append(element.text or "")
        for child in element:
            if child.tag == "para":
                parts.append("\n\n")
            if child.tag == "listitem":
                parts.append("\n* ")
            walk(child)
            parts.append(child.tail or "")
        parts.append("`" if is_code else "")

    walk(node)
    lines = [line.strip() for line in "".join(parts).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def description(member):
    parts = [text_of(member.find(tag)) for tag in ("briefdescription", "detaileddescription",
                                                   "inbodydescription")]
    return escaped("\n\n".join(filter(None, parts)))


def escaped(text):
    """Text without what Markdown or HTML would take for markup, code in backticks left alone."""
    blocks = re.split(r"(`[^`]*`)", text)
    return "".join(block if block.startswith("`") else
                   re.sub(r"([*_\[\]|])", r"\\\1", html.escape(block, quote=False))
                   for block in blocks)


def plain(node):
    """The text of a node on one line, without Doxygen's blanks in templates and references."""
    words = " ".join("".join(node.itertext()).split()) if node is not None else ""
    words = re.sub(r" ([&*]+)(?=\w)", r"\1 ", words)
    return words.replace("< ", "<").replace(" >", ">")


def template_of(node):
    parameters = node.find("templateparamlist")
    if parameters is None:
        return ""
    names = [f"{plain(p.find('type'))} {plain(p.find('declname'))}".strip() for p in parameters]
    return f"template <{', '.join(names)}>\n"


def broken(declaration):
    """A declaration with a parameter on each line where one line would be long."""
    match = re.match(r"([^(]*)\((.*)\)([^)]*)$", declaration)
    if len(declaration) <= LINE or not match or not match[2]:
        return declaration
    parameters, depth = [""], 0
    for letter in match[2]:
        depth += (letter in "<({") - (letter in ">)}")
        if letter == "," and depth == 0:
            parameters.append("")
        else:
            parameters[-1] += letter
    lines = ",\n".join("    " + parameter.strip() for parameter in parameters)
    return f"{match[1]}(\n{lines}){match[3]}"


def signature(member):
    """The declaration of a member, as one line and the template before it."""
    kind, name = member.get("kind"), plain(member.find("name"))
    type_name = plain(member.find("type"))
    if kind == "function":
        static = "static " if member.get("static") == "yes" else ""
        result = f"{type_name} " if type_name else ""
        return template_of(member) + broken(
            f"{static}{result}{name}{plain(member.find('argsstring'))};")
    if kind == "typedef":
        return f"{plain(member.find('definition'))};"
    if kind == "define":
        return f"#define {name} {plain(member.find('initializer'))}".strip()
    value = plain(member.find("initializer"))
    return f"{type_name} {name}{' ' + value if value else ''};"


def cell(text):
    return " ".join(text.split()) or " "


def enum_lines(member):
    lines = ["| value | meaning |", "| --- | --- |"]
    for value in member.findall("enumvalue"):
        number = plain(value.find("initializer"))
        name = f"{plain(value.find('name'))}{' ' + number if number else ''}"
        lines.append(f"| `{name}` | {cell(description(value))} |")
    return lines


def field_lines(fields):
    lines = ["| field | meaning |", "| --- | --- |"]
    for field in fields:
        code = signature(field).rstrip(";").replace("|", "\\|")
        lines.append(f"| `{code}` | {cell(description(field))} |")
    return lines


def member_lines(members, level):
    """Headings, declarations and descriptions of functions, enums, types and variables."""
    lines = []
    heading = "#" * level
    for (kind, name), group in itertools.groupby(
            members, key=lambda m: (m.get("kind"), plain(m.find("name")))):
        found = list(group)
        lines += ["", f"{heading} `{name}`", ""]
        if kind == "enum":
            lines += [description(found[0]), "", *enum_lines(found[0])]
            continue
        for member in found:
            lines += ["```cpp", signature(member), "```", "", description(member), ""]
    return lines


def line_of(node):
    place = node.find("location")
    return int(place.get("line", 0)) if place is not None else 0


def members_of(compound):
    found = [member for section in compound.findall("sectiondef")
             if section.get("kind", "").startswith("public") or compound.get("kind") == "namespace"
             for member in section.findall("memberdef")]
    return sorted(found, key=line_of)


def free_members(header, everything):
    """The declarations of a header outside of classes, in the order of lines."""
    spaces = [c for c in everything.values() if c.get("kind") == "namespace"
              and plain(c.find("compoundname")).split("::")[0] == "numpact"
              and "detail" not in plain(c.find("compoundname")).split("::")]
    found = [m for space in spaces for m in members_of(space)
             if m.find("location").get("file") == header]
    return sorted(found, key=line_of)


def class_lines(compound):
    name = plain(compound.find("compoundname"))
    bases = [base.text for base in compound.findall("basecompoundref")]
    head = f"{template_of(compound)}{compound.get('kind')} {name}"
    head += f" : public {', '.join(bases)}" if bases else ""
    lines = ["", f"## `{name}`", "", "```cpp", f"{head};", "```", "", description(compound), ""]
    members = [m for m in members_of(compound) if m.get("kind") != "friend"]
    fields = [m for m in members if m.get("kind") == "variable"]
    if fields:
        lines += [*field_lines(fields), ""]
    return lines + member_lines([m for m in members if m.get("kind") != "variable"], 3)


def compounds():
    """All compounds of the XML, by their id."""
    found = {}
    for path in sorted(XML.glob("*.xml")):
        for compound in ElementTree.parse(path).getroot().findall("compounddef"):
            found[compound.get("id")] = compound
    return found


def page_name(header):
    return FOLDER + header.removeprefix(HEADERS).removesuffix(".hpp").replace("/", "-") + ".md"


def header_page(header, compound, everything):
    """The Markdown of a header's page: its classes, functions and types by their line."""
    include = header.removeprefix("include/")
    lines = [f"# {include}", "", description(compound), "", "```cpp", f'#include "{include}"',
             "```"]
    parts = []
    for inner in compound.findall("innerclass"):
        other = everything.get(inner.get("refid"))
        if other is not None and other.get("kind") in KINDS and other.get("prot") != "private" \
                and "detail" not in inner.text.split("::") and inner.get("prot") == "public":
            parts.append((line_of(other), class_lines(other)))
    for _, group in itertools.groupby(free_members(header, everything),
                                      key=lambda m: (m.get("kind"), plain(m.find("name")))):
        found = list(group)
        parts.append((line_of(found[0]), member_lines(found, 2)))
    for _, part in sorted(parts, key=lambda pair: pair[0]):
        lines += part
    return "\n".join(lines) + "\n"


def headers(everything):
    """Paths of the public headers with their compounds, in the order of their names."""
    found = [(c.find("location").get("file"), c) for c in everything.values()
             if c.get("kind") == "file" and c.find("location") is not None]
    return sorted((path, c) for path, c in found if path.startswith(HEADERS))


def on_files(files, config):
    everything = compounds()
    for header, compound in headers(everything):
        content = header_page(header, compound, everything)
        files.append(File.generated(config, page_name(header), content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    if MARKER not in markdown:
        return markdown
    lines = ["| header | content |", "| --- | --- |"]
    for header, compound in headers(compounds()):
        name = header.removeprefix("include/")
        lines.append(f"| [`{name}`]({page_name(header)}) | {cell(description(compound))} |")
    return markdown.replace(MARKER, "\n".join(lines))
