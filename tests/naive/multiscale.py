"""The Multiscale Classifier as it is told: cases come one by one, and leaves of two classes divide.

Cells are nested dictionaries; a leaf keeps its cases. Nothing is passed over and nothing is sorted.
"""

from collections import Counter
from fractions import Fraction


class Cell:
    def __init__(self, level):
        self.level = level
        self.counts = Counter()
        self.cases = []
        self.parts = {}


def grow(rows, labels, bounds, max_level):
    """Return the root cell; ``bounds`` are the pairs (low, high) of the attributes."""
    root = Cell(0)
    for row, label in zip(rows, labels, strict=True):
        _insert(root, _shares(row, bounds), label, max_level)
    return root


def bounds_of(rows):
    return [(min(column), max(column)) for column in zip(*rows, strict=True)]


def counts_at(root, row, bounds, max_level):
    """Return the class counts of the smallest cell with cases that a row is in."""
    cell, shares = root, _shares(row, bounds)
    while cell.level < max_level and _key(shares, cell.level) in cell.parts:
        cell = cell.parts[_key(shares, cell.level)]
    return dict(cell.counts)


def leaves(root):
    """Return the class counts of all leaves."""
    if not root.parts:
        return [dict(root.counts)]
    return [counts for part in root.parts.values() for counts in leaves(part)]


def _insert(cell, shares, label, max_level):
    cell.counts[label] += 1
    if cell.parts:
        _insert(_part(cell, shares), shares, label, max_level)
        return
    cell.cases.append((shares, label))
    if len(cell.counts) > 1 and cell.level < max_level:
        for old_shares, old_label in cell.cases:
            _insert(_part(cell, old_shares), old_shares, old_label, max_level)
        cell.cases = []


def _part(cell, shares):
    return cell.parts.setdefault(_key(shares, cell.level), Cell(cell.level + 1))


def _key(shares, level):
    return tuple(int(share * 2 ** (level + 1)) % 2 for share in shares)


def _shares(row, bounds):
    """Where in its range each value is, from 0 on and below 1."""
    return [_share(Fraction(x), *map(Fraction, pair)) for x, pair in zip(row, bounds, strict=True)]


def _share(x, low, high):
    if low == high:
        return Fraction(0)
    return min(max((x - low) / (high - low), Fraction(0)), 1 - Fraction(1, 2**53))
