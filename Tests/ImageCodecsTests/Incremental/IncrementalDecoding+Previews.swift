import ImageCore

extension IncrementalDecoding {
    /// Returns the previews of a file whose bytes arrive in pieces.
    func previews(of file: Data, piece: Int, options: DecodeOptions = DecodeOptions()) throws -> [DecodedImage] {
        guard let decoder = try makeIncrementalDecoder(for: file.prefix(64), options: options) else { return [] }
        return try stride(from: piece, to: file.count + piece, by: piece).compactMap { count in
            try decoder.preview(of: file.prefix(count))
        }
    }
}
