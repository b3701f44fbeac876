// swift-tools-version: 6.2
import PackageDescription

// The map of Calotype, innermost layer first. Dependencies point inward only: an import that is not declared here fails
// the build (`--explicit-target-dependency-import-check error`, see the Makefile). The examples, the benchmarks, the
// fuzzer, and the tests of the parts behind traits are separate packages.

extension Target.Dependency {
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let heap = product(name: "HeapModule", package: "swift-collections")
    static let deque = product(name: "DequeModule", package: "swift-collections")
    static let log = product(name: "Logging", package: "swift-log")
    static let inMemoryLog = product(name: "InMemoryLogging", package: "swift-log")
    static let metrics = product(name: "CoreMetrics", package: "swift-metrics")
    static let metricsTestKit = product(name: "MetricsTestKit", package: "swift-metrics")
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let combine = product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"]))
    static let gtk = target(name: "CCalotypeLibGTK", condition: .when(traits: ["GTK"]))
    static let hiredis = target(name: "CCalotypeLibHiredis", condition: .when(traits: ["Redis"]))
}

/// The modules that need no library, without the vocabulary.
let framework: [Target.Dependency] = [
    "ImageKernels", "ImageLoading", "ImageNetworking", "ImageCaching", "ImageDecoding", "ImageProcessing", "ImageTargets",
]

/// What most tests use.
let testKit: [Target.Dependency] = [
    "CalotypeSystem", "ImageCore", "CalotypeTesting", "LoopbackHTTP", "ProjectFiles", "Timing", .httpTypes,
]

let apple: [Platform] = [.macOS, .iOS, .tvOS, .watchOS, .visionOS, .macCatalyst]
let others: [Platform] = [.linux, .android, .windows, .openbsd]

func library(_ name: String) -> Product { .library(name: name, targets: [name]) }

/// The module map of a library of the system.
func systemLibrary(_ name: String, folder: String, pkgConfig: String?, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/C/System/\(folder)", pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

// libavif's file of pkg-config has a flag for Windows that the package manager refuses, with a warning in the build of
// every package that depends on this one. Only Homebrew puts the headers where the compiler does not look for them.
#if os(macOS)
    let avifFlags: String? = "libavif"
#else
    let avifFlags: String? = nil
#endif

let package = Package(
    name: "Calotype",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        library("Calotype"),
        library("ImageCore"),
        library("ImageKernels"),
        library("ImageNetworking"),
        library("ImageNetworkingCurl"),
        library("ImageNetworkingFoundation"),
        library("ImageCaching"),
        library("ImageCachingRedis"),
        library("ImageDecoding"),
        library("ImageCodecs"),
        library("ImageDecodingApple"),
        library("ImageProcessing"),
        library("ProcessorParsing"),
        library("ImageTargets"),
        library("ImageTargetsGTK"),
        library("ImageLoading"),
        library("CalotypeLogging"),
        library("CalotypeMetrics"),
        library("CalotypeCombine"),
        library("CalotypeTesting"),
        library("LoopbackHTTP"),
        .executable(name: "calotype", targets: ["CalotypeCommand"]),
    ],
    traits: [
        .trait(name: "GTK", description: "ImageTargetsGTK: images in GTK 4 windows; needs libgtk-4-dev."),
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
        // The platform (no other module imports Glibc, Musl or Darwin), the vocabulary, and pixel arithmetic.
        .target(name: "CalotypeSystem"),
        .target(name: "ImageCore", dependencies: ["CalotypeSystem", .httpTypes]),
        .target(name: "ImageKernels", dependencies: ["CalotypeSystem", "ImageCore", "CCalotypeKernels"]),

        // C of this package, and libraries of the system, each with the C between it and Swift. That C names every
        // library that it calls: what a .pc file lists besides differs from one version of a library to the next.
        .target(name: "CCalotypeKernels", path: "Sources/C/Kernels"),
        .target(name: "CCalotypeDiskIO", path: "Sources/C/DiskIO"),
        .target(name: "CCalotypeSockets", path: "Sources/C/Sockets"),
        .target(name: "CCalotypeHeap", path: "Sources/C/Heap"),
        .target(name: "CCalotypeCodec", path: "Sources/C/Codec"),
        .target(
            name: "CCalotypeJPEG", dependencies: ["CCalotypeCodec", "CCalotypeLibJPEG"], path: "Sources/C/JPEG",
            linkerSettings: [.linkedLibrary("jpeg")]),
        systemLibrary(
            "CCalotypeLibJPEG", folder: "JPEG", pkgConfig: "libjpeg", apt: "libjpeg-dev", brew: "jpeg-turbo"),
        .target(
            name: "CCalotypePNG", dependencies: ["CCalotypeCodec", "CCalotypeLibPNG"], path: "Sources/C/PNG",
            linkerSettings: [.linkedLibrary("png")]),
        systemLibrary("CCalotypeLibPNG", folder: "PNG", pkgConfig: "libpng", apt: "libpng-dev", brew: "libpng"),
        .target(
            name: "CCalotypeAVIF", dependencies: ["CCalotypeCodec", "CCalotypeLibAVIF"], path: "Sources/C/AVIF",
            linkerSettings: [.linkedLibrary("avif")]),
        systemLibrary("CCalotypeLibAVIF", folder: "AVIF", pkgConfig: avifFlags, apt: "libavif-dev", brew: "libavif"),
        systemLibrary("CCalotypeLibWebP", folder: "WebP", pkgConfig: "libwebpdemux", apt: "libwebp-dev", brew: "webp"),
        systemLibrary("CCalotypeLibLCMS", folder: "LCMS", pkgConfig: "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),
        .target(
            name: "CCalotypeCurl", dependencies: ["CCalotypeLibCurl"], path: "Sources/C/Curl",
            linkerSettings: [.linkedLibrary("curl")]),
        systemLibrary("CCalotypeLibCurl", folder: "Curl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        systemLibrary("CCalotypeLibZ", folder: "Zlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
        systemLibrary(
            "CCalotypeLibHiredis", folder: "Hiredis", pkgConfig: "hiredis", apt: "libhiredis-dev", brew: "hiredis"),
        systemLibrary("CCalotypeLibGTK", folder: "GTK", pkgConfig: "gtk4", apt: "libgtk-4-dev", brew: "gtk4"),

        // Built-in plug-ins, each usable alone, and the engine.
        .target(name: "ImageNetworking", dependencies: ["CalotypeSystem", "ImageCore", "CCalotypeSockets", .httpTypes]),
        .target(
            name: "ImageCaching", dependencies: ["CalotypeSystem", "ImageCore", "CCalotypeDiskIO", .httpTypes, .heap, .deque]),
        .target(name: "ImageDecoding", dependencies: ["CalotypeSystem", "ImageCore", "ImageKernels"]),
        .target(name: "ImageProcessing", dependencies: ["CalotypeSystem", "ImageCore", "ImageKernels"]),
        .target(name: "ProcessorParsing", dependencies: ["ImageCore", "ImageKernels", "ImageProcessing"]),
        .target(name: "ImageTargets", dependencies: ["ImageCore", "ImageKernels", "ImageProcessing", .httpTypes]),
        .target(
            name: "ImageLoading", dependencies: ["CalotypeSystem", "ImageCore", "ImageKernels", .httpTypes, .heap, .deque]),

        // Plug-ins and observers that bring a dependency, or Apple's frameworks. Empty where that is missing or its
        // trait is off.
        .target(
            name: "ImageNetworkingCurl",
            dependencies: [
                "CalotypeSystem", "ImageCore", "ImageNetworking", "CCalotypeCurl", "CCalotypeLibZ", .httpTypes, .deque,
            ],
            path: "Sources/Integrations/ImageNetworkingCurl"),
        .target(
            name: "ImageNetworkingFoundation", dependencies: ["CalotypeSystem", "ImageCore", "ImageNetworking", .httpTypes],
            path: "Sources/Integrations/ImageNetworkingFoundation"),
        .target(
            name: "ImageCodecs",
            dependencies: [
                "CalotypeSystem", "ImageCore", "ImageKernels", "ImageDecoding", "CCalotypeCodec", "CCalotypeJPEG", "CCalotypePNG",
                "CCalotypeAVIF", "CCalotypeLibWebP", "CCalotypeLibLCMS",
            ],
            path: "Sources/Integrations/ImageCodecs"),
        .target(
            name: "ImageDecodingApple", dependencies: ["ImageCore", "ImageKernels", "ImageDecoding"],
            path: "Sources/Integrations/ImageDecodingApple"),
        .target(
            name: "ImageTargetsGTK", dependencies: ["CalotypeSystem", "ImageCore", "ImageKernels", "ImageTargets", .gtk],
            path: "Sources/Integrations/ImageTargetsGTK"),
        .target(
            name: "ImageCachingRedis", dependencies: ["CalotypeSystem", "ImageCore", "ImageCaching", .hiredis],
            path: "Sources/Integrations/ImageCachingRedis"),
        .target(
            name: "CalotypeLogging", dependencies: ["ImageCore", .log], path: "Sources/Integrations/CalotypeLogging"),
        .target(
            name: "CalotypeMetrics", dependencies: ["ImageCore", "ImageLoading", .metrics],
            path: "Sources/Integrations/CalotypeMetrics"),
        .target(
            name: "CalotypeCombine", dependencies: ["ImageCore", "ImageLoading", .combine],
            path: "Sources/Integrations/CalotypeCombine"),

        // Everything wired, with the platform's own transport and codecs.
        .target(
            name: "Calotype",
            dependencies: framework + [
                "ImageCore",
                .target(name: "ImageNetworkingCurl", condition: .when(platforms: others)),
                .target(name: "ImageCodecs", condition: .when(platforms: others)),
                .target(name: "ImageNetworkingFoundation", condition: .when(platforms: apple)),
                .target(name: "ImageDecodingApple", condition: .when(platforms: apple)),
            ]),

        // The kit for authors of plug-ins.
        .target(
            name: "LoopbackHTTP", dependencies: ["CalotypeSystem", "ImageCore"],
            path: "Sources/Testing/LoopbackHTTP"),
        .target(
            name: "CalotypeTesting",
            dependencies: ["CalotypeSystem", "ImageCore", "ImageTargets", "LoopbackHTTP", .httpTypes],
            path: "Sources/Testing/CalotypeTesting"),

        // The command. It needs CCalotypeHeap because Swift can neither set a parameter of malloc nor replace `stderr`.
        .executableTarget(
            name: "CalotypeCommand",
            dependencies: framework + [
                "CalotypeSystem", "ImageCore", "Calotype", "ImageNetworkingCurl", "ImageCodecs", "LoopbackHTTP",
                "CCalotypeHeap", "ProcessorParsing", .httpTypes, .argumentParser,
            ],
            path: "Sources/Command", resources: [.embedInCode("Demo/Images")]),

        // The tests of each module.
        .testTarget(name: "CalotypeSystemTests", dependencies: testKit),
        .testTarget(name: "ImageCoreTests", dependencies: testKit),
        .testTarget(
            name: "ImageKernelsTests", dependencies: testKit + ["ImageKernels", "CCalotypeKernels", "TestBitmaps"]),
        .testTarget(
            name: "ImageNetworkingTests",
            dependencies: testKit + [
                "ImageNetworking", "ImageNetworkingCurl", "NetworkTestKit", "CCalotypeSockets", "CCalotypeHeapUsage",
            ]),
        .testTarget(name: "ImageCachingTests", dependencies: testKit + ["ImageCaching", "CCalotypeDiskIO", .heap, .deque]),
        .testTarget(name: "ImageDecodingTests", dependencies: testKit + ["ImageDecoding", "ImageKernels", "TestBitmaps"]),
        .testTarget(
            name: "ImageProcessingTests",
            dependencies: testKit + [
                "ImageProcessing", "ImageKernels", "ProcessorParsing", "CCalotypeAllocations", "CCalotypeHeapUsage",
            ]),
        .testTarget(
            name: "ProcessorParsingTests",
            dependencies: testKit + ["ProcessorParsing", "ImageProcessing", "ImageKernels"]),
        .testTarget(
            name: "ImageTargetsTests",
            dependencies: testKit + [
                "ImageTargets", "ImageKernels", "ImageProcessing", "ImageDecoding", "ImageCodecs", "ImageLoading",
            ]),
        .testTarget(
            name: "ImageLoadingTests",
            dependencies: testKit + ["ImageLoading", "ImageKernels", "ImageNetworking", "EngineSoak", .heap, .deque]),
        .testTarget(
            name: "ImageNetworkingCurlTests",
            dependencies: testKit + [
                "ImageNetworkingCurl", "ImageNetworking", "NetworkTestKit", "LoopbackTLS", "OtherSystem", "CCalotypeCurl",
                "CCalotypeHeapUsage", "CCalotypeLookup", .deque,
            ]),
        .testTarget(
            name: "ImageNetworkingFoundationTests",
            dependencies: testKit + ["ImageNetworkingFoundation", "ImageNetworking", "LoopbackTLS", "OtherSystem"]),
        .testTarget(
            name: "ImageCodecsTests",
            dependencies: testKit + [
                "ImageCodecs", "ImageDecoding", "ImageKernels", "TestBitmaps", "CCalotypeCodec", "CCalotypeJPEG", "CCalotypePNG",
                "CCalotypeAVIF", "CCalotypeLibWebP", "CCalotypeLibLCMS", "CCalotypeHeapUsage",
            ]),
        .testTarget(
            name: "CalotypeLoggingTests", dependencies: testKit + ["CalotypeLogging", "ImageLoading", .log, .inMemoryLog]),
        .testTarget(
            name: "CalotypeMetricsTests",
            dependencies: testKit + [
                "CalotypeMetrics", "CalotypeLogging", "ImageLoading", .metrics, .metricsTestKit, .log, .inMemoryLog,
            ]),
        .testTarget(
            name: "CalotypeTestingTests",
            dependencies: testKit + [
                "ImageCaching", "ImageCodecs", "ImageDecoding", "ImageKernels", "ImageLoading", "ImageNetworking",
                "ImageNetworkingCurl", "ImageProcessing", "CalotypeLogging", "CalotypeMetrics",
            ]),
        .testTarget(
            name: "CalotypeTests",
            dependencies: testKit + framework + [
                "Calotype", "CalotypeCommand",
                .target(name: "ImageNetworkingCurl", condition: .when(platforms: others)),
                .target(name: "ImageCodecs", condition: .when(platforms: others)),
                .target(name: "ImageNetworkingFoundation", condition: .when(platforms: apple)),
                .target(name: "ImageDecodingApple", condition: .when(platforms: apple)),
            ]),

        // What tests share, and programs and C that they run: memory is counted in a process that does nothing else.
        .target(name: "ProjectFiles", path: "Tests/Support/ProjectFiles"),
        .target(name: "Timing", dependencies: ["CalotypeSystem"], path: "Tests/Support/Timing"),
        .target(name: "OtherSystem", dependencies: ["CalotypeSystem"], path: "Tests/Support/OtherSystem"),
        .target(name: "TestBitmaps", dependencies: ["ImageCore", "ProjectFiles"], path: "Tests/Support/TestBitmaps"),
        .target(
            name: "NetworkTestKit",
            dependencies: ["CalotypeSystem", "ImageCore", "ImageNetworkingCurl", "LoopbackHTTP", .httpTypes],
            path: "Tests/Support/NetworkTestKit"),
        .target(
            name: "LoopbackTLS", dependencies: ["ImageCore", "CCalotypeLoopbackTLS", "LoopbackHTTP", "CalotypeTesting"],
            path: "Tests/Support/LoopbackTLS"),
        .target(name: "CCalotypeLoopbackTLS", path: "Tests/Support/CCalotypeLoopbackTLS"),
        .target(name: "CCalotypeLookup", path: "Tests/Support/CCalotypeLookup"),
        .target(name: "CCalotypeAllocations", path: "Tests/Support/CCalotypeAllocations"),
        .target(name: "CCalotypeHeapUsage", path: "Tests/Support/CCalotypeHeapUsage"),
        .executableTarget(name: "PeakMemory", path: "Tests/Support/PeakMemory"),
        .executableTarget(
            name: "EngineSoak",
            dependencies: [
                "CalotypeSystem", "ImageCore", "ImageLoading", "CalotypeTesting", "LoopbackHTTP", "CCalotypeHeapUsage",
                .httpTypes,
            ],
            path: "Tests/Support/EngineSoak"),
        .executableTarget(
            name: "NetworkStorm",
            dependencies: framework + [
                "CalotypeSystem", "ImageCore", "Calotype", "ImageNetworkingCurl", "ImageCodecs", "CalotypeTesting",
                "LoopbackHTTP",
                "CCalotypeHeapUsage", .httpTypes,
            ],
            path: "Tests/Support/NetworkStorm"),
    ],
    cLanguageStandard: .c17
)

// Strictness, the same for every target written in Swift.
for target in package.targets where target.type != .system && !target.name.hasPrefix("CCalotype") {
    target.swiftSettings = [
        .swiftLanguageMode(.v6), .strictMemorySafety(), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
