"""Training errors of a tree that classifies by the class shares of its leaves."""

import numpy as np

from roctree.tree.prediction import mix


def shares(tree):
    """The class shares of every node; empty nodes have none to give."""
    return tree.counts / np.maximum(tree.weight, 1e-300)[:, None]


def training_errors(tree, dataset):
    """How many cases get a wrong class, the first of equals being predicted.

    A case with unknown values is classified by the mixture of the leaves that share it.
    """
    predicted = mix(tree, dataset.values, shares(tree)).argmax(axis=1)
    return int((predicted != dataset.labels).sum())
