"""Prepares what Scripts/docs gives to docc.

Copies the DocC catalogue to PLACE/Calotype.docc, with the guides of docs/ as its articles: links from guide to guide become docc's,
links to other files of the repository become plain text, and WebP images become PNG, which docc knows. Links in doc comments to types
of other modules get their module.

Writes to PLACE/problems the public symbols of the symbol graphs in PLACE/graphs that have no documentation, and the blocks of guides
that Scripts/snippets does not compile and that stand in no file of Examples, and links between guides that lead nowhere.

Usage: docs-catalog.py PLACE COMMAND   COMMAND is the calotype command.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

LINK = r"\]\((\w+)\.md(#[\w-]+)?\)"


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
    modules = "|".join(sorted(path.name for path in Path("Examples").glob("*/Sources/*/")))
    examples = [path.read_text() for path in Path("Examples").rglob("*.swift") if ".build" not in path.parts]
    for name, text in guides.items():
        for block in re.finditer(r"^```swift\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            imports_example = re.search(
                rf"^import (AppKit|ImageTargetsGTK|SwiftUI|UIKit|{modules})$", block[1], re.MULTILINE)
            if imports_example and not any(block[1] in example for example in examples):
                line = text[: block.start()].count("\n") + 1
                yield f"docs/{name}.md:{line}: the block is in no file of Examples, so nothing compiles it"


def qualify(graphs):
    """Adds the module to links in doc comments that name a type of another module, which docc does not look for."""
    modules = {}
    names = {}
    for graph in graphs.values():
        module = graph["module"]["name"]
        for symbol in graph["symbols"]:
            names.setdefault(module, set()).add(symbol["pathComponents"][-1])
            if len(symbol["pathComponents"]) == 1:
                modules.setdefault(symbol["pathComponents"][0], module)
    for path, graph in graphs.items():
        # The page of an extension belongs to the module that it extends: Calotype@ImageLoading.symbols.json.
        module = path.name.split(".")[0].split("@")[-1]

        def link(match, module=module):
            name = match[1]
            if name in names.get(module, ()) or modules.get(name, module) == module:
                return match[0]
            return f"``/{modules[name]}/{name}{match[2] or ''}``"

        for symbol in graph["symbols"]:
            for line in symbol.get("docComment", {}).get("lines", []):
                line["text"] = re.sub(r"``([A-Z]\w*)(/[^`]*)?``", link, line["text"])


def anchors(text):
    """The anchors of a guide's headings: docc's by GitHub's."""
    found = {}
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        plain = heading.replace("`", "")
        github = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found[github] = re.sub(r"[^\w\-]+", "-", plain).strip("-")
    return found


def broken(guides):
    """The links from guide to guide that lead nowhere."""
    for name, text in guides.items():
        for target, anchor in re.findall(LINK, text):
            if target not in guides or anchor and anchor[1:] not in anchors(guides[target]):
                yield f"docs/{name}.md: the link to {target}.md{anchor} leads nowhere"


def article(text, guides):
    """A guide as an article of the catalogue."""

    def link(match):
        name, anchor = match[1], match[2]
        found = anchors(guides.get(name, "")).get(anchor[1:]) if anchor else None
        return f"](doc:{name}#{found})" if found else f"](doc:{name})"

    text = re.sub(LINK, link, text)
    text = re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", text)
    text = re.sub(r"\]\(images/(?:[\w-]+/)*([\w-]+\.svg)\)", r"](\1)", text)
    return re.sub(r"\]\(images/(?:[\w-]+/)*([\w-]+)\.(?:webp|png)\)", r"](\1.png)", text)


def main():
    place, command = Path(sys.argv[1]), sys.argv[2]
    guides = {path.stem: path.read_text() for path in sorted(Path("docs").glob("*.md"))}
    graphs = {path: json.loads(path.read_text()) for path in (place / "graphs").glob("*.json")}
    qualify(graphs)
    for path, graph in graphs.items():
        path.write_text(json.dumps(graph))
    problems = sorted({problem for graph in graphs.values() for problem in undocumented(graph)}) 
    problems += [*unquoted(guides), *broken(guides)]
    (place / "problems").write_text("".join(problem + "\n" for problem in problems))

    catalog = place / "Calotype.docc"
    shutil.copytree("docs/Calotype.docc", catalog)
    for name, text in guides.items():
        (catalog / f"{name}.md").write_text(article(text, guides))
    for image in Path("docs/images").rglob("*"):
        if image.suffix in (".png", ".svg"):
            shutil.copy(image, catalog)
        elif image.suffix == ".webp":
            subprocess.run([command, "convert", image, catalog / f"{image.stem}.png"], check=True, capture_output=True)


main()
