"""Text as HTML: Markdown with formulas, and Python in colours whose names lead to their source."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .addresses import Links
from .notebooks import needed

STYLES = "xcode", "github-dark"  # of code, in the light and in the dark

# A prime, as in f'', is small and raised in its font. As a superscript it would be so twice.
PRIME = re.compile(r"<msup>(<mi>[^<]*</mi>)<mi>(&#x0203[234];)</mi></msup>")
UPRIGHT = r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>'

# After the name of a function stands a gap, as in ln 2 and exp x₁.
FUNCTION = re.compile(r"(<mi>(?:ln|log|exp|sin|cos|max|min)</mi>)(?=<m(?:[in]|su[bp])>)")
GAP = r'\1<mspace width="0.17em" />'

# No line begins with the sign that ends a sentence.
MATH_AND_SIGN = re.compile(
    r'(<span class="math inline">(?:(?!</span>).)*</span>[.,;:!?)]+)', re.DOTALL
)


class Renderer:
    """Markdown with formulas, and Python in colours, as HTML."""

    def __init__(self) -> None:
        latex = needed("latex2mathml.converter")
        markdown, plugin = needed("markdown_it"), needed("mdit_py_plugins.dollarmath")
        self.pygments = needed("pygments")
        self.formatters = needed("pygments.formatters")
        self.lexer = needed("pygments.lexers").PythonLexer()
        self.styles, self.token = needed("pygments.styles"), needed("pygments.token")

        def formula(content: str, options: dict[str, object]) -> str:
            display = "block" if options["display_mode"] else "inline"
            shown = PRIME.sub(UPRIGHT, latex.convert(content.strip(), display=display))
            return FUNCTION.sub(GAP, shown)

        anchors = needed("mdit_py_plugins.anchors")
        self.markdown = markdown.MarkdownIt("commonmark").enable("table")
        self.markdown.use(plugin.dollarmath_plugin, renderer=formula, allow_digits=False)
        self.markdown.use(anchors.anchors_plugin, max_level=4)

    def prose(self, text: str, links: Links) -> str:
        """Markdown as HTML; names of lessons become links to their pages."""
        tokens = self.markdown.parse(text)
        for token in [child for each in tokens for child in each.children or ()]:
            for name in ("href", "src"):
                if name in token.attrs:
                    token.attrs[name] = links.of(str(token.attrs[name]))
        page = self.markdown.renderer.render(tokens, self.markdown.options, {})
        page = re.sub(r'<a href="">(.*?)</a>', r"\1", page)  # nothing is there
        page = MATH_AND_SIGN.sub(r'<span style="white-space: nowrap">\1</span>', page)
        tables = {
            "<table>": '<div class="table"><table>',
            "</table>": "</table></div>",
            "<th></th>": "<td></td>",
        }
        for is_now, shall_be in tables.items():
            page = page.replace(is_now, shall_be)
        for pattern in (r"<code>(\d\d[a-z]?_\w+)\.py</code>", r"\b[Ll]esson (\d\d[a-z]?)\b"):
            page = re.sub(pattern, lambda m: _mention(m, links), page)
        return page

    def code(self, text: str, names: Mapping[str, tuple[str, int]], links: Links) -> str:
        """Python as HTML, in which each of the names leads to its line of source."""
        formatter = self.formatters.HtmlFormatter(nowrap=True)
        page = self.pygments.highlight(text, self.lexer, formatter)
        for name in sorted(names, key=len, reverse=True):
            file, line = names[name]
            spans = [f'<span class="n">{part}</span>' for part in name.split(".")]
            whole = '<span class="o">.</span>'.join(spans)
            link = f'<a href="{links.to(file, line)}" title="{file}, line {line}">'
            alone = rf'(?<!<span class="o">\.</span>){re.escape(whole)}(?!</a>)'
            page = re.sub(alone, f"{link}{name}</a>", page)
        return f"<pre class='code'>{page}</pre>"

    def source(self, text: str) -> str:
        """A file of Python as HTML, with an anchor for each line."""
        formatter = self.formatters.HtmlFormatter(linenos="inline", lineanchors="L")
        return self.pygments.highlight(text, self.lexer, formatter)

    def style(self) -> str:
        """The colours of code, in the light and in the dark."""
        light, dark = map(self.styles.get_style_by_name, STYLES)
        rules = []
        for token, name in self.token.STANDARD_TYPES.items():
            colours = [style.style_for_token(token)["color"] for style in (light, dark)]
            if name and any(colours):
                both = ", ".join(f"#{colour}" if colour else "var(--ink)" for colour in colours)
                rules.append(f"pre .{name} {{ color: light-dark({both}); }}")
        return "\n".join(rules)


def _mention(match: re.Match[str], links: Links) -> str:
    """A lesson that is named in text, as a link to its page."""
    address = links.lesson(match[1].partition("_")[0])
    return f'<a href="{address}">{match[0]}</a>' if address else match[0]
