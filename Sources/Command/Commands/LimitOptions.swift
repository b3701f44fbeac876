internal import ArgumentParser
internal import ImageCore

/// `--max-pixels`.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Decode images of up to N pixels, width times height; \(DecodingLimits().pixels) by default.", valueName: "N"))
    var maxPixels: Int?

    func validate() throws {
        if let maxPixels, maxPixels < 1 { throw ValidationError("--max-pixels must be at least 1.") }
    }

    /// The limits of a decode. A higher pixel limit also raises the byte limit: 16 bytes a pixel cover 16-bit results and what a
    /// codec holds besides.
    var decoding: DecodingLimits {
        var limits = DecodingLimits()
        guard let maxPixels else { return limits }
        let (bytes, overflows) = maxPixels.multipliedReportingOverflow(by: 16)
        if maxPixels > limits.pixels { limits.decodedBytes = max(limits.decodedBytes, overflows ? .max : bytes) }
        limits.pixels = maxPixels
        return limits
    }
}
