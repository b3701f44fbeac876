// swift-tools-version: 6.2
import PackageDescription

// A server that makes thumbnails shows nothing and caches nothing on disk, and it brings its own network layer. So it
// picks modules: the engine, the decoders and the processors. What the others need, libcurl for one, is neither built nor
// linked.
let package = Package(
    name: "Headless",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Headless",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageCodecs", package: "Calotype"),
                .product(name: "ImageDecoding", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
                .product(name: "ImageProcessing", package: "Calotype"),
            ])
    ]
)
