// swift-tools-version: 6.2
import PackageDescription

// A laboratory for Calotype in GTK 4: `make lab`. LabModel has what the screens do, without a display; Lab has the
// widgets.
let package = Package(
    name: "Lab",
    platforms: [.macOS(.v13)],
    products: [.executable(name: "Lab", targets: ["Lab"])],
    dependencies: [
        // The trait adds GTK to Calotype.
        .package(name: "Calotype", path: "../..", traits: ["GTK"])
    ],
    targets: [
        .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        .target(
            name: "LabModel",
            dependencies: [
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "LoopbackHTTP", package: "Calotype"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Lab",
            dependencies: [
                "CGTK", "LabModel",
                .product(name: "Calotype", package: "Calotype"),
                .product(name: "ImageTargetsGTK", package: "Calotype"),
            ],
            resources: [.embedInCode("Layout")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "LabModelTests",
            dependencies: ["LabModel", .product(name: "Calotype", package: "Calotype")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
