// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .strictMemorySafety(), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func calotype(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "Calotype") } }

// The tests of the products behind package traits: `make optional`. This is a package of its own, since it builds
// Calotype with its traits, and with them the examples that the default build leaves out, so that one build compiles
// everything once.
let package = Package(
    name: "Optional",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..", traits: ["GTK", "Redis", "OpenCombine"]),
        .package(path: "../../Examples/AsyncHTTPClientLayer"),
        .package(path: "../../Examples/GalleryGTK"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .testTarget(
            name: "ImageTargetsGTKTests",
            dependencies: calotype("ImageCodecs", "ImageCore", "ImageDecoding", "ImageKernels") + [
                "GTKStage",
                .product(name: "GalleryGTK", package: "GalleryGTK"),
                .product(name: "HelloGTK", package: "GalleryGTK"),
                .product(name: "AlbumGTK", package: "GalleryGTK"),
            ],
            swiftSettings: strict),
        // A program with a window: GTK needs the main thread, which the test runner occupies.
        .executableTarget(
            name: "GTKStage",
            dependencies: calotype(
                "Calotype", "CalotypeTesting", "ImageCodecs", "ImageCore", "ImageTargets", "ImageTargetsGTK", "LoopbackHTTP")
                + ["CCalotypeGTKStage"],
            swiftSettings: strict),
        .target(name: "CCalotypeGTKStage", dependencies: calotype("ImageTargetsGTK")),
        .testTarget(
            name: "ImageCachingRedisTests",
            dependencies: calotype(
                "CalotypeTesting", "ImageCaching", "ImageCachingRedis", "ImageCore", "ImageLoading", "ImageNetworking",
                "LoopbackHTTP")
                + [.product(name: "HTTPTypes", package: "swift-http-types")],
            swiftSettings: strict),
        .testTarget(
            name: "CalotypeCombineTests",
            dependencies: calotype("CalotypeCombine", "CalotypeTesting", "ImageCore", "ImageLoading") + [
                .product(name: "OpenCombine", package: "OpenCombine")
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AsyncHTTPClientLayerTests",
            dependencies: [.product(name: "AsyncHTTPClientLayer", package: "AsyncHTTPClientLayer")],
            swiftSettings: strict),
    ],
    cLanguageStandard: .c17
)
