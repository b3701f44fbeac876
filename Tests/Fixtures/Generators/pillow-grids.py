#!/usr/bin/env python3
"""Makes Tests/Fixtures/pillow-grids.txt: small images resized by Pillow, for the resampler's tests.

Usage: pillow-grids.py > Tests/Fixtures/pillow-grids.txt      (needs Pillow and numpy)

The sources are computed with the same formulas as in PillowTests.swift, so the file has only the results. Each line has
the source, its width and height, the box that is resized, the result's width and height, the filter, the precision, and
the result's RGB bytes in hexadecimal digits. The precision is `8` for Pillow's 8-bit arithmetic, which rounds and clips
between its two passes, or `float` for its 32-bit floating point, which rounds once at the end. Noise over the full range
has only `float`, because clipping between the passes changes the image.
"""
import numpy
from PIL import Image

FILTERS = {
    "nearest": Image.NEAREST,
    "box": Image.BOX,
    "bilinear": Image.BILINEAR,
    "catmull-rom": Image.BICUBIC,
    "lanczos3": Image.LANCZOS,
}


def noise(x, y, c):
    value = (x * 374761393 + y * 668265263 + c * 2246822519) & 0xFFFFFFFF
    value = ((value ^ (value >> 13)) * 1274126177) & 0xFFFFFFFF
    return (value ^ (value >> 16)) & 0xFF


def lattice(x, y, c, cell):
    """Noise at the corners of a grid, with linear interpolation."""
    (column, dx), (row, dy) = divmod(x, cell), divmod(y, cell)
    corners = [noise(column + i, row + j, c + cell) for j in (0, 1) for i in (0, 1)]
    weights = [(cell - dx) * (cell - dy), dx * (cell - dy), (cell - dx) * dy, dx * dy]
    return sum(a * b for a, b in zip(corners, weights)) // (cell * cell)


def level(source, x, y, c, width, height):
    if source == "noise":
        return noise(x, y, c)
    if source == "soft-noise":
        return 64 + noise(x, y, c) // 2
    if source == "photograph":
        # Noise that is weaker at higher frequencies, as in photographs, objects with hard edges, and grain.
        total = sum(lattice(x, y, c, cell) * cell for cell in (32, 16, 8, 4, 2)) // 62
        thing = 45 if (x // 23 + y // 17) % 3 == 0 else 0
        return 25 + total * 150 // 255 + thing + noise(x, y, c) // 16
    # A scene: a gradient as the sky, a disc with a hard edge, and grain.
    dx, dy = x - width // 3, y - height // 2
    disc = 35 * (c + 1) if dx * dx + dy * dy < height * height // 16 else 0
    return 60 + x * 70 // width + (height - y) * 30 // height * (c + 1) // 2 + disc + noise(x, y, c) // 32


def sample(source, width, height):
    return numpy.array(
        [[[level(source, x, y, c, width, height) for c in range(3)] for x in range(width)] for y in range(height)],
        numpy.uint8,
    )


def resized(pixels, size, box, name, precision):
    if precision == "8" or name == "nearest":
        return numpy.asarray(Image.fromarray(pixels).resize(size, FILTERS[name], box=box))
    planes = [
        numpy.asarray(Image.fromarray(pixels[:, :, c].astype(numpy.float32)).resize(size, FILTERS[name], box=box))
        for c in range(3)
    ]
    return numpy.floor(numpy.clip(numpy.stack(planes, -1), 0, 255) + 0.5).astype(numpy.uint8)


# No centre of a result pixel is exactly between two source pixels, where "nearest" may take either.
CASES = [
    ("scene", 60, 45, (0, 0, 60, 45), (23, 17), "8"),
    ("scene", 60, 45, (3.25, 2.5, 54.75, 40.125), (15, 12), "8"),
    ("scene", 14, 10, (0, 0, 14, 10), (34, 22), "8"),
    ("soft-noise", 61, 37, (0, 0, 61, 37), (10, 7), "8"),
    ("soft-noise", 13, 11, (0, 0, 13, 11), (9, 25), "8"),
    ("photograph", 160, 120, (0, 0, 160, 120), (31, 23), "8"),
    ("photograph", 160, 120, (33.5, 12.25, 120.75, 97), (19, 18), "8"),
    ("photograph", 24, 18, (0, 0, 24, 18), (37, 29), "8"),
    ("noise", 61, 37, (0, 0, 61, 37), (20, 12), "float"),
    ("noise", 13, 11, (0, 0, 13, 11), (29, 17), "float"),
]

for source, width, height, box, size, precision in CASES:
    pixels = sample(source, width, height)
    for name in FILTERS:
        result = resized(pixels, size, box, name, precision)
        fields = [source, width, height, *box, *size, name, precision, result.tobytes().hex()]
        print(*fields)
