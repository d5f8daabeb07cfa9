"""The site: `make docs`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]

import pages  # noqa: E402

import socialbias  # noqa: E402

project = "socialbias"
author = "The socialbias developers"
release = version = socialbias.__version__
copyright = author
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "mathml",
    "console",
]
exclude_patterns = ["_build", "_ext", "_made/parts", "**/.ipynb_checkpoints"]

html_theme = "furo"
html_title = "socialbias"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4
# `--flag` is an option of a command and not a dash.
smartquotes = False

nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
default_role = "code"  # in docstrings names stand between single backquotes
suppress_warnings = ["ref.python", "misc.highlighting_failure"]

pages.write(HERE)


def setup(app) -> None:
    """Take `|x|` in docstrings for a magnitude, and find the page that lies beside `docs`."""

    def escape(app, what, name, obj, options, lines) -> None:
        lines[:] = [line.replace("|", r"\|") for line in lines]

    def find(app, page, source) -> None:
        source[0] = source[0].replace("](../CONTRIBUTING.md", "](_made/contributing.md")

    app.connect("autodoc-process-docstring", escape)
    app.connect("source-read", find)
