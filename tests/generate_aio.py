"""Writes the types of the asyncio twin: `python -m tests.generate_aio`.

The twin is one generic wrapper at run time. Its types follow from the classes that it wraps: their
methods become coroutines, their handles become the handles of the twin.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import hardwon

SOURCE = Path(hardwon.__file__).parent
STUB = SOURCE / "api" / "aio.pyi"
CLASSES = {
    "api": ("Hardwon", "Agent"),
    "api.lessons": ("Lessons",),
    "api.playbook": ("Playbook",),
    "engine.trust": ("Projects",),
    "api.tenants": ("Tenant",),
    "api.namespaces": ("JobQueue", "Vectors", "Exchange", "Goals", "Runs", "Answers"),
    "learn.maintenance": ("Dreams",),
    "learn.traces.runs": ("Traces",),
    "learn.transcripts.past": ("PastHandle",),
    "learn.transcripts.mining": ("Sessions",),
    "learn.trials.loops": ("Loops",),
}
AT_ONCE = {"agent", "tenant"}
HEAD = '''"""The types of the asyncio twin, made by `python -m tests.generate_aio`; do not edit."""

from collections.abc import Generator
from typing import Self

{imports}

'''
OPENING = '''class Async:
    """Stands before any handle: its calls run in a thread and are awaited."""

    def __init__(self, handle: object) -> None: ...
    def __getattr__(self, name: str) -> object: ...

class Opening:
    """Awaited, it gives the handle; as a context manager it also closes it again."""

    def __await__(self) -> Generator[object, None, AsyncHardwon]: ...
    async def __aenter__(self) -> AsyncHardwon: ...
    async def __aexit__(self, *_: object) -> None: ...

'''
NAMES = {name: f"Async{name}" for names in CLASSES.values() for name in names}
NAMES["PastSessions"] = NAMES["PastHandle"]  # with no public method of its own for users


def stub() -> str:
    """The text of the stub."""
    used: dict[str, str] = {}
    parts = [OPENING, _opener(used)]
    for module, names in CLASSES.items():
        tree = ast.parse(_file(module).read_text())
        found = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        places = dict(_imports(tree, module))
        parts += [_class(found[name], places, used) for name in names]
    return HEAD.format(imports="\n".join(sorted(set(used.values())))) + "\n".join(parts)


def _file(module: str) -> Path:
    path = SOURCE / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _opener(used: dict[str, str]) -> str:
    tree = ast.parse(_file("api").read_text())
    opened = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "open"][-1]
    arguments = _arguments(opened.args, dict(_imports(tree, "api")), used)
    return f"def aopen({arguments}) -> Opening: ...\n"


def _class(node: ast.ClassDef, places: dict[str, str], used: dict[str, str]) -> str:
    known = (base.id for base in node.bases if isinstance(base, ast.Name))
    bases = [NAMES[name] for name in known if name in NAMES]
    lines = [f"class {NAMES[node.name]}{f'({bases[0]})' if bases else ''}:"]
    if node.name == "Agent":
        lines += ["    scope: Scope", "    lessons: AsyncLessons"]
        used["Scope"] = places["Scope"]
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            lines += _method(item, places, used)
    if node.name == "Hardwon":
        lines += [
            "    async def __aenter__(self) -> Self: ...",
            "    async def __aexit__(self, *_: object) -> None: ...",
        ]
    return "\n".join(lines) + "\n"


def _method(item: ast.FunctionDef, places: dict[str, str], used: dict[str, str]) -> list[str]:
    returns = _type(item.returns, places, used)
    decorators = [ast.unparse(one) for one in item.decorator_list]
    if decorators:
        return ["    @property", f"    def {item.name}(self) -> {returns}: ..."]
    arguments = _arguments(item.args, places, used)
    start = "def" if item.name in AT_ONCE else "async def"
    return [f"    {start} {item.name}({arguments}) -> {returns}: ..."]


def _arguments(args: ast.arguments, places: dict[str, str], used: dict[str, str]) -> str:
    defaults = [None] * (len(args.args) - len(args.defaults)) + list(args.defaults)
    texts = [
        _argument(one, default is not None, places, used)
        for one, default in zip(args.args, defaults, strict=True)
    ]
    if args.vararg:
        texts.append("*" + _argument(args.vararg, False, places, used))
    elif args.kwonlyargs:
        texts.append("*")
    texts += [
        _argument(one, default is not None, places, used)
        for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    if args.kwarg:
        texts.append("**" + _argument(args.kwarg, False, places, used))
    return ", ".join(texts)


def _argument(one: ast.arg, has_default: bool, places: dict[str, str], used: dict[str, str]) -> str:
    if one.annotation is None:
        return one.arg
    text = f"{one.arg}: {_type(one.annotation, places, used)}"
    return f"{text} = ..." if has_default else text


def _type(node: ast.expr | None, places: dict[str, str], used: dict[str, str]) -> str:
    """The annotation with the handles of the twin; notes what it needs to import."""
    if node is None:
        return "None"
    renamed = _Renamed().visit(ast.parse(ast.unparse(node), mode="eval").body)
    return ast.unparse(_Imported(places, used).visit(renamed))


class _Renamed(ast.NodeTransformer):
    """Puts the twin's handle in the place of a handle, however it is named."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(NAMES.get(node.id, node.id))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(NAMES[node.attr]) if node.attr in NAMES else node


class _Imported(ast.NodeTransformer):
    """Notes what has to be imported; a name that another module uses otherwise gets an alias."""

    def __init__(self, places: dict[str, str], used: dict[str, str]) -> None:
        self._places = places
        self._used = used

    def visit_Name(self, node: ast.Name) -> ast.expr:
        line = self._places.get(node.id)
        if line is None:
            return node
        name = node.id
        if self._used.setdefault(name, line) != line:
            name = f"{line.split()[1].rpartition('.')[2].capitalize()}{node.id}"
            self._used[name] = f"{line} as {name}"
        return ast.Name(name)


def _imports(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """Where each name of a module comes from, as an import statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for one in node.names:
                alias = f" as {one.asname}" if one.asname else ""
                line = f"from {node.module} import {one.name}{alias}"
                yield one.asname or one.name, line
        elif isinstance(node, ast.Import):
            for one in node.names:
                yield one.asname or one.name, f"import {one.name}"
        elif isinstance(node, ast.ClassDef) and node.name not in NAMES:
            yield node.name, f"from hardwon.{module} import {node.name}"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id  # perhaps the alias of a type
            yield name, f"from hardwon.{module} import {name}"


if __name__ == "__main__":
    STUB.write_text(stub())
