# SPDX-License-Identifier: Apache-2.0
"""A hook of MkDocs: what documents mean by paths of the repository, on pages of the site.

Tables are shown from CSV files, whose text is put into the page: a page that is opened as a file
cannot fetch others. Links to files that are not part of the site become plain text.
"""
import html
import re
from pathlib import Path

TABLE = re.compile(r'<div class="csv" data-source="([^"]+)"></div>')
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown, page, config, files):
    docs = Path(config.docs_dir).resolve()
    place = docs / Path(page.file.src_uri).parent

    def table(match):
        text = (place / match[1]).read_text(encoding="utf-8").strip()
        return f'<div class="csv" data-source="{match[1]}">\n{html.escape(text)}\n</div>'

    def link(match):
        target = (place / match[2]).resolve()
        return match[0] if target.is_relative_to(docs) else match[1]

    blocks = CODE.split(TABLE.sub(table, markdown))
    return "".join(block if index % 2 else LINK.sub(link, block)
                   for index, block in enumerate(blocks))
