// swift-tools-version: 6.2
import PackageDescription

// A data cache in one file of the system's SQLite, and its tests. Needs libsqlite3-dev on Linux.
let package = Package(
    name: "SQLiteCache",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "SQLiteCache", targets: ["SQLiteCache"])],
    dependencies: [
        .package(name: "Calotype", path: "../..")
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .target(
            name: "SQLiteCache",
            dependencies: ["CSQLite", .product(name: "ImageCore", package: "Calotype")]),
        .testTarget(
            name: "SQLiteCacheTests",
            dependencies: [
                "SQLiteCache", "CSQLite",
                .product(name: "ImageCaching", package: "Calotype"),
                .product(name: "ImageLoading", package: "Calotype"),
                .product(name: "CalotypeTesting", package: "Calotype"),
            ]),
    ]
)
