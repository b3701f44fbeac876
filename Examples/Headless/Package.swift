// swift-tools-version: 6.2
import PackageDescription

// A server that makes thumbnails needs no views and no disk cache, and brings its own network layer: it picks modules.
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
                .product(name: "ImageCore", package: "Calotype")
            ])
    ]
)
