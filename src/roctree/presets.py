"""Estimators set up as the programs of the literature: see ``roctree.systems.presets``."""

from roctree.systems.presets import *  # noqa: F403 - whatever is added there is to be found here
from roctree.systems.presets import __all__ as __all__
