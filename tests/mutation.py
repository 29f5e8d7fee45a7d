"""Put small faults into the library, one at a time, and count those that the tests find.

``python -m tests.mutation`` (``make mutate``) draws mutants from every package by a fixed seed. A
mutant is one change of the syntax tree inside a function: another comparison, sign, constant or
keyword. Mutants of kernels run interpreted, all others with compiled kernels.

1. Record which tests run which lines.
2. Import and collect once. For each mutant, fork, replace the code of the function in memory, and
   run the tests that reach the line, the quick ones first, until one fails.
3. Run the same tests up to this one without the mutant, in a fork of its own: a test that fails
   here too is left out, and the mutant is tried again.
4. Write ``docs/evidence/mutation.md``. Survivors listed in ``tests/equivalent_mutants.toml`` are
   equivalent: no input can tell them from the original.

Lines and outcomes are kept in ``.cache/mutation`` while they are valid, so that the work can be
interrupted: all until the library changes, what a test found until its file changes, survivors
until any test changes.
"""

import argparse
import ast
import contextlib
import copy
import functools
import gc
import hashlib
import inspect
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
import types
import warnings
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

with contextlib.suppress(ImportError):  # only POSIX has it, as it has the forks used below
    import resource

# The library is imported in another state where kernels are interpreted.
JIT_DISABLED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "src" / "roctree"
CACHE = ROOT / ".cache" / "mutation"
# Compiled kernels, apart from the user's: a mutant may store wrong ones.
KERNELS = CACHE / "kernels"
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"
REPORT = ROOT / "docs" / "evidence" / "mutation.md"

# Tests that repeat the library's work on other data, or read its documents, are left out.
KERNEL_TESTS = (
    *("tests/criteria/", "tests/geometry/", "tests/labelling/", "tests/large/", "tests/models/"),
    *("tests/pruning/", "tests/roc/", "tests/smoothing/", "tests/test_points.py", "tests/tree/"),
)
LEFT_OUT = (
    *("tests/oracle", "tests/studies", "studies", "tests/test_benchmarks.py"),
    *("tests/test_contributing.py", "tests/test_docstrings.py", "tests/test_documents.py"),
    *("tests/test_packaging.py", "tests/robust"),
    *("tests/cli/test_examples.py", "tests/cli/test_new_user.py"),
    "tests/estimator/test_scikit_learn_checks.py",
)
# For mutants that no test reaches in the same process.
TESTS_ALONE = {
    "_jit": [
        *("tests/test_jit.py", "tests/test_kernel_store.py", "tests/test_first_use.py"),
        "tests/criteria/test_custom.py",
    ],
    "data": ["tests/data"],
    "large": ["tests/large/test_dask.py"],
    "roctree": ["tests/estimator", "tests/test_import.py", "tests/test_checks.py"],
}
# A test that takes more processor time than this is not used, nor are tests in a browser.
LONGEST_TEST = 5.0
# Processor time of the tests of one mutant, by their recorded durations.
BUDGET = 40.0
MEMORY = 8 << 30


# Mutants


@dataclass(frozen=True)
class Mutant:
    """One change of the source.

    Its identity is independent of the rest of the file, so that a sample changes only where the
    library does.
    """

    path: str
    function: str
    line: int
    text: str
    change: str
    # Whether it is part of a kernel.
    kernel: bool
    # Tells apart equal changes of equal lines of the function.
    ordinal: int
    # Where its statement begins; coverage may know the line as part of that only.
    statement: int

    @property
    def key(self) -> str:
        """Identify the mutant."""
        ordinal = f" #{self.ordinal + 1}" if self.ordinal else ""
        return f"{self.path}, {self.function}: `{self.text}`, {self.change}{ordinal}"

    @property
    def package(self) -> str:
        """The package of the mutant; modules of the top level count as one."""
        parts = Path(self.path).parts
        return parts[0] if len(parts) > 1 else "roctree"


COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATIONS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
FUNCTIONS = {"min": "max", "any": "all", "minimum": "maximum", "floor": "ceil", "argmin": "argmax"}
FUNCTIONS |= {value: key for key, value in FUNCTIONS.items()}
SIDES = {"left": "right", "right": "left"}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand for a node instead."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            yield _changed(node, ops=[COMPARISONS[type(operator)]()])
        case ast.BinOp() | ast.AugAssign() if type(node.op) in OPERATIONS:
            yield _changed(node, op=OPERATIONS[type(node.op)]())
        case ast.BoolOp():
            yield _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield copy.copy(node.operand)
        case ast.Constant(value=bool()):
            yield _changed(node, value=not node.value)
        case ast.Constant(value=int()):
            yield _changed(node, value=node.value + 1)
        case ast.Constant(value=float()):
            yield _changed(node, value=2.0 * node.value if node.value else 1.0)
        case ast.If(body=[ast.Raise()], orelse=[]):
            yield _changed(node, test=ast.copy_location(ast.Constant(False), node.test))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.Call():
            yield from _changed_calls(node)


def _changed_calls(node: ast.Call) -> Iterator[ast.AST]:
    """Call the opposite function, or leave out a keyword."""
    match node.func:
        case ast.Name(id=name) if name in FUNCTIONS:
            yield _changed(node, func=_changed(node.func, id=FUNCTIONS[name]))
        case ast.Attribute(attr=name) if name in FUNCTIONS:
            yield _changed(node, func=_changed(node.func, attr=FUNCTIONS[name]))
    for index, keyword in enumerate(node.keywords):
        others = node.keywords[:index] + node.keywords[index + 1 :]
        match keyword:
            case ast.keyword(arg="side", value=ast.Constant(value=str(side))) if side in SIDES:
                value = _changed(keyword.value, value=SIDES[side])
                other = ast.keyword("side", value)
                yield _changed(
                    node, keywords=[*node.keywords[:index], other, *node.keywords[index + 1 :]]
                )
            case ast.keyword(arg=str()):
                yield _changed(node, keywords=others)


def _changed(node: Any, **fields: Any) -> Any:
    """A copy of a node with other fields."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _places(tree: ast.Module) -> Iterator[tuple[str, bool, int, ast.AST, str, int | None]]:
    """Yield function, whether a kernel, line of the statement, parent, field and index of nodes.

    Messages, annotations, defaults and nested definitions' decorators are left out.
    """
    skipped = {"annotation", "returns", "decorator_list", "args", "type_params"}

    def visit(node: ast.AST, function: str, inside: str, statement: int) -> Iterator[Any]:
        for field, value in ast.iter_fields(node):
            if field in skipped and not isinstance(node, ast.Call):
                continue
            for index, child in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr):
                    continue
                line = child.lineno if isinstance(child, ast.stmt) else statement
                if inside:
                    at = index if isinstance(value, list) else None
                    yield function, inside == "kernel", line, node, field, at
                if isinstance(child, ast.ClassDef | ast.FunctionDef):
                    name = f"{function}.{child.name}".lstrip(".")
                    yield from visit(child, name, inside or _kind(child), line)
                else:
                    yield from visit(child, function, inside, line)

    yield from visit(tree, "", "", 0)


def _kind(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Return "kernel" or "function"; nothing for a class."""
    if isinstance(node, ast.ClassDef):
        return ""
    decorators = {ast.unparse(it).split("(")[0] for it in node.decorator_list}
    return "kernel" if decorators & {"kernel", "typed_kernel", "inlined"} else "function"


def _described(node: Any, other: Any) -> str:
    """Say what is changed, in a few words."""
    if isinstance(node, ast.If):
        return "without this check"
    if isinstance(node, ast.Call) and len(other.keywords) < len(node.keywords):
        (dropped,) = {it.arg for it in node.keywords} - {it.arg for it in other.keywords}
        return f"without {dropped}="
    if isinstance(node, ast.Call) and node.func is not other.func:
        return f"{ast.unparse(node.func)} -> {ast.unparse(other.func)}"
    if isinstance(node, ast.Call):
        return "the other side="
    before, after = (" ".join(ast.unparse(it).split()) for it in (node, other))
    return f"{before} -> {after}"


@functools.cache
def mutants_of(source: Path) -> list[tuple[Mutant, Any]]:
    """List the mutants of a module with their syntax trees, which share all but the change."""
    text = source.read_text()
    lines = text.splitlines()
    tree = ast.parse(text, str(source))
    path = source.relative_to(LIBRARY).as_posix()
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for function, kernel, statement, parent, field, index in _places(tree):
        value = getattr(parent, field)
        node = value if index is None else value[index]
        for other in changes(node):
            identity = (function, lines[node.lineno - 1].strip(), _described(node, other))
            names = (path, function, node.lineno, *identity[1:])
            mutant = Mutant(*names, kernel, seen[identity], statement)
            seen[identity] += 1
            found.append((mutant, (parent, field, index, ast.copy_location(other, node))))
    return [(mutant, (tree, place)) for mutant, place in found]


@contextlib.contextmanager
def _mutated(tree: ast.Module, place: Any) -> Iterator[ast.Module]:
    """Change a syntax tree for a while."""
    parent, field, index, other = place
    value = getattr(parent, field)
    kept = value if index is None else value[index]

    def put(node: ast.AST) -> None:
        if index is None:
            setattr(parent, field, node)
        else:
            value[index] = node

    put(other)
    try:
        yield ast.fix_missing_locations(tree)
    finally:
        put(kept)


def _code_objects(code: types.CodeType) -> dict[tuple[str, int, int], types.CodeType]:
    """The functions of a module by name, line and order."""
    found: dict[tuple[str, int, int], types.CodeType] = {}

    def visit(code: types.CodeType) -> None:
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                ordinal = 0
                while (key := (constant.co_qualname, constant.co_firstlineno, ordinal)) in found:
                    ordinal += 1
                found[key] = constant
                visit(constant)

    visit(code)
    return found


def _found_again(mutant: Mutant) -> Any:
    """The syntax tree of a mutant's module, and the place that it changes."""
    return next(work for other, work in mutants_of(LIBRARY / mutant.path) if other == mutant)


def replacements(mutant: Mutant) -> dict[types.CodeType, types.CodeType] | None:
    """Map the code of functions to their mutated code, or None if it cannot be exchanged.

    Equal code objects are interchangeable, hence the map by value.
    """
    source = LIBRARY / mutant.path
    tree, place = _found_again(mutant)
    original = _code_objects(compile(tree, str(source), "exec"))
    with _mutated(tree, place) as changed:
        mutated = _code_objects(compile(changed, str(source), "exec"))
    exchanged = {}
    for key, code in original.items():
        other = mutated.get(key)
        if other is not None and other != code:
            if other.co_freevars != code.co_freevars:
                return None
            exchanged[code] = other
    return exchanged or None


def sample(size: int, at_least: int, seed: int) -> list[Mutant]:
    """Draw mutants: a share of every package in proportion to its size, and no fewer than asked.

    Mutants are ordered by a hash of the seed and their identity: a change of one function leaves
    the sample of the others as it is.
    """
    packages: dict[str, list[Mutant]] = defaultdict(list)
    for source in sorted(LIBRARY.rglob("*.py")):
        for mutant, _ in mutants_of(source):
            packages[mutant.package].append(mutant)
    total = sum(map(len, packages.values()))
    drawn = []
    for _, candidates in sorted(packages.items()):
        number = max(at_least, round(size * len(candidates) / total))
        candidates.sort(key=lambda it: hashlib.sha256(f"{seed} {it.key}".encode()).digest())
        usable = (mutant for mutant in candidates if replacements(mutant) is not None)
        drawn += [mutant for mutant, _ in zip(usable, range(number), strict=False)]
    return drawn


class Functions:
    """The functions of this process by their code; collected before forking, which is cheaper."""

    def __init__(self) -> None:
        self.by_code: dict[types.CodeType, list[types.FunctionType]] = defaultdict(list)
        self.caches = []
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and str(LIBRARY) in thing.__code__.co_filename:
                self.by_code[thing.__code__].append(thing)
            elif isinstance(thing, functools._lru_cache_wrapper):
                self.caches.append(thing)
        gc.freeze()

    def put_in(self, mutant: Mutant) -> None:
        """Exchange the code of the functions that a mutant changes."""
        exchanged = replacements(mutant) or {}
        found = [(it, new) for old, new in exchanged.items() for it in self.by_code.get(old, ())]
        if not found:
            raise LookupError(f"No function has the code of {mutant.key}")
        for function, new in found:
            function.__code__ = new
        self.clear_caches()

    def clear_caches(self) -> None:
        """Forget what was computed before the fork."""
        for cache in self.caches:
            cache.cache_clear()


# Which tests run which lines


def _digest(paths: Iterable[Path]) -> str:
    texts = (path.read_bytes() for path in sorted(paths) if path.exists())
    return hashlib.sha256(b"".join(texts)).hexdigest()


@functools.cache
def _library() -> str:
    """Tells versions of the library apart."""
    return _digest(LIBRARY.rglob("*.py"))


@functools.cache
def _all_tests() -> str:
    """Tells versions of the tests apart."""
    return _digest((ROOT / "tests").rglob("*.py"))


def _file_of(test: str) -> str:
    return test.split("::")[0]


class TookTooLong(BaseException):
    """A test needs more processor time than is allowed."""


class Session:
    """What pytest collected, and how to run some of it in a forked process."""

    def __init__(self, session: pytest.Session) -> None:
        self.items = {
            item.nodeid: item
            for item in session.items
            if item.get_closest_marker("slow") is None
            and "browser" not in getattr(item, "fixturenames", ())
            and not item.nodeid.startswith(LEFT_OUT)
            and not {"scheduler", "client", "cluster"} & set(getattr(item, "fixturenames", ()))
            and not _starts_processes(item)
            and (not JIT_DISABLED or _is_quick_interpreted(item))
        }
        self.config = session.config
        self.functions = Functions()

    def run(
        self, names: list[str], seconds: Mapping[str, float] | None = None
    ) -> Iterator[tuple[str, bool, float]]:
        """Run tests; yield each with whether it passed and its processor time.

        With the usual ``seconds``, a test that takes much longer ends the process.
        """
        for name, following in zip(names, [*names[1:], None], strict=True):
            watch = _Outcome()
            self.config.pluginmanager.register(watch)
            start = time.process_time()
            if seconds is not None:
                _note(name)
                limit = int(start + 4 * seconds[name]) + 10
                resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            self.config.hook.pytest_runtest_protocol(
                item=self.items[name], nextitem=following and self.items[following]
            )
            self.config.pluginmanager.unregister(watch)
            yield name, watch.passed and not watch.failed, time.process_time() - start


def _is_quick_interpreted(item: pytest.Item) -> bool:
    """Whether a test is worth trying without a compiler; ``fitted`` grows trees with points."""
    fixtures = getattr(item, "fixturenames", ())
    return item.nodeid.startswith((*KERNEL_TESTS, "src")) and "fitted" not in fixtures


def _starts_processes(item: pytest.Item) -> bool:
    """Whether a test runs the library in another process, which has no mutant."""
    function = getattr(item, "function", None)
    return function is not None and "subprocess" in inspect.getsource(function)


class _Outcome:
    """Note the outcome of one test."""

    passed = failed = False

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed
        self.passed |= report.when == "call" and report.passed


def record(session: Session, jobs: int) -> dict[str, Any]:
    """Record the lines of the library that each test runs, with its duration, by test."""
    digests = {path: _digest([ROOT / path]) for path in {_file_of(name) for name in session.items}}
    target = CACHE / f"map-{'interpreted' if JIT_DISABLED else 'compiled'}.json"
    old = json.loads(target.read_text()) if target.exists() else {}
    known: dict[str, Any] = old.get("files", {}) if old.get("library") == _library() else {}
    known = {path: entry for path, entry in known.items() if digests.get(path) == entry["digest"]}
    by_file: dict[str, list[str]] = defaultdict(list)
    for name in session.items:
        by_file[_file_of(name)].append(name)
    left = {path: known[path]["left"] if path in known else by_file[path] for path in by_file}

    def finish(path: str, _: str, answer: Any) -> list[str]:
        entry = known.setdefault(path, {"digest": digests[path], "tests": {}})
        entry["tests"] |= (answer or {}).get("tests", {})
        entry["left"] = left[path] = (answer or {}).get("left", [])
        print(f"{path}: {len(entry['tests'])} of {len(by_file[path])} tests", flush=True)
        target.write_text(json.dumps({"library": _library(), "files": known}))
        return [path] if left[path] else []

    missing = [path for path in sorted(left) if left[path]]
    _in_forks(missing, jobs, lambda path: _traced(session, left[path]), finish)
    return {name: it for entry in known.values() for name, it in entry["tests"].items()}


def _traced(session: Session, names: list[str]) -> dict[str, Any]:
    """Run the tests of a file and return those that pass: seconds and lines.

    A test that hangs ends the process; those after it are returned as left.
    """
    import coverage

    tests: dict[str, Any] = {}
    number = waited = 0

    def stop(*_: object) -> None:
        raise TookTooLong

    def watch() -> None:
        nonlocal waited
        while True:
            before = time.process_time()
            time.sleep(1.0)
            # The main thread may only wait for this one to release the interpreter.
            works = time.process_time() - before > 0.1 or not _is_asleep(os.getpid())
            waited = 0 if works else waited + 1
            if waited > 10 or time.process_time() - started > 100.0:
                _answer({"tests": tests, "left": names[number + 1 :]})

    started = time.process_time()
    Thread(target=watch, daemon=True).start()
    signal.signal(signal.SIGPROF, stop)
    for number, name in enumerate(names):  # noqa: B007
        # What compiles a kernel is quick the second time.
        for limit in [3 * LONGEST_TEST] if JIT_DISABLED else [30 * LONGEST_TEST, 3 * LONGEST_TEST]:
            waited, started = 0, time.process_time()
            tracer = coverage.Coverage(data_file=None, config_file=False, include=[f"{LIBRARY}/*"])
            tracer.start()
            signal.setitimer(signal.ITIMER_PROF, limit)
            try:
                ((_, passed, seconds),) = session.run([name])
            except TookTooLong:
                passed = False
            signal.setitimer(signal.ITIMER_PROF, 0)
            tracer.stop()
            with warnings.catch_warnings(action="ignore"):
                data = tracer.get_data()
            if not passed or seconds <= LONGEST_TEST:
                break
        if passed:
            lines = {
                Path(path).relative_to(LIBRARY).as_posix(): sorted(data.lines(path) or [])
                for path in data.measured_files()
            }
            tests[name] = {"seconds": round(seconds, 3), "lines": lines}
    return {"tests": tests, "left": []}


# Running the tests


def _is_asleep(group: int) -> bool:
    """Whether none of the processes of a group uses a processor or waits for one."""
    states = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(_stat(process)[2]) == group:
                states += [_stat(thread)[0] for thread in process.glob("task/*")]
    # The one that looks is running itself.
    return states.count("R") <= (group == os.getpgrp()) and "D" not in states


def _stat(folder: Path) -> list[str]:
    """State, parent, group and so on of a process or thread."""
    return (folder / "stat").read_text().rsplit(")", 1)[1].split()


def _in_forks(tasks: Iterable[Any], jobs: int, work: Any, finish: Any, patience: int = 60) -> None:
    """Do each task in a forked process.

    ``finish`` is told (task, how it ended, answer) and returns tasks to do next. How it ended is
    empty, "error" or the number of a signal; then the answer is the last note of the process.
    Processes that sleep for ``patience`` seconds wait for each other, and are stopped.
    """
    tasks = iter(tasks)
    following: list[Any] = []
    running: dict[int, tuple[Any, Path]] = {}
    asleep: Counter[int] = Counter()
    looked = time.monotonic()
    while True:
        while len(running) < jobs:
            task = following.pop() if following else next(tasks, None)
            if task is None:
                break
            number = next(NUMBERS)
            answer = CACHE / f"answer-{os.getpid()}-{number}.json"
            ANSWER[:] = [answer]
            process = os.fork()
            if process == 0:
                os.setpgid(0, 0)
                nothing = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(nothing, stream)
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                try:
                    _answer(work(task))
                except BaseException:
                    _note(traceback.format_exc())
                finally:
                    os._exit(1)
            running[process] = (task, answer)
        if not running:
            return
        process, status = os.waitpid(-1, os.WNOHANG)
        if process in running:
            task, answer = running.pop(process)
            # Processes that a test started and left behind.
            _kill_group(process)
            result = json.loads(answer.read_text()) if answer.exists() else None
            answer.unlink(missing_ok=True)
            code = os.waitstatus_to_exitcode(status)
            following += finish(task, "error" if code > 0 else str(code or ""), result)
            continue
        if time.monotonic() > looked + 1.0:
            looked = time.monotonic()
            for process in running:
                asleep[process] = asleep[process] + 1 if _is_asleep(process) else 0
                if asleep[process] > patience:
                    _kill_group(process)
        time.sleep(0.02)


# The file to which a forked process writes.
ANSWER: list[Path] = []
NUMBERS = itertools.count()


def _note(value: Any) -> None:
    """Write the answer of a forked process, which may be its last."""
    written = ANSWER[0].with_suffix(".new")
    written.write_text(json.dumps(value))
    written.replace(ANSWER[0])


def _answer(value: Any) -> None:
    """Write the answer of a forked process, and end it."""
    _note(value)
    os._exit(0)


def _kill_group(process: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def reached_lines(
    mutants: list[Mutant], known: dict[str, Any], usable: Container[str]
) -> dict[tuple[str, int], list[tuple[float, str]]]:
    """Find the tests that run the lines of mutants: (seconds, name) by path and line."""
    needed: dict[str, set[int]] = defaultdict(set)
    for mutant in mutants:
        needed[mutant.path] |= {mutant.line, mutant.statement}
    reached = defaultdict(list)
    for name, entry in known.items():
        if entry["seconds"] > LONGEST_TEST or name not in usable:
            continue
        for path in needed.keys() & entry["lines"].keys():
            for line in needed[path].intersection(entry["lines"][path]):
                reached[path, line].append((entry["seconds"], name))
    return reached


def selected(
    mutant: Mutant,
    reached: dict[tuple[str, int], list[tuple[float, str]]],
    finders: Mapping[str, int],
) -> list[str]:
    """Select the tests that run the line of a mutant.

    Tests that found other faults of the module come first, those that found most at the very
    beginning. The tests of the package follow, then one case of every other test function, quick
    ones before slow ones; tests of the same file stay together, because they share fixtures.
    """
    own = f"tests/{mutant.package}/", f"tests/test_{Path(mutant.path).stem}.py"
    own += tuple(TESTS_ALONE["_jit"]) if mutant.package == "_jit" else ()
    tests = reached.get((mutant.path, mutant.line)) or reached.get((mutant.path, mutant.statement))
    cases: Counter[str] = Counter()
    chosen, total = [], 0.0
    for seconds, name in sorted(tests or []):
        function = name.split("[")[0]
        rank = -1 if name.startswith(own) else min(cases[function], 2)
        cases[function] += 1
        chosen.append((rank, seconds, name))
    kept: list[tuple[int, float, str]] = []
    for rank, seconds, name in sorted(chosen):
        if total + seconds > BUDGET:
            continue
        total += seconds
        kept.append((rank, seconds, name))
    quickest: dict[tuple[int, str], float] = {}
    for rank, seconds, name in kept:
        quickest.setdefault((rank, _file_of(name)), seconds)
    order = sorted(kept, key=lambda it: (it[0], quickest[it[0], (f := _file_of(it[2]))], f))
    return sorted((name for _, _, name in order), key=lambda name: -finders.get(name, 0))


@dataclass(frozen=True)
class Trial:
    """Tests to run with a mutant, or without it as a control."""

    mutant: Mutant
    # Names of tests; if alone, arguments for pytest.
    tests: tuple[str, ...]
    # In a new process, with a copy of the library.
    alone: bool
    # All tests that the mutant meets, of which a control runs those up to one that failed.
    control_of: tuple[str, ...] | None = None


def _trial(mutant: Mutant, tests: list[str]) -> Trial:
    """How to try a mutant whose line is run by some tests."""
    # Stored kernels are not compiled again, so that a fault in their compilation would not run.
    if tests and mutant.path not in {"_jit/compiler.py", "_jit/__init__.py"}:
        return Trial(mutant, tuple(tests), alone=False)
    alone = TESTS_ALONE.get(mutant.package, [f"tests/{mutant.package}"])
    return Trial(mutant, tuple(alone), alone=True)


def _tried(session: Session, trial: Trial, seconds: Mapping[str, float]) -> str | None:
    """Run the tests of a trial and return the one that fails, or None."""
    if trial.alone:
        return _tried_alone(trial)
    with tempfile.TemporaryDirectory() as folder:
        if trial.mutant.package == "_jit":  # it may store kernels that are wrong
            shutil.copytree(KERNELS, folder, dirs_exist_ok=True)
            os.environ["NUMBA_CACHE_DIR"] = folder
        if trial.control_of is None:
            session.functions.put_in(trial.mutant)
        else:
            session.functions.clear_caches()
        return next(
            (name for name, passed, _ in session.run([*trial.tests], seconds) if not passed), None
        )


# Run pytest and write the name of the first test that fails.
ALONE = """
import sys
from pathlib import Path
import pytest

class First:
    def pytest_runtest_logreport(self, report):
        if report.failed:
            Path(sys.argv[1]).write_text(report.nodeid)

sys.exit(pytest.main(sys.argv[2:], plugins=[First()]))
"""
# Stands for the failing test where tests cannot even be collected.
COLLECT = "--collect-only"


def _tried_alone(trial: Trial) -> str | None:
    """Try a mutant that no test reaches in this process in a new one, with a copy of the library.

    Such code runs when the library is imported, when kernels are compiled, or in other processes.
    """
    mutant = trial.mutant
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / "roctree"
        shutil.copytree(LIBRARY, copied, ignore=shutil.ignore_patterns("__pycache__"))
        tree, place = _found_again(mutant)
        if trial.control_of is None:
            with _mutated(tree, place):
                text = ast.unparse(tree)
        else:
            text = ast.unparse(tree)
        (copied / mutant.path).write_text(text)
        variables = {"PYTHONPATH": os.pathsep.join([folder, str(ROOT)])}
        if mutant.package == "_jit":  # kernels are compiled again
            variables["NUMBA_CACHE_DIR"] = str(Path(folder) / "kernels")
        options = ["-x", "-q", "--timeout=120", "-p", "no:cacheprovider"]
        failed = Path(folder) / "failed"
        command = [sys.executable, "-c", ALONE, str(failed), *options, *trial.tests]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=False)
        if done.returncode == 0:
            return None
        return failed.read_text() if failed.exists() else COLLECT


def _next_trial(trial: Trial, failed: str | None) -> Trial | None:
    """What to run after a trial in which a test failed, or None; None if the outcome is clear."""
    if trial.control_of is None:
        if failed is None:
            return None
        if failed == COLLECT:
            until = (*trial.tests, COLLECT)
        else:
            until = (failed,) if trial.alone else trial.tests[: trial.tests.index(failed) + 1]
        return replace(trial, tests=until, control_of=trial.tests)
    if failed is None:
        return None
    all_tests = trial.control_of
    if trial.alone:
        others = (*all_tests, f"--deselect={failed}")
    else:
        others = tuple(name for name in all_tests if name != failed)
    return replace(trial, tests=others, control_of=None)


def examine(
    session: Session, mutants: list[Mutant], known: dict[str, Any], jobs: int
) -> dict[str, str]:
    """Try the mutants whose outcome is not known."""
    outcomes = Outcomes()
    waiting = [mutant for mutant in mutants if mutant.key not in outcomes.valid]
    print(f"{len(mutants)} mutants, {len(waiting)} to try", flush=True)
    reached = reached_lines(waiting, known, session.items)
    seconds = {name: entry["seconds"] for name, entry in known.items()}
    finders: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in mutants:
        if _found(outcome := outcomes.valid.get(mutant.key, "")):
            finders[mutant.path][outcome.removeprefix("found: ")] += 1
    trials = (_trial(it, selected(it, reached, finders[it.path])) for it in waiting)

    def finish(trial: Trial, ended: str, failed: str | None) -> list[Trial]:
        key = trial.mutant.key
        if ended == "error" or (ended and failed is None):
            outcomes.put(key, f"error: {ended} {failed}")
        elif (following := _next_trial(trial, failed)) is not None:
            return [following]
        elif trial.control_of is None:
            outcomes.put(key, "survived")
        else:
            outcomes.put(key, f"found: {trial.tests[-1]}")
            finders[trial.mutant.path][trial.tests[-1]] += 1
        print(f"{key}\n    {outcomes.valid[key]}", flush=True)
        return []

    _in_forks(trials, jobs, lambda trial: _tried(session, trial, seconds), finish)
    return outcomes.valid


class Outcomes:
    """The outcomes of mutants of one version of the library, on disk."""

    def __init__(self, mode: str = "kernels" if JIT_DISABLED else "others") -> None:
        self.file = CACHE / f"outcomes-{mode}.json"
        kept = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.entries: dict[str, list[str]] = {}
        if kept.get("library") == _library():
            self.entries = {
                key: [outcome, tests]
                for key, (outcome, tests) in kept["outcomes"].items()
                if tests == self._tests_of(outcome)
            }

    @property
    def valid(self) -> dict[str, str]:
        """Outcomes by mutant."""
        return {key: outcome for key, (outcome, _) in self.entries.items()}

    def put(self, key: str, outcome: str) -> None:
        """Add an outcome."""
        self.entries[key] = [outcome, self._tests_of(outcome)]
        self.file.write_text(json.dumps({"library": _library(), "outcomes": self.entries}))

    @staticmethod
    def _tests_of(outcome: str) -> str:
        """Tells versions of the tests apart on which an outcome depends."""
        if not _found(outcome):
            return _all_tests()
        return _digest([ROOT / _file_of(outcome.removeprefix("found: "))])


# The report


def equivalent() -> dict[str, str]:
    """The mutants proven equivalent, with the reason."""
    listed = tomllib.loads(EQUIVALENT.read_text())["mutant"] if EQUIVALENT.exists() else []
    return {entry["key"]: entry["reason"] for entry in listed}


def report(
    mutants: list[Mutant], results: dict[str, str], seed: int, before: dict[str, str], notes: str
) -> str:
    """Write the outcome as a page of the documentation.

    Parameters
    ----------
    mutants : list of Mutant
    results : dict
        Outcomes; a mutant without one was not tried.
    seed : int
    before : dict
        Shares of the faults found by package, before the tests were strengthened; may be empty.
    notes : str
        Text after the table.
    """
    reasons = equivalent()
    n_drawn = len(mutants)
    mutants = [mutant for mutant in mutants if mutant.key in results]

    def counts(package: str, own: list[Mutant]) -> list[str]:
        found = sum(_found(results[it.key]) for it in own)
        excused = sum(it.key in reasons and not _found(results[it.key]) for it in own)
        cells = [str(number) for number in (len(own), excused, len(own) - excused - found)]
        if before:
            cells.append(before.get(package, ""))
        return [*cells, f"{100 * found / max(len(own) - excused, 1):.1f} %"]

    packages: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        packages[f"`{mutant.package}`"].append(mutant)
    lines = [
        "# Faults that the tests find",
        "",
        "Written by `make mutate`, which puts one small fault at a time into the library and runs",
        "the tests that reach it: another comparison, sign, constant or boolean operator, a check",
        "or a keyword left out. Faults in kernels run interpreted, all others with compiled",
        f"kernels, with at most {BUDGET:.0f} seconds of tests per fault, none of which takes more",
        f"than {LONGEST_TEST:.0f} seconds; tests of the page in a browser are not used. A fault is",
        "found if a test fails that passes in a control run, which runs the same tests in the same",
        "order without the fault. Wording, defaults and constants of modules are not changed.",
        f"Of {n_drawn} faults drawn with seed {seed}, {len(mutants)} were tried.",
        "",
        "The last column counts the faults found, of those not equivalent"
        + (
            ";\nthe one before it those found before the tests were strengthened,"
            " in the sample of then."
            if before
            else "."
        ),
        "",
        "| package | faults | equivalent | not found |"
        + " found before |" * bool(before)
        + " found |",
        "|---|---|---|---|---|" + "---|" * bool(before),
    ]
    for package, own in [*sorted(packages.items()), ("**all**", mutants)]:
        lines.append(f"| {' | '.join([package, *counts(package, own)])} |")
    missed = [it for it in mutants if not _found(results[it.key])]
    lines += ["", notes.strip()] if notes else []
    lines += ["", "## Not found", ""]
    lines += [f"- {_quoted(it)}" for it in missed if it.key not in reasons]
    lines += ["", "## Equivalent", "", "No input tells these from the original.", ""]
    lines += [f"- {_quoted(it)}. {reasons[it.key]}" for it in missed if it.key in reasons]
    return "\n".join(lines) + "\n"


def shares_before() -> dict[str, str]:
    """Read the column "found before" of the report, which is kept."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (REPORT.read_text().splitlines() if REPORT.exists() else [])
        if line.startswith("|")
    ]
    if not rows or "found before" not in rows[0]:
        return {}
    place = rows[0].index("found before")
    return {row[0]: row[place] for row in rows[2:]}


def _quoted(mutant: Mutant) -> str:
    """A mutant in Markdown; a line of code may contain backticks."""
    return f"`{mutant.path}`, {mutant.function}: ``{mutant.text}``, `{mutant.change}`"


def _found(outcome: str) -> bool:
    return outcome.startswith("found")


VARIABLES = {
    "OPENBLAS_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
    "NUMBA_CACHE_DIR": str(KERNELS),
}
# How the library is imported for the mutants of kernels and for the others.
MODES = {
    "kernels": VARIABLES | {"NUMBA_DISABLE_JIT": "1"},
    "others": VARIABLES | {"NUMBA_DISABLE_JIT": "0"},
}


class Mutation:
    """A plugin of pytest that runs mutants instead of the tests."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record, try and report."""
        options = self.options
        collected = Session(session)
        print(f"{len(collected.items)} tests", flush=True)
        known = record(collected, options.jobs)
        if not options.only_record:
            mutants = [it for it in drawn(options) if it.kernel == JIT_DISABLED]
            examine(collected, mutants, known, options.jobs)
        return True


def drawn(options: argparse.Namespace) -> list[Mutant]:
    """Draw the mutants that the command line asks for."""
    mutants = sample(options.size, options.at_least, options.seed)
    return [it for it in mutants if it.path.startswith(tuple(options.paths))]


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=400)
    parser.add_argument("--at-least", type=int, default=20, help="mutants of every package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only-record", action="store_true", help="stop after step 1")
    parser.add_argument("--only", choices=MODES, help="only kernels, or all but kernels")
    parser.add_argument("--notes", type=Path, help="text for the report")
    parser.add_argument("--paths", nargs="*", default=[""], help="modules that start so; no report")
    options = parser.parse_args()
    KERNELS.mkdir(parents=True, exist_ok=True)
    if options.only is None:
        for mode, variables in MODES.items():
            command = [sys.executable, "-m", "tests.mutation", *sys.argv[1:], "--only", mode]
            subprocess.run(command, env=os.environ | variables, cwd=ROOT, check=True)
        outcomes = {key: it for mode in MODES for key, it in Outcomes(mode).valid.items()}
        mutants = drawn(options)
        notes = options.notes.read_text() if options.notes else ""
        text = report(mutants, outcomes, options.seed, shares_before(), notes)
        (REPORT if options.paths == [""] else CACHE / REPORT.name).write_text(text)
        return 0
    arguments = ["-q", "-s", "--timeout=0", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    return pytest.main([*arguments, "--hypothesis-profile=mutation"], plugins=[Mutation(options)])


if __name__ == "__main__":
    sys.exit(main())
