public import ImageCore

extension JPEGDecoder {
    /// Everything that describes a JPEG comes before the first scan (ITU-T T.81, B.2).
    public func info(ofPrefix head: Data, limits: DecodingLimits) throws -> ImageInfo? {
        Self.reachesFirstScan(head) ? try info(of: head, limits: limits) : nil
    }

    /// Whether the bytes include the header of the first scan (SOS), found by the lengths of the segments before it.
    private static func reachesFirstScan(_ head: Data) -> Bool {
        let start = head.startIndex
        var offset = 2
        while offset + 4 <= head.count {
            guard head[start + offset] == 0xFF else { return false }
            let marker = head[start + offset + 1]
            // A marker may be preceded by any number of fill bytes.
            if marker == 0xFF {
                offset += 1
                continue
            }
            // TEM and RSTn have no content. Every other marker begins a segment, whose length includes the length field.
            guard marker != 0x01, !(0xD0...0xD7).contains(marker) else {
                offset += 2
                continue
            }
            let length = Int(head[start + offset + 2]) << 8 | Int(head[start + offset + 3])
            guard length >= 2 else { return false }
            offset += 2 + length
            if marker == 0xDA { return offset <= head.count }
        }
        return false
    }
}
