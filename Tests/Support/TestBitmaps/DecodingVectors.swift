package import ImageCore
import ProjectFiles

/// The results of other programs in Tests/Fixtures/Generators: decoding-vectors.py is an independent implementation,
/// and published-hashes.py uses the authors' own.
package enum DecodingVectors {
    /// Returns the fields of the lines of a kind.
    package static func lines(_ kind: String, of file: String = "decoding-vectors.txt") -> [[String]] {
        let text = (try? String(contentsOf: ProjectFiles.fixtures.appending(path: file), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }.filter { $0.first == kind }
            .map { Array($0.dropFirst()) }
    }

    package static func numbers(_ text: String) -> [Int] { text.split(separator: ",").compactMap { Int($0) } }

    /// Makes the image of the hashes.
    package static func sample(_ width: Int, _ height: Int, isTransparent: Bool) throws -> Bitmap {
        try bitmap(width, height, alpha: isTransparent ? .straight : .opaque) { x, y in
            let alpha = isTransparent ? (x * 255 / max(1, width - 1) + y * 3) % 256 : 255
            return [
                UInt8((x * 9 + y * 4) % 256), UInt8((y * 191 / max(1, height - 1) + x * x) % 256),
                UInt8((x * y * 7 + x * 5) % 256),
                UInt8(alpha),
            ]
        }
    }
}
