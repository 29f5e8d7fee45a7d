"""Arrays lent to kernels without an owner."""

from typing import Any

import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from roctree._jit.kernels import JIT_DISABLED

__all__ = ["borrow"]


@intrinsic
def _without_owner(typing_context: Any, array: Any) -> Any:
    """The same array, owned by nobody: it is not counted when kernels hand it to one another."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lent = make_array(array)(context, builder, arguments[0])
        lent.meminfo = cgutils.get_null_value(lent.meminfo.type)
        return lent._getvalue()

    return array(array), build


def _same(array: np.ndarray) -> np.ndarray:
    return array


# Reference counts are atomic and add up to a fifth of a growth. The caller in Python keeps hold of
# the arrays, so kernels may do without.
borrow: Any = _same if JIT_DISABLED else _without_owner
