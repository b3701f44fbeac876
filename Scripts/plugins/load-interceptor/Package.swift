// swift-tools-version: 6.2
import PackageDescription

// An interceptor of loads.
let package = Package(
    name: "__Module__",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "__Module__", targets: ["__Module__"])],
    dependencies: [
        // This checkout of Calotype. For a release, write `package: "calotype"` below, and here:
        // .package(url: "https://example.org/calotype.git", from: "0.1.0"),
        .package(name: "Calotype", path: "../../..")
    ],
    targets: [
        .target(name: "__Module__", dependencies: [.product(name: "ImageCore", package: "Calotype")]),
        .testTarget(
            name: "__Module__Tests",
            dependencies: ["__Module__", .product(name: "CalotypeTesting", package: "Calotype")]),
    ]
)
