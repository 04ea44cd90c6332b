"""Text as HTML: Markdown with formulas, and Python in colours whose names lead to their source."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .notebooks import needed


class Renderer:
    """Markdown with formulas, and Python in colours, as HTML."""

    def __init__(self) -> None:
        latex = needed("latex2mathml.converter")
        markdown, plugin = needed("markdown_it"), needed("mdit_py_plugins.dollarmath")
        self.pygments = needed("pygments")
        self.formatters = needed("pygments.formatters")
        self.lexer = needed("pygments.lexers").PythonLexer()

        def formula(content: str, options: dict[str, Any]) -> str:
            display = "block" if options["display_mode"] else "inline"
            return latex.convert(content.strip(), display=display)

        self.markdown = markdown.MarkdownIt("commonmark").enable("table")
        self.markdown.use(plugin.dollarmath_plugin, renderer=formula, allow_digits=False)

    def prose(self, text: str, files: Iterable[str] = ()) -> str:
        """Markdown as HTML; names of lessons become links to their pages."""
        page = self.markdown.render(text)
        pages = {file.removesuffix(".py"): file for file in files}
        page = re.sub(r'href="(\d\d[a-z]?_\w+)\.py"', r'href="\1.html"', page)
        for stem, file in pages.items():
            page = page.replace(f"<code>{file}</code>", f'<a href="{stem}.html">{file}</a>')
        by_number = {stem.partition("_")[0]: stem for stem in pages}
        return re.sub(
            r"\b([Ll]esson) (\d\d[a-z]?)\b",
            lambda m: f'<a href="{by_number[m[2]]}.html">{m[0]}</a>' if m[2] in by_number else m[0],
            page,
        )

    def code(self, text: str, links: dict[str, tuple[str, int]]) -> str:
        """Python as HTML, in which the names in `links` lead to their source."""
        formatter = self.formatters.HtmlFormatter(nowrap=True)
        page = self.pygments.highlight(text, self.lexer, formatter)
        for name in sorted(links, key=len, reverse=True):
            file, line = links[name]
            spans = [f'<span class="n">{part}</span>' for part in name.split(".")]
            whole = '<span class="o">.</span>'.join(spans)
            link = f'<a href="{page_of(file)}#L-{line}" title="{file}, line {line}">'
            alone = rf'(?<!<span class="o">\.</span>){re.escape(whole)}(?!</a>)'
            page = re.sub(alone, f"{link}{name}</a>", page)
        return f"<pre class='code'>{page}</pre>"

    def source(self, text: str) -> str:
        """A file of Python as HTML, with an anchor for each line."""
        formatter = self.formatters.HtmlFormatter(linenos="inline", lineanchors="L")
        return self.pygments.highlight(text, self.lexer, formatter)

    def style(self) -> str:
        return self.formatters.HtmlFormatter(style="xcode").get_style_defs("pre")


def page_of(file: str) -> str:
    """The page of a file of source, from the root on."""
    return f"source/{file.removesuffix('.py')}.html"
