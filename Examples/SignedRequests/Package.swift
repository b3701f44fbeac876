// swift-tools-version: 6.2
import PackageDescription

// An interceptor that signs requests with AWS Signature Version 4, and a network layer that signs URLs which expire,
// with their tests. On Linux swift-crypto is built with its C library, which takes about a minute: `make optional`.
let package = Package(
    name: "SignedRequests",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "SignedRequests", targets: ["SignedRequests"])],
    dependencies: [
        .package(name: "Calotype", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto", from: "3.12.0"),
    ],
    targets: [
        .target(
            name: "SignedRequests",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .testTarget(
            name: "SignedRequestsTests",
            dependencies: [
                "SignedRequests",
                .product(name: "CalotypeTesting", package: "Calotype"),
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
                .product(name: "ImageNetworking", package: "Calotype"),
                .product(name: "ImageNetworkingFoundation", package: "Calotype"),
                .product(name: "LoopbackHTTP", package: "Calotype"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
    ]
)
