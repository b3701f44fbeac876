// swift-tools-version: 6.2
import PackageDescription

// GTK programs in Swift alone. Swift imports GTK's functions through a module map of two lines, in Sources/CGTK.
let package = Package(
    name: "GalleryGTK",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "GalleryGTK", targets: ["GalleryGTK"]),
        .executable(name: "HelloGTK", targets: ["HelloGTK"]),
        .executable(name: "AlbumGTK", targets: ["AlbumGTK"]),
    ],
    dependencies: [
        // The trait adds GTK to Calotype.
        .package(name: "Calotype", path: "../..", traits: ["GTK"])
    ],
    targets: [
        .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        // An image viewer: `make gallery`.
        .executableTarget(
            name: "GalleryGTK",
            dependencies: [
                "CGTK",
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "ImageTargetsGTK", package: "Calotype"),
                .product(name: "LoopbackHTTP", package: "Calotype"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // The programs of docs/GettingStarted.md, docs/TargetsGTK.md and docs/TutorialGTK.md.
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
