/// What a node of the graph results in.
enum WorkResult: Sendable {
    case original(Original)
    case image(StagedImage)
    case header(OriginalHeader)
}
