#!/usr/bin/env python3
"""Writes Tests/Fixtures/published-hashes.txt: what the hashes' own programs give.

Needs the Python packages blurhash-python (the C program of BlurHash's authors, github.com/woltapp/blurhash-python) and
thumbhash (a port of the program of ThumbHash's author, github.com/evanw/thumbhash). The authors publish no tables of
pixels: the strings called examples are those of their documents and tests, their colours are their programs'.

Lines, with fields between spaces:
  blur-example HASH WxH R,G,B...            a string of the authors' documents, decoded by their program
  blur-number VALUE LENGTH TEXT             a number in base 83, of the authors' tests
  blur W H ACROSS DOWN HASH                 the hash of a picture of decoding-vectors.py
  thumb-example BASE64 WxH R,G,B,A          a hash of the author's page, and its average colour
  thumb W H HEX                             the hash of a picture of decoding-vectors.py
"""
import base64, importlib.util, io, os
import blurhash, thumbhash
from PIL import Image

scripts = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("vectors", os.path.join(scripts, "decoding-vectors.py"))
vectors = importlib.util.module_from_spec(spec)
spec.loader.exec_module(vectors)

lines = []
for text, w, h in (("LEHV6nWB2yk8pyo0adR*.7kCMdnj", 20, 12), ("LlMF%n00%#MwS|WCWEM{R*bbWBbH", 6, 5)):
    image = blurhash.decode(text, w, h).convert("RGB")
    lines.append(f"blur-example {text} {w}x{h} " + ",".join(str(v) for v in image.tobytes()))
for value, length, text in ((1092, 2, "DD"), (1092, 4, "00DD"), (1337, 2, "G9"), (1337, 3, "0G9"), (83, 2, "10"), (83, 3, "010")):
    lines.append(f"blur-number {value} {length} {text}")
for w, h, nx, ny in ((20, 13, 4, 3), (31, 47, 3, 5), (8, 8, 1, 1), (64, 20, 9, 2), (17, 40, 2, 9)):
    image = Image.new("RGB", (w, h))
    image.putdata([vectors.picture(x, y, w, h, False)[:3] for y in range(h) for x in range(w)])
    file = io.BytesIO()
    image.save(file, "PNG")
    file.seek(0)
    lines.append(f"blur {w} {h} {nx} {ny} " + blurhash.encode(file, x_components=nx, y_components=ny))
for text in ("1QcSHQRnh493V4dIh4eXh1h4kJUI",):
    average = thumbhash.thumb_hash_to_average_rgba(list(base64.b64decode(text)))
    # The size is that of the author's page; the port's own decoder is broken.
    lines.append(f"thumb-example {text} 23x32 " + ",".join(str(round(255 * v)) for v in average))
# Opaque ones: with alpha the port fails.
for w, h in ((20, 13), (31, 47), (40, 40), (100, 30)):
    rgba = [v for y in range(h) for x in range(w) for v in vectors.picture(x, y, w, h, False)]
    lines.append(f"thumb {w} {h} " + bytes(thumbhash.rgba_to_thumb_hash(w, h, rgba)).hex())
with open(os.path.join(scripts, "../Tests/Fixtures/published-hashes.txt"), "w") as file:
    file.write("\n".join(lines) + "\n")
