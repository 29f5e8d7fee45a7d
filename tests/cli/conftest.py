import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from pyarrow import parquet

from roctree import cli
from roctree.data.readers import read_file

EXAMPLES = Path(__file__).parents[2] / "examples" / "patients"


class Done(NamedTuple):
    """What a command said, and the code it ended with."""

    code: int
    out: str
    err: str


@pytest.fixture
def roctree(monkeypatch, capsys):
    """Run a command line in this process, as the script would."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["roctree", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            cli.main()
        return Done(end.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def patients(tmp_path, monkeypatch):
    """The working folder, with data.csv, test.csv and new.csv, and data.csv as Parquet in big."""
    for file in EXAMPLES.glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "big").mkdir()
    table = read_file("data.csv")
    for number, begin in enumerate(range(0, len(table), 150)):
        parquet.write_table(table.slice(begin, 150), f"big/{number}.parquet")
    # Model files say when they were made, which would make no two of them the same.
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    return tmp_path


@pytest.fixture(scope="session")
def scheduler():
    """The address of a Dask scheduler with a worker of its own."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="session")
def tree_file(tmp_path_factory):
    """A tree that the command has grown, once for all tests."""
    return grown_by_command(tmp_path_factory, "--target outcome --max-leaves 8")


@pytest.fixture(scope="session")
def three_file(tmp_path_factory):
    """A tree of three classes."""
    return grown_by_command(tmp_path_factory, "--target smoker --max-leaves 4")


def grown_by_command(tmp_path_factory, options):
    path = tmp_path_factory.mktemp("model") / "tree.json"
    arguments = ["roctree", "fit", str(EXAMPLES / "data.csv"), *options.split(), "-o", str(path)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "0")
        patch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit):
            cli.main()
    return path


@pytest.fixture
def grown(patients, tree_file):
    """The working folder, with a tree in tree.json."""
    shutil.copy(tree_file, patients)
    return patients
