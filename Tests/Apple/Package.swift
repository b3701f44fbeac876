// swift-tools-version: 6.2
import PackageDescription

// Stubs of the parts of Apple's frameworks that Calotype uses. With them, the sources for Apple's platforms can be
// type-checked and their logic tested on Linux. This is a separate package, since the main package must not see modules
// of these names. It compiles the main package's sources through the links in Shared.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

/// A target with the sources of the main package's module of that name.
func shared(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Shared/\(name)", swiftSettings: strict)
}

let package = Package(
    name: "AppleStubs",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    ],
    targets: [
        .target(name: "os"),
        .target(name: "Network"),
        .target(name: "CoreGraphics"),
        .target(name: "ImageIO", dependencies: ["CoreGraphics"]),
        .target(name: "UIKit", dependencies: ["CoreGraphics"]),
        .target(name: "WatchKit", dependencies: ["UIKit"]),
        .target(name: "AppKit", dependencies: ["CoreGraphics", "QuartzCore"]),
        .target(name: "Combine"),
        .target(name: "QuartzCore", dependencies: ["CoreGraphics"]),
        .target(name: "SwiftUI", dependencies: ["CoreGraphics", "Combine"]),

        shared("CalotypeSystem", ["os"]),
        shared("ImageCore", ["CalotypeSystem", httpTypes, "os", "CoreGraphics"]),
        .target(name: "CCalotypeKernels", path: "Shared/CCalotypeKernels"),
        shared("ImageKernels", ["ImageCore", "CalotypeSystem", "CCalotypeKernels"]),
        .target(name: "CCalotypeDiskIO", path: "Shared/CCalotypeDiskIO"),
        shared("ImageCaching", ["ImageCore", "CalotypeSystem", "CCalotypeDiskIO", httpTypes, heap, "UIKit", "os"]),
        shared("ImageNetworkingFoundation", ["ImageCore", "CalotypeSystem", "ImageNetworking", httpTypes]),
        shared("ImageDecoding", ["ImageCore", "ImageKernels", "CalotypeSystem"]),
        shared("ImageDecodingApple", ["ImageCore", "ImageKernels", "ImageDecoding", "CoreGraphics", "ImageIO"]),
        shared("ImageProcessing", ["ImageCore", "CalotypeSystem", "ImageKernels"]),
        shared("ImageTargets", ["ImageCore", "ImageKernels", "ImageProcessing", httpTypes]),
        shared("ImageLoading", ["ImageCore", "ImageKernels", "CalotypeSystem", httpTypes, heap, deque, "os"]),
        .target(name: "CCalotypeSockets", path: "Shared/CCalotypeSockets"),
        shared("ImageNetworking", ["ImageCore", "CalotypeSystem", "CCalotypeSockets", httpTypes, "Network"]),
        shared(
            "Calotype",
            [
                "ImageCore", "ImageLoading", "ImageNetworking", "ImageNetworkingFoundation", "ImageCaching", "ImageDecoding",
                "ImageDecodingApple", "ImageProcessing", "ImageTargets", "CoreGraphics", "ImageIO", "UIKit", "WatchKit", "AppKit",
                "QuartzCore", "SwiftUI", "Combine",
            ]),
        // Draws what the views of an example show, as images for the guide.
        shared("AppleGallery", ["Calotype", "UIKit", "AppKit", "SwiftUI"]),
        .executableTarget(
            name: "AppleRecorder", dependencies: ["AppleGallery", "CalotypeTesting", "ImageCore", "UIKit"],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        shared("LoopbackHTTP", ["CalotypeSystem", "ImageCore"]),
        shared("CalotypeTesting", ["ImageCore", "CalotypeSystem", "ImageTargets", "LoopbackHTTP", httpTypes]),
        // Testing's overlays need the real frameworks.
        .testTarget(
            name: "AppleTargetsTests",
            dependencies: [
                "ImageCore", "ImageTargets", "ImageLoading", "ImageCaching", "ImageDecodingApple", "ImageNetworking", "Calotype",
                "CalotypeTesting", "AppleGallery", "CoreGraphics", "ImageIO", "UIKit", "WatchKit", "AppKit", "QuartzCore",
                "SwiftUI", "Network", "os",
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]),
    ],
    cLanguageStandard: .c17
)
