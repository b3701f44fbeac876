internal import CCalotypeCodec
internal import ImageCore
internal import ImageDecoding

extension ImageError {
    /// The error for the status of a call to a codec.
    ///
    /// - Parameter reason: the codec's message. It may end with a full stop.
    init(_ status: clt_status, _ format: ImageFormat, _ reason: String) {
        let reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        let name = format.displayName
        self =
            switch status {
            case CLT_NEEDS_INPUT: .truncated(format)
            case CLT_NO_MEMORY: .outOfMemory(format)
            case CLT_TOO_LARGE: ImageError(.tooLarge, message: "The \(name) image exceeds its codec's size limit: \(reason).")
            case CLT_UNSUPPORTED:
                ImageError(.unsupportedFeature, message: "The \(name) uses a feature that is not supported: \(reason).")
            default: .damaged(format, reason)
            }
    }
}
