import ImageCore
import Testing

@testable import ImageNetworkingCurl

extension BodyBuffer {
    fileprivate func fill() {
        let bytes = [UInt8](repeating: 1, count: BodyBuffers.length + 1)
        let rest = unsafe bytes.withUnsafeBytes { unsafe append($0).count }
        #expect(rest == 1)
    }
}

@Suite struct BuffersOfBodies {
    @Test func areReused() {
        let buffers = BodyBuffers()
        let buffer = buffers.take()
        let first = ObjectIdentifier(buffer)
        buffer.fill()
        #expect(buffer.chunk.data.count == BodyBuffers.length)
        let again = buffers.take()
        #expect(ObjectIdentifier(again) == first)
        #expect(again.count == 0)
    }

    @Test func areFreedWithTheirLoop() {
        weak var gone: BodyBuffers?
        var late: Data?
        do {
            let buffers = BodyBuffers()
            gone = buffers
            for isKept in [true, false] {
                let buffer = buffers.take()
                buffer.fill()
                let data = buffer.chunk.data
                if isKept { late = data }
            }
            buffers.close()
        }
        // Only the buffer that is still in use keeps the pool alive.
        #expect(late?.count == BodyBuffers.length)
        late = nil
        #expect(gone == nil)
    }
}
