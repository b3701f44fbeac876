public import ImageCore

extension StreamTarget {
    /// Makes a target view that writes each final image to a file, which it replaces atomically. Previews are not
    /// written.
    ///
    /// - Parameters:
    ///   - file: a `file` URL. Its folder must exist.
    ///   - encoder: encodes the images. Its formats must include `format`.
    ///   - format: the format of the file.
    ///   - options: the quality and other settings of the encoder; its defaults if left out.
    public init(file: URL, encoder: any Encoding, format: ImageFormat, options: EncodeOptions = EncodeOptions()) {
        self.init(encoder: encoder, format: format, options: options) { data in
            do {
                // A reader sees either the old image or the new one, and a failure leaves the old one.
                try await StreamTarget.runOnDispatchQueue { try data.write(to: file, options: .atomic) }
            } catch {
                throw ImageError(
                    .fileUnwritable,
                    message: "\(file.path) could not be written. Check its folder, its permissions and the free space.",
                    causes: ["\(error)"])
            }
        }
    }
}
