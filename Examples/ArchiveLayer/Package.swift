// swift-tools-version: 6.2
import PackageDescription

// A network layer for the URL scheme `zip`, which reads images out of archives, with its tests. It needs the system's
// zlib: zlib1g-dev on Debian; Apple's systems have it.
let package = Package(
    name: "ArchiveLayer",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "ArchiveLayer", targets: ["ArchiveLayer"])],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(
            name: "ArchiveLayer",
            dependencies: [
                "CZlib",
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageNetworking", package: "Calotype"),
            ]),
        .testTarget(
            name: "ArchiveLayerTests",
            dependencies: [
                "ArchiveLayer", "CZlib",
                .product(name: "CalotypeTesting", package: "Calotype"),
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
            ]),
    ]
)
