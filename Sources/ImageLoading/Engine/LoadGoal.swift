/// What a load ends with.
enum LoadGoal: Sendable {
    /// The image, decoded and processed.
    case image
    /// The bytes in the data cache, once a decoder has accepted their header.
    case prefetchToDisk
    /// The bytes, whatever they are.
    case bytes
    /// What their header says.
    case info
}
