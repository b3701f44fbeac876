// swift-tools-version: 6.2
import PackageDescription

/// Fuzzes the decoders, the disk cache, and what reads URLs and responses. It is a separate package, because other
/// packages may not depend on one with its unsafe flags. `make fuzz` builds and runs it.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: ".."), .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
    ],
    targets: [
        .target(name: "CFuzzDriver"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CFuzzDriver",
                .product(name: "ImageCaching", package: "Calotype"),
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageCodecs", package: "Calotype"),
                .product(name: "ImageDecoding", package: "Calotype"),
                .product(name: "ImageNetworking", package: "Calotype"),
                .product(name: "ImageNetworkingCurl", package: "Calotype"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]),
    ],
    cLanguageStandard: .c17
)
