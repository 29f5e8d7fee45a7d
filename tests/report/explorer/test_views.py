"""Numbers of every view, of the next labelling and of nodes are Python's; what is copied runs."""

import shlex

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.metrics import fbeta_score, precision_score

from tests.cli.conftest import roctree  # noqa: F401 - a fixture
from tests.report.explorer import trees

pytestmark = pytest.mark.slow


def rates_of(truth, said):
    return (truth & said).sum() / truth.sum(), (~truth & said).sum() / (~truth).sum()


@pytest.mark.parametrize("made", [trees.tumours, trees.gaps, trees.soft])
def test_views_show_the_operating_point_in_their_own_coordinates(made, kept):
    tree, X_test, y_test = made()
    page = kept(made)
    page.type("cost-fp", 2)
    page.type("cost-fn", 7)
    page.type("beta", 2)
    ours, _ = page.positive(tree)
    truth = y_test == ours
    there = tree.at(cost_fp=2, cost_fn=7, counts="smoothed", positive=ours)
    said = there.predict(X_test) == ours
    tpr, fpr = rates_of(truth, said)
    share, precision = truth.mean(), precision_score(truth, said)
    assert page.number("precision") == pytest.approx(precision)
    assert page.number("f_beta") == pytest.approx(fbeta_score(truth, said, beta=2))
    assert page.number("accuracy") == pytest.approx((truth == said).mean())
    cost = 7 * share * (1 - tpr) + 2 * (1 - share) * fpr
    assert page.number("cost") == pytest.approx(1000 * cost)
    page.page.get_by_role("tab", name="Cost", exact=True).click()
    assert page.number("normalised_cost") == pytest.approx(cost / (7 * share + 2 * (1 - share)))
    page.page.get_by_role("tab", name="Benefit", exact=True).click()
    assert page.number("threshold") == pytest.approx(2 / 9)
    benefit = tpr * share - fpr * (1 - share) * 2 / 7
    assert page.number("net_benefit") == pytest.approx(benefit)
    page.page.get_by_role("tab", name="Gain", exact=True).click()
    for name, value in (("precision", precision), ("recall", tpr)):
        gain = (value - share) / ((1 - share) * value)
        assert page.number(f"{name}_gain") == pytest.approx(gain)


def test_the_next_labelling_changes_what_at_would(kept):
    tree, X_test, y_test = trees.outings()
    page = kept(trees.outings)
    page.type("cost-fn", 3)
    truth = y_test == tree.classes_[1]
    costs = []
    for miss in (3, tree.at(cost_fn=3, counts="smoothed").operating_point_.cost_ratio[1] * 1.0001):
        said = tree.at(cost_fn=miss, counts="smoothed").predict(X_test) == tree.classes_[1]
        costs.append(np.array([(truth & said).mean(), (~truth & said).mean()]) * 1000)
    hits, alarms = costs[1] - costs[0]
    text = page.page.locator(".step").first.text_content()
    shown_hits, shown_alarms = (
        float(text.split(word)[0].split()[-1].replace("−", "-").replace("±", ""))
        for word in (" hit", " false alarm")
    )
    assert (shown_hits, shown_alarms) == pytest.approx((hits, alarms), rel=0.01)
    expected = float(text.rstrip(".").split()[-1].replace("−", "-").replace("±", ""))
    assert expected == pytest.approx(alarms - 3 * hits, rel=0.01)
    page.page.locator(".step button").first.click()
    rates = tree.at(cost_fn=page.app("state.cost_fn"), counts="smoothed")
    said = rates.predict(X_test) == tree.classes_[1]
    assert page.number("tp") == (truth & said).sum()


def test_a_card_gives_counts_and_the_interval_of_a_share(kept):
    tree, X_test, y_test = trees.outings()
    page = kept(trees.outings)
    page.page.locator("canvas.tree").focus()
    for _ in range(3):
        page.page.keyboard.press("ArrowDown")
    node = page.app("lit.node")
    text = page.page.locator(".card").text_content().replace("\u00a0", " ")
    counts = tree.tree_.counts[node].astype(int)
    wanted = binomtest(int(counts[1]), int(counts.sum())).proportion_ci(method="wilson")
    assert f"{tree.probabilities_[node, 1]:.1%}".replace("%", " %").replace(".0", "") in text
    for bound in (wanted.low, wanted.high):
        assert f"{bound:.1%}".replace("%", " %").replace(".0 ", " ") in text
    cells = page.page.locator(".card td").all_text_contents()
    test = [
        ((tree.apply(X_test)[:, None] == below(tree, node)).any(axis=1) & (y_test == label)).sum()
        for label in tree.classes_
    ]
    assert [int(cell) for cell in cells if cell] == [
        value for pair in zip(counts, test, strict=True) for value in pair
    ]


def below(tree, node):
    """The leaves below a node, or itself."""
    nodes, found = [node], []
    while nodes:
        at = nodes.pop()
        first = tree.tree_.first_child[at]
        nodes += range(first, first + tree.tree_.n_children[at])
        found += [at] if tree.tree_.is_leaf[at] else []
    return np.array(found)


def test_probabilities_on_average_and_distances_of_cases_are_those_of_python(kept):
    tree, X_test, y_test = trees.outings()
    page = kept(trees.outings)
    page.type("cost-fn", 2)
    page.page.get_by_role("tab", name="Calibration").click()
    said = tree.predict_proba(X_test)[:, 1].mean()
    assert page.number("mean_probability") == pytest.approx(said)
    assert page.number("mean_share") == pytest.approx((y_test == tree.classes_[1]).mean())
    page.page.get_by_role("tab", name="Near cases").click()
    page.wait_until(
        "document.querySelector('main.roctree').explorer.app.near.filter(Boolean).length === "
        f"{len(page.app('data.cases'))}"
    )
    there = tree.at(cost_fn=2, counts="smoothed")
    rows = X_test.iloc[[each["row"] for each in page.app("data.cases")]]
    sides = np.where(there.predict(rows) == tree.classes_[1], 1, -1)
    signed = [each["signed"] for each in page.app("near")]
    np.testing.assert_allclose(signed, sides * there.boundary_distance(rows))
    right = [each["right"] for each in page.app("near")]
    assert right == (there.predict(rows) == y_test[rows.index - X_test.index[0]]).tolist()


@pytest.mark.parametrize(
    ("made", "typed"),
    [
        (trees.outings, {"cost-fp": 2, "cost-fn": 5, "prior": 20}),
        (trees.outings, {"max-fpr": 12.5}),
        (trees.outings, {"min-tpr": 90}),
        (trees.wines, {"cost-0-1": 9, "cost-2-0": 0.2}),
    ],
)
def test_the_copied_command_labels_a_file_as_the_page_says(made, typed, kept, roctree, tmp_path):  # noqa: F811
    tree, X_test, _ = made()
    page = kept(made)
    if made is trees.outings:
        page.choose("positive", 0)
    for name, value in typed.items():
        page.type(name, value)
    tree.save(tmp_path / "tree.json")
    X_test.to_csv(tmp_path / "new.csv", index=False)
    command = shlex.split(page.preview("Command line"))
    files = {name: str(tmp_path / name) for name in ("tree.json", "new.csv", "scored.csv")}
    done = roctree(*(files.get(word, word) for word in command[1:]))
    assert done.code == 0, done.err
    scored = pd.read_csv(tmp_path / "scored.csv")
    there = eval(page.preview("Python"), {"tree": tree})
    assert scored["label"].tolist() == there.predict(X_test).tolist()
    labels = np.array(page.app("point.labels"))
    leaf_of = np.cumsum(tree.tree_.is_leaf) - 1
    assert (tree.classes_[labels[leaf_of[tree.apply(X_test)]]] == scored["label"]).all()
