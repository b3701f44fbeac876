// swift-tools-version: 6.2
import PackageDescription

// Shows the stages of a load in a terminal: the placeholder, a preview, and the image.
let package = Package(
    name: "TerminalGallery",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "TerminalGallery",
            dependencies: [.product(name: "Calotype", package: "Calotype")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
