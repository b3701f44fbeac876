// swift-tools-version: 6.2
import PackageDescription

// Measurements beside other libraries and tools. It is a separate package, so that users of Calotype do not build it.
// `make bench` and `make bench-instructions` build and run it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Calotype", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
    ],
    targets: [
        // All suites.
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CBenchmarks", "InstantPlugIns", .calotype("Calotype"), .calotype("ImageKernels"), .calotype("CalotypeTesting"),
                .calotype("LoopbackHTTP"), .calotype("ImageNetworkingFoundation"), .calotype("ProcessorParsing"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        // The program of `make bench-instructions`: the engine alone, started from a synchronous `main`, which valgrind
        // needs.
        .executableTarget(
            name: "Instructions",
            dependencies: ["InstantPlugIns", .calotype("ImageCaching"), .calotype("ImageCore"), .calotype("ImageLoading")]),
        .target(name: "InstantPlugIns", dependencies: [.calotype("ImageCore")]),

        // Programs that run in separate processes, because the cost of a process includes its start, and libcurl is set
        // up once per process.
        .executableTarget(
            name: "DecodeOnce", dependencies: [.calotype("ImageCodecs"), .calotype("ImageCore"), .calotype("ImageDecoding")]),
        .executableTarget(name: "BareLoop", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "URLSessionPeer", dependencies: [.calotype("ImageCore"), .calotype("ImageNetworkingFoundation")]),

        // The codecs' own libraries called from C, and the memory of the allocator.
        .target(
            name: "CBenchmarks",
            linkerSettings: ["jpeg", "png", "webp", "avif"].map { .linkedLibrary($0) }),

        .testTarget(name: "BenchmarksTests", dependencies: ["Benchmarks"]),
    ],
    cLanguageStandard: .c17
)

for target in package.targets where !["BareLoop", "CBenchmarks"].contains(target.name) {
    target.swiftSettings = [
        .swiftLanguageMode(.v6), .strictMemorySafety(), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}

extension Target.Dependency {
    static func calotype(_ product: String) -> Self { .product(name: product, package: "Calotype") }
}
