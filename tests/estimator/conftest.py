"""Trees that several files look at: of two classes, with gaps, and of three."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from roctree import ROCTreeClassifier
from tests.estimator import weather


@pytest.fixture(scope="module")
def data():
    return weather.frame(400)


@pytest.fixture(scope="module")
def tree(data):
    return ROCTreeClassifier(max_depth=4).fit(*data)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    return X, names[y], ROCTreeClassifier(max_depth=3, min_samples_leaf=8).fit(X, names[y])
