import ImageCore
import ImageDecoding

/// Draws the image that a BlurHash describes.
@main
struct HashToImage {
    static func main() throws {
        let hash = CommandLine.arguments.dropFirst().first ?? "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
        print("\(hash) is an image of \(try BlurHash.decode(hash).size) pixels")
    }
}
