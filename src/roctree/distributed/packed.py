"""Tables on their way between machines."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PackedTables:
    """Tables on their way: only the cells that are not zero, where that takes fewer bytes."""

    shape: tuple[int, ...]
    cells: NDArray[np.uint32] | None
    values: Floats

    def __sizeof__(self) -> int:
        """The bytes of the arrays."""
        return self.values.nbytes + (0 if self.cells is None else self.cells.nbytes)

    @classmethod
    def of(cls, tables: Floats) -> "PackedTables":
        """Pack tables."""
        flat = tables.reshape(-1)
        cells = np.flatnonzero(flat)
        if 12 * cells.size >= flat.nbytes or flat.size >= 1 << 32:
            return cls(tables.shape, None, flat)
        return cls(tables.shape, cells.astype(np.uint32), flat[cells])

    def add_to(self, tables: Floats) -> None:
        """Add these tables to others."""
        flat = tables.reshape(-1)
        if self.cells is None:
            flat += self.values
        else:
            flat[self.cells] += self.values
