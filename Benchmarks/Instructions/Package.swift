// swift-tools-version: 6.2
import PackageDescription

// What `make bench-instructions` counts: the engine with sources that answer at once, started from a synchronous `main`,
// as valgrind needs it.
let package = Package(
    name: "Instructions",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Instructions",
            dependencies: [
                .product(name: "ImageCaching", package: "Calotype"),
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
            ])
    ]
)
