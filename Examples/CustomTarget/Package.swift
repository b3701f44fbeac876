// swift-tools-version: 6.2
import PackageDescription

// A view of a toolkit with its own thread: docs/PlugInTarget.md. The executor needs macOS 14 and iOS 17.
let package = Package(
    name: "CustomTarget",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [.library(name: "CustomTarget", targets: ["CustomTarget"])],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .target(
            name: "CustomTarget",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageKernels", package: "Calotype"),
                .product(name: "ImageTargets", package: "Calotype"),
            ]),
        .testTarget(
            name: "CustomTargetTests",
            dependencies: [
                "CustomTarget",
                .product(name: "ImageLoading", package: "Calotype"),
                .product(name: "CalotypeTesting", package: "Calotype"),
            ]),
    ]
)
