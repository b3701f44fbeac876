// swift-tools-version: 6.2
import PackageDescription

// A decoder and an encoder of one format, with their tests.
let package = Package(
    name: "NetpbmCodec",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "NetpbmCodec", targets: ["NetpbmCodec"])],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .target(
            name: "NetpbmCodec",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageKernels", package: "Calotype"),
            ]),
        .testTarget(
            name: "NetpbmCodecTests",
            dependencies: [
                "NetpbmCodec",
                .product(name: "CalotypeTesting", package: "Calotype"),
                .product(name: "ImageDecoding", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
            ]),
    ]
)
