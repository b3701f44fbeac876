#!/usr/bin/env python3
"""Makes seeds of damaged and unusual files from those of make-seeds.py. Needs only Python. Each represents a class of
files that a decoder once decoded incorrectly."""
import os, struct, zlib

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Seeds")


def read(name):
    with open(os.path.join(here, name), "rb") as file:
        return file.read()


def write(name, data):
    with open(os.path.join(here, name), "wb") as file:
        file.write(data)


# PNG: chunks are a length, a name, the content and a checksum.

def chunks(data):
    place, found = 8, []
    while place < len(data):
        length = struct.unpack(">I", data[place:place + 4])[0]
        found.append((data[place + 4:place + 8], data[place + 8:place + 8 + length]))
        place += length + 12
    return found


def png(parts):
    framed = (struct.pack(">I", len(c)) + n + c + struct.pack(">I", zlib.crc32(n + c)) for n, c in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


animated = chunks(read("png/animated.png"))
many = [(n, struct.pack(">II", 0x80000001, 0) if n == b"acTL" else c) for n, c in animated]
write("png/declares-more-frames.png", png(many))
last = max(i for i, (n, _) in enumerate(animated) if n == b"fdAT")
write("png/ends-in-a-frame.png", png(animated[:last])[:-9])

# A default image that is not part of the animation, which has one frame.
separate = chunks(read("png/separate.png"))
second = [i for i, (n, _) in enumerate(separate) if n == b"fcTL"][1]
single = [(n, struct.pack(">II", 1, 0) if n == b"acTL" else c) for n, c in separate[:second]]
write("png/separate-single.png", png(single + [(b"IEND", b"")]))

# RGB with a transparent color before a suggested palette: libpng before 1.6.45 loses the color.
plain = chunks(read("png/rgb.png"))
early = [(b"tRNS", bytes(6)), (b"PLTE", bytes(range(12)))]
write("png/transparency-before-palette.png", png(plain[:1] + early + plain[1:]))

# The gamma of sRGB with the primaries of Adobe RGB.
primaries = struct.pack(">8I", 31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000)
write("png/gamma-and-primaries.png", png(plain[:1] + [(b"gAMA", struct.pack(">I", 45455)), (b"cHRM", primaries)] + plain[1:]))

# JPEG: the frame header contains the size.
for name, code in (("rgb", 0xC0), ("progressive", 0xC2)):
    data = read(f"jpeg/{name}.jpg")
    place = data.index(bytes((0xFF, code))) + 5
    write(f"jpeg/{name}-declares-huge.jpg", data[:place] + struct.pack(">HH", 65500, 65500) + data[place + 4:])

# GIF: an unknown version, a color profile, and a file that ends in its last frame.
still = read("gif/still.gif")
write("gif/unknown-version.gif", b"GIF88a" + still[6:])
animation = read("gif/animated.gif")
table = 13 + (3 << ((animation[10] & 7) + 1) if animation[10] & 0x80 else 0)
profile = read("metadata/srgb.icc")
blocks = b"".join(bytes((len(profile[i:i + 255]),)) + profile[i:i + 255] for i in range(0, len(profile), 255))
write("gif/profile.gif", b"GIF89a" + animation[6:table] + b"\x21\xff\x0bICCRGBG1012" + blocks + b"\0" + animation[table:])
write("gif/ends-in-a-frame.gif", animation[:-40])

# WebP: the file ends in its last frame, while the header declares the full length.
write("webp/ends-in-a-frame.webp", read("webp/animated.webp")[:-60])


# AVIF: boxes are a length, a name and the content. Some have header bytes before the boxes in their content.

HEADER_LENGTHS = {b"meta": 4, b"stsd": 8, b"av01": 78}


def edit(data, path, change):
    """Returns the boxes, with `change` applied to the content of the box at `path`."""
    place, result = 0, b""
    while place + 8 <= len(data):
        length, name = struct.unpack(">I4s", data[place:place + 8])
        content = data[place + 8:place + length]
        if name == path[0]:
            head = HEADER_LENGTHS.get(name, 0)
            content = change(content) if len(path) == 1 else content[:head] + edit(content[head:], path[1:], change)
        result += struct.pack(">I4s", len(content) + 8, name) + content
        place += length
    return result


sequence = read("avif/sequence.avif")
endless = lambda c: c[:28] + b"\x7f" + b"\xff" * 7 + c[36:]
write("avif/endless.avif", edit(sequence, [b"moov", b"trak", b"tkhd"], endless))
table = [b"moov", b"trak", b"mdia", b"minf", b"stbl"]
write("avif/false-key-frame.avif", edit(sequence, table + [b"stss"], lambda c: c[:8] + struct.pack(">I", 3)))
write("avif/declares-more-frames.avif", edit(sequence, table + [b"stsz"], lambda c: c[:8] + b"\x7f\xff\xff\xff" + c[12:]))
write("avif/unknown-matrix.avif", edit(read("avif/444.avif"), [b"meta", b"iprp", b"ipco", b"colr"], lambda c: c[:8] + b"\0\x0b" + c[10:]))


def with_depth(movie):
    """Adds a second track of the same frames that declares itself as the depth of the first."""
    place = movie.index(b"trak") - 4
    length = struct.unpack(">I", movie[place:place + 4])[0]
    track = movie[place + 8:place + length]
    kind = b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0"
    track = edit(track, [b"tkhd"], lambda c: c[:20] + struct.pack(">I", 2) + c[24:])
    track = edit(track, [b"mdia", b"hdlr"], lambda c: c[:8] + b"auxv" + c[12:])
    auxi = struct.pack(">I4sI", 12 + len(kind), b"auxi", 0) + kind
    track = edit(track, [b"mdia", b"minf", b"stbl", b"stsd", b"av01"], lambda c: c + auxi)
    track += struct.pack(">I4sI4sI", 20, b"tref", 12, b"auxl", 1)
    return movie + struct.pack(">I4s", len(track) + 8, b"trak") + track


# The movie box moves to the end, so that the frames keep the offsets in its tables.
place = sequence.index(b"moov") - 4
length = struct.unpack(">I", sequence[place:place + 4])[0]
movie = with_depth(sequence[place + 8:place + length])
hidden = sequence[:place + 4] + b"free" + sequence[place + 8:]
write("avif/depth.avif", hidden + struct.pack(">I4s", len(movie) + 8, b"moov") + movie)


# A grid (item 1) of two cells (2 and 3), whose alpha (4) is also a grid of two cells (5 and 6).
grid = read("avif/grid.avif")


def reference(kind, item, *targets):
    content = struct.pack(f">{2 + len(targets)}H", item, len(targets), *targets)
    return struct.pack(">I4s", len(content) + 8, kind) + content


def replace(data, path, old, new):
    def change(content):
        assert old in content, path
        return content.replace(old, new)
    return edit(data, path, change)


def locate(data, alpha=None):
    """Corrects the offsets of the changed grid's items. `alpha` is the offset and the length of item 4."""
    shift = len(data) - len(grid)

    def change(content):
        entries = []
        for item, source, count, place, length in struct.iter_unpack(">HHHII", content[8:]):
            place, length = alpha if alpha and item == 4 else (place + shift, length)
            entries.append(struct.pack(">HHHII", item, source, count, place, length))
        return content[:8] + b"".join(entries)
    return edit(data, [b"meta", b"iloc"], change)


# Each cell has an alpha item.
alpha_grid = reference(b"dimg", 4, 5, 6) + reference(b"auxl", 4, 1)
cells = reference(b"auxl", 5, 2) + reference(b"auxl", 6, 3)
write("avif/grid-cell-alpha.avif", locate(replace(grid, [b"meta", b"iref"], alpha_grid, cells)))

# The alpha is one item of the grid's size.
halves = read("avif/halves.avif")
table = halves[halves.index(b"iloc") + 12:]
place, length = next((p, l) for i, _, _, p, l in struct.iter_unpack(">HHHII", table[:28]) if i == 2)
single = replace(grid, [b"meta", b"iinf"], struct.pack(">HH4s", 4, 0, b"grid"), struct.pack(">HH4s", 4, 0, b"av01"))
single = replace(single, [b"meta", b"iref"], reference(b"dimg", 4, 5, 6), b"")
# The properties of item 4 are its size, depth and type. Add the codec configuration of item 5.
single = replace(single, [b"meta", b"iprp", b"ipma"], bytes((0, 4, 3, 1, 6, 7)), bytes((0, 4, 4, 1, 6, 0x88, 7)))
single = locate(single, (len(single) + 8, length))
write("avif/grid-single-alpha.avif", single + struct.pack(">I4s", length + 8, b"mdat") + halves[place:place + length])
