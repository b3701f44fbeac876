import CalotypeSystem
import Testing

@Suite struct WholeWrites {
    /// What a call of the system does: takes some bytes, or fails with a code.
    private enum Answer {
        case takes(Int)
        case fails(Int32)
    }

    /// The bytes 1 to 9 as they were taken, each at its place, and the result.
    private func write(_ answers: [Answer]) -> (file: [UInt8], calls: Int, error: Int32?) {
        var (file, calls) = ([UInt8](), 0)
        let error = unsafe [UInt8](1...9).withUnsafeBytes { bytes in
            unsafe WholeWrite.run(bytes) { rest, written in
                defer { calls += 1 }
                switch calls < answers.count ? answers[calls] : .takes(rest.count) {
                case .takes(let count):
                    let taken = unsafe Array(rest.prefix(count))
                    file += [UInt8](repeating: 0, count: max(0, written + taken.count - file.count))
                    file.replaceSubrange(written..<written + taken.count, with: taken)
                    return taken.count
                case .fails(let code):
                    errno = code
                    return -1
                }
            }
        }
        return (file, calls, error)
    }

    @Test func aWriteThatIsCutShortGoesOnBehindTheBytesThatWereTaken() {
        let result = write([.takes(2), .takes(3)])
        #expect(result.file == [1, 2, 3, 4, 5, 6, 7, 8, 9] && result.calls == 3 && result.error == nil)
    }

    @Test(arguments: [EINTR, EAGAIN]) func anInterruptedWriteIsRepeated(_ code: Int32) {
        let result = write([.takes(4), .fails(code), .takes(1), .fails(code)])
        #expect(result.file == [1, 2, 3, 4, 5, 6, 7, 8, 9] && result.calls == 5 && result.error == nil)
    }

    @Test func aFailureEndsTheWriteWithItsCode() {
        let result = write([.takes(4), .fails(EIO)])
        #expect(result.file == [1, 2, 3, 4] && result.calls == 2 && result.error == EIO)
    }

    @Test func aWriteThatTakesNothingIsAFullDisk() {
        let result = write([.takes(0)])
        #expect(result.file.isEmpty && result.calls == 1 && result.error == ENOSPC)
    }

    @Test func noBytesNeedNoCall() {
        let error = unsafe WholeWrite.run(UnsafeRawBufferPointer(start: nil, count: 0)) { _, _ in 0 }
        #expect(error == nil)
    }
}
