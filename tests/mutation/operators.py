"""Makes mutants from the syntax of a module: nobody picks them, so nobody favours them."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests.mutation.mutants import Mutant, near_tests, source

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


class _Change(NamedTuple):
    node: ast.expr
    new: str


def sampled(file: str, count: int, seed: str = "") -> list[Mutant]:
    """So many changes of one module; the same ones for one seed while the module stays."""
    return _chosen(_all_of(file), count, file + seed)


def drawn(files: Iterable[str], count: int, seed: str = "") -> list[Mutant]:
    """So many changes of all these modules together: a long module has more than a short one."""
    found = _chosen([mutant for file in files for mutant in _all_of(file)], count, seed)
    return sorted(found, key=lambda mutant: (mutant.file, mutant.at))


def _chosen(mutants: list[Mutant], count: int, seed: str) -> list[Mutant]:
    return random.Random(seed).sample(mutants, min(count, len(mutants)))


def _all_of(file: str) -> list[Mutant]:
    text, tests = source(file), near_tests(file)
    places = _Places(text)
    changes = [change for change in _changes(ast.parse(text)) if places.holds(change.node)]
    return [places.mutant(file, change, tests) for change in changes]


def _changes(tree: ast.Module) -> Iterator[_Change]:
    for node in _running_nodes(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield _Change(node.value, "None")
        elif isinstance(node, ast.If | ast.IfExp | ast.While) and _is_plain(node.test):
            yield _Change(node.test, f"(not {ast.unparse(node.test)})")
        elif isinstance(node, ast.comprehension):
            yield from (_Change(test, "True") for test in node.ifs)
        elif isinstance(node, ast.expr) and (new := _changed(node)):
            yield _Change(node, new)


def _running_nodes(node: ast.AST, parent: ast.AST | None = None) -> Iterator[ast.AST]:
    """All nodes that decide something: no annotations, nothing for type checkers or `zip`."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        if name == "args" and _is_end(parent):
            value = value[:1]
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_idle(child):
                yield child
                yield from _running_nodes(child, node)


def _is_idle(node: ast.AST) -> bool:
    """Whether no test can tell the opposite: what type checkers read, lengths that are equal."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.keyword(arg="strict"):
            return True
        case ast.Assign(targets=[ast.Name(id="TYPE_CHECKING")]):
            return True
    return False


def _is_end(node: ast.AST | None) -> bool:
    """Whether one end of a split text is taken: then it matters not how often it is split."""
    match node:
        case ast.Subscript(
            value=ast.Call(func=ast.Attribute(attr="split"), args=[_, ast.Constant()]),
            slice=ast.Constant(value=0),
        ):
            return True
        case ast.Subscript(
            value=ast.Call(func=ast.Attribute(attr="rsplit"), args=[_, ast.Constant()]),
            slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)),
        ):
            return True
    return False


def _is_plain(test: ast.expr) -> bool:
    return isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript)


def _changed(node: ast.expr) -> str:
    """The opposite of what an expression says; nothing for one that decides nothing."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _OPPOSITE:
            other = copy.copy(node)
            other.ops = [_OPPOSITE[type(operator)]()]
            return f"({ast.unparse(other)})"
        case ast.BoolOp(op=operator, values=values):
            word = " or " if isinstance(operator, ast.And) else " and "
            return "(" + word.join(f"({ast.unparse(value)})" for value in values) + ")"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"({ast.unparse(operand)})"
        case ast.Constant(value=bool(value)):
            return str(not value)
        case ast.Constant(value=int(value)):
            return str(value + 1)
    return ""


class _Places:
    """Where nodes stand in a text; the syntax tree counts bytes, Python's texts characters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = text.splitlines(keepends=True)

    def holds(self, node: ast.expr) -> bool:
        """Whether the node has a place of its own; parts of f-strings have none."""
        if not isinstance(node, ast.Constant):
            return True
        old = self._text[self._offset(node.lineno, node.col_offset) :]
        return old.startswith(repr(node.value))

    def mutant(self, file: str, change: _Change, tests: tuple[str, ...]) -> Mutant:
        """The change as a mutant of the file."""
        node = change.node
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno or 0, node.end_col_offset or 0)
        return Mutant(file, start, self._text[start:end], change.new, tests)

    def _offset(self, line: int, column: int) -> int:
        before = sum(len(each) for each in self._lines[: line - 1])
        return before + len(self._lines[line - 1].encode()[:column].decode())
