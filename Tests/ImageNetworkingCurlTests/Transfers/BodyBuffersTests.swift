import ImageCore
import Testing

@testable import ImageNetworkingCurl

@Suite struct BuffersOfBodies {
    @Test func areUsedAgain() {
        let buffers = BodyBuffers()
        let buffer = buffers.take()
        let first = ObjectIdentifier(buffer)
        buffer.filled(BodyBuffers.length)
        #expect(buffer.chunk.data.count == BodyBuffers.length)
        let again = buffers.take()
        #expect(ObjectIdentifier(again) == first)
        #expect(again.count == 0)
    }

    @Test func goWithTheirLoop() {
        weak var gone: BodyBuffers?
        var late: Data?
        do {
            let buffers = BodyBuffers()
            gone = buffers
            for isKept in [true, false] {
                let buffer = buffers.take()
                buffer.filled(BodyBuffers.length)
                let data = buffer.chunk.data
                if isKept { late = data }
            }
            buffers.close()
        }
        // The buffer that is still read keeps its home, and nothing after it.
        #expect(late?.count == BodyBuffers.length)
        late = nil
        #expect(gone == nil)
    }
}
