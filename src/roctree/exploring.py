"""The page of a model and its picture: methods of every classifier, so that they are found there.

They are imported when they are asked for: whoever fits a tree need not load them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted


def explored(model: Any, path: Any, X_test: Any, y_test: Any, options: dict[str, Any]) -> Any:
    """Write the page of a fitted model and return its path; without a path return a widget."""
    from roctree.report.explorer import explore

    check_is_fitted(model, "training_")
    return explore(model, path, X_test, y_test, **options)


def picture(model: Any, labels: NDArray[np.int64]) -> str:
    """Return the top of a fitted tree, of which each node has a label, as SVG."""
    from roctree.report.explorer.preview import preview_svg

    return preview_svg(model.fitted_)
