"""The interactive page of a tree."""

from typing import Any

import roctree
from roctree.cli.cases import known_cases
from roctree.cli.methods import method_of
from roctree.cli.options import (
    OPERATING,
    READING,
    Model,
    OptionalData,
    Output,
    Report,
    Target,
    command,
)
from roctree.cli.relabelled import positive_class, relabelled


@command(operating=OPERATING, reading=READING)
def explore(
    model: Model,
    data: OptionalData = None,
    output: Output = "tree.html",
    target: Target = None,
    *,
    operating: dict[str, Any],
    reading: dict[str, Any],
) -> Report:
    """Write a page on which costs are dragged and the tree relabels itself.

    Example:
      roctree explore tree.json test.csv -o tree.html
    """
    tree = relabelled(roctree.load(model), operating)
    cases = () if data is None else known_cases(data, tree, target, reading)[:2]
    method_of(tree, "explore")(output, *cases, positive=positive_class(tree, operating))
    return Report({"output": output}, [f"Written: {output}"])
