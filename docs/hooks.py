"""What the documentation site takes from outside of pages: the gallery, notebooks, links to files of the repository."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
import notebook_pages

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "build" / "gallery"
ASIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+([^)#]+)(?:#[^)]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Copy what `linkwork gallery` wrote; without it the link to it is broken, which a strict build tells."""
    for path in sorted(GALLERY.glob("*")):
        file = File(f"gallery/{path.name}", str(GALLERY.parent), config.site_dir, config.use_directory_urls)
        files.append(file)
    for path in sorted(notebook_pages.FOLDER.glob("*.ipynb")):
        name = f"notebooks/{path.stem}.md"
        files.append(File.generated(config, name, content=notebook_pages.page(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A link that leads out of docs/ becomes the name of the file, if the repository has it."""

    def named(link: re.Match[str]) -> str:
        target = (ROOT / "docs" / page.file.src_path).parent / link.group(0).partition("](")[2].rstrip(")")
        outside = not target.resolve().is_relative_to(ROOT / "docs")
        return f"{link.group(1)} (`{link.group(2)}`)" if outside and target.exists() else link.group(0)

    return ASIDE.sub(named, markdown)
