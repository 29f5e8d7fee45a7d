"""The script behind ``make mutate`` makes the faults that it says it makes."""

import ast

from tests import mutation

SOURCE = '''
LIMIT = 3


def clipped(values, low=0, *, weight=None):
    """Sums of 1 + 1."""
    if low < 0:
        raise ValueError(f"{low} - 1")
    total = -sum(values, start=1)
    return total if total > low and not weight else min(total, 2.5)
'''


def mutants(tmp_path, monkeypatch):
    monkeypatch.setattr(mutation, "LIBRARY", tmp_path)
    (tmp_path / "module.py").write_text(SOURCE)
    return mutation.mutants_of(tmp_path / "module.py")


def test_a_fault_is_one_change_inside_a_function_and_never_of_words_or_defaults(
    tmp_path, monkeypatch
):
    found = [mutant.change for mutant, _ in mutants(tmp_path, monkeypatch)]
    assert sorted(found) == sorted(
        [
            "without this check",
            "low < 0 -> low <= 0",
            "0 -> 1",
            "-sum(values, start=1) -> sum(values, start=1)",
            "without start=",
            "1 -> 2",
            "total > low and (not weight) -> total > low or not weight",
            "total > low -> total >= low",
            "not weight -> weight",
            "min -> max",
            "2.5 -> 5.0",
        ]
    )


def test_faults_differ_from_the_source_and_from_each_other(tmp_path, monkeypatch):
    texts = []
    for _, (tree, place) in mutants(tmp_path, monkeypatch):
        with mutation._mutated(tree, place) as changed:
            texts.append(ast.unparse(changed))
        assert ast.unparse(tree) == ast.unparse(ast.parse(SOURCE))
    assert len({*texts, ast.unparse(ast.parse(SOURCE))}) == len(texts) + 1


def test_every_fault_can_be_put_into_a_running_function(tmp_path, monkeypatch):
    for mutant, _ in mutants(tmp_path, monkeypatch):
        names = {}
        path = str(tmp_path / "module.py")
        exec(compile(SOURCE, path, "exec"), names)
        (old, new), *_ = mutation.replacements(mutant).items()
        assert names["clipped"].__code__ == old != new


def test_the_report_names_survivors_and_counts_what_was_found_before_and_now(tmp_path, monkeypatch):
    found = [mutant for mutant, _ in mutants(tmp_path, monkeypatch)]
    reasons = {found[1].key: "Both are the same."}
    monkeypatch.setattr(mutation, "equivalent", lambda: reasons)
    results = {mutant.key: "found: a test" for mutant in found[:-1]}
    results |= {found[1].key: "survived", found[2].key: "survived"}
    before = {"**all**": "12.5 %"}
    text = mutation.report(found, results, 7, before, "Something learnt.")
    n = len(found)
    assert f"Of {n} faults drawn with seed 7, {n - 1} were tried." in text
    after = f"{100 * (n - 3) / (n - 2):.1f} %"
    assert f"| **all** | {n - 1} | 1 | 1 | 12.5 % | {after} |" in text
    monkeypatch.setattr(mutation, "REPORT", tmp_path / "report.md")
    assert mutation.shares_before() == {}
    mutation.REPORT.write_text(text)
    assert mutation.shares_before()["**all**"] == "12.5 %"
    missed, excused = text.split("## Equivalent")
    assert mutation._quoted(found[2]) in missed
    assert f"{mutation._quoted(found[1])}. Both are the same." in excused
    assert "Something learnt." in missed


def following(trial, *outcomes):
    """The trials after one, given the test that fails in each, or None."""
    for failed in outcomes:
        trial = mutation._next_trial(trial, failed)
    return trial


def test_a_test_that_fails_without_the_fault_too_finds_nothing(tmp_path, monkeypatch):
    mutant, _ = mutants(tmp_path, monkeypatch)[0]
    trial = mutation.Trial(mutant, ("a", "b", "c"), alone=False)
    assert following(trial, None) is None
    control = following(trial, "b")
    assert control.tests == ("a", "b")
    assert control.control_of == ("a", "b", "c")
    assert following(control, None) is None
    again = following(control, "a")
    assert (again.tests, again.control_of) == (("b", "c"), None)


def test_in_a_process_of_its_own_the_control_runs_the_failing_test_only(tmp_path, monkeypatch):
    mutant, _ = mutants(tmp_path, monkeypatch)[0]
    trial = mutation.Trial(mutant, ("tests/a",), alone=True)
    control = following(trial, "tests/a/test_a.py::test_it")
    assert control.tests == ("tests/a/test_a.py::test_it",)
    again = following(control, "tests/a/test_a.py::test_it")
    assert again.tests == ("tests/a", "--deselect=tests/a/test_a.py::test_it")
    broken = following(trial, mutation.COLLECT)
    assert broken.tests == ("tests/a", mutation.COLLECT)


def test_outcomes_are_kept_until_what_they_depend_on_changes(tmp_path, monkeypatch):
    versions = {"library": "1", "tests": "1"}
    monkeypatch.setattr(mutation, "CACHE", tmp_path)
    monkeypatch.setattr(mutation, "ROOT", tmp_path)
    monkeypatch.setattr(mutation, "_library", lambda: versions["library"])
    monkeypatch.setattr(mutation, "_all_tests", lambda: versions["tests"])
    (tmp_path / "test_a.py").write_text("1")
    outcomes = mutation.Outcomes("others")
    outcomes.put("one", "found: test_a.py::test_it")
    outcomes.put("two", "survived")
    assert mutation.Outcomes("kernels").valid == {}
    assert set(mutation.Outcomes("others").valid) == {"one", "two"}
    versions["tests"] = "2"
    assert set(mutation.Outcomes("others").valid) == {"one"}
    (tmp_path / "test_a.py").write_text("2")
    assert mutation.Outcomes("others").valid == {}
    (tmp_path / "test_a.py").write_text("1")
    versions["library"] = "2"
    assert mutation.Outcomes("others").valid == {}
