extension ImageError {
    /// The error for a load that must not use the expensive network.
    ///
    /// - Parameter source: the redacted URL.
    package static func expensiveNetwork(_ source: String) -> ImageError {
        ImageError(
            .expensiveNetwork,
            message: "\(source) was not loaded: the network is expensive, and the load's options do not allow that.")
    }

    /// The error for a response without a valid length.
    ///
    /// - Parameter source: the redacted URL.
    package static func badLength(_ source: String) -> ImageError {
        ImageError(.badResponse, message: "The response to \(source) has an invalid Content-Length.")
    }

    /// The error for a body for which there is not enough memory.
    ///
    /// - Parameter source: the redacted URL.
    package static func outOfMemory(_ source: String, received: Int) -> ImageError {
        ImageError(
            .tooLarge,
            message: "Out of memory after \(received) bytes of \(source). Lower limits.fetches or maximumResponseBytes.")
    }

    /// The error for a response that has more bytes than the limit, or announces more.
    ///
    /// - Parameter source: the redacted URL.
    package static func tooLarge(_ source: String, announced: Int?, limit: Int) -> ImageError {
        let found = announced.map { "has \($0) bytes; the limit is \(limit) bytes" } ?? "exceeds the limit of \(limit) bytes"
        return ImageError(
            .tooLarge, message: "The response to \(source) \(found). Raise maximumResponseBytes to load it.")
    }
}
