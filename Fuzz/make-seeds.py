#!/usr/bin/env python3
"""Makes the seeds of the fuzzer: small images of every kind of each format, and directories of the disk cache.
Needs Pillow with AVIF, avifenc and cjpeg. It does not make Seeds/avif/layered.avif, whose two layers were written by
libavif 1.4 (avifEncoder.extraLayerCount)."""
import gzip, io, os, struct, subprocess, tempfile, zlib
from PIL import Image, ImageCms

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Seeds")


def sample(mode, w=20, h=13, shift=0):
    image = Image.new("RGBA", (w, h))
    for y in range(h):
        for x in range(w):
            image.putpixel((x, y), (x * 12 % 256, (y * 19 + shift) % 256, (x * y + shift) % 256, 255 if x > y else x * 9))
    return image.convert(mode)


def save(folder, name, image, **options):
    path = os.path.join(here, folder)
    os.makedirs(path, exist_ok=True)
    image.save(os.path.join(path, name), **options)


def write(folder, name, data):
    path = os.path.join(here, folder)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name), "wb") as file:
        file.write(data)


srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
exif = Image.Exif()
exif[0x0112] = 6
frames = [sample("RGB", shift=s) for s in (0, 60, 120)]
clear = [sample("RGBA", shift=s) for s in (0, 60, 120)]

for mode in ("L", "RGB", "CMYK"):
    save("jpeg", mode.lower() + ".jpg", sample(mode), quality=70)
save("jpeg", "progressive.jpg", sample("RGB"), quality=60, progressive=True)
save("jpeg", "progressive-grey.jpg", sample("L"), quality=60, progressive=True)
save("jpeg", "restarts.jpg", sample("RGB", 40, 40), quality=50, restart_marker_blocks=1, subsampling=0)
save("jpeg", "metadata.jpg", sample("RGB"), quality=50, icc_profile=srgb, exif=exif)


def with_thumbnail(jpeg, thumbnail):
    """Adds Exif of two directories: an orientation, and the offset of the thumbnail after them."""
    entry = lambda tag, kind, value: struct.pack(">HHI", tag, kind, 1) + value
    tiff = b"MM" + struct.pack(">HI", 42, 8) + struct.pack(">H", 1) + entry(0x0112, 3, struct.pack(">HH", 6, 0))
    tiff += struct.pack(">I", 26) + struct.pack(">H", 2) + entry(0x0201, 4, struct.pack(">I", 56))
    tiff += entry(0x0202, 4, struct.pack(">I", len(thumbnail))) + struct.pack(">I", 0) + thumbnail
    segment = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + jpeg[2:]


def bytes_of(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def cjpeg(name, *options):
    """Writes the samplings that Pillow cannot."""
    source = bytes_of(sample("RGB", 40, 26), "PPM")
    write("jpeg", name, subprocess.run(["cjpeg", "-quality", "60", *options], input=source, capture_output=True, check=True).stdout)


for name, sampling in (("444", "1x1"), ("422", "2x1"), ("440", "1x2"), ("411", "4x1"), ("odd", "2x2,1x2,2x1")):
    cjpeg(name + ".jpg", "-sample", sampling)
cjpeg("422-progressive.jpg", "-sample", "2x1", "-progressive")

write("jpeg", "thumbnail.jpg", with_thumbnail(
    bytes_of(sample("RGB", 40, 26), "JPEG", quality=50), bytes_of(sample("RGB", 16, 10), "JPEG", quality=40)))

for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
    source = sample("L").point(lambda v: v * 257, "I").convert("I;16") if mode == "I;16" else sample(mode)
    save("png", mode.lower().replace(";", "") + ".png", source)
save("png", "metadata.png", sample("RGB"), icc_profile=srgb, exif=exif)
save("png", "animated.png", clear[0], save_all=True, append_images=clear[1:], duration=90, loop=2, disposal=1, blend=1)
save("png", "separate.png", clear[0], save_all=True, append_images=clear[1:], duration=50, default_image=True, disposal=2)


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def interlaced(w, h):
    rows = b""
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        if x0 < w:
            for y in range(y0, h, dy):
                rows += b"\0" + b"".join(bytes((x * 9 % 256, y * 9 % 256, 77)) for x in range(x0, w, dx))
    head = struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 1)
    extra = chunk(b"cICP", bytes((9, 16, 0, 1))) + chunk(b"gAMA", struct.pack(">I", 100000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


write("png", "interlaced.png", interlaced(19, 17))

save("webp", "lossy.webp", sample("RGB"), quality=60)
save("webp", "alpha.webp", sample("RGBA"), quality=60)
save("webp", "lossless.webp", sample("RGBA"), lossless=True)
save("webp", "metadata.webp", sample("RGB"), quality=30, icc_profile=srgb, exif=exif)
save("webp", "animated.webp", clear[0], save_all=True, append_images=clear[1:], duration=70, loop=3, quality=50)
save("webp", "animated-lossless.webp", frames[0], save_all=True, append_images=frames[1:], duration=70, lossless=True)

for name, mode, options in (("420", "RGB", {}), ("444", "RGB", {"subsampling": "4:4:4"}), ("alpha", "RGBA", {}),
                            ("grey", "L", {"subsampling": "4:0:0"}), ("limited", "RGB", {"range": "limited"}),
                            ("turned", "RGB", {"exif": exif, "icc_profile": srgb})):
    save("avif", name + ".avif", sample(mode), quality=40, speed=8, **options)
save("avif", "sequence.avif", frames[0], save_all=True, append_images=frames[1:], duration=70, quality=30, speed=8)



def avifenc(name, image, *options):
    """Writes what Pillow cannot: other depths and code points, and crops."""
    with tempfile.TemporaryDirectory() as folder:
        image.save(folder + "/in.png")
        os.makedirs(os.path.join(here, "avif"), exist_ok=True)
        subprocess.run(["avifenc", "-s", "8", "--min", "40", "--max", "50", *options, folder + "/in.png",
                        os.path.join(here, "avif", name)], check=True, stdout=subprocess.DEVNULL)


avifenc("pq.avif", sample("RGB"), "-d", "10", "--cicp", "9/16/9", "-y", "444")
avifenc("hlg.avif", sample("RGBA"), "-d", "12", "--cicp", "9/18/9", "-r", "limited", "-y", "420")
avifenc("cropped.avif", sample("RGB"), "--clap", "8,1,7,1,2,1,1,1", "--irot", "1", "-y", "444")
halves = Image.new("RGBA", (128, 64), (200, 40, 40, 64))
halves.paste((40, 40, 200, 192), (64, 0, 128, 64))
avifenc("grey-alpha.avif", sample("LA"), "-y", "400")
avifenc("halves.avif", halves)
avifenc("grid.avif", halves, "--grid", "2x1")

save("gif", "still.gif", sample("P"))
save("gif", "interlaced.gif", sample("P"), interlace=1)
save("gif", "animated.gif", clear[0], save_all=True, append_images=clear[1:], duration=70, loop=0, disposal=2)
save("gif", "restoring.gif", clear[0], save_all=True, append_images=clear[1:], duration=70, loop=4, disposal=3)

write("metadata", "srgb.icc", srgb)
write("metadata", "exif.tiff", exif.tobytes()[6:])
write("metadata", "text.txt", b"<html><body>no image</body></html>")
for folder, name in (("jpeg", "metadata.jpg"), ("png", "metadata.png"), ("webp", "metadata.webp"), ("avif", "turned.avif"),
                     ("gif", "animated.gif")):
    with open(os.path.join(here, folder, name), "rb") as file:
        write("metadata", name, file.read())


def entry_file(body=b"body" * 5, size=64, number=1, second=0, length=None):
    """Returns a file of the disk cache, whose names and checksums the fuzz target sets."""
    head = struct.pack("<HHHI", 200, 1, 4, 2) + b"Etagab"
    slots = [struct.pack("<QIId", 0, n, len(head) if n else 0, 1) + (head if n else b"") for n in (number, second)]
    header = bytes(40) + struct.pack("<QQII", len(body) if length is None else length, 0, size, 0)
    return header + b"".join(s.ljust(min(size, 128), b"\0") for s in slots) + body


def disk_cache(name, files, later=(), fixed=15, settings=4):
    files = list(files) + list(later)
    size = max(map(len, files))
    data = bytes([fixed, settings | (len(files) - len(later)) | len(later) << 6])
    write("diskcache", name, data + b"".join(f.ljust(size, b"x") for f in files))


disk_cache("entry", [entry_file()])
disk_cache("entries", [entry_file(), entry_file(b""), entry_file(size=128)])
disk_cache("updated", [entry_file(second=2), entry_file(number=(1 << 32) - 1)])
disk_cache("later", [entry_file()], [entry_file(b"other"), entry_file(second=2)])
disk_cache("small-slots", [entry_file(size=s) for s in (0, 23, 24)], fixed=7)
for bits in (31, 32, 62, 63, 64):
    for name, number in (("below", (1 << bits) - 1), ("at", min(1 << bits, (1 << 64) - 2))):
        disk_cache(f"{name}-{bits}-bits", [entry_file(length=number), entry_file(size=min(number, (1 << 32) - 1) // 2)], fixed=7)
disk_cache("holes", [entry_file(length=1 << 16), entry_file(length=(1 << 36) + 20)], fixed=7, settings=12 | 16)
disk_cache("large-holes", [entry_file(length=(1 << 36) + 20)], fixed=7, settings=12 | 48)
disk_cache("unfixed", [entry_file()], fixed=0)
disk_cache("header-only", [entry_file()], fixed=1)


# The texts of the target `http`: URLs, the data of `data:` URLs, and header sections.
for name, text in {
    "encoded": "https://user:pass@images.example.org:8443/a%20b/c.png?sig=%2f%3d&tags[]=1#part%2",
    "not-encoded": " http://example.org/a b/\u00fc.png?q=%zz&x={}|<>\\^`#a#b\n",
    "international": "https://b\u00fccher.example/\u56fe\u50cf.png",
    "address": "http://[::ffff:127.0.0.1]:80/a?b#c",
    "reference": "../a b/./c:d?e",
    "base64": "image/png; base64 ,iVBORw0K%0AGgo=",
    "base64url": "image/png;charset=x;BASE64,_-_-_-8",
    "percent": ",%00%ff%2%zz%41#part",
}.items():
    write("http", name, text.encode())
for name, lines, body in (
    ("cached", ["200 OK", "Content-Type: image/png", "ETag: W/\"a,b\"", "Cache-Control: max-age=60, stale-while-revalidate=9, "
                "stale-if-error=\"5\", no-cache=\"Set-Cookie, ETag\"", "Age: 5", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
                "Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT", "Expires: Sun Nov  6 08:49:37 1994",
                "Vary: Accept, Accept-Encoding", "Content-Length: 4"], b"body"),
    ("stored", ["200 OK", "Content-Length: 4", "Calotype-Stored: 1 1700000000.25 9f3c01d2a45b6e78 - "
                + ":".join(("ab" * 32, "cd" * 32, "1700000100.5"))], b""),
    ("rest", ["206 Partial Content", "ETag: \"a\"", "Content-Range: Bytes  10-19/*", "Content-Length: 10"], b"0123456789"),
    ("no-rest", ["206 Partial Content", "Content-Range: bytes 0-99999999999999999999/20"], b"0123456789"),
    ("redirect", ["301 Moved Permanently", "Location: //u:p@other.example/a b?s=%2f&x=\u00e9#f", "Set-Cookie: a=b; Path=/",
                  "Cache-Control: max-age=99999999999999999999"], b""),
    ("redirect-relative", ["307 Temporary Redirect", "Location: ./../c/%zz?d"], b""),
    ("redirect-scheme", ["308 Permanent Redirect", "Location: javascript:alert(1)"], b""),
    ("limited", ["429 Too Many Requests", "Retry-After: 99999999999999999999", "Date: Sun, 06 Nov 1994 08:49:37 GMT"], b""),
    ("limited-by-date", ["503 Service Unavailable", "Retry-After: Sunday, 06-Nov-94 08:49:39 GMT"], b""),
    ("coded", ["200 OK", "Content-Encoding: gzip, aws-chunked", "Content-Length: 1, 1", "Vary: *"], b"1"),
    ("odd", ["103 Early Hints", "", "HTTP/1.1 200", " folded", ": no name", "no colon", "X: one", "\ttwo", "Connection: X"], b""),
):
    write("http", name, "\r\n".join(["HTTP/1.1 " + lines[0], *lines[1:], "", ""]).encode() + body)
write("http", "redirect-bytes", b"HTTP/1.1 302 Found\r\nLocation: /a\xe9 b?\xff%e9\r\n\r\n")

# Bodies in a content coding: two members of gzip, zlib, deflate without a header, one in another, one that ends early.
plain = bytes(range(200)) * 3
members = gzip.compress(plain[:100], mtime=0) + gzip.compress(plain[100:], mtime=0)
for name, coding, body in [
    ("coded-members", "gzip", members),
    ("coded-zlib", "deflate", zlib.compress(plain)),
    ("coded-raw", "deflate", zlib.compress(plain)[2:-4]),
    ("coded-twice", "deflate, gzip", gzip.compress(zlib.compress(plain), mtime=0)),
    ("coded-cut", "gzip", members[:-20]),
]:
    write("http", name, f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n".encode() + body)
