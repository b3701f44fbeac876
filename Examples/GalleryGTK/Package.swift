// swift-tools-version: 6.2
import PackageDescription

// A GTK window with thousands of images. The trait adds GTK to Calotype. The window itself is written in C, since Swift cannot call
// GTK's macros.
let package = Package(
    name: "GalleryGTK",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Calotype", path: "../..", traits: ["GTK"])
    ],
    targets: [
        .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .target(name: "CGallery", dependencies: ["CGTK"]),
        .executableTarget(
            name: "GalleryGTK",
            dependencies: [
                "CGallery",
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "ImageTargetsGTK", package: "Calotype"),
                .product(name: "LoopbackHTTP", package: "Calotype"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // The programs of docs/GettingStarted.md and docs/TutorialGTK.md.
        .executableTarget(
            name: "HelloGTK",
            dependencies: [
                "CGTK",
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "ImageTargetsGTK", package: "Calotype"),
            ]),
        .executableTarget(
            name: "AlbumGTK",
            dependencies: [
                "CGTK",
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "ImageTargetsGTK", package: "Calotype"),
            ]),
    ]
)
