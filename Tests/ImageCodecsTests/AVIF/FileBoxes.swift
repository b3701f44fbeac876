import ImageCore
import ProjectFiles

@testable import ImageCodecs

/// Files of boxes (ISO/IEC 14496-12), taken apart and put together.
enum FileBoxes {
    /// A file that fuzzing begins with.
    static func seed(_ path: String) -> Data {
        (try? Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: path))) ?? Data()
    }

    static func box(_ type: String, _ content: Data) -> Data {
        big(content.count + 8, 4) + Data(type.utf8) + content
    }

    /// Boxes of which those that a path leads to have another content.
    static func edit(_ boxes: Data, _ path: [String], _ change: (Data) -> Data) -> Data {
        ISOBoxes(boxes).reduce(Data()) { result, next in
            guard next.type == path.first else { return result + box(next.type, next.content) }
            return result
                + box(next.type, path.count == 1 ? change(next.content) : edit(next.content, Array(path.dropFirst()), change))
        }
    }

    /// A number, the highest byte first.
    static func big(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}

extension Data {
    /// Where the content of a box lies, which the types of those around it lead to.
    func range(of path: String...) -> Range<Int>? {
        var content = self[...]
        for type in path {
            guard let found = ISOBoxes.first(type, in: content) else { return nil }
            content = found
        }
        return content.startIndex..<content.endIndex
    }
}
