import os
import sys

from hypothesis import Phase, settings

from roctree._jit import JIT_DISABLED, Waiting
from roctree.tree import growth

# The interpreted and the bounds-checked runs look for other mistakes than the compiled one, which
# tries more examples; `--hypothesis-profile=thorough` tries the most.
CHECKED = JIT_DISABLED or "NUMBA_BOUNDSCHECK" in os.environ
# The first example of a test may compile a kernel, which says nothing about the others. Examples
# are the same in every run, so that a change is judged by itself; `thorough` looks for new ones.
settings.register_profile(
    "roctree", deadline=None, max_examples=15 if CHECKED else 50, derandomize=True
)
settings.register_profile("thorough", deadline=None, max_examples=500)
# With --hypothesis-seed; every week the seeds from 0 to 99.
settings.register_profile("seeded", deadline=None, max_examples=50)
# For tests/mutation.py: whether a test fails is all that matters.
settings.register_profile(
    "mutation", deadline=None, max_examples=15, derandomize=True, phases=[Phase.generate]
)
settings.load_profile("roctree")

# A test runs the same kernels whatever was compiled before it: it waits for the compiler.
growth._NOT_WORTH_THE_WAIT = 0
Waiting.loading = Waiting.compiling = 0.0
os.environ["ROCTREE_QUIET"] = "1"


def pytest_runtest_teardown():
    """Close the figures of a test: matplotlib warns when many are open."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
