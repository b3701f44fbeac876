#!/usr/bin/env python3
"""Writes Tests/Fixtures/published-hashes.txt: the results of the original implementations of the hashes.

Needs the Python packages blurhash-python (the C program of BlurHash's authors, github.com/woltapp/blurhash-python) and
thumbhash (a port of the program of ThumbHash's author, github.com/evanw/thumbhash). The authors publish no pixel values:
the examples are hashes of their documents and tests, decoded with their programs.

Lines with fields separated by spaces:
  blur-example HASH WxH R,G,B...            a hash from the authors' documents, decoded by their program
  blur-number VALUE LENGTH TEXT             a number in base 83 from the authors' tests
  blur W H ACROSS DOWN HASH                 the hash of an image of decoding-vectors.py
  thumb-example BASE64 WxH R,G,B,A          a hash from the author's page, and its average colour
  thumb W H HEX                             the hash of an image of decoding-vectors.py
"""
import base64, importlib.util, io, os
import blurhash, thumbhash
from PIL import Image

folder = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("vectors", os.path.join(folder, "decoding-vectors.py"))
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
    image.putdata([vectors.sample(x, y, w, h, False)[:3] for y in range(h) for x in range(w)])
    file = io.BytesIO()
    image.save(file, "PNG")
    file.seek(0)
    lines.append(f"blur {w} {h} {nx} {ny} " + blurhash.encode(file, x_components=nx, y_components=ny))
for text in ("1QcSHQRnh493V4dIh4eXh1h4kJUI",):
    average = thumbhash.thumb_hash_to_average_rgba(list(base64.b64decode(text)))
    # The size is that of the author's page. The decoder of the port is defective.
    lines.append(f"thumb-example {text} 23x32 " + ",".join(str(round(255 * v)) for v in average))
# Opaque images only: the port fails for alpha.
for w, h in ((20, 13), (31, 47), (40, 40), (100, 30)):
    rgba = [v for y in range(h) for x in range(w) for v in vectors.sample(x, y, w, h, False)]
    lines.append(f"thumb {w} {h} " + bytes(thumbhash.rgba_to_thumb_hash(w, h, rgba)).hex())
with open(os.path.join(folder, "../published-hashes.txt"), "w") as file:
    file.write("\n".join(lines) + "\n")
