// swift-tools-version: 6.2
import PackageDescription

// A server or a tool without a display: it makes thumbnails. It starts with the same three lines as an app on Apple
// platforms (Examples/AppleGallery/Sources/AppleGallery/Thumbnail.swift).
let package = Package(
    name: "Headless",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .executableTarget(name: "Headless", dependencies: [.product(name: "Calotype", package: "Calotype")])
    ]
)
