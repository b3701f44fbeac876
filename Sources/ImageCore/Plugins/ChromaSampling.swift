/// The number of colour samples relative to those of lightness.
public enum ChromaSampling: String, Hashable, Sendable, CaseIterable {
    /// All: 4:4:4.
    case full
    /// Half the width: 4:2:2.
    case half
    /// Half the width and half the height: 4:2:0.
    case quarter

    /// The usual sampling for a quality from 1 to 100.
    public init(quality: Int) { self = quality >= 90 ? .full : .quarter }
}
