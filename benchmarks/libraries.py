"""One tree in each library, set to do the same work; imported only in the worker of each."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np

# The maximal number of leaves and megabytes of histograms of LightGBM. Without these limits it
# clears a histogram for every leaf that it might grow, which takes longer than growing them.
LIGHTGBM_LEAVES = 131_072
LIGHTGBM_HISTOGRAMS = 512
# XGBoost has a depth for "no limit" too, but it takes longer.
XGBOOST_DEEP = 30


@dataclass(frozen=True)
class Task:
    """A task: a data set, the minimal number of cases per leaf, the maximal depth."""

    data: str
    leaf: int
    depth: int | None = None
    n_rows: int | None = None

    @property
    def name(self) -> str:
        levels = "full" if self.depth is None else f"depth{self.depth}"
        return f"{self.data}-leaf{self.leaf}-{levels}"


class Library(Protocol):
    """How a worker uses a library."""

    def __init__(self, **options: Any) -> None: ...

    def table(self, X: Any) -> Any:
        """Return the rows in the format of the library; not timed."""

    def fit(self, table: Any, y: np.ndarray, task: Task, threads: int) -> Any:
        """Return a fitted model; timed."""

    def probabilities(self, model: Any, table: Any, threads: int) -> np.ndarray:
        """Return the probability of the second class, or of each of many; timed."""

    def leaves(self, model: Any) -> int:
        """Return the number of leaves, of all trees together."""


def one_score(probabilities: np.ndarray) -> np.ndarray:
    return probabilities[:, 1] if probabilities.shape[1] == 2 else probabilities


def levels(tree: Any) -> float:
    """Return the mean number of splits on the path of a case, to which fit time is proportional."""
    weight = tree.weighted_n_node_samples
    return float(weight[tree.children_left >= 0].sum() / weight[0])


@cache
def compile_roctree() -> None:
    """Compile all kernels: until then, medium-sized tables are fitted without some of them."""
    from roctree.cli.demo import compile_kernels

    compile_kernels()


class Estimator:
    """What libraries with the methods of scikit-learn share; rows are passed as they are."""

    def table(self, X: Any) -> Any:
        return X

    def probabilities(self, model: Any, table: Any, threads: int) -> np.ndarray:
        return one_score(model.predict_proba(table))

    def leaves(self, model: Any) -> int:
        return model.get_n_leaves()


class Roctree(Estimator):
    def __init__(
        self, *, criterion: Any = "gini", missing: str = "branch", splits: str = "exact"
    ) -> None:
        compile_roctree()
        self.options = {"criterion": criterion, "missing": missing, "splits": splits}

    def fit(self, table: Any, y: np.ndarray, task: Task, threads: int) -> Any:
        from roctree import ROCTreeClassifier

        model = ROCTreeClassifier(
            max_depth=task.depth, min_samples_leaf=task.leaf, n_jobs=threads, **self.options
        )
        return model.fit(table, y)


class ScikitLearn(Estimator):
    """Categories are passed as ordered codes, since it does not support nominal attributes."""

    def table(self, X: Any) -> np.ndarray:
        if isinstance(X, np.ndarray):
            return X
        return np.column_stack([X[name].cat.codes for name in X]).astype(np.float32)

    def fit(self, table: Any, y: np.ndarray, task: Task, threads: int) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        model = DecisionTreeClassifier(
            max_depth=task.depth, min_samples_leaf=task.leaf, random_state=0
        )
        return model.fit(table, y)


class XGBoost(Estimator):
    """One round; with more than two classes that is one tree for each."""

    def fit(self, table: Any, y: np.ndarray, task: Task, threads: int) -> Any:
        from xgboost import XGBClassifier

        model = XGBClassifier(
            n_estimators=1,
            learning_rate=1.0,
            tree_method="hist",
            max_depth=task.depth or XGBOOST_DEEP,
            min_child_weight=self.hessian(y) * task.leaf,
            reg_lambda=0.0,
            enable_categorical=True,
            n_jobs=threads,
        )
        return model.fit(table, y)

    @staticmethod
    def hessian(y: np.ndarray) -> float:
        """Return the second derivative of the loss for one case, before the first tree."""
        n_classes = int(y.max()) + 1
        share = 1.0 / n_classes
        return share * (1.0 - share) * (1.0 if n_classes == 2 else 2.0)

    def leaves(self, model: Any) -> int:
        return sum(tree.count("leaf=") for tree in model.get_booster().get_dump())


class LightGBM(Estimator):
    """One round; with more than two classes that is one tree for each."""

    def fit(self, table: Any, y: np.ndarray, task: Task, threads: int) -> Any:
        from lightgbm import LGBMClassifier

        most = 2**task.depth if task.depth else LIGHTGBM_LEAVES
        model = LGBMClassifier(
            n_estimators=1,
            learning_rate=1.0,
            num_leaves=max(2, min(most, LIGHTGBM_LEAVES, len(y) // task.leaf)),
            max_depth=task.depth or -1,
            min_child_samples=task.leaf,
            min_child_weight=0.0,
            histogram_pool_size=LIGHTGBM_HISTOGRAMS,
            cat_smooth=0.0,
            cat_l2=0.0,
            min_data_per_group=1,
            max_cat_threshold=64,
            n_jobs=threads,
            verbose=-1,
        )
        return model.fit(table, y)

    def leaves(self, model: Any) -> int:
        text = model.booster_.model_to_string()
        return sum(int(count) for count in re.findall(r"^num_leaves=(\d+)", text, re.MULTILINE))


class YDF:
    """In YDF, a depth of one is a tree without splits."""

    def table(self, X: Any) -> Any:
        return {"x": X} if isinstance(X, np.ndarray) else X

    def fit(self, table: Any, y: np.ndarray, task: Task, threads: int) -> Any:
        import ydf

        ydf.verbose(0)
        learner = ydf.CartLearner(
            label="label",
            min_examples=task.leaf,
            max_depth=task.depth + 1 if task.depth else -1,
            validation_ratio=0.0,
            num_threads=threads,
        )
        rows = {**table, "label": y} if isinstance(table, dict) else table.assign(label=y)
        return learner.train(rows)

    def probabilities(self, model: Any, table: Any, threads: int) -> np.ndarray:
        return model.predict(table, num_threads=threads)

    def leaves(self, model: Any) -> int:
        return (model.num_nodes() + 1) // 2


LIBRARIES: dict[str, type[Library]] = {
    "roctree": Roctree,
    "scikit-learn": ScikitLearn,
    "XGBoost": XGBoost,
    "LightGBM": LightGBM,
    "YDF": YDF,
}
SINGLE_THREADED = ("scikit-learn",)
