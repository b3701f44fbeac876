internal import ImageCore

/// Checks whether a file is complete by its outer structure, without decoding. A truncated file still has a valid header.
enum FileCompleteness {
    /// - Throws: ``ImageError`` (`truncated`) for a JPEG, PNG, WebP, AVIF or GIF file that ends too early. Other formats pass.
    static func check(_ data: Data, format: ImageFormat) throws(ImageError) {
        let isComplete = unsafe data.withUnsafeBytes { bytes in
            let reader = unsafe Reader(bytes: bytes)
            return switch format {
            case .jpeg: reader.isCompleteJPEG
            case .png: reader.isCompletePNG
            case .webp: reader.isCompleteWebP
            case .avif: reader.isCompleteAVIF
            case .gif: reader.isCompleteGIF
            default: true
            }
        }
        guard !isComplete else { return }
        throw ImageError(
            .truncated,
            message:
                "The \(format.rawValue.uppercased()) file is truncated: it ends before its image does. Copy or download it again."
        )
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

        /// Looks for the marker EOI (ITU-T T.81, B.1.1). Segments are skipped by their length. Entropy-coded data cannot contain a
        /// marker, because a 0x00 follows each of its 0xFF bytes.
        var isCompleteJPEG: Bool {
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

        /// Looks for the chunk IEND with its checksum (PNG, section 11.2.5).
        var isCompletePNG: Bool {
            var at = 8
            while let length = number(at, 4), let name = name(at + 4) {
                at += 12 + length
                if name == "IEND" { return at <= count }
            }
            return false
        }

        /// Compares the length with the little-endian one in the RIFF header (WebP container specification).
        var isCompleteWebP: Bool {
            guard count >= 12 else { return false }
            let length = (4..<8).reversed().reduce(0) { $0 << 8 | Int(byte($1)) }
            return length + 8 <= count
        }

        /// Checks the length of every box that an image needs (ISO/IEC 14496-12, 4.2). A length of 0 reaches to the end of the file,
        /// and 1 means that 64 bits follow the name. Other data after these boxes is ignored.
        var isCompleteAVIF: Bool {
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

        /// Follows every block to its end (GIF89a specification). An image or an extension has sub-blocks, and the last one is empty.
        /// Many files have no trailer; they are complete.
        var isCompleteGIF: Bool {
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
                // Skip the empty sub-block, if the file has one.
                at += 1
            }
            return at == count
        }

        /// The bytes of a colour table whose size is in a byte of packed fields.
        private func colors(_ packed: UInt8) -> Int { packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1) }
    }
}
