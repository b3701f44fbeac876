package import ImageCore

/// The framework's error that `body` throws.
package func imageError(of body: () async throws -> Void) async throws -> ImageError {
    do { try await body() } catch let error as ImageError { return error }
    throw Unexpected.success
}

/// Why a test cannot go on.
enum Unexpected: Error {
    /// An error of the framework was expected.
    case success
    /// No URL has this path.
    case path(String)
}
