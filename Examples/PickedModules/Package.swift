// swift-tools-version: 6.2
import PackageDescription

// Three programs that pick modules: the libraries that only other modules need are neither built nor linked, which
// `Scripts/examples` checks.
let package = Package(
    name: "PickedModules",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        // A network layer of its own, the engine, the codecs and the processors: no libcurl.
        .executableTarget(
            name: "PickedModules",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageCodecs", package: "Calotype"),
                .product(name: "ImageDecoding", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
                .product(name: "ImageProcessing", package: "Calotype"),
            ]),
        // URLSession and retries: no libcurl, and no codec.
        .executableTarget(
            name: "RetriedFetch",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageNetworking", package: "Calotype"),
                .product(name: "ImageNetworkingFoundation", package: "Calotype"),
            ]),
        // Placeholder hashes: no libcurl, and no codec.
        .executableTarget(
            name: "HashToImage",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageDecoding", package: "Calotype"),
            ]),
    ]
)
