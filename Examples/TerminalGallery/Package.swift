// swift-tools-version: 6.2
import PackageDescription

// What a terminal shows of a load: the placeholder, a preview, and the picture.
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
