// swift-tools-version: 6.2
import PackageDescription

// Views of SwiftUI, UIKit and AppKit, for Xcode. `make check-apple` type-checks them on other systems.
let package = Package(
    name: "AppleGallery",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "AppleGallery", targets: ["AppleGallery"])],
    dependencies: [.package(name: "Calotype", path: "../..")],
    targets: [.target(name: "AppleGallery", dependencies: [.product(name: "Calotype", package: "Calotype")])]
)
