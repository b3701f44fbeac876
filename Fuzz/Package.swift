// swift-tools-version: 6.2
import PackageDescription

/// Fuzzing of the decoders and of the disk cache: a package of its own, for its flags may not be part of one that others depend on.
/// `make fuzz` builds and runs it.
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
