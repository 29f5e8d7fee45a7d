"""Run the Python blocks of pages one after the other and compare what they print.

Usage: ``python docs/follow.py PAGE...`` with whatever roctree is installed. A page shows the output
of a block in a block without a language after it.
"""

import re
import sys
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def outputs(text, name="page"):
    """Run the blocks of a page in an empty folder; return what each prints."""
    names, shown = {"__name__": "page"}, []
    with TemporaryDirectory() as folder, chdir(folder):
        for number, block in enumerate(CODE.findall(text)):
            with redirect_stdout(StringIO()) as output:
                exec(compile(block, f"{name}, block {number}", "exec"), names)
            shown.append(output.getvalue())
    return shown


def main(pages):
    wrong = 0
    for page in pages:
        text = Path(page).read_text(encoding="utf-8")
        shown = [output for output in outputs(text, page) if output]
        for output in shown:
            if f"```\n{output}```" not in text:
                wrong += 1
                print(f"{page} does not show this output:\n{output}")
        print(f"{page}: {len(CODE.findall(text))} blocks, {len(shown)} outputs")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main(sys.argv[1:])
