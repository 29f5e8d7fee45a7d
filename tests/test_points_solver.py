"""The minimisation that learns points: its memory, and the direction of a step."""

import numpy as np
import pytest

from roctree.points import MEMORY, Penalty, SolverScratch, _find_direction, _remember

SHAPE = {"n_points": 2, "n_cases": 1, "n_columns": 3}


def room_after(n_steps, seed=0):
    """The memory after some steps, with all steps and changes of the gradient."""
    rng = np.random.default_rng(seed)
    room = SolverScratch.for_sizes(**SHAPE)
    solution = rng.normal(size=room.tried.size)
    curvature = rng.uniform(0.5, 2.0, solution.size)
    room.gradients[0] = rng.normal(size=solution.size)
    steps, changes, n_kept = [], [], 0
    for _ in range(n_steps):
        steps.append(rng.normal(size=solution.size))
        changes.append(curvature * steps[-1])
        room.tried[:] = solution + steps[-1]
        room.gradients[1] = room.gradients[0] + changes[-1]
        n_kept = _remember(room, solution, n_kept)
        assert np.array_equal(solution, room.tried)
        assert np.array_equal(room.gradients[0], room.gradients[1])
    return room, n_kept, np.array(steps), np.array(changes)


@pytest.mark.parametrize("n_steps", [1, MEMORY, MEMORY + 3])
def test_the_last_steps_are_kept_in_their_order(n_steps):
    room, n_kept, steps, changes = room_after(n_steps)
    assert n_kept == min(n_steps, MEMORY)
    np.testing.assert_allclose(room.steps[:n_kept], steps[-n_kept:], atol=1e-12)
    np.testing.assert_allclose(room.changes[:n_kept], changes[-n_kept:], atol=1e-12)
    products = (steps * changes).sum(axis=1)[-n_kept:]
    np.testing.assert_allclose(room.products[:n_kept], products, atol=1e-12)


def test_a_step_along_which_the_gradient_falls_is_not_kept():
    room, n_kept, *_ = room_after(2)
    solution = room.tried.copy()
    room.tried[:] += 1.0
    room.gradients[1] = room.gradients[0] - 1.0
    assert _remember(room, solution, n_kept) == n_kept == 2


@pytest.mark.parametrize("n_steps", [0, 1, 5, MEMORY + 2])
def test_the_direction_is_that_of_the_updated_inverse_matrix(n_steps):
    room, n_kept, *_ = room_after(n_steps, seed=1)
    rng = np.random.default_rng(2)
    if n_steps == 0:
        room.gradients[0] = rng.normal(size=room.tried.size)
    width, tree_curvature = room.lower.shape[0], 1.5
    room.lower[:] = np.tril(rng.uniform(0.5, 1.5, (width, width)))
    inverse = np.zeros((room.tried.size, room.tried.size))
    for begin in range(0, room.tried.size - 1, width):
        block = slice(begin, begin + width)
        inverse[block, block] = np.linalg.inv(room.lower @ room.lower.T)
    inverse[-1, -1] = 1.0 / tree_curvature
    # The update of Broyden, Fletcher, Goldfarb and Shanno.
    for step, change in zip(room.steps[:n_kept], room.changes[:n_kept], strict=True):
        factor = 1.0 / (step @ change)
        left = np.eye(step.size) - factor * np.outer(step, change)
        inverse = left @ inverse @ left.T + factor * np.outer(step, step)
    _find_direction(Penalty(1.0, free=True, tree_curvature=tree_curvature), room, n_kept)
    np.testing.assert_allclose(room.direction, -inverse @ room.gradients[0], rtol=1e-9, atol=1e-9)
