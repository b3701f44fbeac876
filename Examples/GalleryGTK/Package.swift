// swift-tools-version: 6.2
import PackageDescription

// A window of thousands of pictures. The trait brings GTK in; the window's own furniture is a little C, since GTK's macros
// cannot be called from Swift.
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
