/// The owner of loads, such as a screen, a controller or a user session. A loader can cancel all loads of an owner with
/// one call.
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

    /// Creates an owner with a name. Equal names identify the same owner.
    public init(_ name: String) { self.name = .text(name) }

    /// Creates an owner from an object, which is not retained.
    ///
    /// Cancel the loads no later than in the `deinit` of the object: afterwards a new object may have the same
    /// identity.
    public init(_ object: AnyObject) { name = .object(ObjectIdentifier(object)) }

    public var description: String {
        switch name {
        case .text(let text): text
        case .object(let id): "\(id)"
        }
    }
}
