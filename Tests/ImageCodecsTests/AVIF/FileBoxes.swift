import ImageCore
import ProjectFiles

@testable import ImageCodecs

/// Parses and edits files of boxes (ISO/IEC 14496-12).
enum FileBoxes {
    /// Returns a seed file of the fuzzer.
    static func seed(_ path: String) -> Data {
        (try? Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: path))) ?? Data()
    }

    static func box(_ type: String, _ content: Data) -> Data {
        big(content.count + 8, 4) + Data(type.utf8) + content
    }

    /// Returns the boxes with changed content of those at a path.
    static func edit(_ boxes: Data, _ path: [String], _ change: (Data) -> Data) -> Data {
        ISOBoxes(boxes).reduce(Data()) { result, next in
            guard next.type == path.first else { return result + box(next.type, next.content) }
            return result
                + box(next.type, path.count == 1 ? change(next.content) : edit(next.content, Array(path.dropFirst()), change))
        }
    }

    /// Returns the bytes of a number, the highest first.
    static func big(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}

extension Data {
    /// Returns the range of a box's content, by the types of the boxes around it.
    func range(of path: String...) -> Range<Int>? {
        var content = self[...]
        for type in path {
            guard let found = ISOBoxes.first(type, in: content) else { return nil }
            content = found
        }
        return content.startIndex..<content.endIndex
    }
}
