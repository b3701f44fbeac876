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


def edited(parts, name, change, number=0):
    """The parts, with `change` applied to the content of one chunk of this name."""
    place = [i for i, (n, _) in enumerate(parts) if n == name][number]
    return parts[:place] + [(name, change(parts[place][1]))] + parts[place + 1:]


def with_bad_checksum(data, name, number=0):
    """The file, with a wrong checksum of one chunk of this name."""
    place = -1
    for _ in range(number + 1):
        place = data.index(name, place + 1)
    end = place + 4 + struct.unpack(">I", data[place - 4:place])[0]
    return data[:end] + bytes((data[end] ^ 1,)) + data[end + 1:]


def profile(space, gamma):
    """A color profile of one curve (ICC.1:2010, section 7), grey or of the primaries of sRGB."""
    s15 = lambda *values: b"".join(struct.pack(">i", round(v * 65536)) for v in values)
    curve = struct.pack(">4sIIH", b"curv", 0, 1, round(gamma * 256)) + b"\0\0"
    xyz = lambda *values: b"XYZ \0\0\0\0" + s15(*values)
    text = lambda value: b"desc\0\0\0\0" + struct.pack(">I", len(value) + 1) + value + bytes(1 + 78)
    tags = [(b"desc", text(b"grey")), (b"wtpt", xyz(0.9642, 1, 0.8249))]
    if space == b"GRAY":
        tags += [(b"kTRC", curve)]
    else:
        tags += [(n + b"TRC", curve) for n in (b"r", b"g", b"b")]
        tags += [(b"rXYZ", xyz(0.4361, 0.2225, 0.0139)), (b"gXYZ", xyz(0.3851, 0.7169, 0.0971)), (b"bXYZ", xyz(0.1431, 0.0606, 0.7141))]
    place, table, content = 132 + 12 * len(tags), struct.pack(">I", len(tags)), b""
    for name, value in tags:
        value += bytes(-len(value) % 4)
        table += struct.pack(">4sII", name, place + len(content), len(value))
        content += value
    head = struct.pack(">I4sI4s4s4s", place + len(content), b"\0\0\0\0", 0x02100000, b"mntr", space, b"XYZ ")
    head += bytes(12) + b"acsp" + bytes(28) + s15(0.9642, 1, 0.8249)
    return head.ljust(128, b"\0") + table + content


profiles = {"grey": profile(b"GRAY", 2.2), "grey-linear": profile(b"GRAY", 1), "rgb-linear": profile(b"RGB ", 1)}
for name, content in profiles.items():
    write(f"metadata/{name}.icc", content)
for kind in ("l", "la", "i16", "p", "rgb", "rgba"):
    for name, content in profiles.items():
        parts = chunks(read(f"png/{kind}.png"))
        icc = (b"iCCP", b"profile\0\0" + zlib.compress(content))
        if kind in ("l", "la") or name == "grey":
            write(f"png/{kind}-profile-{name}.png", png(parts[:1] + [icc] + parts[1:]))

# APNG: wrong checksums, wrong numbers in sequence, and frames that the header does not announce, or outside of the canvas.
animation = read("png/animated.png")
for name, number in ((b"fcTL", 1), (b"fdAT", 0), (b"acTL", 0)):
    write(f"png/bad-checksum-{name.decode()}.png", with_bad_checksum(animation, name, number))
renumbered = lambda by: edited(animated, b"fcTL", lambda c: struct.pack(">I", struct.unpack(">I", c[:4])[0] + by) + c[4:], 1)
write("png/gap-in-sequence.png", png(renumbered(1)))
write("png/repeated-sequence.png", png(renumbered(-1)))
write("png/declares-fewer-frames.png", png(edited(animated, b"acTL", lambda c: struct.pack(">II", 2, 0))))
write("png/frame-outside.png", png(edited(animated, b"fcTL", lambda c: c[:12] + struct.pack(">II", 19, 12) + c[20:], 1)))
write("png/frame-empty.png", png(edited(animated, b"fcTL", lambda c: c[:4] + struct.pack(">II", 0, 13) + c[12:], 1)))
write("png/frame-broken.png", png(edited(animated, b"fdAT", lambda c: c[:8] + b"broken" + c[14:], 0)))
write("png/frame-control-late.png", png([p for p in animated if p[0] != b"IEND"] + [animated[1], (b"IEND", b"")]))

# Ancillary chunks with wrong checksums.
for name in (b"eXIf", b"iCCP"):
    write(f"png/bad-checksum-{name.decode()}.png", with_bad_checksum(read("png/metadata.png"), name))

# The header of zlib declares a window of 256 bytes, and the data refer to bytes before it; a file without its checksum.
rows = b"".join(b"\0" + bytes((x * 7 + y % 5 * 31) % 256 for x in range(120)) for y in range(30))
header = (b"IHDR", struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0))
packed = zlib.compress(rows, 9)
write("png/small-window.png", png([header, (b"IDAT", b"\x08\x1d" + packed[2:]), (b"IEND", b"")]))
write("png/no-data-checksum.png", png([header, (b"IDAT", packed[:-4]), (b"IEND", b"")]))
for name, content in (("matrix", (9, 16, 9, 1)), ("narrow", (9, 16, 0, 0)), ("long", (9, 16, 0, 1, 0)), ("unknown", (99, 99, 0, 1))):
    write(f"png/cicp-{name}.png", png(plain[:1] + [(b"cICP", bytes(content))] + plain[1:]))

# JPEG: the frame header contains the size.
for name, code in (("rgb", 0xC0), ("progressive", 0xC2)):
    data = read(f"jpeg/{name}.jpg")
    place = data.index(bytes((0xFF, code))) + 5
    write(f"jpeg/{name}-declares-huge.jpg", data[:place] + struct.pack(">HH", 65500, 65500) + data[place + 4:])

# JPEG: inks without the marker of Adobe, and of the kind YCCK; no end marker; profiles that do not fit.
def without(data, marker):
    place = data.index(marker)
    return data[:place] + data[place + 2 + struct.unpack(">H", data[place + 2:place + 4])[0]:]


inks = read("jpeg/cmyk.jpg")
adobe = inks.index(b"\xff\xeeAdobe"[:2])
write("jpeg/cmyk-without-adobe.jpg", without(inks, b"\xff\xee"))
write("jpeg/ycck.jpg", inks[:adobe + 15] + b"\x02" + inks[adobe + 16:])
for name in ("rgb", "progressive", "restarts"):
    end = read(f"jpeg/{name}.jpg").rindex(b"\xff\xd9")
    write(f"jpeg/{name}-without-end.jpg", read(f"jpeg/{name}.jpg")[:end])
    write(f"jpeg/{name}-padded.jpg", read(f"jpeg/{name}.jpg")[:end] + bytes(40))
for name, space in (("l", "grey"), ("l", "rgb-linear"), ("rgb", "grey"), ("cmyk", "rgb-linear"), ("cmyk-without-adobe", "grey")):
    data, content = read(f"jpeg/{name}.jpg"), b"ICC_PROFILE\0\1\1" + profiles[space]
    segment = b"\xff\xe2" + struct.pack(">H", len(content) + 2) + content
    write(f"jpeg/{name}-profile-{space}.jpg", data[:2] + segment + data[2:])

# GIF: an unknown version, a color profile, and a file that ends in its last frame.
still = read("gif/still.gif")
write("gif/unknown-version.gif", b"GIF88a" + still[6:])
animation = read("gif/animated.gif")
table = 13 + (3 << ((animation[10] & 7) + 1) if animation[10] & 0x80 else 0)
srgb = read("metadata/srgb.icc")
blocks = b"".join(bytes((len(srgb[i:i + 255]),)) + srgb[i:i + 255] for i in range(0, len(srgb), 255))
write("gif/profile.gif", b"GIF89a" + animation[6:table] + b"\x21\xff\x0bICCRGBG1012" + blocks + b"\0" + animation[table:])
write("gif/ends-in-a-frame.gif", animation[:-40])



def gif_frame(pixels, size, place=(0, 0), code_size=2, disposal=1, ends=True):
    """A frame whose LZW has no compression: a clear code comes before the codes become longer."""
    codes, limit = [], max(1, (1 << code_size) - 2)
    for i in range(0, len(pixels), limit):
        codes += [1 << code_size, *pixels[i:i + limit]]
    if ends:
        codes += [(1 << code_size) + 1]
    bits = sum(code << (code_size + 1) * i for i, code in enumerate(codes))
    data = bits.to_bytes((len(codes) * (code_size + 1) + 7) // 8, "little")
    blocks = b"".join(bytes((len(data[i:i + 255]),)) + data[i:i + 255] for i in range(0, len(data), 255))
    control = b"\x21\xf9\4" + struct.pack("<BHBB", disposal << 2 | 1, 5, 3, 0)
    return control + b"\x2c" + struct.pack("<4HBB", *place, *size, 0, code_size) + blocks + b"\0"


def gif(frames, screen=(6, 5), loop=b"\3\1\2\0\0"):
    palette = bytes((200, 40, 40, 40, 200, 40, 40, 40, 200, 0, 0, 0))
    extension = b"\x21\xff\x0bNETSCAPE2.0" + loop if loop else b""
    return b"GIF89a" + struct.pack("<HHBBB", *screen, 0x81, 0, 0) + palette + extension + b"".join(frames) + b"\x3b"


some = [i % 4 for i in range(30)]
for code_size in (1, 8, 9, 10, 11, 12):
    write(f"gif/code-size-{code_size}.gif", gif([gif_frame([p & 1 for p in some], (6, 5), code_size=code_size)] * 2))
write("gif/pixels-missing.gif", gif([gif_frame(some[:20], (6, 5)), gif_frame(some[:7], (4, 3), (1, 1)), gif_frame([], (6, 5))]))
write("gif/end-code-missing.gif", gif([gif_frame(some, (6, 5), ends=False), gif_frame(some[:9], (6, 5), ends=False)]))
write("gif/pixels-too-many.gif", gif([gif_frame(some * 3, (6, 5))]))
for name, loop in (("buffering-first", b"\5\2\0\0\1\0\3\1\2\0\0"), ("split", b"\1\1\2\2\0\0"), ("twice", b"\3\1\2\0\3\1\0\0\0"),
                   ("long", b"\7\1\2\0\1\3\0\0\0"), ("short", b"\2\1\2\0"), ("empty", b"\0")):
    write(f"gif/loop-{name}.gif", gif([gif_frame(some, (6, 5)), gif_frame(some, (6, 5))], loop=loop))
write("gif/screen-empty.gif", gif([gif_frame(some, (6, 5))], screen=(0, 0)))
write("gif/first-frame-larger.gif", gif([gif_frame(some, (6, 5), (1, 1)), gif_frame(some, (6, 5))], screen=(3, 3)))
write("gif/frame-empty.gif", gif([gif_frame(some, (0, 0)), gif_frame(some, (6, 5)), gif_frame([], (0, 5))]))
for disposal in (4, 7):
    write(f"gif/disposal-{disposal}.gif", gif([gif_frame(some, (6, 5), disposal=d) for d in (1, disposal, 3)]))
write("gif/tiny.gif", b"GIF89a\1\0\1\0\0\0\0\x2c\0\0\0\0\1\0\1\0\0\2\0\x3b")

# WebP: chunks are a name, a length in the other byte order, and the content.

def riff(parts):
    body = b"".join(n + struct.pack("<I", len(c)) + c + bytes(len(c) % 2) for n, c in parts)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def riff_chunks(data, place=12):
    found = []
    while place + 8 <= len(data):
        length = struct.unpack("<I", data[place + 4:place + 8])[0]
        found.append((data[place:place + 4], data[place + 8:place + 8 + length]))
        place += 8 + length + length % 2
    return found


def with_alpha_bit(content, used):
    """Lossless data, whose fifth byte has the bit that says whether alpha is used."""
    return content[:4] + bytes((content[4] & ~0x10 | used << 4,)) + content[5:]


def with_alpha_bits(parts, used):
    changed = []
    for name, content in parts:
        if name == b"VP8L":
            content = with_alpha_bit(content, used)
        elif name == b"ANMF":
            inner = with_alpha_bits(riff_chunks(content, 16), used)
            content = content[:16] + riff(inner)[12:]
        elif name == b"VP8X":
            content = bytes((content[0] & ~0x10 | used << 4,)) + content[1:]
        changed.append((name, content))
    return changed


for name in ("lossless", "animated-lossless", "alpha"):
    for used in (0, 1):
        parts = with_alpha_bits(riff_chunks(read(f"webp/{name}.webp")), used)
        write(f"webp/{name}-alpha-{'used' if used else 'unused'}.webp", riff(parts))

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
# A sequence without an edit list, which says how often it plays.
write("avif/without-edit-list.avif", sequence.replace(b"edts", b"free"))
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
