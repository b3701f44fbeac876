import ImageCore

/// The developers' picture corpus: files, and a reference of what each shows. Its README explains the fields.
struct Corpus {
    /// What the reference says of one file.
    struct Entry: Decodable {
        let expected: String
        let w: Int?, h: Int?, ow: Int?, oh: Int?
        let alpha: Bool?
        let tol: Double?
        let grid: [Double]?, grid_alt: [Double]?, grid_o: [Double]?, grid_srgb: [Double]?
        let advisory: Bool?
        let orient: Int?
        let dwebp_rgba_sha256: String?
        let frames: Int?
        let durations_ms: [Double]?
        let loop: Int?
        let fgrid4: [Frame]?
        let default_separate: Bool?

        private enum CodingKeys: String, CodingKey {
            case expected, w, h, ow, oh, alpha, tol, grid, grid_alt, grid_o, grid_srgb, advisory, orient
            case dwebp_rgba_sha256, frames, durations_ms, loop, fgrid4, default_separate
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            func optional<T: Decodable>(_ key: CodingKeys) -> T? { try? values.decode(T.self, forKey: key) }
            expected = try values.decode(String.self, forKey: .expected)
            (w, h, ow, oh) = (optional(.w), optional(.h), optional(.ow), optional(.oh))
            alpha = optional(.alpha)
            tol = optional(.tol)
            (grid, grid_alt, grid_o, grid_srgb) = (optional(.grid), optional(.grid_alt), optional(.grid_o), optional(.grid_srgb))
            // Either a flag or the reason.
            advisory = values.contains(.advisory)
            orient = optional(.orient)
            dwebp_rgba_sha256 = optional(.dwebp_rgba_sha256)
            frames = optional(.frames)
            durations_ms = optional(.durations_ms)
            loop = optional(.loop)
            fgrid4 = optional(.fgrid4)
            default_separate = optional(.default_separate)
        }
    }

    /// A frame's number and its 4×4 grid of red, green, blue and alpha.
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

    /// Where the corpus lies: `CALOTYPE_CORPUS`, or beside the repository; `nil` where it is not.
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

    func data(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: root + "/" + path)) }
}
