import Testing

@testable import ImageCore

@Suite struct ChunkLists {
    private func chunk(_ byte: UInt8, _ count: Int = 1) -> Data { Data(repeating: byte, count: count) }

    @Test func chunksAreRemovedInTheOrderInWhichTheyWereAppended() {
        var list = ChunkList(chunk(1, 10))
        list.append(.data(chunk(2, 20)))
        list.append(.data(chunk(3, 30)))
        #expect(list.count == 3)
        #expect(list.byteCount == 60)
        var removed = [list.removeFirst()?.data]
        list.append(.data(chunk(4, 40)))
        while let next = list.removeFirst() { removed.append(next.data) }
        #expect(removed == [chunk(1, 10), chunk(2, 20), chunk(3, 30), chunk(4, 40)])
        #expect(list.isEmpty)
        #expect(list.byteCount == 0)
    }

    @Test(arguments: [0, 1, 3], [0, 1, 3])
    func aListCanBeMovedToTheEndOfAnother(_ there: Int, _ here: Int) {
        var (list, others) = (ChunkList(), ChunkList())
        for byte in 0..<there { list.append(.data(chunk(UInt8(byte)))) }
        for byte in 0..<here { others.append(.data(chunk(UInt8(there + byte)))) }
        list.append(movingFrom: &others)
        #expect(others.isEmpty)
        #expect(others.byteCount == 0)
        #expect(list.count == there + here)
        #expect(list.byteCount == there + here)
        var removed: [UInt8] = []
        while let next = list.removeFirst() { removed += next.data }
        #expect(removed == (0..<UInt8(there + here)).map { $0 })
    }

    @Test func memoryBecomesDataWhenItIsRead() {
        final class Memory: BodyMemory {
            let count = 3
            let conversions = Lock(0)
            func makeData() -> Data {
                conversions.withLock { $0 += 1 }
                return Data([1, 2, 3])
            }
        }
        let memory = Memory()
        var list = ChunkList()
        list.append(.memory(memory))
        #expect(list.byteCount == 3)
        let chunk = list.removeFirst()
        #expect(memory.conversions.withLock { $0 } == 0)
        #expect(chunk?.data == Data([1, 2, 3]))
        #expect(memory.conversions.withLock { $0 } == 1)
    }
}
