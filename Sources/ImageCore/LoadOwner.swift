/// Who wants a load: a screen, a controller, a user's session. A loader cancels all loads of one owner in one call.
///
/// ```swift
/// let screen = LoadOwner("gallery")
/// var request = ImageRequest(url: URL(string: "https://example.org/cat.jpg")!)
/// request.owner = screen
/// ```
public struct LoadOwner: Hashable, Sendable, CustomStringConvertible {
    private enum Name: Hashable, Sendable {
        case text(String)
        case object(ObjectIdentifier)
    }

    private let name: Name

    /// Equal names are one owner.
    public init(_ name: String) { self.name = .text(name) }

    /// The object itself, for as long as it lives; it is not kept alive. Cancel in its `deinit` at the latest, since its
    /// identity may be given to another object afterwards.
    public init(_ object: AnyObject) { name = .object(ObjectIdentifier(object)) }

    public var description: String {
        switch name {
        case .text(let text): text
        case .object(let id): "\(id)"
        }
    }
}
