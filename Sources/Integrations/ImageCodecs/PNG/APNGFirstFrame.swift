internal import ImageCore

/// Finds the end of the first frame of an animated PNG whose default image is not part of the animation.
struct APNGFirstFrame {
    private var offset = 8
    private var hasBegun = false

    /// Returns the end of the frame, or `nil` while it may be incomplete. Looks at each chunk once.
    ///
    /// - Parameter file: all bytes that have arrived. They begin with those of the previous call.
    mutating func end(in file: Data) -> Int? {
        var chunks = PNGChunks(file, from: offset)
        while let chunk = chunks.next() {
            if chunk.type == "IEND" || chunk.type == "fcTL" && hasBegun { return offset }
            hasBegun = hasBegun || chunk.type == "fcTL"
            offset = chunks.offset
        }
        return nil
    }
}
