"""Compile ahead."""

from time import perf_counter

from roctree.cli.options import Report, command
from roctree.progress import spinner


@command()
def warm_up() -> Report:
    """Compile the kernels, once on a machine, and say how long it took.

    Example:
      roctree warm-up
    """
    begin = perf_counter()
    with spinner("Loading the kernels; their first use on a machine compiles them"):
        from roctree.models.warm_up import warm_up as compile_all

        compile_all()
    seconds = perf_counter() - begin
    return Report({"seconds": seconds}, [f"The kernels are ready; that took {seconds:.1f} s."])
