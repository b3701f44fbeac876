import Calotype

let loader = ImageLoader.standard { $0.limits.concurrentDecodeBytes = 256_000_000 }
let thumbnail = [.resize(width: 120)] as [any Processing]

// Paths and URLs come from the command line; without any, the program takes an image of the project's gallery.
let gallery = URL(filePath: #filePath).appending(path: "../../../../../Sources/Command/Demo/Images").standardized
var names = Array(CommandLine.arguments.dropFirst())
if names.isEmpty { names = [gallery.appending(path: "arrow.jpg").path] }
for name in names {
    let url = name.contains("://") ? URL(string: name) : URL(filePath: name)
    guard let url else { continue }
    let image = try await loader.image(for: ImageRequest(url: url, processors: thumbnail))
    print("\(url.lastPathComponent): \(image.size)")
}
