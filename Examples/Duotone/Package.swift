// swift-tools-version: 6.2
import PackageDescription

// A processor with a typed option, and its tests.
let package = Package(
    name: "Duotone",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Duotone", targets: ["Duotone"])],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .target(
            name: "Duotone",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageKernels", package: "Calotype"),
            ]),
        .testTarget(
            name: "DuotoneTests",
            dependencies: [
                "Duotone",
                .product(name: "CalotypeTesting", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
            ]),
    ]
)
