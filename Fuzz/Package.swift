// swift-tools-version: 6.2
import PackageDescription

/// Fuzzes the decoders and the disk cache. It is a separate package, because other packages may not depend on one with
/// its unsafe flags. `make fuzz` builds and runs it.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Calotype", path: "..")],
    targets: [
        .target(name: "CFuzzDriver"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CFuzzDriver",
                .product(name: "ImageCaching", package: "Calotype"),
                .product(name: "ImageCore", package: "Calotype"),
                .product(name: "ImageCodecs", package: "Calotype"),
                .product(name: "ImageDecoding", package: "Calotype"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]),
    ],
    cLanguageStandard: .c17
)
