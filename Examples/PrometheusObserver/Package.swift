// swift-tools-version: 6.2
import PackageDescription

// An observer that counts loads for Prometheus: docs/PlugInObserver.md.
let package = Package(
    name: "PrometheusObserver",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "PrometheusObserver", targets: ["PrometheusObserver"])],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .target(name: "PrometheusObserver", dependencies: [.product(name: "ImageCore", package: "Calotype")]),
        .testTarget(
            name: "PrometheusObserverTests",
            dependencies: [
                "PrometheusObserver",
                .product(name: "ImageLoading", package: "Calotype"),
                .product(name: "CalotypeTesting", package: "Calotype"),
            ]),
    ]
)
