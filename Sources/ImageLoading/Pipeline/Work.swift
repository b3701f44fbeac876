/// What a node of the graph does, and for which plan.
struct Work: Sendable {
    enum Kind: Sendable {
        /// Gets the bytes.
        case original
        /// Decodes them, no larger than the step's processor needs, if it has one, and runs that.
        case decode
        /// Reads their header.
        case header
        /// Gets the finished image's bytes from the data cache.
        case processedBytes
        /// Decodes the finished image's bytes.
        case processedImage
        /// Runs the step's processor on the image of the step before.
        case process
    }

    let kind: Kind
    let plan: LoadPlan
    var step: PixelStep?
}
