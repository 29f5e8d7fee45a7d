"""``python -m roctree`` is the command ``roctree``."""

from roctree.cli import main

if __name__ == "__main__":
    main()
