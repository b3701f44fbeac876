internal import ImageCore

/// What one load wants from the work that it shares.
struct SubscriberOptions: Sendable {
    var rankClass: RankClass
    /// Whether the wanted result is kept in memory, and how firmly.
    var writesMemory = true
    var cachePriority = CachePriority.normal
    /// Whether a fetched original is stored on disk.
    var writesDisk = true
    /// Whether the wanted result is kept on disk, encoded.
    var writesResult = false
    var wantsProgress = false
    var previews = PreviewPolicy.none
}
