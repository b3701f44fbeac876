// swift-tools-version: 6.2
import PackageDescription

// Shows the image of a URL in the terminal, with its progress and, if it fails, the reason.
let package = Package(
    name: "ShowInTerminal",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "ShowInTerminal",
            dependencies: [.product(name: "Calotype", package: "Calotype")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
