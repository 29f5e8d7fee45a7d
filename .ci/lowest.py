"""Print the lowest versions that pyproject.toml declares for the library and its core tests."""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))
declared = [*project["project"]["dependencies"], *project["dependency-groups"]["test-core"]]
found = [re.fullmatch(r"([\w-]+)>=([\d.]+)", each) for each in declared]
if None in found:
    sys.exit("Declare a lower bound, and nothing else, for every dependency.")
print(*(f"{each[1]}=={each[2]}" for each in found if each))
