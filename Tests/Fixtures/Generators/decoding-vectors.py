#!/usr/bin/env python3
"""Writes Tests/Fixtures/decoding-vectors.txt: the results of BlurHash, ThumbHash and tone mapping by this
independent implementation.

Lines with fields separated by spaces:
  blur W H ACROSS DOWN HASH R,G,B...        the hash of an image, and its decode to 5x4 pixels
  thumb W H ALPHA HEX WxH R,G,B,A...        the same, with the decoded corners and centre
  hdr PRIMARIES TRANSFER R,G,B R,G,B        codes of 16 bits, and their sRGB bytes
"""
import math, os

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"


def sample(x, y, w, h, clear):
    alpha = (x * 255 // max(1, w - 1) + y * 3) % 256 if clear else 255
    # Not symmetric: two programs may round a wave of weight zero differently.
    return ((x * 9 + y * 4) % 256, (y * 191 // max(1, h - 1) + x * x) % 256, (x * y * 7 + x * 5) % 256, alpha)


def to_linear(v):
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def to_srgb(v):
    v = min(1.0, max(0.0, v))
    return v * 12.92 if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


def base83(value, length):
    return "".join(ALPHABET[value // 83 ** (length - 1 - i) % 83] for i in range(length))


def blur_encode(w, h, nx, ny):
    factors = []
    for j in range(ny):
        for i in range(nx):
            total = [0.0] * 3
            for y in range(h):
                for x in range(w):
                    basis = math.cos(math.pi * i * x / w) * math.cos(math.pi * j * y / h)
                    for c, v in enumerate(sample(x, y, w, h, False)[:3]):
                        total[c] += basis * to_linear(v / 255)
            scale = (1 if i == j == 0 else 2) / (w * h)
            factors.append([t * scale for t in total])
    out = base83((nx - 1) + (ny - 1) * 9, 1)
    ac = factors[1:]
    if ac:
        q = max(0, min(82, math.floor(max(abs(v) for f in ac for v in f) * 166 - 0.5)))
        top = (q + 1) / 166
    else:
        q, top = 0, 1.0
    out += base83(q, 1)
    r, g, b = (int(to_srgb(v) * 255 + 0.5) for v in factors[0])
    out += base83((r << 16) + (g << 8) + b, 4)
    for f in ac:
        parts = [max(0, min(18, math.floor(math.copysign(abs(v / top) ** 0.5, v) * 9 + 9.5))) for v in f]
        out += base83(parts[0] * 361 + parts[1] * 19 + parts[2], 2)
    return out


def blur_decode(text, w, h):
    digits = [ALPHABET.index(c) for c in text]
    nx, ny = digits[0] % 9 + 1, digits[0] // 9 + 1
    top = (digits[1] + 1) / 166
    dc = ((digits[2] * 83 + digits[3]) * 83 + digits[4]) * 83 + digits[5]
    colors = [[to_linear(dc // 65536 / 255), to_linear(dc // 256 % 256 / 255), to_linear(dc % 256 / 255)]]
    for k in range(1, nx * ny):
        v = digits[4 + 2 * k] * 83 + digits[5 + 2 * k]
        colors.append([math.copysign(((p - 9) / 9) ** 2, p - 9) * top for p in (v // 361, v // 19 % 19, v % 19)])
    result = []
    for y in range(h):
        for x in range(w):
            for c in range(3):
                s = sum(colors[j * nx + i][c] * math.cos(math.pi * x * i / w) * math.cos(math.pi * y * j / h)
                        for j in range(ny) for i in range(nx))
                result.append(int(to_srgb(s) * 255 + 0.5))
    return result


def js_round(v):
    return math.floor(v + 0.5)


def thumb_encode(w, h, clear):
    px = [sample(x, y, w, h, clear) for y in range(h) for x in range(w)]
    total = sum(p[3] / 255 for p in px)
    avg = [sum(p[3] / 255 * p[c] / 255 for p in px) / total if total else 0 for c in range(3)]
    has_alpha = total < w * h
    limit = 5 if has_alpha else 7
    lx, ly = max(1, js_round(limit * w / max(w, h))), max(1, js_round(limit * h / max(w, h)))
    L, P, Q, A = [], [], [], []
    for p in px:
        a = p[3] / 255
        r, g, b = (avg[c] * (1 - a) + a * p[c] / 255 for c in range(3))
        L.append((r + g + b) / 3), P.append((r + g) / 2 - b), Q.append(r - g), A.append(a)

    def channel(values, nx, ny):
        dc, ac = 0, []
        for cy in range(ny):
            cx = 0
            while cx * ny < nx * (ny - cy):
                f = sum(values[x + y * w] * math.cos(math.pi / w * cx * (x + 0.5)) * math.cos(math.pi / h * cy * (y + 0.5))
                        for y in range(h) for x in range(w)) / (w * h)
                if cx or cy:
                    ac.append(f)
                else:
                    dc = f
                cx += 1
        scale = max(abs(f) for f in ac)
        return dc, [0.5 + 0.5 / scale * f for f in ac] if scale else ac, scale

    (ld, la, ls), (pd, pa, ps), (qd, qa, qs) = channel(L, max(3, lx), max(3, ly)), channel(P, 3, 3), channel(Q, 3, 3)
    land = w > h
    h24 = js_round(63 * ld) | js_round(31.5 + 31.5 * pd) << 6 | js_round(31.5 + 31.5 * qd) << 12 | js_round(31 * ls) << 18
    h24 |= has_alpha << 23
    h16 = (ly if land else lx) | js_round(63 * ps) << 3 | js_round(63 * qs) << 9 | land << 15
    out = [h24 & 255, h24 >> 8 & 255, h24 >> 16, h16 & 255, h16 >> 8]
    channels = [la, pa, qa]
    if has_alpha:
        ad, aa, asc = channel(A, 5, 5)
        out.append(js_round(15 * ad) | js_round(15 * asc) << 4)
        channels.append(aa)
    nibbles = [js_round(15 * f) for ac in channels for f in ac]
    for i in range(0, len(nibbles), 2):
        out.append(nibbles[i] | (nibbles[i + 1] << 4 if i + 1 < len(nibbles) else 0))
    return bytes(out)


def thumb_decode(data):
    h24, h16 = data[0] | data[1] << 8 | data[2] << 16, data[3] | data[4] << 8
    ld, pd, qd = (h24 & 63) / 63, (h24 >> 6 & 63) / 31.5 - 1, (h24 >> 12 & 63) / 31.5 - 1
    ls, has_alpha, ps, qs, land = (h24 >> 18 & 31) / 31, h24 >> 23, (h16 >> 3 & 63) / 63, (h16 >> 9 & 63) / 63, h16 >> 15
    rx = (5 if has_alpha else 7) if land else h16 & 7
    ry = h16 & 7 if land else (5 if has_alpha else 7)
    lx, ly = max(3, rx), max(3, ry)
    ad, asc = (data[5] & 15) / 15 if has_alpha else 1, (data[5] >> 4) / 15
    position = [2 * (6 if has_alpha else 5)]

    def channel(nx, ny, scale):
        ac = []
        for cy in range(ny):
            cx = 0 if cy else 1
            while cx * ny < nx * (ny - cy):
                ac.append(((data[position[0] >> 1] >> ((position[0] & 1) << 2) & 15) / 7.5 - 1) * scale)
                position[0] += 1
                cx += 1
        return ac

    l, p, q = channel(lx, ly, ls), channel(3, 3, ps * 1.25), channel(3, 3, qs * 1.25)
    a = channel(5, 5, asc) if has_alpha else []
    ratio = rx / ry
    w, h = js_round(32 if ratio > 1 else 32 * ratio), js_round(32 / ratio if ratio > 1 else 32)

    def value(x, y, dc, ac, nx, ny):
        k = 0
        for cy in range(ny):
            cx = 0 if cy else 1
            while cx * ny < nx * (ny - cy):
                dc += ac[k] * math.cos(math.pi / w * (x + 0.5) * cx) * math.cos(math.pi / h * (y + 0.5) * cy) * 2
                k, cx = k + 1, cx + 1
        return dc

    def pixel(x, y):
        lum, pp, qq = value(x, y, ld, l, lx, ly), value(x, y, pd, p, 3, 3), value(x, y, qd, q, 3, 3)
        alpha = value(x, y, ad, a, 5, 5) if has_alpha else 1
        b = lum - 2 / 3 * pp
        r = (3 * lum - b + qq) / 2
        return [int(max(0, min(1, v)) * 255) for v in (r, r - qq, b, alpha)]

    return w, h, [v for x, y in ((0, 0), (w - 1, 0), (0, h - 1), (w - 1, h - 1), (w // 2, h // 2)) for v in pixel(x, y)]


def pq_light(e):
    p = e ** (32 / 2523)
    return 10000 * (max(0, p - 107 / 128) / (2413 / 128 - 2392 / 128 * p)) ** (16384 / 2610)


def pq_code(light):
    y = (light / 10000) ** (2610 / 16384)
    return ((107 / 128 + 2413 / 128 * y) / (1 + 2392 / 128 * y)) ** (2523 / 32)


def hlg_scene(e):
    a, b = 0.17883277, 1 - 4 * 0.17883277
    c = 0.5 - a * math.log(4 * a)
    return e * e / 3 if e <= 0.5 else (math.exp((e - c) / a) + b) / 12


# Published matrices and weights: BT.2020 and P3 (D65) to BT.709.
TO_709 = {
    9: [[1.660491, -0.587641, -0.072850], [-0.124550, 1.132900, -0.008349], [-0.018151, -0.100579, 1.118730]],
    12: [[1.224940, -0.224940, 0], [-0.042057, 1.042057, 0], [-0.019638, -0.078636, 1.098274]],
    1: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}
LUMA = {9: (0.2627, 0.6780, 0.0593), 12: (0.2290, 0.6917, 0.0793), 1: (0.2126, 0.7152, 0.0722)}


def shown(primaries, transfer, codes):
    if transfer == 16:
        light = [pq_light(c / 65535) for c in codes]
    else:
        scene = [hlg_scene(c / 65535) for c in codes]
        luma = sum(s * w for s, w in zip(scene, LUMA[primaries]))
        light = [1000 * s * luma ** 0.2 if luma > 0 else 0 for s in scene]
    top = max(light)
    if top > 0:
        s, m = pq_code(1000), pq_code(203) / pq_code(1000)
        ks = 1.5 * m - 0.5
        e = min(1, pq_code(top) / s)
        if e > ks:
            t = (e - ks) / (1 - ks)
            e2 = (2 * t ** 3 - 3 * t ** 2 + 1) * ks + (t ** 3 - 2 * t ** 2 + t) * (1 - ks) + (-2 * t ** 3 + 3 * t ** 2) * m
            light = [v * min(203, pq_light(e2 * s)) / top for v in light]
    rgb = [sum(k * v / 203 for k, v in zip(row, light)) for row in TO_709[primaries]]
    return [int(to_srgb(v) * 255 + 0.5) for v in rgb]


def text(values):
    return ",".join(str(v) for v in values)


lines = []
for w, h, nx, ny in ((12, 8, 4, 3), (9, 17, 3, 5), (5, 5, 1, 1), (30, 20, 9, 9)):
    code = blur_encode(w, h, nx, ny)
    lines.append(f"blur {w} {h} {nx} {ny} {code} {text(blur_decode(code, 5, 4))}")
for w, h, clear in ((16, 9, False), (9, 16, False), (14, 14, True), (40, 7, True), (3, 30, False)):
    code = thumb_encode(w, h, clear)
    dw, dh, values = thumb_decode(code)
    lines.append(f"thumb {w} {h} {int(clear)} {code.hex()} {dw}x{dh} {text(values)}")
for primaries, transfer in ((9, 16), (1, 16), (12, 16), (9, 18), (1, 18)):
    for codes in ((0, 0, 0), (20000, 20000, 20000), (38057, 38057, 38057), (49271, 49271, 49271), (65535, 65535, 65535),
                  (40000, 30000, 20000), (15000, 45000, 30000), (50000, 20000, 48000)):
        lines.append(f"hdr {primaries} {transfer} {text(codes)} {text(shown(primaries, transfer, codes))}")
place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "decoding-vectors.txt")
with open(place, "w") as file:
    file.write("\n".join(lines) + "\n")
