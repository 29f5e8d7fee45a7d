"""Sphinx configuration of the documentation; ``make docs`` builds it without network."""

import os
import re
import shutil
import sys
import warnings
from pathlib import Path, PurePosixPath

import matplotlib
from sphinx_gallery.sorting import ExplicitOrder

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "src"))
# Examples start interpreters of their own, for example workers of Dask.
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
matplotlib.use("Agg")

import roctree  # noqa: E402

project = "roctree"
author = "The roctree developers"
copyright = f"2026, {author}"
version = release = roctree.__version__
repository = "https://github.com/roctree/roctree"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "evidence/reproduction", "**/measured", "gallery/*.ipynb"]
nitpicky = False
# Blocks without a language are output; quotes in them and in types stay as they are.
highlight_language = "none"
smartquotes = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_use_plots = False

html_theme = "pydata_sphinx_theme"
html_title = "roctree"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "roctree"},
    "icon_links": [{"name": "GitHub", "url": repository, "icon": "fa-brands fa-github"}],
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": []}
toc_object_entries_show_parents = "hide"
copybutton_exclude = ".linenos, .gp, .go"
suppress_warnings = ["config.cache"]


def reset_figures(_configuration, _file):
    """Settings of every picture of the gallery."""
    import matplotlib.pyplot as plt

    plt.rcdefaults()
    plt.rcParams.update(
        {
            "figure.figsize": (7.2, 4.2),
            "figure.dpi": 110,
            "figure.constrained_layout.use": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 11,
        }
    )
    warnings.simplefilter("default")
    ignore_warnings_of_others()


def ignore_warnings_of_others():
    """Ignore what MyST and SHAP use of Sphinx and matplotlib that is deprecated."""
    for module in ("myst_parser", "shap"):
        warnings.filterwarnings("ignore", module=module)


ignore_warnings_of_others()

# Examples by subject: decide, data, rank, extend, deploy.
GALLERY = [
    "costs_after_training",
    "false_alarms",
    "prevalence",
    "abstaining",
    "unknown_costs",
    "pruning_under_costs",
    "reading_with_a_clinician",
    "categories_and_gaps",
    "many_categories",
    "larger_than_memory",
    "smoothing_compared",
    "calibrating",
    "soft_thresholds",
    "geometric_ranking",
    "distilling",
    "scorecard",
    "two_rankings",
    "comparing_classifiers",
    "own_criterion",
    "shap_values",
    "scoring_in_duckdb",
]
sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": ExplicitOrder([*(f"{name}.py" for name in GALLERY), "*"]),
    "reset_modules": ("matplotlib", reset_figures),
    "abort_on_example_error": True,
    "only_warn_on_example_error": False,
    "download_all_examples": False,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("roctree",),
    "prefer_full_module": {r"roctree\..*"},
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "plot_gallery": True,
    "copyfile_regex": r".*\.rst",
}

_LINK = re.compile(r"(\]\()((?:\.\./)+[^)#\s]+)((?:#[^)\s]*)?\))")


def link_to_the_repository(app, page, text):
    """Turn links to files outside docs/ into links to the repository."""
    place = PurePosixPath("docs", page).parent

    def target(found):
        path = PurePosixPath(os.path.normpath(place / found[2]))
        if path.parts[0] == "docs":
            return found[0]
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"{found[1]}{repository}/{kind}/main/{path}{found[3]}"

    text[0] = _LINK.sub(target, text[0])


def link_to_the_guides(app, page, text):
    """Link an example of the gallery to the guides that name it."""
    room, _, name = page.partition("/")
    if room != "gallery" or name == "index":
        return
    guides = [
        f"/{path.parent.name}/{path.stem}"
        for path in sorted([*HERE.glob("howto/*.md"), *HERE.glob("reference/*.md")])
        if f"(../gallery/{name}.rst)" in path.read_text(encoding="utf-8")
    ]
    before, footer, after = text[0].partition(f".. _sphx_glr_download_gallery_{name}.py:")
    if guides and footer:
        links = ", ".join(f":doc:`{guide}`" for guide in guides)
        text[0] = f"{before}.. seealso:: {links}\n\n{footer}{after}"


def link_from_the_readme(app, path, page, text):
    """Turn links of the README, part of which the front page includes, into those of the site."""
    if path.name == "README.md" and page == "index":
        text[0] = text[0].replace("](docs/evidence/", "](evidence/")
        text[0] = text[0].replace("](benchmarks/README.md)", "](evidence/benchmarks.md)")


def add_explorers(app, error):
    """Add the interactive pages that the front page and the gallery embed."""
    if app.builder.format == "html" and error is None:
        from roctree.cli.demo import write_demo_page

        write_demo_page(Path(app.outdir) / "explorer.html")
        for page in (ROOT / "examples" / "gallery").glob("*.html"):
            shutil.copy(page, Path(app.outdir) / "gallery")


def setup(app):
    app.connect("source-read", link_to_the_repository)
    app.connect("source-read", link_to_the_guides)
    app.connect("include-read", link_from_the_readme)
    app.connect("build-finished", add_explorers)
