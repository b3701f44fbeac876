import ImageCore
import NetpbmCodec
import Testing

@Suite(.timeLimit(.minutes(1)))
struct NetpbmDecoding {
    /// A file that is cut anywhere throws, or gives a partial image of its whole rows.
    @Test func everyCutIsNoticed() throws {
        var partials: Set<String?> = []
        for sample in try samples() where sample.file.count < 100 {
            let whole = try NetpbmDecoder().decode(sample.file, options: DecodeOptions())
            var partial = DecodeOptions()
            partial.allowsPartial = true
            for count in 0..<sample.file.count {
                let file = sample.file.prefix(count)
                // The byte after the last digit of a P1 may be missing.
                if let image = try? NetpbmDecoder().decode(file, options: DecodeOptions()) {
                    #expect(levels(of: image) == levels(of: whole), "\(sample.name ?? ""), \(count) bytes")
                    #expect(sample.name == "P1" && count == sample.file.count - 1)
                }
                guard let image = try? NetpbmDecoder().decode(file, options: partial), image.isPartial else { continue }
                partials.insert(sample.name)
                // Of an image of two rows, the first is there, and the second transparent.
                let pixels = levels(of: image)
                #expect(image.bitmap.alpha == .premultiplied && image.size == whole.size)
                #expect(pixels.prefix(4)[3] == 255 && pixels.suffix(4) == [0, 0, 0, 0], "\(sample.name ?? ""), \(count) bytes")
            }
        }
        #expect(partials == ["P1", "P2", "P3", "P4", "P5"])
    }

    @Test(arguments: [
        ("P5 0 3 255\n", ImageError.Code.corrupt), ("P5 -3 3 255\n", .corrupt), ("P5 3 3 0\n", .corrupt),
        ("P5 3 3 65536\n", .corrupt), ("P6 1 1 99999999999999999999\n", .corrupt), ("P5 1 1 255x", .corrupt),
        ("P5 3,3 255\n", .corrupt), ("P5 # a comment without an end", .truncated), ("P5 3 3 25", .truncated),
        ("P5 99999 99999 255\n", .tooLarge), ("P5 1 \(String(repeating: "9", count: 400)) 255\n", .tooLarge),
        ("P5 16000 16000 255\n", .truncated), ("P2 16000 16000 255\n", .truncated), ("P1 2 2 0121\n", .corrupt),
        ("P3 1 1 255 1 2 256\n", .corrupt), ("P3 1 1 255 1 2 ", .truncated), ("P3 1 1 255 1 2 3", .truncated),
        ("P4 99999 1\n", .truncated), ("P7\nWIDTH 1\nENDHDR\n", .unsupportedFeature), ("P7\nWIDTH 1\n", .truncated),
        ("P7\nCOLOUR 1\n", .corrupt), ("P7\nDEPTH 4\nTUPLTYPE CMYK\nENDHDR\n", .unsupportedFeature),
        ("P7\n\(String(repeating: "W", count: 1_000_000))", .truncated), ("P8 1 1\n", .corrupt), ("P", .corrupt),
    ])
    func hostileFilesAreRefused(_ file: String, _ code: ImageError.Code) {
        let error = #expect(throws: ImageError.self) {
            try NetpbmDecoder().decode(Data(file.utf8), options: DecodeOptions())
        }
        #expect(error?.code == code, "\(file.prefix(40))")
    }

    /// The limit of bytes holds for the result and for a row as stored, not for the full size.
    @Test func theLimitOfBytesIsThatOfTheResult() throws {
        func decode(_ header: String, limit: Int, to size: PixelSize? = nil) throws {
            var options = DecodeOptions()
            (options.limits.imageBytes, options.targetSize) = (limit, size)
            _ = try NetpbmDecoder().decode(netpbm(header, Array(repeating: 9, count: 300)), options: options)
        }
        try decode("P6 10 10 255\n", limit: 400)
        #expect(throws: ImageError.self) { try decode("P6 10 10 255\n", limit: 399) }
        try decode("P6 10 10 255\n", limit: 100, to: PixelSize(5))
        #expect(throws: ImageError.self) { try decode("P6 100 1 255\n", limit: 399, to: PixelSize(10)) }
    }

    /// Sizes of which no number of bytes is an `Int`.
    @Test func noSizeOverflowsWithoutLimits() {
        var options = DecodeOptions()
        (options.limits.pixels, options.limits.imageBytes, options.allowsPartial) = (.max, .max, true)
        for file in ["P5 999999999999 999999999999 65535\n.", "P6 9999999999999 1 65535\n.", "P2 9999999999999 1 65535\n."] {
            #expect(throws: ImageError.self) { try NetpbmDecoder().decode(Data(file.utf8), options: options) }
        }
    }

    /// A comment may stand within a number. Its line end belongs to it, so that it does not end the header.
    @Test func commentsMayStandAnywhereInTheHeader() throws {
        for header in [
            "P5#a\n2 1 255\n", "P5 2#\n #\n1 255\n", "P5 # 7 7 7\r2\t1\r\n255 ", "P5 2 1 25#a\n5\n", "P5 2 1 255#a\n\n",
        ] {
            let image = try NetpbmDecoder().decode(netpbm(header, [0x0A, 0x23]), options: DecodeOptions())
            #expect(levels(of: image) == [0x0A, 0x23], "\(header)")
        }
    }

    @Test func theFirstOfSeveralImagesIsDecoded() throws {
        let file = netpbm("P5 1 1 255\n", [7]) + netpbm("P6 1 1 255\n", [1, 2, 3])
        #expect(levels(of: try NetpbmDecoder().decode(file, options: DecodeOptions())) == [7])
    }

    @Test func sixteenBitsAndStraightAlphaAreKeptOnRequest() throws {
        var options = DecodeOptions()
        (options.convertsTo8Bit, options.alpha) = (false, .straight)
        let header = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        let image = try NetpbmDecoder().decode(netpbm(header, [0x12, 0x34, 0, 1, 0xFF, 0xFF, 0, 2]), options: options)
        #expect(levels(of: image) == [0x1234, 1, 0xFFFF, 2] && image.bitmap.alpha == .straight)
        // A scaled image is premultiplied in between.
        options.targetSize = PixelSize(2)
        let pixels = Array(repeating: [0, 200, 0, 100, 0, 0, 0x80, 0], count: 16).joined()
        let large = header.replacing("HEIGHT 1", with: "HEIGHT 4").replacing("WIDTH 1", with: "WIDTH 4")
        let small = try NetpbmDecoder().decode(netpbm(large, Array(pixels)), options: options)
        #expect(small.size == PixelSize(2) && small.bitmap.alpha == .straight && levels(of: small).prefix(2) == [200, 100])
    }

    /// The row after the last one that was shown brings the next preview.
    @Test func aPreviewHasTheRowsThatHaveArrived() throws {
        let file = netpbm("P5 2 3 255\n", [1, 2, 3, 4, 5, 6])
        let decoder = try #require(try NetpbmDecoder().makeIncrementalDecoder(for: file, options: DecodeOptions()))
        var counts: [Int] = []
        for count in 1...file.count {
            guard let preview = try decoder.preview(of: file.prefix(count)) else { continue }
            counts.append(file.count - count)
            #expect(preview.isPreview && preview.size == PixelSize(width: 2, height: 3))
        }
        #expect(counts == [4, 2, 0])
        #expect(try NetpbmDecoder().makeIncrementalDecoder(for: netpbm("P2 1 1 255 1\n"), options: DecodeOptions()) == nil)
    }
}
