// swift-tools-version: 6.2
import PackageDescription

// The map of Calotype, innermost layer first. Dependencies point inward only: an import that is not declared here fails
// the build (`--explicit-target-dependency-import-check error`, see the Makefile). The helpers at the end say in which
// folder each kind of target lies.
let package = Package(
    name: "Calotype",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        "Calotype", "ImageCore", "ImageKernels", "ImageNetworking", "ImageNetworkingCurl", "ImageNetworkingFoundation",
        "ImageCaching", "ImageCachingRedis", "ImageDecoding", "ImageCodecs", "ImageDecodingApple", "ImageProcessing",
        "ImageTargets", "ImageTargetsGTK", "ImageLoading", "CalotypeLogging", "CalotypeMetrics", "CalotypeCombine",
        "CalotypeTesting", "LoopbackHTTP",
    ].map { .library(name: $0, targets: [$0]) } + [.executable(name: "calotype", targets: ["CalotypeCommand"])],
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
        // The platform: its C library and its threads. No other module imports Glibc, Musl or Darwin.
        module("CalotypeSystem"),

        // Vocabulary: values and plug-in protocols.
        module("ImageCore", "CalotypeSystem", .httpTypes),

        // Pixel arithmetic.
        c("Kernels"),
        module("ImageKernels", "ImageCore", "CalotypeSystem", "CCalotypeKernels"),

        // System libraries, and the C that must stand between them and Swift. Each C target names every library that it calls:
        // what a .pc file lists besides differs from one version of a library to the next.
        system("JPEG", pkgConfig: "libjpeg", apt: "libjpeg-dev", brew: "jpeg-turbo"),
        system("PNG", pkgConfig: "libpng", apt: "libpng-dev", brew: "libpng"),
        system("WebP", pkgConfig: "libwebpdemux", apt: "libwebp-dev", brew: "webp"),
        system("AVIF", pkgConfig: "libavif", apt: "libavif-dev", brew: "libavif"),
        system("LCMS", pkgConfig: "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),
        system("GIF", pkgConfig: "libgif", apt: "libgif-dev", brew: "giflib"),
        system("Curl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        system("Hiredis", pkgConfig: "hiredis", apt: "libhiredis-dev", brew: "hiredis"),
        system("GTK", pkgConfig: "gtk4", apt: "libgtk-4-dev", brew: "gtk4"),
        c("JPEG", "CCalotypeLibJPEG", links: "jpeg"),
        c("PNG", "CCalotypeLibPNG", links: "png"),
        c("WebP", "CCalotypeLibWebP", links: "webpdemux", "webp"),
        c("AVIF", "CCalotypeLibAVIF", links: "avif"),
        c("LCMS", "CCalotypeLibLCMS", links: "lcms2"),
        c("GIF", "CCalotypeLibGIF", links: "gif"),
        c("Curl", "CCalotypeLibCurl", links: "curl"),
        c("DiskIO"),
        c("Sockets"),
        c("GTK", .target(name: "CCalotypeLibGTK", condition: .when(traits: ["GTK"])), defines: "GTK"),

        // Built-in plug-ins, each usable alone.
        module("ImageNetworking", "ImageCore", "CalotypeSystem", "CCalotypeSockets", .httpTypes),
        module("ImageCaching", "ImageCore", "CalotypeSystem", "CCalotypeDiskIO", .httpTypes, .heap, .deque),
        module("ImageDecoding", "ImageCore", "ImageKernels", "CalotypeSystem"),
        module("ImageProcessing", "ImageCore", "CalotypeSystem", "ImageKernels"),
        module("ImageTargets", "ImageCore", .httpTypes),

        // The engine.
        module("ImageLoading", "ImageCore", "ImageKernels", "CalotypeSystem", .httpTypes, .heap, .deque),

        // Plug-ins and observers that bring a dependency, or Apple's frameworks. Empty where that is missing or its trait is off.
        integration(
            "ImageNetworkingCurl", "ImageCore", "CalotypeSystem", "ImageNetworking", "CCalotypeCurl", "CCalotypeSockets",
            .httpTypes, .deque),
        integration("ImageNetworkingFoundation", "ImageCore", "CalotypeSystem", .httpTypes),
        integration(
            "ImageCodecs", "ImageCore", "ImageKernels", "ImageDecoding", "CalotypeSystem", "CCalotypeJPEG", "CCalotypePNG",
            "CCalotypeWebP", "CCalotypeAVIF", "CCalotypeLCMS", "CCalotypeGIF"),
        integration("ImageDecodingApple", "ImageCore"),
        integration("ImageTargetsGTK", "ImageCore", "ImageKernels", "ImageTargets", "CCalotypeGTK"),
        integration(
            "ImageCachingRedis", "ImageCore", "CalotypeSystem", "ImageCaching",
            .target(name: "CCalotypeLibHiredis", condition: .when(traits: ["Redis"]))),
        integration("CalotypeLogging", "ImageCore", .log),
        integration("CalotypeMetrics", "ImageCore", "ImageLoading", .metrics),
        integration("CalotypeCombine", "ImageCore", "ImageLoading", .openCombine),

        // Everything wired, with the platform's own transport and codecs.
        module(
            "Calotype", "ImageCore", "ImageKernels", "ImageLoading", "ImageNetworking", "ImageCaching", "ImageDecoding",
            "ImageProcessing", "ImageTargets", .linux("ImageNetworkingCurl"), .linux("ImageCodecs"),
            .apple("ImageNetworkingFoundation"),
            .apple("ImageDecodingApple")),

        // The kit for authors of plug-ins.
        c("LoopbackTLS"),
        kit("LoopbackHTTP", "CalotypeSystem", "CCalotypeLoopbackTLS"),
        kit("CalotypeTesting", "ImageCore", "CalotypeSystem", "ImageTargets", "LoopbackHTTP", .httpTypes),

        // The command.
        c("Gallery", excludes: "Images"),
        c("Heap"),
        .executableTarget(
            name: "CalotypeCommand",
            dependencies: [
                "Calotype", "ImageCore", "ImageLoading", "ImageNetworking", "ImageNetworkingCurl", "ImageCaching",
                "ImageDecoding", "ImageCodecs", "ImageProcessing", "ImageKernels", "ImageTargets", "CalotypeSystem",
                "LoopbackHTTP", "CCalotypeGallery", "CCalotypeHeap", .httpTypes, .argumentParser,
            ],
            path: "Sources/Command"),

        // Programs and C that tests run: memory is counted in a process that does nothing else, and GTK needs the main thread.
        testSupport("CCalotypeLookup"),
        testSupport("CCalotypeAllocations"),
        testSupport(
            "CCalotypeGTKStage", .target(name: "CCalotypeLibGTK", condition: .when(traits: ["GTK"])), defines: "GTK"),
        testSupport("OtherSystem", "CalotypeSystem"),
        testSupport("NetworkTestKit", "CalotypeSystem", "ImageCore", "ImageNetworkingCurl", "LoopbackHTTP"),
        testSupport("ProjectFiles"),
        testSupport("TestBitmaps", "ImageCore", "ProjectFiles"),
        testProgram("PeakMemory"),
        testProgram("EngineSoak", "ImageCore", "CalotypeSystem", "ImageLoading", "CalotypeTesting", "CCalotypeHeap", .httpTypes),
        testProgram(
            "NetworkStorm", "Calotype", "ImageCore", "ImageNetworking", "ImageNetworkingCurl", "ImageCaching", "ImageCodecs",
            "ImageLoading", "CalotypeSystem", "CalotypeTesting", "LoopbackHTTP", "CCalotypeHeap"),
        testProgram(
            "GTKStage", "Calotype", "ImageCore", "ImageDecoding", "ImageCodecs", "ImageLoading", "ImageCaching", "ImageTargets",
            "ImageTargetsGTK", "CCalotypeGTKStage", "CalotypeSystem", "CalotypeTesting", "LoopbackHTTP"),

        // Tests, in the order of the modules.
        tests("CalotypeSystem"),
        tests("ImageCore", "CalotypeTesting", .httpTypes),
        tests("ImageKernels", "ImageCore", "CalotypeSystem", "CalotypeTesting", "ProjectFiles"),
        tests(
            "ImageNetworking", "ImageCore", "ImageNetworkingCurl", "CalotypeTesting", "CalotypeSystem", "LoopbackHTTP",
            "NetworkTestKit", "CCalotypeHeap", .httpTypes),
        tests(
            "ImageNetworkingCurl", "ImageCore", "ImageNetworking", "CalotypeTesting", "CalotypeSystem", "LoopbackHTTP",
            "NetworkTestKit", "CCalotypeCurl", "CCalotypeHeap", "CCalotypeLookup", "OtherSystem", .httpTypes),
        tests("ImageCaching", "ImageCore", "CalotypeSystem", "CalotypeTesting", .httpTypes),
        tests("ImageDecoding", "ImageCore", "CalotypeTesting", "TestBitmaps"),
        tests("ImageProcessing", "ImageCore", "ImageKernels", "CalotypeTesting", "CCalotypeAllocations", "ProjectFiles"),
        tests("ImageTargets", "ImageCore", "ImageDecoding", "ImageCodecs", "ImageLoading", "CalotypeTesting", .httpTypes),
        tests("ImageLoading", "EngineSoak", "ImageCore", "ImageNetworking", "CalotypeTesting", .httpTypes),
        tests(
            "ImageCodecs", "ImageCore", "CalotypeSystem", "ImageKernels", "ImageDecoding", "CalotypeTesting", "ProjectFiles",
            "TestBitmaps"),
        tests("ImageNetworkingFoundation", "ImageCore", "CalotypeTesting", "LoopbackHTTP", "OtherSystem", .httpTypes),
        tests(
            "ImageTargetsGTK", "GTKStage", "CalotypeSystem", "ImageCore", "ImageDecoding", "ImageCodecs", "ImageKernels",
            "ProjectFiles"),
        tests(
            "ImageCachingRedis", "ImageCore", "CalotypeSystem", "ImageCaching", "ImageNetworking", "ImageLoading",
            "CalotypeTesting", "LoopbackHTTP", .httpTypes),
        tests("CalotypeLogging", "CalotypeTesting", "ImageCore", "ImageLoading", .log, .inMemoryLog),
        tests(
            "CalotypeMetrics", "CalotypeLogging", "CalotypeTesting", "ImageCore", "ImageLoading", .log, .inMemoryLog, .metrics,
            .metricsTestKit),
        tests("CalotypeCombine", "CalotypeTesting", "ImageCore", "ImageLoading", .openCombine),
        tests("Calotype", "CalotypeCommand", "CalotypeSystem", "CalotypeTesting", "LoopbackHTTP", "ProjectFiles", .httpTypes),
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
/// A newer compiler may warn of more, and that must not break a build. Only continuous integration asks for errors.
let warnings: [SwiftSetting] = Context.environment["CALOTYPE_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

for target in package.targets where target.type != .system && !target.name.hasPrefix("CCalotype") {
    target.swiftSettings = strict + warnings
}

/// The build of `make optional`: of the tests only those of the parts behind traits, and the examples that use these parts or
/// another HTTP client. One build compiles each of them once. The examples' manifests are for their users.
if Context.environment["CALOTYPE_OPTIONAL"] != nil {
    let tests = ["ImageTargetsGTKTests", "ImageCachingRedisTests", "CalotypeCombineTests"]
    package.targets.removeAll { $0.type == .test && !tests.contains($0.name) }
    package.dependencies += [
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ]
    package.targets += [
        .systemLibrary(name: "CGTK", path: "Examples/GalleryGTK/Sources/CGTK", pkgConfig: "gtk4"),
        example("GalleryGTK", "CGTK", "Calotype", "ImageTargetsGTK", "LoopbackHTTP"),
        example("HelloGTK", in: "GalleryGTK", "CGTK", "Calotype", "ImageTargetsGTK"),
        example("AlbumGTK", in: "GalleryGTK", "CGTK", "Calotype", "ImageTargetsGTK"),
        example(
            "AsyncHTTPClientLayer", "CalotypeTesting", "ImageCore", "ImageCodecs", "ImageDecoding", "ImageLoading",
            "LoopbackHTTP",
            .httpTypes, .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            .product(name: "AsyncHTTPClient", package: "async-http-client")),
    ]
}

typealias Dependency = Target.Dependency

/// A module of the framework.
func module(_ name: String, _ dependencies: Dependency...) -> Target { .target(name: name, dependencies: dependencies) }

func integration(_ name: String, _ dependencies: Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Integrations/\(name)")
}

func kit(_ name: String, _ dependencies: Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Testing/\(name)")
}

/// The module map of a C library that the system has.
func system(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: "CCalotypeLib\(name)", path: "Sources/C/System/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])])
}

/// A target in C; `defines` is the trait that switches it on.
func c(_ name: String, _ dependencies: Dependency..., links: String..., defines trait: String? = nil, excludes: String...)
    -> Target
{
    .target(
        name: "CCalotype\(name)", dependencies: dependencies, path: "Sources/C/\(name)", exclude: excludes,
        cSettings: trait.map { [.define($0, .when(traits: [$0]))] }, linkerSettings: links.map { .linkedLibrary($0) })
}

func tests(_ module: String, _ dependencies: Dependency...) -> Target {
    .testTarget(name: "\(module)Tests", dependencies: [.init(stringLiteral: module)] + dependencies)
}

func testSupport(_ name: String, _ dependencies: Dependency..., defines trait: String? = nil) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/Support/\(name)",
        cSettings: trait.map { [.define($0, .when(traits: [$0]))] })
}

func testProgram(_ name: String, _ dependencies: Dependency...) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/Support/\(name)")
}

func example(_ name: String, in package: String? = nil, _ dependencies: Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Examples/\(package ?? name)/Sources/\(name)",
        swiftSettings: [.swiftLanguageMode(.v6)])
}

extension Target.Dependency {
    /// A target that is used where Apple's frameworks are missing.
    static func linux(_ name: String) -> Self {
        .target(name: name, condition: .when(platforms: [.linux, .android, .windows, .openbsd]))
    }

    /// A target that is used on Apple platforms alone.
    static func apple(_ name: String) -> Self {
        .target(name: name, condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS, .macCatalyst]))
    }

    static var httpTypes: Self { .product(name: "HTTPTypes", package: "swift-http-types") }
    static var heap: Self { .product(name: "HeapModule", package: "swift-collections") }
    static var deque: Self { .product(name: "DequeModule", package: "swift-collections") }
    static var log: Self { .product(name: "Logging", package: "swift-log") }
    static var inMemoryLog: Self { .product(name: "InMemoryLogging", package: "swift-log") }
    static var metrics: Self { .product(name: "CoreMetrics", package: "swift-metrics") }
    static var metricsTestKit: Self { .product(name: "MetricsTestKit", package: "swift-metrics") }
    static var openCombine: Self {
        .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"]))
    }
    static var argumentParser: Self { .product(name: "ArgumentParser", package: "swift-argument-parser") }
}
