// swift-tools-version: 6.2
import PackageDescription

// A batch tool: makes the images of a folder smaller, with progress, an exit status and a clean end on Ctrl-C.
let package = Package(
    name: "ResizeFolder",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "ResizeFolder",
            dependencies: [.product(name: "Calotype", package: "Calotype")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
