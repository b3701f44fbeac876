internal import ArgumentParser
internal import ImageCodecs
internal import ImageCore
internal import ImageDecoding

/// Checks of the options that choose how an image is written.
enum OutputArguments {
    static let defaultQuality = 85

    /// - Throws: `ValidationError` for a format that cannot be written; `subject` says where the user named it.
    static func validated(_ format: ImageFormat?, subject: String) throws(ValidationError) -> ImageFormat {
        let formats = EncoderRegistry(.codecs).formats
        guard let format, formats.contains(format) else {
            throw ValidationError("\(subject) must be one of \(formats.map(\.fileExtension).joined(separator: ", ")).")
        }
        return format
    }

    /// - Throws: `ValidationError` for a quality outside of 1 to 100.
    static func validate(quality: Int) throws(ValidationError) {
        guard (1...100).contains(quality) else { throw ValidationError("--quality must be from 1 to 100, not \(quality).") }
    }
}
