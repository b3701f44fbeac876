// swift-tools-version: 6.2
import PackageDescription

// AsyncHTTPClient for `make bench SUITE=network`. It is a separate package, because its dependencies take minutes to
// build.
let package = Package(
    name: "AsyncHTTPClientPeer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        .executableTarget(
            name: "AsyncHTTPClientPeer",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
