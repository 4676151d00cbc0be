"""A hook of MkDocs: the Python of every page runs when the site is built.

What a block of the gallery prints and draws is shown below it. Pictures that another page saves replace the stored ones
of the same name. An example that fails ends the build.
"""

import logging
import os
import re
import time
import warnings
from contextlib import chdir, redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

os.environ.setdefault("MPLBACKEND", "agg")

_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INCLUDED = re.compile(r"^--8<--\n(.+)\n--8<--$", re.MULTILINE)
_RUN = ("learn/", "how-to/", "methods/", "reference/")
_GALLERY = "learn/gallery/"  # its pages run where they are shown
_DPI = 120
_LOG = logging.getLogger("mkdocs.examples")


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Run every page outside the gallery, and use the pictures that it saves."""
    root = Path(config.config_file_path).parent
    pages = [file for file in files.documentation_pages() if file.src_uri.startswith(_RUN)]
    for page in [file for file in pages if not file.src_uri.startswith(_GALLERY)]:
        text = _INCLUDED.sub(lambda found: (root / found[1]).read_text(encoding="utf-8"), page.content_string)
        with TemporaryDirectory() as folder, chdir(folder):
            run_page(text, page.src_uri)
            for picture in Path(folder).glob("*.png"):
                stored = files.get_file_from_path(f"images/{picture.name}")
                if stored is not None:
                    files.remove(stored)
                    files.append(File.generated(config, stored.src_uri, content=picture.read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files, **_: Any) -> str:
    """Run a page of the gallery, and show its output and figures below the code."""
    if not page.file.src_uri.startswith(_GALLERY):
        return markdown
    stem = Path(page.file.src_uri).stem

    def keep(k: int, picture: bytes) -> str:
        name = f"{stem}-{k}.png"
        files.append(File.generated(config, f"{_GALLERY}images/{name}", content=picture))
        return f"images/{name}"

    with TemporaryDirectory() as folder, chdir(folder):
        return run_page(markdown, page.file.src_uri, keep)


def run_page(markdown: str, name: str, keep: Any = None) -> str:
    """Run the Python of a page from top to bottom; `keep` stores a picture and returns where it is."""
    names: dict[str, Any] = {"__name__": "__main__"}
    made: list[bytes] = []
    began = time.perf_counter()

    def run(block: re.Match[str]) -> str:
        said, before = StringIO(), len(made)
        try:
            with redirect_stdout(said), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(block[1], name, "exec"), names)
        except Exception as error:
            line = markdown[: block.start()].count("\n") + 1
            raise PluginError(f"the example in line {line} of {name} fails: {type(error).__name__}: {error}") from error
        if keep is None:
            return block[0]
        made.extend(_figures())
        shown = [f"```text\n{said.getvalue().rstrip()}\n```"] if said.getvalue().strip() else []
        shown += [f"![What the code above draws.]({keep(k, made[k])})" for k in range(before, len(made))]
        return "\n\n".join([block[0], *shown])

    found = _BLOCK.sub(run, markdown)
    _figures()
    _LOG.info("%s: examples run in %.1f s", name, time.perf_counter() - began)
    return found


def _figures() -> list[bytes]:
    """Return all open figures as pictures, and close them."""
    from matplotlib import pyplot as plt

    pictures = []
    for number in plt.get_fignums():
        written = BytesIO()
        plt.figure(number).savefig(written, dpi=_DPI, metadata={"Software": None})
        pictures.append(written.getvalue())
    plt.close("all")
    return pictures
