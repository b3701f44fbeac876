internal import ImageCore

/// Whether a file is complete, by its outer structure, without decoding anything: a file that was cut off still has a sound header.
enum FileEnd {
    /// - Throws: ``ImageError`` (`truncated`) for a JPEG, PNG, WebP, AVIF or GIF file that ends too early. Other formats pass.
    static func check(_ data: Data, format: ImageFormat) throws(ImageError) {
        let isWhole = unsafe data.withUnsafeBytes { bytes in
            let reader = unsafe Reader(bytes: bytes)
            return switch format {
            case .jpeg: reader.hasWholeJPEG
            case .png: reader.hasWholePNG
            case .webp: reader.hasWholeWebP
            case .avif: reader.hasWholeBoxes
            case .gif: reader.hasWholeGIF
            default: true
            }
        }
        guard !isWhole else { return }
        throw ImageError(
            .truncated,
            message: "The \(format.rawValue.uppercased()) file ends before its image does; "
                + "it was cut off or not wholly received.")
    }

    @safe private struct Reader {
        let bytes: UnsafeRawBufferPointer

        private var count: Int { unsafe bytes.count }

        private func byte(_ at: Int) -> UInt8 { unsafe bytes[at] }

        /// `length` bytes as a big-endian number; `nil` past the end.
        private func number(_ at: Int, _ length: Int) -> Int? {
            guard at >= 0, at <= count - length else { return nil }
            return (at..<at + length).reduce(0) { $0 << 8 | Int(byte($1)) }
        }

        private func name(_ at: Int) -> String? {
            guard at >= 0, at <= count - 4 else { return nil }
            return unsafe String(decoding: bytes[at..<at + 4], as: UTF8.self)
        }

        /// The marker EOI (ITU-T T.81, B.1.1): segments are skipped by their length, entropy-coded data is searched for a
        /// marker, which it cannot contain: a 0xFF of its own is followed by 0x00.
        var hasWholeJPEG: Bool {
            var at = 2
            while at + 1 < count {
                guard byte(at) == 0xFF else {
                    at += 1
                    continue
                }
                switch byte(at + 1) {
                case 0xD9: return true
                // Stuffing, fill bytes and markers without a segment: RSTn, SOI, TEM.
                case 0x00, 0x01, 0xD0...0xD8: at += 2
                case 0xFF: at += 1
                default:
                    guard let length = number(at + 2, 2) else { return false }
                    at += 2 + max(2, length)
                }
            }
            return false
        }

        /// The chunk IEND with its checksum (PNG, section 11.2.5).
        var hasWholePNG: Bool {
            var at = 8
            while let length = number(at, 4), let name = name(at + 4) {
                at += 12 + length
                if name == "IEND" { return at <= count }
            }
            return false
        }

        /// As many bytes as the RIFF header announces (WebP container specification); the number is little-endian.
        var hasWholeWebP: Bool {
            guard count >= 12 else { return false }
            let length = (4..<8).reversed().reduce(0) { $0 << 8 | Int(byte($1)) }
            return length + 8 <= count
        }

        /// Every box that an image can need as long as it says (ISO/IEC 14496-12, 4.2): a length of 0 reaches to the end of
        /// the file, and 1 means that 64 bits follow the name. What follows and is no such box is not looked at.
        var hasWholeBoxes: Bool {
            var at = 0
            while let short = number(at, 4), let name = name(at + 4), short != 0 {
                var length = short
                if short == 1 {
                    guard let high = number(at + 8, 4), let low = number(at + 12, 4), high < 1 << 30 else { return false }
                    length = high << 32 | low
                }
                guard length >= 8, length <= count - at else { return !["ftyp", "meta", "mdat", "moov"].contains(name) }
                at += length
            }
            return true
        }

        /// Every block to its end (GIF89a specification): an image or an extension has sub-blocks, the last of which is
        /// empty. Files without a trailer are common, and whole.
        var hasWholeGIF: Bool {
            guard count >= 13 else { return false }
            var at = 13 + colors(byte(10))
            while at < count {
                switch byte(at) {
                case 0x3B: return true
                case 0x21: at += 2
                case 0x2C:
                    guard at + 9 < count else { return false }
                    at += 11 + colors(byte(at + 9))
                default: return true
                }
                while at < count, byte(at) > 0 { at += 1 + Int(byte(at)) }
                // Past the empty sub-block, if it is there.
                at += 1
            }
            return at == count
        }

        /// The bytes of a colour table, as the packed fields before it say.
        private func colors(_ packed: UInt8) -> Int { packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1) }
    }
}
