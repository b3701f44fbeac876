"""Prepares what Scripts/docs gives to docc.

Copies the DocC catalogue to PLACE/Calotype.docc, with the guides of docs/ as its articles: links from guide to guide become docc's,
links to other files of the repository become plain text, and WebP images become PNG, which docc knows.

Writes to PLACE/problems the public symbols of the symbol graphs in PLACE/graphs that have no documentation, and the blocks of guides
that Scripts/snippets does not compile and that stand in no file of Examples.

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
        path = Path(location["uri"].removeprefix("file://")).relative_to(Path.cwd())
        name = ".".join(symbol["pathComponents"])
        yield f"{path}:{location['position']['line'] + 1}: {name} is public and has no documentation"


def unquoted(guides):
    """The places of blocks that import what Scripts/snippets has not, and that are in no file of Examples."""
    examples = [path.read_text() for path in Path("Examples").rglob("*.swift") if ".build" not in path.parts]
    for name, text in guides.items():
        for block in re.finditer(r"^```swift\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            imports_example = re.search(r"^import (AppKit|ImageTargetsGTK|Posterize|SwiftUI|UIKit)$", block[1], re.MULTILINE)
            if imports_example and not any(block[1] in example for example in examples):
                line = text[: block.start()].count("\n") + 1
                yield f"docs/{name}.md:{line}: the block is in no file of Examples, so nothing compiles it"


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
    text = re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", text)
    return re.sub(r"\]\(images/(?:[\w-]+/)*([\w-]+)\.(?:webp|png)\)", r"](\1.png)", text)


def main():
    place, command = Path(sys.argv[1]), sys.argv[2]
    guides = {path.stem: path.read_text() for path in sorted(Path("docs").glob("*.md"))}
    graphs = [json.loads(path.read_text()) for path in (place / "graphs").glob("*.json")]
    problems = sorted({problem for graph in graphs for problem in undocumented(graph)}) + list(unquoted(guides))
    (place / "problems").write_text("".join(problem + "\n" for problem in problems))

    catalog = place / "Calotype.docc"
    shutil.copytree("docs/Calotype.docc", catalog)
    for name, text in guides.items():
        (catalog / f"{name}.md").write_text(article(text, guides))
    for image in Path("docs/images").rglob("*"):
        if image.suffix == ".png":
            shutil.copy(image, catalog)
        elif image.suffix == ".webp":
            subprocess.run([command, "convert", image, catalog / f"{image.stem}.png"], check=True, capture_output=True)


main()
