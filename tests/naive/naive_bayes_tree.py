"""Weka's NBTree in plain Python, one list of cases after another, as Weka itself goes about it.

A case is a list: the values (None where missing, numbers, or category numbers), its class and its
weight. Attributes are given by their numbers of categories, 0 for a number.
"""

from math import inf, log, log2, nan

SMALL = 1e-6


class JavaRandom:
    """java.util.Random."""

    def __init__(self, seed):
        self.state = (seed ^ 0x5DEECE66D) % 2**48

    def bits(self):
        self.state = (self.state * 0x5DEECE66D + 0xB) % 2**48
        return self.state >> 17

    def below(self, bound):
        if bound & (bound - 1) == 0:
            return (bound * self.bits()) >> 31
        while True:
            bits = self.bits()
            number = bits % bound
            if bits - number + bound - 1 < 2**31:
                return number


def shuffled(cases, random):
    cases = list(cases)
    for last in range(len(cases) - 1, 0, -1):
        other = random.below(last + 1)
        cases[last], cases[other] = cases[other], cases[last]
    return cases


def stratified(cases):
    cases = list(cases)
    place = 1
    while place < len(cases):
        label = cases[place - 1][1]
        for other in range(place, len(cases)):
            if cases[other][1] == label:
                cases[place], cases[other] = cases[other], cases[place]
                place += 1
        place += 1
    return [case for start in range(5) for case in cases[start::5]]


def quicksort(cases, feature):  # noqa: C901 - as one piece it can be held against Weka's
    """Weka's sort, which is not stable."""
    keys = [inf if case[0][feature] is None else case[0][feature] for case in cases]
    index = list(range(len(cases)))

    def swap(i, j):
        index[i], index[j] = index[j], index[i]

    def order(i, j):
        if keys[index[i]] > keys[index[j]]:
            swap(i, j)

    def sort(left, right):
        if right <= left:
            return
        middle = (left + right) // 2
        if right - left == 1:
            order(left, right)
            return
        order(left, middle)
        order(left, right)
        order(middle, right)
        if right - left == 2:
            return
        swap(middle, right - 1)
        pivot, low, high = keys[index[right - 1]], left, right - 1
        while True:
            low += 1
            while keys[index[low]] < pivot:
                low += 1
            high -= 1
            while keys[index[high]] > pivot:
                high -= 1
            if low >= high:
                break
            swap(low, high)
        swap(low, right - 1)
        sort(left, low - 1)
        sort(low + 1, right)

    sort(0, len(cases) - 1)
    return [cases[i] for i in index]


def entropy(counts):
    total = sum(counts)
    return -sum(count / total * log2(count / total) for count in counts if count > 0)


def class_counts(cases, n_classes):
    return [sum(w for _, label, w in cases if label == c) for c in range(n_classes)]


def cut_points(cases, feature, n_classes):
    cases = [case for case in cases if case[0][feature] is not None]
    cases.sort(key=lambda case: case[0][feature])
    if len(cases) < 2:
        return []
    before = entropy(class_counts(cases, n_classes)) if sum(w for *_, w in cases) > SMALL else 0.0
    best = None
    for i in range(len(cases) - 1):
        low, high = cases[i][0][feature], cases[i + 1][0][feature]
        if low < high:
            sides = [
                class_counts(cases[: i + 1], n_classes),
                class_counts(cases[i + 1 :], n_classes),
            ]
            total = sum(map(sum, sides))
            mean = sum(sum(side) * entropy(side) for side in sides if sum(side) > 0) / (total or 1)
            if mean < (best[0] if best else before) - 1e-12:
                best = mean, i, sides
    if best is None:
        return []
    mean, i, sides = best
    present = [sum(count > 0 for count in side) for side in sides]
    k = sum(count > 0 for count in class_counts(cases, n_classes))
    kept = sum(n * entropy(side) for n, side in zip(present, sides, strict=True) if n)
    price = log2(len(cases) - 1) + log2(3**k - 2) - k * before + kept
    if not before - mean > price / sum(w for *_, w in cases):
        return []
    cut = (cases[i][0][feature] + cases[i + 1][0][feature]) / 2
    left, right = (cut_points(p, feature, n_classes) for p in (cases[: i + 1], cases[i + 1 :]))
    return [*left, cut, *right]


def cells_of(values, kinds, cuts):
    return [
        None if value is None else int(value) if kind else sum(value > cut for cut in cuts[feature])
        for feature, (value, kind) in enumerate(zip(values, kinds, strict=True))
    ]


class NaiveBayes:
    def __init__(self, cases, kinds, n_classes):
        self.kinds, self.n_classes = kinds, n_classes
        self.cuts = [
            [] if kind else cut_points(cases, feature, n_classes)
            for feature, kind in enumerate(kinds)
        ]
        self.sizes = [kind or len(cuts) + 1 for kind, cuts in zip(kinds, self.cuts, strict=True)]
        self.counts = [[[1.0] * n_classes for _ in range(size)] for size in self.sizes]
        self.sums = [[float(size)] * n_classes for size in self.sizes]
        self.classes = [1.0] * n_classes
        for case in cases:
            self.learn(case, 1)

    def learn(self, case, sign):
        values, label, weight = case
        for feature, cell in enumerate(cells_of(values, self.kinds, self.cuts)):
            if cell is not None:
                self.counts[feature][cell][label] += sign * weight
                self.sums[feature][label] += sign * weight
        self.classes[label] += sign * weight

    def probabilities(self, values):
        found = [count / sum(self.classes) for count in self.classes]
        for feature, cell in enumerate(cells_of(values, self.kinds, self.cuts)):
            if cell is not None:
                for c in range(self.n_classes):
                    found[c] *= self.counts[feature][cell][c] / self.sums[feature][c]
        return [p / sum(found) for p in found]

    def errors(self, cases):
        """Errors by folds that are stretches of the cases, each unlearned in turn."""
        wrong, end = 0.0, 0
        for fold in range(5):
            begin, end = end, end + len(cases) // 5 + (fold < len(cases) % 5)
            for case in cases[begin:end]:
                self.learn(case, -1)
            for values, label, weight in cases[begin:end]:
                found = self.probabilities(values)
                wrong += weight * (found.index(max(found)) != label)
            for case in cases[begin:end]:
                self.learn(case, 1)
        return wrong


def bits(x):
    return 0.0 if x < SMALL else x * log(x) / log(2)


def c45_split(cases, feature, kind, n_classes):
    """The threshold (NaN for categories) and the share of each branch, or None."""
    known = [case for case in cases if case[0][feature] is not None]
    total, weight = sum(w for *_, w in cases), sum(w for *_, w in known)
    if kind:
        shares = [sum(w for v, _, w in known if v[feature] == code) for code in range(kind)]
        if sum(share >= 2 - SMALL for share in shares) < 2:
            return None
        return nan, [share / weight for share in shares]
    least = min(max(0.1 * weight / n_classes, 2), 25)
    if len(known) < 2 * least - SMALL:
        return None
    before = bits(weight) - sum(map(bits, class_counts(known, n_classes)))
    best, tries = (0.0, None), 0
    for i in range(len(known) - 1):
        if not known[i][0][feature] + 1e-5 < known[i + 1][0][feature]:
            continue
        sides = [class_counts(part, n_classes) for part in (known[: i + 1], known[i + 1 :])]
        if min(map(sum, sides)) > least - SMALL:
            tries += 1
            after = sum(bits(sum(side)) - sum(map(bits, side)) for side in sides)
            gain = (before - after) / total if abs(before - after) * weight / total >= SMALL else 0
            if gain > best[0] + SMALL:
                best = gain, i
    gain, i = best
    if i is None or gain - log2(tries) / total < SMALL:
        return None
    left = sum(w for *_, w in known[: i + 1])
    cut = (known[i][0][feature] + known[i + 1][0][feature]) / 2
    return cut, [left / weight, 1 - left / weight]


def branch_of(value, threshold):
    if value is None:
        return None
    return int(value > threshold) if threshold == threshold else int(value)


def divided(cases, feature, threshold, shares, *, keeps_empty):
    parts = [[] for _ in shares]
    for values, label, weight in cases:
        branch = branch_of(values[feature], threshold)
        for number, share in enumerate(shares):
            if branch == number:
                parts[number].append((values, label, weight))
            elif branch is None and (keeps_empty or share > 0):
                parts[number].append((values, label, weight * share))
    return parts


def errors_of_split(cases, feature, split, kinds, n_classes):
    """The errors in the branches, or None if fewer than two have cases enough."""
    random, errors, n_large = JavaRandom(1), 0.0, 0
    for part in divided(cases, feature, *split, keeps_empty=True):
        if len(part) < 5 + (kinds[feature] == 0):
            errors += sum(w for *_, w in part)
            continue
        n_large += 1
        part = stratified(shuffled(part, random))
        errors += NaiveBayes(part, kinds, n_classes).errors(part)
    return errors if n_large > 1 else None


def grow(cases, kinds, n_classes, least=30, reduction=0.05):
    """A node: a model, and None or a split with its branches; branches without cases are None."""
    model = NaiveBayes(cases, kinds, n_classes)
    counts = class_counts(cases, n_classes)
    if len(cases) < 5 or sum(counts) < least - SMALL or sum(counts) - max(counts) < SMALL:
        return model, None
    errors = model.errors(cases)
    if errors == 0:
        return model, None
    best = errors, None
    for feature, kind in enumerate(kinds):
        if not kind:
            cases = quicksort(quicksort(cases, feature), feature)
        split = c45_split(cases, feature, kind, n_classes)
        found = split and errors_of_split(cases, feature, split, kinds, n_classes)
        if found is not None and found < best[0]:
            best = found, (feature, *split)
    if best[1] is None or (errors - best[0]) / errors < reduction:
        return model, None
    parts = divided(cases, *best[1], keeps_empty=False)
    branches = [grow(part, kinds, n_classes, least, reduction) if part else None for part in parts]
    return model, (best[1], branches)


def n_nodes(node):
    if node is None or node[1] is None:
        return 1
    return 1 + sum(map(n_nodes, node[1][1]))


def probabilities(node, values):
    model, split = node
    if split is None:
        return model.probabilities(values)
    (feature, threshold, shares), branches = split
    branch = branch_of(values[feature], threshold)
    if branch is not None:
        below = branches[branch]
        return model.probabilities(values) if below is None else probabilities(below, values)
    mixed = [0.0] * model.n_classes
    for share, below in zip(shares, branches, strict=True):
        if below is not None:
            found = probabilities(below, values)
            mixed = [m + share * p for m, p in zip(mixed, found, strict=True)]
    return mixed
