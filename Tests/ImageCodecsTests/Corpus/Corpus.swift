import ImageCore

/// The developers' corpus of images, with a reference for each file. Its README explains the fields.
struct Corpus {
    /// The reference of one file.
    struct Entry: Decodable {
        let expected: String
        let width: Int?, height: Int?
        let uprightWidth: Int?, uprightHeight: Int?
        let tolerance: Double?
        let grid: [Double]?, otherGrid: [Double]?, uprightGrid: [Double]?, sRGBGrid: [Double]?
        /// Damaged, or decoded differently by several decoders: a difference is no failure.
        let isAdvisory: Bool
        let webpDigest: String?
        let frames: Int?
        let milliseconds: [Double]?
        let loop: Int?
        let frameGrids: [Frame]?

        private enum CodingKeys: String, CodingKey {
            case expected, advisory, grid, frames, loop
            case width = "w"
            case height = "h"
            case uprightWidth = "ow"
            case uprightHeight = "oh"
            case tolerance = "tol"
            case otherGrid = "grid_alt"
            case uprightGrid = "grid_o"
            case sRGBGrid = "grid_srgb"
            case webpDigest = "dwebp_rgba_sha256"
            case milliseconds = "durations_ms"
            case frameGrids = "fgrid4"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            func optional<T: Decodable>(_ key: CodingKeys) -> T? { try? values.decode(T.self, forKey: key) }
            expected = try values.decode(String.self, forKey: .expected)
            (width, height) = (optional(.width), optional(.height))
            (uprightWidth, uprightHeight) = (optional(.uprightWidth), optional(.uprightHeight))
            tolerance = optional(.tolerance)
            (grid, otherGrid) = (optional(.grid), optional(.otherGrid))
            (uprightGrid, sRGBGrid) = (optional(.uprightGrid), optional(.sRGBGrid))
            isAdvisory = values.contains(.advisory)
            webpDigest = optional(.webpDigest)
            (frames, milliseconds, loop) = (optional(.frames), optional(.milliseconds), optional(.loop))
            frameGrids = optional(.frameGrids)
        }
    }

    /// The number of a frame, and its 4×4 grid of red, green, blue and alpha.
    struct Frame: Decodable {
        let index: Int
        let grid: [Double]

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            index = try values.decode(Int.self)
            grid = try values.decode([Double].self)
        }
    }

    let root: String
    let entries: [(path: String, entry: Entry)]

    /// The folder of the corpus: `CALOTYPE_CORPUS`, or a folder beside the repository; `nil` when there is none.
    static let root: String? = {
        let path = environment("CALOTYPE_CORPUS") ?? "../shared/corpus"
        return FileManager.default.fileExists(atPath: path + "/reference.json") ? path : nil
    }()

    init(root: String) throws {
        self.root = root
        let reference = try Data(contentsOf: URL(filePath: root + "/reference.json"))
        entries = try JSONDecoder().decode([String: Entry].self, from: reference).map { ($0.key, $0.value) }
            .sorted { $0.0 < $1.0 }
    }

    func data(_ path: String) throws -> Data {
        // `Data(contentsOf:)` leaks its buffer for an empty file.
        if isEmptyFile(root + "/" + path) { return Data() }
        return try Data(contentsOf: URL(filePath: root + "/" + path))
    }
}
