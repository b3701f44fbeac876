/// A processor that can be combined with the next processor, or with the decode before it, which then decodes to a
/// reduced size.
///
/// The engine calls these methods synchronously when it plans a load. They touch no pixels and must return quickly. The
/// result is that of the separate processors, so identifiers and cache keys do not change.
///
/// **Must not**: change a pixel by more than one level with ``fused(with:)``, or change the image visibly with
/// ``reducedDecode(of:)``.
public protocol FusingProcessing: Processing {
    /// Returns a processor that does what this one and then `next` do; `nil`, the default, if there is none.
    func fused(with next: any Processing) -> (any Processing)?

    /// Whether ``reducedDecode(of:)`` may return a result; `false`. If `true`, the engine decodes and processes in one
    /// step, so that other loads cannot share the full image.
    var reducesDecode: Bool { get }

    /// Returns a decode at a reduced size from which this processor's result can be made; `nil`, the default, if the
    /// processor needs the full image.
    ///
    /// - Parameter source: the full size of the upright image.
    func reducedDecode(of source: PixelSize) -> ReducedDecode?
}

extension FusingProcessing {
    public func fused(with next: any Processing) -> (any Processing)? { nil }
    public var reducesDecode: Bool { false }
    public func reducedDecode(of source: PixelSize) -> ReducedDecode? { nil }
}
