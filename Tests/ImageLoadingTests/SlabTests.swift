import Testing

@testable import ImageLoading

@Suite struct Slabs {
    @Test func anIDIsNeverValidAgainHoweverManyComeAndGo() {
        var slab = Slab<Int>()
        var gone: [SlabID] = []
        for count in [1000, 10, 1000] {
            let ids = (0..<count).map { slab.insert($0) }
            #expect(ids.allSatisfy { slab.contains($0) } && ids.map { slab[$0] } == Array(0..<count))
            #expect(!gone.contains { slab.contains($0) })
            for id in ids { slab.end(id) }
            gone += ids
        }
        #expect(slab.count == 0 && slab.ids.isEmpty)
    }

    @Test func aBurstGivesItsMemoryBack() {
        var slab = Slab<Int>()
        let ids = (0..<1000).map { slab.insert($0) }
        #expect(slab.slotCount == 1000)
        for id in ids { #expect(slab.remove(id) != nil) }
        #expect(slab.slotCount == 0)
    }
}
