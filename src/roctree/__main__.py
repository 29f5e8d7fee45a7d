"""The command ``roctree``, also as ``python -m roctree``."""

import os
import sys
from typing import NoReturn

from roctree.errors import how_to_install


def main() -> NoReturn:
    """Run the command line, or say how to install what it needs."""
    # Commands multiply small matrices only. Where memory is limited, OpenBLAS interrupts a process
    # whose threads it cannot start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from roctree.cli import script
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f"Error: the command line needs {error.name}: {how_to_install('cli')}.")
    script()


if __name__ == "__main__":
    main()
