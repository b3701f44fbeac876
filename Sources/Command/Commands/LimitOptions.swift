internal import ArgumentParser
internal import ImageCore

/// `--max-pixels`.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Reject images of more than N pixels (width times height). Default: \(DecodingLimits().pixels).", valueName: "N"))
    var maxPixels: Int?

    func validate() throws {
        if let maxPixels, maxPixels < 1 { throw ValidationError("--max-pixels must be at least 1.") }
    }

    /// The limits of a decode. A higher pixel limit also raises the byte limit to 16 bytes a pixel, which covers 16-bit
    /// results and the codec's own memory.
    var decoding: DecodingLimits {
        var limits = DecodingLimits()
        guard let maxPixels else { return limits }
        let (bytes, overflows) = maxPixels.multipliedReportingOverflow(by: 16)
        if maxPixels > limits.pixels { limits.imageBytes = max(limits.imageBytes, overflows ? .max : bytes) }
        limits.pixels = maxPixels
        return limits
    }
}
