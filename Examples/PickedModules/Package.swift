// swift-tools-version: 6.2
import PackageDescription

// This program brings its own network layer and stores nothing on disk. It picks modules: the engine, the codecs and the
// processors. The libraries that only other modules need, such as libcurl, are neither built nor linked.
let package = Package(
    name: "PickedModules",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "PickedModules",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageCodecs", package: "Calotype"),
                .product(name: "ImageDecoding", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
                .product(name: "ImageProcessing", package: "Calotype"),
            ])
    ]
)
