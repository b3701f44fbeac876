package import ImageCore

/// The ``ImageError`` that `body` throws.
package func imageError(of body: () async throws -> Void) async throws -> ImageError {
    do { try await body() } catch let error as ImageError { return error }
    throw Unexpected.success
}

/// The reason why a test cannot continue.
enum Unexpected: Error {
    /// `body` threw another error or none.
    case success
    /// No URL has this path.
    case path(String)
}
