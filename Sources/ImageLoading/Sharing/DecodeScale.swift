internal import ImageCore

/// The size of a decode. Decodes of one family differ in nothing but the size, so a small one may be made from a larger
/// one.
struct DecodeScale: Hashable, Sendable {
    let family: String
    let box: PixelSize

    /// Whether `larger` has enough pixels to make this size from it: two for one in each direction.
    func canBeMade(from larger: DecodeScale) -> Bool {
        family == larger.family && 2 * box.width <= larger.box.width && 2 * box.height <= larger.box.height
    }

    func isSmaller(than other: DecodeScale) -> Bool { box.pixelCount ?? .max < other.box.pixelCount ?? .max }
}
