import CalotypeTesting
import ImageCore
import NetpbmCodec
import Testing

@Test(.timeLimit(.minutes(1))) func theDecoderKeepsTheContract() throws {
    let info = ImageInfo(format: .netpbm, size: PixelSize(width: 2, height: 1), bitDepth: 4, colorModel: .gray)
    let image = try Bitmap(size: info.size, format: .gray8, alpha: .opaque) { pixels, _ in pixels.copyBytes(from: [119, 255]) }
    let grey = DecodingSample(Data("P2 2 1 15\n7 15\n".utf8), name: "grey", info: info, image: DecodedImage(image))
    try checkDecodingConformance(of: NetpbmDecoder(), samples: [grey] + samples())
}
