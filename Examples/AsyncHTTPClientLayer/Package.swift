// swift-tools-version: 6.2
import PackageDescription

// A server that already uses AsyncHTTPClient needs no second HTTP client. This program takes the engine and the
// decoders from Calotype, uses AsyncHTTPClient as the network layer, and neither builds nor links libcurl. `swift run`
// loads an image and runs the conformance checks for network layers.
let package = Package(
    name: "AsyncHTTPClientLayer",
    platforms: [.macOS(.v13)],
    products: [.executable(name: "AsyncHTTPClientLayer", targets: ["AsyncHTTPClientLayer"])],
    dependencies: [
        .package(name: "Calotype", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        .executableTarget(
            name: "AsyncHTTPClientLayer",
            dependencies: [
                .product(name: "CalotypeTesting", package: "Calotype"),
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageCodecs", package: "Calotype"),
                .product(name: "ImageDecoding", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
                .product(name: "LoopbackHTTP", package: "Calotype"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
