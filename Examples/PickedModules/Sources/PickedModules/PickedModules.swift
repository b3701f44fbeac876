import ImageCore
import ImageCodecs
import ImageDecoding
import ImageLoading
import ImageProcessing

/// A custom network layer. It draws the image that the URL describes, `paint:640x480`; another one might read an object
/// store. The engine shares loads, decodes on its own threads and cancels.
struct Painter: DataLoading {
    func load(_ request: DataRequest) async throws -> DataResponse {
        let sides = request.url.absoluteString.dropFirst("paint:".count).split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2 else {
            throw ImageError(.invalidRequest, message: "\(request.url) does not have a size. Use a URL such as paint:640x480.")
        }
        let size = PixelSize(width: sides[0], height: sides[1])
        let image = try Bitmap(size: size, format: .gray8, alpha: .opaque) { pixels, _ in
            for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index / 97) }
        }
        let png = try PNGEncoder().encode(DecodedImage(image), as: .png, options: EncodeOptions())
        return DataResponse(url: request.url, body: ByteStream(png))
    }
}

@main
struct PickedModules {
    static func main() async throws {
        let loader = ImageLoader(ImageLoader.Configuration(dataLoader: Painter(), decoder: DecoderRegistry(.codecs)))
        for text in CommandLine.arguments.dropFirst() + ["paint:640x480", "paint:300x900"] {
            guard let url = URL(string: text) else { continue }
            let response = try await loader.response(for: ImageRequest(url: url, processors: [.resize(width: 120)]))
            print("\(text) from the \(response.tier): \(response.image.size)")
        }
    }
}
