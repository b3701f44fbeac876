import Calotype
import Posterize

for path in CommandLine.arguments.dropFirst() {
    let request = ImageRequest(url: URL(filePath: path), processors: [.resize(width: 80), .posterize(levels: 4)])
    let image = try await ImageLoader.shared.image(for: request)
    print(HalfBlocks(columns: 80, rows: 40).draw(image.bitmap))
}
