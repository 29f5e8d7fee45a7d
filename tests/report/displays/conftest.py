import pytest

from roctree import ROCTreeClassifier
from tests.estimator import weather


@pytest.fixture(autouse=True)
def _needs_matplotlib():
    pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(scope="module")
def cases():
    return weather.frame(300, seed=5)


@pytest.fixture(scope="module")
def tree():
    return ROCTreeClassifier(max_depth=4, min_samples_leaf=5).fit(*weather.frame(300))
