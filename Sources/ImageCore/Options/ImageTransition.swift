/// How a view replaces one image by the next.
public enum ImageTransition: Hashable, Sendable {
    /// At once.
    case none
    /// Cross-fades over this time. An adapter omits the fade if the user prefers reduced motion.
    case fade(Duration)
}
