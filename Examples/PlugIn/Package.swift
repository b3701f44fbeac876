// swift-tools-version: 6.2
import PackageDescription

// The plug-in of docs/TutorialPlugIn.md with its test, and a program that uses it.
let package = Package(
    name: "PlugIn",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Posterize", targets: ["Posterize"])],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .target(
            name: "Posterize",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageKernels", package: "Calotype"),
            ]),
        .executableTarget(
            name: "Demo", dependencies: ["Posterize", .product(name: "Calotype", package: "Calotype")]),
        .testTarget(
            name: "PosterizeTests",
            dependencies: ["Posterize", .product(name: "CalotypeTesting", package: "Calotype")]),
    ]
)
