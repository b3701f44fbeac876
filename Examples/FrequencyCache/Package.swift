// swift-tools-version: 6.2
import PackageDescription

// A memory cache with another order of eviction than the built-in one, and its tests.
let package = Package(
    name: "FrequencyCache",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "FrequencyCache", targets: ["FrequencyCache"])],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .target(
            name: "FrequencyCache",
            dependencies: [
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageCaching", package: "Calotype"),
            ]),
        .testTarget(
            name: "FrequencyCacheTests",
            dependencies: [
                "FrequencyCache",
                .product(name: "ImageLoading", package: "Calotype"),
                .product(name: "CalotypeTesting", package: "Calotype"),
            ]),
    ]
)
