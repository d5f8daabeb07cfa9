"""Second places of a file: copies of the same bytes that others keep of whole hosts.

Nobody vouches for these places, and none of them is sure to have a file. They are asked after a
file's own locators, and only for files with a known checksum, which is what vouches.
"""

from __future__ import annotations

import re

from socialbias.sources.checksums import UNKNOWN
from socialbias.sources.registry import SourceFile

# By the form of a locator, where else the same bytes may lie; {sha256} is that of the file.
COPIES = {
    r"https://raw\.githubusercontent\.com/(?P<repo>[^/]+/[^/]+)/"
    r"(?P<commit>[0-9a-f]{40})/(?P<path>.+)": (
        "https://cdn.jsdelivr.net/gh/{repo}@{commit}/{path}",
        "https://archive.softwareheritage.org/api/1/content/sha256:{sha256}/raw/",
    ),
    r"hf://(?P<repo>(datasets/)?[^/]+/[^/@]+)@(?P<commit>[0-9a-f]{40})/(?P<path>.+)": (
        "https://hf-mirror.com/{repo}/resolve/{commit}/{path}",
    ),
}


def copies(file: SourceFile) -> list[str]:
    """Return where else to ask for a file, best first; nowhere if its checksum is unknown."""
    if file.sha256 == UNKNOWN:
        return []
    urls = [
        place.format(sha256=file.sha256, **match.groupdict())
        for locator in file.locators
        for form, places in COPIES.items()
        if (match := re.fullmatch(form, locator))
        for place in places
    ]
    return [place for place in dict.fromkeys(urls) if place not in file.locators]
