/// When a result may be stored.
enum Retention: Sendable {
    case never
    /// At once.
    case now
    /// When work that depends on it has succeeded, which proves it sound.
    case whenProven
}
