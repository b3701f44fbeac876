internal import HTTPTypes
internal import ImageCore

internal import CalotypeSystem

/// Makes heads into values, and takes over from the head before what is the same: a server says most of it again and again,
/// and a field that is made anew costs far more than the comparison of its bytes.
///
/// One head is kept, as long as the loader lives: no large one, and none that hands a cookie out. For the loop's thread alone.
final class KnownHeads {
    /// A head in which every line is one field, and where each line ends.
    private final class Head {
        let bytes: [UInt8]
        let lineEnds: [Int]
        let response: HTTPResponse

        init(bytes: [UInt8], lineEnds: [Int], response: HTTPResponse) {
            (self.bytes, self.lineEnds, self.response) = (bytes, lineEnds, response)
        }
    }

    /// The most that a head which is kept may take, in bytes.
    static let largest = 8 << 10

    private var last: Head?

    /// How many bytes the head takes that is kept; 0 without one.
    var byteCount: Int { last?.bytes.count ?? 0 }

    /// The head as a value; `nil` when it has too many fields.
    func parsed(_ head: ResponseHead) -> HTTPResponse? {
        if let last, Self.isEqual(last.bytes, head.bytes) { return last.response }
        let parsed = last.flatMap { Self.changed($0, to: head.bytes) } ?? Self.parsedAnew(head)
        guard let (response, lineEnds) = parsed else { return nil }
        if let lineEnds, head.bytes.count <= Self.largest {
            last = Head(bytes: head.bytes, lineEnds: lineEnds, response: response)
        }
        return response
    }

    private static func parsedAnew(_ head: ResponseHead) -> (HTTPResponse, [Int]?)? {
        let (response, lineEnds) = head.parsedWithLines()
        return response.map { ($0, lineEnds) }
    }

    /// The value of `bytes` where it has as many lines as the known head, each of them a field, and the same status line.
    private static func changed(_ known: Head, to bytes: [UInt8]) -> (HTTPResponse, [Int]?)? {
        var response = known.response
        var lineEnds = known.lineEnds
        return unsafe known.bytes.withUnsafeBufferPointer { old in
            unsafe bytes.withUnsafeBufferPointer { new in
                var (oldStart, start) = (0, 0)
                for (line, oldEnd) in known.lineEnds.enumerated() {
                    let length = oldEnd - oldStart
                    if length <= new.count - start, unsafe isEqual(old, oldStart, new, start, length) {
                        start += length
                    } else {
                        // The first line is that of the status, the last one is empty.
                        guard 1..<known.lineEnds.count - 1 ~= line, start < new.count else { return nil }
                        let end = unsafe ResponseHead.lineEnd(in: new, from: start)
                        let text = unsafe UnsafeBufferPointer(rebasing: new[start..<end])
                        // A folded line is no field: no name begins with a blank.
                        guard let field = unsafe ResponseHead.field(text), field.name != .setCookie else { return nil }
                        response.headerFields[line - 1] = field
                        start = end + 1
                    }
                    lineEnds[line] = start
                    oldStart = oldEnd
                }
                return start == new.count ? (response, lineEnds) : nil
            }
        }
    }

    private static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        return unsafe a.withUnsafeBufferPointer { a in
            unsafe b.withUnsafeBufferPointer { b in unsafe isEqual(a, 0, b, 0, a.count) }
        }
    }

    private static func isEqual(
        _ a: UnsafeBufferPointer<UInt8>, _ aStart: Int, _ b: UnsafeBufferPointer<UInt8>, _ bStart: Int, _ count: Int
    ) -> Bool {
        guard let a = a.baseAddress, let b = b.baseAddress else { return count == 0 }
        return unsafe memcmp(a + aStart, b + bStart, count) == 0
    }
}
