// swift-tools-version: 6.2
import PackageDescription

/// The map of Calotype, innermost layer first. Arrows point inward only: an import that is not declared here fails
/// the build (`--explicit-target-dependency-import-check error`, see the Makefile).
let package = Package(
    name: "Calotype",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Calotype", targets: ["Calotype"]),
        .library(name: "ImageCore", targets: ["ImageCore"]),
        .library(name: "ImageKernels", targets: ["ImageKernels"]),
        .library(name: "ImageNetworking", targets: ["ImageNetworking"]),
        .library(name: "ImageNetworkingFoundation", targets: ["ImageNetworkingFoundation"]),
        .library(name: "ImageCaching", targets: ["ImageCaching"]),
        .library(name: "ImageCachingRedis", targets: ["ImageCachingRedis"]),
        .library(name: "ImageDecoding", targets: ["ImageDecoding"]),
        .library(name: "ImageDecodingApple", targets: ["ImageDecodingApple"]),
        .library(name: "ImageProcessing", targets: ["ImageProcessing"]),
        .library(name: "ImageTargets", targets: ["ImageTargets"]),
        .library(name: "ImageTargetsGTK", targets: ["ImageTargetsGTK"]),
        .library(name: "ImageLoading", targets: ["ImageLoading"]),
        .library(name: "CalotypeApple", targets: ["CalotypeApple"]),
        .library(name: "CalotypeLogging", targets: ["CalotypeLogging"]),
        .library(name: "CalotypeMetrics", targets: ["CalotypeMetrics"]),
        .library(name: "CalotypeCombine", targets: ["CalotypeCombine"]),
        .library(name: "CalotypeTesting", targets: ["CalotypeTesting"]),
        .library(name: "LoopbackHTTP", targets: ["LoopbackHTTP"]),
        .executable(name: "calotype", targets: ["CalotypeCommand"]),
    ],
    traits: [
        .trait(name: "GTK", description: "ImageTargetsGTK: pictures in GTK 4 windows; needs libgtk-4-dev."),
        .trait(name: "Redis", description: "ImageCachingRedis: a store shared over Redis; needs libhiredis-dev."),
        .trait(name: "OpenCombine", description: "Publishers where Combine is missing, by OpenCombine."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // The platform: its C library and its threads. No other module imports Glibc, Musl or Darwin.
        .target(name: "CalotypeSystem"),

        // Vocabulary: values and plug-in protocols.
        .target(name: "ImageCore", dependencies: ["CalotypeSystem", .httpTypes]),

        // Pixel arithmetic.
        .target(name: "CCalotypeKernels"),
        .target(name: "ImageKernels", dependencies: ["ImageCore", "CalotypeSystem", "CCalotypeKernels"]),

        // System libraries, and the C that must stand between them and Swift. Each C target names every library that it calls:
        // what a .pc file lists besides differs from one version of a library to the next.
        .systemLibrary(
            name: "CCalotypeLibJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(name: "CCalotypeLibPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(name: "CCalotypeLibWebP", pkgConfig: "libwebpdemux", providers: [.apt(["libwebp-dev"]), .brew(["webp"])]),
        .systemLibrary(name: "CCalotypeLibAVIF", pkgConfig: "libavif", providers: [.apt(["libavif-dev"]), .brew(["libavif"])]),
        .systemLibrary(
            name: "CCalotypeLibLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"]), .brew(["little-cms2"])]),
        .systemLibrary(name: "CCalotypeLibGIF", pkgConfig: "libgif", providers: [.apt(["libgif-dev"]), .brew(["giflib"])]),
        .systemLibrary(
            name: "CCalotypeLibCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CCalotypeLibHiredis", pkgConfig: "hiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .target(
            name: "CCalotypeJPEG", dependencies: ["CCalotypeLibJPEG"], linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CCalotypePNG", dependencies: ["CCalotypeLibPNG"], linkerSettings: [.linkedLibrary("png")]),
        .target(
            name: "CCalotypeWebP", dependencies: ["CCalotypeLibWebP"],
            linkerSettings: [.linkedLibrary("webpdemux"), .linkedLibrary("webp")]),
        .target(name: "CCalotypeAVIF", dependencies: ["CCalotypeLibAVIF"], linkerSettings: [.linkedLibrary("avif")]),
        .target(name: "CCalotypeLCMS", dependencies: ["CCalotypeLibLCMS"], linkerSettings: [.linkedLibrary("lcms2")]),
        .target(name: "CCalotypeGIF", dependencies: ["CCalotypeLibGIF"], linkerSettings: [.linkedLibrary("gif")]),
        .target(name: "CCalotypeCurl", dependencies: ["CCalotypeLibCurl"], linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CCalotypeCaching"),

        // Built-in plug-ins, each usable alone.
        .target(name: "ImageNetworking", dependencies: ["ImageCore", "CalotypeSystem", "CCalotypeCurl", .httpTypes]),
        .target(name: "ImageNetworkingFoundation", dependencies: ["ImageCore", "CalotypeSystem", .httpTypes]),
        .target(name: "ImageCaching", dependencies: ["ImageCore", "CalotypeSystem", "CCalotypeCaching", .httpTypes]),
        .target(
            name: "ImageCachingRedis",
            dependencies: [
                "ImageCore", "CalotypeSystem", "ImageCaching",
                .target(name: "CCalotypeLibHiredis", condition: .when(traits: ["Redis"])),
            ]),
        .target(
            name: "ImageDecoding",
            dependencies: [
                "ImageCore", "ImageKernels", "CalotypeSystem", "CCalotypeJPEG", "CCalotypePNG", "CCalotypeWebP", "CCalotypeAVIF",
                "CCalotypeLCMS", "CCalotypeGIF",
            ]),
        // ImageIO behind the same protocols; empty where it is missing.
        .target(name: "ImageDecodingApple", dependencies: ["ImageCore"]),
        .target(name: "ImageProcessing", dependencies: ["ImageCore", "CalotypeSystem", "ImageKernels"]),
        .target(name: "ImageTargets", dependencies: ["ImageCore", .httpTypes]),

        // GTK 4, behind the trait of that name.
        .systemLibrary(
            name: "CCalotypeLibGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .target(
            name: "CCalotypeGTK", dependencies: [.target(name: "CCalotypeLibGTK", condition: .when(traits: ["GTK"]))],
            cSettings: [.define("GTK", .when(traits: ["GTK"]))]),
        .target(name: "ImageTargetsGTK", dependencies: ["ImageCore", "ImageKernels", "ImageTargets", "CCalotypeGTK"]),

        // The engine.
        .target(name: "ImageLoading", dependencies: ["ImageCore", "CalotypeSystem", .httpTypes, .heap]),

        // What connects the engine with logs, metrics and publishers; each brings a dependency that the engine does without.
        .target(name: "CalotypeLogging", dependencies: ["ImageCore", .log]),
        .target(name: "CalotypeMetrics", dependencies: ["ImageCore", "ImageLoading", .metrics]),
        .target(name: "CalotypeCombine", dependencies: ["ImageCore", "ImageLoading", .openCombine]),

        // Everything wired, the command, and the kit for those who extend it.
        .target(
            name: "Calotype",
            dependencies: [
                "ImageCore", "ImageLoading", "ImageNetworking", "ImageCaching", "ImageDecoding", "ImageProcessing",
                "ImageTargets",
            ]),
        // The wiring of Apple platforms that needs no library besides the system's.
        .target(
            name: "CalotypeApple",
            dependencies: [
                "ImageCore", "ImageLoading", "ImageNetworkingFoundation", "ImageCaching", "ImageDecodingApple",
                "ImageProcessing", "ImageTargets",
            ]),
        .target(name: "CCalotypeLoopbackTLS"),
        .target(name: "LoopbackHTTP", dependencies: ["CalotypeSystem", "CCalotypeLoopbackTLS"]),
        .target(
            name: "CalotypeTesting", dependencies: ["ImageCore", "CalotypeSystem", "ImageTargets", "LoopbackHTTP", .httpTypes]),
        .target(name: "CCalotypeGallery", exclude: ["Pictures"]),
        .target(name: "CCalotypeBareLoop", dependencies: ["CCalotypeLibCurl"]),
        .target(name: "CCalotypeHeap"),
        .executableTarget(
            name: "CalotypeCommand",
            dependencies: [
                "Calotype", "ImageCore", "ImageLoading", "ImageNetworking", "ImageCaching", "ImageDecoding", "ImageProcessing",
                "ImageKernels", "ImageTargets", "CalotypeSystem", "LoopbackHTTP", "CCalotypeGallery", "CCalotypeBareLoop",
                "CCalotypeHeap",
                .httpTypes,
                .argumentParser,
            ]),
        // What `calotype bench network` compares with, apart so that the command does without Foundation's networking.
        .executableTarget(name: "URLSessionPeer", dependencies: ["ImageCore", "CalotypeSystem", "ImageNetworkingFoundation"]),

        .testTarget(name: "ImageCoreTests", dependencies: ["ImageCore", .httpTypes]),
        .testTarget(name: "ImageKernelsTests", dependencies: ["ImageCore", "CalotypeSystem", "ImageKernels", "CalotypeTesting"]),
        .target(name: "CCalotypeLookup", path: "Tests/CCalotypeLookup"),
        .target(name: "OtherSystem", dependencies: ["CalotypeSystem"], path: "Tests/OtherSystem"),
        .testTarget(
            name: "ImageNetworkingTests",
            dependencies: [
                "ImageCore", "ImageNetworking", "CalotypeTesting", "CalotypeSystem", "LoopbackHTTP", "CCalotypeCurl",
                "CCalotypeHeap", "CCalotypeLookup", "OtherSystem",
                .httpTypes,
            ]),
        .testTarget(
            name: "ImageNetworkingFoundationTests",
            dependencies: [
                "ImageCore", "ImageNetworkingFoundation", "CalotypeTesting", "LoopbackHTTP", "OtherSystem", .httpTypes,
            ]),
        .testTarget(
            name: "ImageCachingTests",
            dependencies: ["ImageCore", "CalotypeSystem", "ImageCaching", "CalotypeTesting", .httpTypes]),
        .testTarget(
            name: "ImageCachingRedisTests",
            dependencies: [
                "ImageCore", "CalotypeSystem", "ImageCaching", "ImageCachingRedis", "CalotypeTesting", "LoopbackHTTP", .httpTypes,
            ]),
        .testTarget(
            name: "ImageDecodingTests",
            dependencies: ["ImageCore", "CalotypeSystem", "ImageDecoding", "ImageKernels", "CalotypeTesting"]),
        .target(name: "CCalotypeAllocations", path: "Tests/CCalotypeAllocations"),
        .testTarget(
            name: "ImageProcessingTests",
            dependencies: ["ImageCore", "ImageProcessing", "ImageKernels", "CalotypeTesting", "CCalotypeAllocations"]),
        .testTarget(
            name: "ImageTargetsTests",
            dependencies: ["ImageCore", "ImageDecoding", "ImageLoading", "ImageTargets", "CalotypeTesting", .httpTypes]),
        // GTK needs the main thread to itself, so that its tests drive a program of their own.
        .target(
            name: "CCalotypeGTKStage", dependencies: [.target(name: "CCalotypeLibGTK", condition: .when(traits: ["GTK"]))],
            path: "Tests/CCalotypeGTKStage", cSettings: [.define("GTK", .when(traits: ["GTK"]))]),
        .executableTarget(
            name: "GTKStage",
            dependencies: [
                "Calotype", "ImageCore", "ImageDecoding", "ImageLoading", "ImageCaching", "ImageTargets", "ImageTargetsGTK",
                "CCalotypeGTK", "CCalotypeGTKStage", "CalotypeSystem", "CalotypeTesting", "LoopbackHTTP",
            ],
            path: "Tests/GTKStage"),
        .testTarget(
            name: "ImageTargetsGTKTests",
            dependencies: ["GTKStage", "CalotypeSystem", "ImageCore", "ImageDecoding", "ImageKernels"]),
        // Memory is counted in a process that does nothing else.
        // Beside the tests of the command, which find it there.
        .executableTarget(name: "PeakMemory", path: "Tests/PeakMemory"),
        .executableTarget(
            name: "EngineSoak",
            dependencies: ["ImageCore", "CalotypeSystem", "ImageLoading", "CalotypeTesting", "CCalotypeHeap", .httpTypes],
            path: "Tests/EngineSoak"),
        .executableTarget(
            name: "NetworkStorm",
            dependencies: [
                "Calotype", "ImageCore", "ImageNetworking", "ImageCaching", "ImageDecoding", "ImageLoading", "CalotypeSystem",
                "CalotypeTesting", "LoopbackHTTP", "CCalotypeHeap",
            ],
            path: "Tests/NetworkStorm"),
        .testTarget(
            name: "ImageLoadingTests",
            dependencies: ["EngineSoak", "ImageCore", "ImageLoading", "CalotypeTesting", .httpTypes]),
        .testTarget(
            name: "CalotypeLoggingTests",
            dependencies: ["CalotypeLogging", "CalotypeTesting", "ImageCore", "ImageLoading", .log, .inMemoryLog]),
        .testTarget(
            name: "CalotypeMetricsTests",
            dependencies: ["CalotypeMetrics", "CalotypeTesting", "ImageCore", "ImageLoading", .metrics, .metricsTestKit]),
        .testTarget(
            name: "OpenCombineTests",
            dependencies: ["CalotypeCombine", "CalotypeTesting", "ImageCore", "ImageLoading", .openCombine]),
        .testTarget(
            name: "CalotypeTests",
            dependencies: ["Calotype", "CalotypeCommand", "CalotypeSystem", "CalotypeTesting", "LoopbackHTTP", .httpTypes]),
    ],
    cLanguageStandard: .c17
)

/// Strictness, the same for every target written in Swift.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
/// A newer compiler may warn of more: that must not break anyone's build. Only continuous integration asks for errors.
let warnings: [SwiftSetting] = Context.environment["CALOTYPE_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

for target in package.targets where target.type != .system && !target.name.hasPrefix("CCalotype") {
    target.swiftSettings = strict + warnings
}

extension Target.Dependency {
    static var httpTypes: Self { .product(name: "HTTPTypes", package: "swift-http-types") }
    static var heap: Self { .product(name: "HeapModule", package: "swift-collections") }
    static var log: Self { .product(name: "Logging", package: "swift-log") }
    static var inMemoryLog: Self { .product(name: "InMemoryLogging", package: "swift-log") }
    static var metrics: Self { .product(name: "CoreMetrics", package: "swift-metrics") }
    static var metricsTestKit: Self { .product(name: "MetricsTestKit", package: "swift-metrics") }
    static var openCombine: Self {
        .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"]))
    }
    static var argumentParser: Self { .product(name: "ArgumentParser", package: "swift-argument-parser") }
}
