"""What models can do, and one sentence for what those of a kind cannot."""

from typing import Any

from roctree.errors import ParameterError


def method_of(model: Any, name: str) -> Any:
    """Return a method of a model; refused if its kind has none of that name."""
    found = getattr(model, name, None)
    if found is None:
        raise ParameterError(
            f"The model is a {type(model).__name__}, which has no {name}(); that of fit --system "
            "tree has."
        )
    return found
