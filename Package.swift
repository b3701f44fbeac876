// swift-tools-version: 6.2
import PackageDescription

// The map of Calotype, innermost layer first. Dependencies point inward only: an import that is not declared here fails the build
// (`--explicit-target-dependency-import-check error`, see the Makefile). The helpers at the end say where each kind of target lies.
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
        // The platform (no other module imports Glibc, Musl or Darwin), the vocabulary, and pixel arithmetic.
        module("CalotypeSystem", []),
        module("ImageCore", ["CalotypeSystem", .httpTypes]),
        module("ImageKernels", ["ImageCore", "CalotypeSystem", "CCalotypeKernels"]),

        // C of this package, and libraries of the system, each with the C between it and Swift. That C names every library that it
        // calls: what a .pc file lists besides differs from one version of a library to the next.
        ["Kernels", "DiskIO", "Sockets", "LoopbackTLS", "Heap"].flatMap { c($0) },
        c("Gallery", excludes: ["Images"]),
        c("Codec"),
        library("JPEG", uses: ["CCalotypeCodec"], links: ["jpeg"], pkgConfig: "libjpeg", apt: "libjpeg-dev", brew: "jpeg-turbo"),
        library("PNG", uses: ["CCalotypeCodec"], links: ["png"], pkgConfig: "libpng", apt: "libpng-dev", brew: "libpng"),
        system("WebP", pkgConfig: "libwebpdemux", apt: "libwebp-dev", brew: "webp"),
        library("AVIF", uses: ["CCalotypeCodec"], links: ["avif"], pkgConfig: "libavif", apt: "libavif-dev", brew: "libavif"),
        system("LCMS", pkgConfig: "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),
        system("GIF", pkgConfig: "libgif", apt: "libgif-dev", brew: "giflib"),
        library("Curl", links: ["curl"], pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        system("Hiredis", pkgConfig: "hiredis", apt: "libhiredis-dev", brew: "hiredis"),
        system("GTK", pkgConfig: "gtk4", apt: "libgtk-4-dev", brew: "gtk4"),

        // Built-in plug-ins, each usable alone, and the engine.
        module(
            "ImageNetworking", ["ImageCore", "CalotypeSystem", "CCalotypeSockets", .httpTypes],
            tests: ["ImageNetworkingCurl", "NetworkTestKit", "CCalotypeHeapUsage"]),
        module("ImageCaching", ["ImageCore", "CalotypeSystem", "CCalotypeDiskIO", .httpTypes, .heap, .deque]),
        module("ImageDecoding", ["ImageCore", "ImageKernels", "CalotypeSystem"], tests: ["TestBitmaps"]),
        module("ImageProcessing", ["ImageCore", "CalotypeSystem", "ImageKernels"], tests: ["CCalotypeAllocations"]),
        module(
            "ImageTargets", ["ImageCore", "ImageKernels", .httpTypes],
            tests: ["ImageDecoding", "ImageCodecs", "ImageLoading"]),
        module(
            "ImageLoading", ["ImageCore", "ImageKernels", "CalotypeSystem", .httpTypes, .heap, .deque],
            tests: ["EngineSoak", "ImageNetworking"]),

        // Plug-ins and observers that bring a dependency, or Apple's frameworks. Empty where that is missing or its trait is off.
        integration(
            "ImageNetworkingCurl",
            ["ImageCore", "CalotypeSystem", "ImageNetworking", "CCalotypeCurl", .httpTypes, .deque],
            tests: ["NetworkTestKit", "OtherSystem", "CCalotypeHeapUsage", "CCalotypeLookup"]),
        integration(
            "ImageNetworkingFoundation", ["ImageCore", "CalotypeSystem", "ImageNetworking", .httpTypes], tests: ["OtherSystem"]),
        integration(
            "ImageCodecs",
            ["ImageCore", "ImageKernels", "ImageDecoding", "CalotypeSystem", "CCalotypeCodec", "CCalotypeJPEG"]
                + ["CCalotypePNG", "CCalotypeLibWebP", "CCalotypeAVIF", "CCalotypeLibLCMS", "CCalotypeLibGIF"],
            tests: ["TestBitmaps"]),
        integration("ImageDecodingApple", ["ImageCore", "ImageKernels", "ImageDecoding"], tests: nil),
        integration(
            "ImageTargetsGTK", ["ImageCore", "ImageKernels", "ImageTargets", "CalotypeSystem", .gtk], tests: nil),
        integration("ImageCachingRedis", ["ImageCore", "CalotypeSystem", "ImageCaching", .hiredis], tests: nil),
        integration("CalotypeLogging", ["ImageCore", .log], tests: ["ImageLoading", .inMemoryLog]),
        integration(
            "CalotypeMetrics", ["ImageCore", "ImageLoading", .metrics],
            tests: ["CalotypeLogging", .log, .inMemoryLog, .metricsTestKit]),
        integration("CalotypeCombine", ["ImageCore", "ImageLoading", .combine], tests: nil),

        // Everything wired, with the platform's own transport and codecs.
        module(
            "Calotype",
            framework + on([.linux, .android, .windows, .openbsd], "ImageNetworkingCurl", "ImageCodecs")
                + on([.macOS, .iOS, .tvOS, .watchOS, .visionOS, .macCatalyst], "ImageNetworkingFoundation", "ImageDecodingApple"),
            tests: ["CalotypeCommand"]),

        // The kit for authors of plug-ins.
        kit("LoopbackHTTP", ["CalotypeSystem", "ImageCore", "CCalotypeLoopbackTLS"]),
        kit("CalotypeTesting", ["ImageCore", "CalotypeSystem", "ImageTargets", "LoopbackHTTP", .httpTypes]),

        // The command. It needs CCalotypeHeap because Swift can neither set a parameter of malloc nor replace `stderr`.
        program(
            "CalotypeCommand", in: "Sources/Command",
            framework + ["Calotype", "ImageNetworkingCurl", "ImageCodecs", "CalotypeSystem", "LoopbackHTTP", "CCalotypeGallery"]
                + ["CCalotypeHeap", .httpTypes, .argumentParser]),

        // Programs and C that tests run: memory is counted in a process that does nothing else.
        ["CCalotypeLookup", "CCalotypeAllocations", "CCalotypeHeapUsage", "ProjectFiles"].flatMap { support($0) },
        support("OtherSystem", ["CalotypeSystem"]),
        support("Timing", ["CalotypeSystem"]),
        support("NetworkTestKit", ["CalotypeSystem", "ImageCore", "ImageNetworkingCurl", "LoopbackHTTP", .httpTypes]),
        support("TestBitmaps", ["ImageCore", "ProjectFiles"]),
        testProgram("PeakMemory", []),
        testProgram("EngineSoak", testKit + ["ImageLoading", "CCalotypeHeapUsage"]),
        testProgram(
            "NetworkStorm", testKit + framework + ["Calotype", "ImageNetworkingCurl", "ImageCodecs", "CCalotypeHeapUsage"]),
    ].flatMap { $0 },
    cLanguageStandard: .c17
)

// Strictness, the same for every target written in Swift. A newer compiler may warn of more, and that must not break a build: only
// continuous integration asks for errors.
let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
let warnings: [SwiftSetting] = Context.environment["CALOTYPE_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]
let strict = [.swiftLanguageMode(.v6), .strictMemorySafety()] + features.map { .enableUpcomingFeature($0) } + warnings
for target in package.targets where target.type != .system && !target.name.hasPrefix("CCalotype") {
    target.swiftSettings = strict
}

// Builds of some of the tests.
if let tests = Context.environment["CALOTYPE_TESTS"] {
    let names = Set(tests.split(separator: ",").map(String.init))
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// Bundles of dependencies overlap, and the package manager warns of repetitions.
for target in package.targets {
    var names: Set<String> = []
    target.dependencies.removeAll { !names.insert("\($0)").inserted }
}

// MARK: The kinds of targets, and where they lie

typealias Dependency = Target.Dependency

/// The modules that need no library.
nonisolated var framework: [Dependency] {
    let modules = ["Core", "Kernels", "Loading", "Networking", "Caching", "Decoding", "Processing", "Targets"]
    return modules.map { .byName(name: "Image\($0)") }
}
/// What most tests use, besides `ProjectFiles` and `Timing`.
nonisolated var testKit: [Dependency] { ["ImageCore", "CalotypeSystem", "CalotypeTesting", "LoopbackHTTP", .httpTypes] }

/// A module and its tests, which use the module, what it uses, the test kit, and `tests`; `nil` for a module without tests.
func module(_ name: String, in folder: String = "Sources", _ uses: [Dependency], tests: [Dependency]? = []) -> [Target] {
    let testUses = tests.map { [.byName(name: name), "ProjectFiles", "Timing"] + uses + testKit + $0 }
    return target(name, in: folder, uses) + (testUses.map { [.testTarget(name: "\(name)Tests", dependencies: $0)] } ?? [])
}
func integration(_ name: String, _ uses: [Dependency], tests: [Dependency]? = []) -> [Target] {
    module(name, in: "Sources/Integrations", uses, tests: tests)
}
func target(_ name: String, in folder: String, _ uses: [Dependency]) -> [Target] {
    [.target(name: name, dependencies: uses, path: "\(folder)/\(name)")]
}
func kit(_ name: String, _ uses: [Dependency]) -> [Target] { target(name, in: "Sources/Testing", uses) }
func support(_ name: String, _ uses: [Dependency] = []) -> [Target] { target(name, in: "Tests/Support", uses) }
func testProgram(_ name: String, _ uses: [Dependency]) -> [Target] { program(name, in: "Tests/Support/\(name)", uses) }
func program(_ name: String, in folder: String, _ uses: [Dependency]) -> [Target] {
    [.executableTarget(name: name, dependencies: uses, path: folder)]
}
func c(_ name: String, _ uses: [Dependency] = [], links: [String] = [], excludes: [String] = []) -> [Target] {
    let (path, links) = ("Sources/C/\(name)", links.map { LinkerSetting.linkedLibrary($0) })
    return [.target(name: "CCalotype\(name)", dependencies: uses, path: path, exclude: excludes, linkerSettings: links)]
}
/// The module map of a library, and the C that uses it.
func library(
    _ name: String, uses: [Dependency] = [], links: [String], pkgConfig: String, apt: String, brew: String
) -> [Target] {
    let uses = uses + [.target(name: "CCalotypeLib\(name)")]
    return system(name, pkgConfig: pkgConfig, apt: apt, brew: brew) + c(name, uses, links: links)
}
func system(_ name: String, pkgConfig: String, apt: String, brew: String) -> [Target] {
    let (path, providers) = ("Sources/C/System/\(name)", [SystemPackageProvider.apt([apt]), .brew([brew])])
    return [.systemLibrary(name: "CCalotypeLib\(name)", path: path, pkgConfig: pkgConfig, providers: providers)]
}
func on(_ platforms: [Platform], _ targets: String...) -> [Dependency] {
    targets.map { .target(name: $0, condition: .when(platforms: platforms)) }
}

extension Dependency {
    static var gtk: Self { .target(name: "CCalotypeLibGTK", condition: .when(traits: ["GTK"])) }
    static var hiredis: Self { .target(name: "CCalotypeLibHiredis", condition: .when(traits: ["Redis"])) }
    static var httpTypes: Self { .product(name: "HTTPTypes", package: "swift-http-types") }
    static var heap: Self { .product(name: "HeapModule", package: "swift-collections") }
    static var deque: Self { .product(name: "DequeModule", package: "swift-collections") }
    static var log: Self { .product(name: "Logging", package: "swift-log") }
    static var inMemoryLog: Self { .product(name: "InMemoryLogging", package: "swift-log") }
    static var metrics: Self { .product(name: "CoreMetrics", package: "swift-metrics") }
    static var metricsTestKit: Self { .product(name: "MetricsTestKit", package: "swift-metrics") }
    static var combine: Self { .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])) }
    static var argumentParser: Self { .product(name: "ArgumentParser", package: "swift-argument-parser") }
}
