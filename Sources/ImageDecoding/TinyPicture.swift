internal import ImageCore

extension Decoding {
    /// Whether a picture is so small, an icon or an emoji, that decoding it takes no longer than to wake a thread for it:
    /// 4,096 pixels and 4,096 bytes. So few bytes also bound what hostile metadata can cost, to some milliseconds.
    func isTiny(_ data: Data, _ options: DecodeOptions) -> Bool {
        guard data.count <= 4096, let info = try? info(of: data, limits: options.limits) else { return false }
        return info.size.pixelCount.map { $0 <= 4096 } ?? false
    }
}
