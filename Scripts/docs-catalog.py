"""Prepares what Scripts/docs gives to docc.

Checks that every public symbol of the symbol graphs in PLACE/graphs has documentation, and copies the DocC catalogue to
PLACE/Calotype.docc, with the guides of docs/ as its articles: their links to each other become docc's, and their WebP images PNG,
which docc knows.

Usage: docs-catalog.py PLACE COMMAND   COMMAND is the calotype command.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path


def undocumented(graph):
    """The places and the names of public symbols without documentation, their own or that of the requirement they implement."""
    inherited = {link["source"] for link in graph["relationships"] if "sourceOrigin" in link}
    for symbol in graph["symbols"]:
        if "docComment" in symbol or symbol["identifier"]["precise"] in inherited:
            continue
        location = symbol.get("location")
        if location is None or symbol["kind"]["identifier"] == "swift.extension":
            continue
        path = Path(location["uri"].removeprefix("file://"))
        yield f"{path.relative_to(Path.cwd())}:{location['position']['line'] + 1}", ".".join(symbol["pathComponents"])


def anchors(text):
    """The anchors of a guide's headings: docc's by GitHub's."""
    found = {}
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        plain = heading.replace("`", "")
        github = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found[github] = re.sub(r"[^\w\-]+", "-", plain).strip("-")
    return found


def article(text, guides):
    """A guide as an article of the catalogue."""

    def link(match):
        name, anchor = match[1], match[2]
        target = f"doc:{name}"
        if anchor:
            target += "#" + anchors(guides[name])[anchor[1:]]
        return f"]({target})"

    text = re.sub(r"\]\((\w+)\.md(#[\w-]+)?\)", link, text)
    return re.sub(r"\]\(images/(?:[\w-]+/)*([\w-]+)\.(?:webp|png)\)", r"](\1.png)", text)


def main():
    place, command = Path(sys.argv[1]), sys.argv[2]
    missing = sorted(
        set(entry for path in (place / "graphs").glob("*.json") for entry in undocumented(json.loads(path.read_text())))
    )
    for where, name in missing:
        print(f"{where}: error: {name} is public and has no documentation", file=sys.stderr)
    if missing:
        print(f"docs: {len(missing)} public symbols have no documentation.", file=sys.stderr)

    catalog = place / "Calotype.docc"
    shutil.copytree("docs/Calotype.docc", catalog)
    guides = {path.stem: path.read_text() for path in Path("docs").glob("*.md")}
    for name, text in guides.items():
        (catalog / f"{name}.md").write_text(article(text, guides))
    for image in Path("docs/images").rglob("*"):
        if image.suffix == ".png":
            shutil.copy(image, catalog)
        elif image.suffix == ".webp":
            subprocess.run([command, "convert", image, catalog / f"{image.stem}.png"], check=True, capture_output=True)


main()
