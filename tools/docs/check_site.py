#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_site.py SITE: checks the links of a site. Prints a line for each finding, exits with 1.

Every link within the site must lead to a file, and to an anchor where it names one. Scripts, styles
and images must be part of the site, which has to work offline.
"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

RESOURCES = {("script", "src"), ("img", "src"), ("source", "srcset"), ("link", "href")}
# Relations of <link> that load nothing.
NAMES = {"canonical", "prev", "next", "alternate"}


class Page(HTMLParser):
    """The anchors and links of a page."""

    def __init__(self, path):
        super().__init__()
        self.anchors = set()
        self.links = []
        self.resources = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href") is not None:
            self.links.append(values["href"])
        for name in ("src", "srcset", "href"):
            if (tag, name) in RESOURCES and values.get(name) and values.get("rel") not in NAMES:
                self.resources.append(values[name])


def complaint(site, pages, path, link):
    """Why a link of a page leads nowhere, or None."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = path
    if parts.path:
        start = site if parts.path.startswith("/") else path.parent
        target = (start / unquote(parts.path).lstrip("/")).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "no such file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "no such anchor"
    return None


def findings(site):
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.name == "404.html":  # served at any address, its links are absolute
            continue
        for link in page.links + page.resources:
            why = complaint(site, pages, path, link)
            if why:
                yield f"{path.relative_to(site)}: {link}: {why}"
        for link in page.resources:
            if urlsplit(link).netloc:
                yield f"{path.relative_to(site)}: {link}: not part of the site"


def main():
    found = list(findings(Path(sys.argv[1]).resolve()))
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
