// swift-tools-version: 6.2
import PackageDescription

// Apple's frameworks as far as Calotype uses them, so that its sources for them can be type-checked and their logic run
// where the frameworks are missing. A package of its own: modules of these names must never be seen by the main one.
// The sources themselves are the main package's, through the links in Shared.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "AppleStubs",
    platforms: [.macOS(.v13)],
    dependencies: [.package(url: "https://github.com/apple/swift-http-types", from: "1.3.0")],
    targets: [
        .target(name: "CoreGraphics"),
        .target(name: "UIKit", dependencies: ["CoreGraphics"]),
        .target(name: "AppKit", dependencies: ["CoreGraphics"]),
        .target(name: "SwiftUI", dependencies: ["CoreGraphics"]),
        .target(
            name: "ImageCore", dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")], path: "Shared/ImageCore",
            swiftSettings: strict),
        .target(
            name: "ImageTargets",
            dependencies: [
                "ImageCore", "CoreGraphics", "UIKit", "AppKit", "SwiftUI",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Shared/ImageTargets", swiftSettings: strict),
        .target(name: "CCalotypeLoopbackTLS", path: "Shared/CCalotypeLoopbackTLS"),
        .target(name: "CalotypeThreads", path: "Shared/CalotypeThreads", swiftSettings: strict),
        .target(
            name: "LoopbackHTTP", dependencies: ["CalotypeThreads", "CCalotypeLoopbackTLS"], path: "Shared/LoopbackHTTP",
            swiftSettings: strict),
        .target(
            name: "CalotypeTesting",
            dependencies: [
                "ImageCore", "ImageTargets", "LoopbackHTTP", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Shared/CalotypeTesting", swiftSettings: strict),
        // Testing has overlays for the real frameworks, which stubs do not need.
        .testTarget(
            name: "AppleTargetsTests",
            dependencies: ["ImageCore", "ImageTargets", "CalotypeTesting", "CoreGraphics", "UIKit", "AppKit", "SwiftUI"],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]),
    ]
)
