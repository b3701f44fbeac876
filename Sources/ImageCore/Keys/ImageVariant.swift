/// How an image was decoded and processed, as a part of its key. Variants are equal if their texts are.
public struct ImageVariant: Hashable, Sendable, CustomStringConvertible {
    // A reference, so that the many copies of a key stay small. The plain variant has none.
    private final class Storage: Sendable {
        let text: String
        /// The hash of the text, computed once.
        let hash: Int
        let decode: Decode
        let processors: [String]

        init(text: String, decode: Decode, processors: [String]) {
            (self.text, self.decode, self.processors) = (text, decode, processors)
            var hasher = Hasher()
            hasher.combine(text)
            hash = hasher.finalize()
        }
    }

    /// The decode of the image.
    package struct Decode: Hashable, Sendable {
        /// The box that the image was scaled down to; `nil` for the full size.
        package var targetSize: PixelSize?
        /// How the image fills the box.
        package var contentMode = ImageContentMode.fit
        /// The other options that change the result, as text; empty for the defaults.
        package var options = ""

        package init() {}

        fileprivate var text: String {
            let size = targetSize.map { "\($0),\(contentMode.rawValue)" }
            return [size, options.isEmpty ? nil : options].compactMap(\.self).joined(separator: ",")
        }
    }

    private let storage: Storage?

    /// The image as it is in the file.
    public static let plain = ImageVariant("")

    /// Creates a variant with a text of its own, which no load makes; for tests of caches.
    public init(_ text: String) {
        storage = text.isEmpty ? nil : Storage(text: text, decode: Decode(), processors: [])
    }

    /// Creates the variant of an image that is decoded and not processed.
    package init(_ decode: Decode) {
        let text = decode.text
        storage = text.isEmpty ? nil : Storage(text: text, decode: decode, processors: [])
    }

    /// The variant after another processor.
    package func processed(by identifier: String) -> ImageVariant {
        // With its length, so that no two lists of identifiers read the same.
        let text = "\(text)|\(identifier.utf8.count):\(identifier)"
        return ImageVariant(Storage(text: text, decode: decode, processors: processors + [identifier]))
    }

    /// The variant in the bytes of a file.
    ///
    /// - Parameter form: the format, and the options of the encoder.
    package func encoded(as form: String) -> ImageVariant { ImageVariant("\(text)|as \(form)") }

    private init(_ storage: Storage) { self.storage = storage }

    /// The decoding options and the processors in order; empty for the image as it is in the file.
    public var text: String { storage?.text ?? "" }

    /// The decode.
    package var decode: Decode { storage?.decode ?? Decode() }

    /// The identifiers of the processors, in order.
    package var processors: [String] { storage?.processors ?? [] }

    var isPlain: Bool { storage == nil }

    public static func == (a: Self, b: Self) -> Bool {
        a.storage === b.storage || a.storage?.hash == b.storage?.hash && a.text == b.text
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(storage?.hash) }

    public var description: String { text }
}
