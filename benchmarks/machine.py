"""Where and with what a run was made."""

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("roctree", "numba", "numpy", "scikit-learn", "xgboost", "lightgbm", "ydf", "pandas")
ROOT = Path(__file__).parents[1]


def describe() -> dict[str, object]:
    """Return processor, memory, load, versions and the commit; nothing that names the machine."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory": memory(),
        "load": round(os.getloadavg()[0], 2),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: installed(name) for name in PACKAGES},
        "commit": commit(),
    }


def circumstances() -> str:
    """Return when and with what a row is measured."""
    return f"{datetime.now(UTC):%Y-%m-%d} at commit {commit()}, {processor()}"


def processor() -> str:
    return _field("/proc/cpuinfo", r"model name\s*:\s*(.+)") or platform.machine()


def memory() -> str:
    kilobytes = _field("/proc/meminfo", r"MemTotal:\s*(\d+) kB")
    return f"{int(kilobytes) / 2**20:.0f} GB" if kilobytes else "?"


def _field(path: str, pattern: str) -> str | None:
    file = Path(path)
    found = re.search(pattern, file.read_text()) if file.exists() else None
    return found and found[1].strip()


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def commit() -> str:
    """Return the commit measured; with "-dirty" if there are uncommitted changes."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return "?"
    return done.stdout.strip()
