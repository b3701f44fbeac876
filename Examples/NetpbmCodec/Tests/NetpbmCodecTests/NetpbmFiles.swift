import CalotypeTesting
import ImageCore
import NetpbmCodec

/// Makes a file of a header and a binary raster.
func netpbm(_ header: String, _ raster: [Int] = []) -> Data { Data(header.utf8) + Data(raster.map { UInt8($0) }) }

/// Makes an image of levels, row by row, in the order of the format's channels.
func bitmap(_ size: PixelSize, _ format: PixelFormat, alpha: AlphaMode = .opaque, _ levels: [Int]) throws -> Bitmap {
    try Bitmap(size: size, format: format, alpha: alpha) { pixels, bytesPerRow in
        let (samples, bytes) = (size.width * format.channels, format.bytesPerPixel / format.channels)
        for (index, level) in levels.enumerated() {
            let start = index / samples * bytesPerRow + index % samples * bytes
            if bytes == 2 {
                pixels.storeBytes(of: UInt16(level), toByteOffset: start, as: UInt16.self)
            } else {
                pixels[start] = UInt8(level)
            }
        }
    }
}

/// Returns the levels of an image, row by row.
func levels(of image: DecodedImage) -> [Int] {
    let (bitmap, format) = (image.bitmap, image.bitmap.format)
    let (samples, bytes) = (bitmap.width * format.channels, format.bytesPerPixel / format.channels)
    return bitmap.withUnsafePixels { pixels in
        (0..<bitmap.height * samples).map { index in
            let start = index / samples * bitmap.bytesPerRow + index % samples * bytes
            return bytes == 2 ? Int(pixels.load(fromByteOffset: start, as: UInt16.self)) : Int(pixels[start])
        }
    }
}

/// Files of every kind: small ones with the image that they contain, and larger ones whose colours change smoothly.
func samples() throws -> [DecodingSample] {
    let (small, size) = (PixelSize(width: 3, height: 2), PixelSize(width: 48, height: 30))
    var samples: [DecodingSample] = []
    func add(
        _ file: Data, _ name: String, _ size: PixelSize, bits: Int = 8, hasAlpha: Bool = false, isGray: Bool = false,
        _ image: Bitmap? = nil
    ) {
        let info = ImageInfo(
            format: .netpbm, size: size, hasAlpha: hasAlpha, bitDepth: bits, colorModel: isGray ? .gray : .rgb)
        samples.append(DecodingSample(file, name: name, info: info, image: image.map { DecodedImage($0) }))
    }

    add(
        netpbm("P1\n# a comment\n3 2\n10 1\n0\n10\n"), "P1", small, bits: 1, isGray: true,
        try bitmap(small, .gray8, [0, 255, 0, 255, 0, 255]))
    add(
        netpbm("P2 3 2 15\n0 7 15\n15 # to the right\n 7 0 "), "P2", small, bits: 4, isGray: true,
        try bitmap(small, .gray8, [0, 119, 255, 255, 119, 0]))
    add(
        netpbm("P3\n3 2 255\n 1 2 3  4 5 6  7 8 9\n250 251 252  0 0 0  255 255 255\n"), "P3", small,
        try bitmap(
            small, .rgba8, [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 250, 251, 252, 255, 0, 0, 0, 255, 255, 255, 255, 255]))
    add(
        netpbm("P3 1 1 1000 0 500 1000\n"), "P3 of 10 bits", PixelSize(1), bits: 10,
        try bitmap(PixelSize(1), .rgba8, [0, 128, 255, 255]))
    // The last three bits of each row are padding.
    add(
        netpbm("P4 13 2\n", [0b1010_0000, 0b0000_1111, 0b0101_1111, 0b1111_1000]), "P4", PixelSize(width: 13, height: 2), bits: 1,
        isGray: true,
        try bitmap(
            PixelSize(width: 13, height: 2), .gray8,
            [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1].map { 255 - 255 * $0 }))
    // Levels that look like a comment and like whitespace.
    add(
        netpbm("P5 3 2 255\n", [0x23, 0x0A, 0x20, 0, 9, 255]), "P5", small, isGray: true,
        try bitmap(small, .gray8, [0x23, 0x0A, 0x20, 0, 9, 255]))
    add(
        netpbm("P7\nWIDTH 3\nHEIGHT 1\nDEPTH 2\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE_ALPHA\nENDHDR\n", [1, 1, 0, 1, 1, 0]),
        "PAM of black and white with alpha", PixelSize(width: 3, height: 1), bits: 1, hasAlpha: true, isGray: true,
        try bitmap(
            PixelSize(width: 3, height: 1), .rgba8, alpha: .premultiplied, [255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0]))
    add(
        netpbm("P7\n# no type\n\nDEPTH 4\nMAXVAL 255\nHEIGHT 1\nWIDTH 1\nENDHDR\n", [200, 100, 50, 128]), "PAM of four samples",
        PixelSize(1), hasAlpha: true, try bitmap(PixelSize(1), .rgba8, alpha: .premultiplied, [100, 50, 25, 128]))

    func raster(_ channels: Int, most: Int) -> [Int] {
        (0..<size.height).flatMap { y in
            (0..<size.width).flatMap { x in
                (0..<channels).flatMap { channel -> [Int] in
                    let level = (x * 3 + y * 2 + channel * 10) * most / 255
                    return most > 255 ? [level >> 8, level & 255] : [level]
                }
            }
        }
    }
    let pam = "P7\nWIDTH 48\nHEIGHT 30\n"
    add(netpbm("P5 48 30 65535\n", raster(1, most: 65_535)), "P5 of 16 bits", size, bits: 16, isGray: true)
    add(netpbm("P6\n48 30\n255\n", raster(3, most: 255)), "P6", size)
    add(netpbm("P6\n48 30\n4095\n", raster(3, most: 4_095)), "P6 of 12 bits", size, bits: 12)
    add(
        netpbm(pam + "DEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\n", raster(1, most: 255)), "PAM of grey", size, isGray: true
    )
    add(
        netpbm(pam + "DEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", raster(4, most: 255)), "PAM with alpha", size,
        hasAlpha: true)
    add(
        netpbm(pam + "DEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n", raster(4, most: 65_535)),
        "PAM with 16 bits and alpha",
        size, bits: 16, hasAlpha: true)
    return samples
}
