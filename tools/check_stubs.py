#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares numpact/_core.pyi with the module it describes, as it is installed; _cuda.pyi, too,
where that module was built.

mypy's stubtest takes functions of nanobind for something else. Checked are the names of everything,
and the parameters: their names, order, and which have defaults. One line per finding.
"""
import ast
import importlib.util
import re
import sys
from pathlib import Path

import numpact

MODULES = ["numpact._core", "numpact._cuda"]


def stub_parameters(function):
    """Name and whether there is a default, without self."""
    arguments = function.args.posonlyargs + function.args.args
    first_default = len(arguments) - len(function.args.defaults)
    names = [(a.arg, i >= first_default) for i, a in enumerate(arguments)]
    return [name for name in names if name[0] != "self"]


def real_parameters(signature):
    """The same of a signature of nanobind, which is text; None without names."""
    text = re.sub(r"\[[^][]*(?:\[[^][]*\][^][]*)*\]", "", signature)
    inner = text[text.index("(") + 1 : text.rindex(") ->")]
    names = [(part.split(":")[0].strip(), "=" in part) for part in inner.split(",") if part.strip()]
    names = [name for name in names if name[0] not in ("self", "/")]
    return None if any(name.startswith("arg") for name, _ in names) else names


def compare(where, stub, real):
    """The findings about a module or class: `stub` is its body."""
    described, overloads = {}, {}
    constants = {node.target.id for node in stub if isinstance(node, ast.AnnAssign)}
    for node in stub:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            described[node.name] = node
            overloads.setdefault(node.name, []).append(node)
    public = {name for name in dir(real) if not name.startswith("_")}
    if isinstance(real, type):
        public = {name for name in vars(real) if not name.startswith("_")} | {"__init__"}
        public &= set(vars(real)) | set(described)
    for name in sorted(public - described.keys() - constants - {"__init__"}):
        yield f"{where}.{name} is not in the stub"
    for name, node in described.items():
        if name.startswith("_") and name != "__init__":
            continue
        thing = getattr(real, name, None)
        if thing is None:
            bases = {base.id for base in getattr(node, "bases", []) if isinstance(base, ast.Name)}
            if "TypedDict" not in bases:  # which is there for checkers only
                yield f"{where}.{name} does not exist"
        elif isinstance(node, ast.ClassDef):
            yield from compare(f"{where}.{name}", node.body, thing)
        elif hasattr(thing, "__nb_signature__"):
            expected = [stub_parameters(node) for node in overloads[name]]
            got = [real_parameters(signature) for signature, *_ in thing.__nb_signature__]
            if None not in got and got != expected:
                yield f"{where}.{name} takes {got}, the stub says {expected}"
        elif not isinstance(thing, property):
            yield f"{where}.{name} is of a kind unknown here: {thing!r}"


def main():
    findings = []
    for name in MODULES:
        if importlib.util.find_spec(name) is None:
            continue
        module = importlib.import_module(name)
        short = name.split(".")[1]
        stub = Path(numpact.__file__).with_name(f"{short}.pyi")
        findings += compare(short, ast.parse(stub.read_text()).body, module)
    print("\n".join(findings) or "stubs: fine")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
