// swift-tools-version: 6.2
import PackageDescription

// Two interceptors of loads, and their tests.
let package = Package(
    name: "SizedURLs",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "SizedURLs", targets: ["SizedURLs"])],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .target(name: "SizedURLs", dependencies: [.product(name: "ImageCore", package: "Calotype")]),
        .testTarget(
            name: "SizedURLsTests",
            dependencies: [
                "SizedURLs",
                .product(name: "CalotypeTesting", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
            ]),
    ]
)
