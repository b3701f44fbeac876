import ImageCore
import Testing

@testable import ImageCaching

@Suite struct DiskUsageTests {
    private let limits = DiskCache.Limits(maximumBytes: 1_000, minimumBytes: 0, maximumCount: 10, timeToLive: .seconds(100))

    /// A usage whose folders were all counted; only folder 0 has entries.
    private func counted(_ count: Int, bytes: Int64, oldestWrite: Double = .infinity) -> DiskUsage {
        var usage = DiskUsage()
        usage.beginCount()
        for folder in UInt8.min ... .max {
            let totals = folder == 0 ? DiskUsage.Totals(count: count, bytes: bytes) : DiskUsage.Totals()
            usage.setFolder(folder, to: totals, oldestWrite: oldestWrite)
        }
        return usage
    }

    private func use(_ number: UInt64, bytes: Int64, lastUse: Double) -> DiskUsage.Use {
        DiskUsage.Use(name: name(number), bytes: bytes, lastUse: lastUse)
    }

    private func name(_ number: UInt64) -> EntryName {
        let text = number.hexDigits
        return EntryName(folder: 0, fileName: String(repeating: "0", count: 62 - text.count) + text)!
    }

    private func evicted(_ uses: [DiskUsage.Use], _ limits: DiskCache.Limits) -> [EntryName] {
        DiskUsage.evictions(from: uses, limits: limits).map(\.name)
    }

    @Test func aUsageIsCountedWhenAllFoldersAre() {
        var usage = DiskUsage()
        #expect(!usage.isCounted && usage.needsCount(limits, now: 0))
        for folder in UInt8.min ..< .max { usage.setFolder(folder, to: .init(count: 1, bytes: 2)) }
        #expect(!usage.isCounted && usage.total == .init(count: 255, bytes: 510))
        usage.setFolder(.max, to: .init())
        #expect(usage.isCounted)
    }

    @Test func changesInFoldersThatAreNotCountedDoNotCountTwice() {
        var usage = DiskUsage()
        usage.change(7, from: nil, to: 100)
        usage.setFolder(7, to: .init(count: 1, bytes: 100))
        #expect(usage.total == .init(count: 1, bytes: 100))
        usage.change(7, from: 100, to: 80)
        usage.change(7, from: nil, to: 5)
        #expect(usage.total == .init(count: 2, bytes: 85))
        usage.change(7, from: 80, to: nil)
        #expect(usage.total == .init(count: 1, bytes: 5))
    }

    @Test func removingWhatAnotherProcessStoredSinceTheCountLeavesNoNegativeSums() {
        var usage = counted(0, bytes: 0)
        usage.change(0, from: 100, to: nil)
        usage.change(0, from: .max, to: 7)
        #expect(usage.total == .init(count: 0, bytes: 0))
        #expect(!usage.needsCount(.init(maximumBytes: .max), now: 0))
    }

    @Test func aFolderThatIsCountedAgainReplacesWhatWasKnown() {
        var usage = counted(3, bytes: 30)
        usage.setFolder(0, to: .init(count: 1, bytes: 7))
        #expect(usage == counted(1, bytes: 7))
    }

    @Test func entriesAreCountedAgainWhenOtherProcessesMayHaveFilledTheRoom() {
        var usage = counted(0, bytes: 0)
        usage.change(0, from: nil, to: 200)
        #expect(!usage.needsCount(limits, now: 0))
        usage.change(0, from: nil, to: 1)
        #expect(usage.needsCount(limits, now: 0))
        var many = counted(0, bytes: 0)
        for _ in 0..<2 { many.change(0, from: nil, to: 1) }
        #expect(!many.needsCount(limits, now: 0))
        many.change(0, from: nil, to: 1)
        #expect(many.needsCount(limits, now: 0))
    }

    @Test func entriesOfAFullCacheAreCountedAgainAfterASixteenthOfALimit() {
        var usage = counted(1, bytes: 990)
        usage.change(0, from: 62, to: 62)
        #expect(!usage.needsCount(limits, now: 0))
        usage.change(0, from: 1, to: 1)
        #expect(usage.needsCount(limits, now: 0))
        usage.beginCount()
        #expect(!usage.needsCount(limits, now: 0))
    }

    @Test func entriesThatExceedALimitAreCountedOnlyAfterAWrite() {
        var usage = counted(1, bytes: 1_001)
        #expect(usage.isOver(limits) && !usage.needsCount(limits, now: 0))
        usage.change(9, from: nil, to: 1)
        #expect(usage.needsCount(limits, now: 0))
        #expect(counted(11, bytes: 1).isOver(limits) && !counted(10, bytes: 1_000).isOver(limits))
    }

    @Test func entriesAreCountedAgainWhenTheOldestExpires() {
        let usage = counted(1, bytes: 1, oldestWrite: 50)
        #expect(!usage.needsCount(limits, now: 150) && usage.needsCount(limits, now: 150.1))
        var later = counted(1, bytes: 1)
        #expect(!later.needsCount(limits, now: 1e9))
        later.change(0, from: nil, to: 1, at: 50)
        #expect(later.needsCount(limits, now: 151))
    }

    @Test func theLeastRecentlyUsedAreEvictedUntilAFifthIsFree() {
        let uses = [use(1, bytes: 300, lastUse: 4), use(2, bytes: 300, lastUse: 1), use(3, bytes: 450, lastUse: 3)]
        #expect(evicted(uses, limits) == [name(2)])
        #expect(evicted(uses.map { use($0.name.words[3], bytes: 333, lastUse: $0.lastUse) }, limits) == [])
        let many = (1...11).map { use($0, bytes: 1, lastUse: -Double($0)) }
        #expect(evicted(many, limits) == [name(11), name(10), name(9)])
    }

    @Test func theMostRecentlyUsedEntryStaysIfItFits() {
        let uses = [use(1, bytes: 900, lastUse: 2), use(2, bytes: 200, lastUse: 1)]
        #expect(evicted(uses, limits) == [name(2)])
        #expect(evicted([use(1, bytes: 1_001, lastUse: 1)], limits) == [name(1)])
        let none = DiskCache.Limits(maximumBytes: 1_000, minimumBytes: 0, maximumCount: 0)
        #expect(evicted([use(1, bytes: 1, lastUse: 1)], none) == [name(1)])
    }

    @Test func namesAreReadBackFromTheirFiles() {
        for key in [dataKey("a"), dataKey("b", variant: "x")] {
            let name = EntryName(key)
            #expect(EntryName(folder: name.folder, fileName: name.fileName) == name)
            #expect(EntryName.folderName(name.folder) + name.fileName == key.digest && name.text == key.digest)
        }
        let digits = String(repeating: "0a", count: 31)
        #expect(EntryName(folder: 1, fileName: digits) != nil)
        for text in [
            "", "0", digits + "0", String(digits.dropLast()), digits.uppercased(), "g" + digits.dropFirst(),
            "é" + digits.dropFirst(2),
        ] {
            #expect(EntryName(folder: 1, fileName: text) == nil)
        }
    }
}

/// The format that `EntryFile` documents.
@Suite struct EntryFileTests {
    @Test func aSampleHasTheDocumentedBytes() throws {
        let key = DataKey(resource: ResourceKey("https://example.org/a"))
        let head: [UInt8] = [200, 0, 0, 0]
        let file = EntryFile(name: EntryName(key), head: head, body: Data("body".utf8))
        let bytes = file.prefix(head: head, storedAt: 1)
        #expect(bytes.count == 192 && file.slotSize == 64 && file.length == 196)
        #expect(Array(bytes[..<8]) == Array("CALOIMG2".utf8))
        let words = unsafe bytes.withUnsafeBytes { bytes in
            (0..<4).map { unsafe bytes.littleEndian(at: 8 + 8 * $0, as: UInt64.self).hexDigits }
        }
        #expect(words.joined() == key.digest)
        #expect(Array(bytes[40..<48]) == [4, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(bytes[56..<60]) == [64, 0, 0, 0])
        #expect(Array(bytes[72..<92]) == [1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f] + head)
        #expect(bytes[92...].allSatisfy { $0 == 0 })
        #expect(EntryFile(bytes, name: EntryName(key), fileSize: 196) == file)
        #expect(EntryFile(bytes, name: EntryName(dataKey("b")), fileSize: 196) == nil)
        #expect(EntryFile(bytes, name: EntryName(key), fileSize: 195) == nil)
    }

    @Test func slotsHaveRoomForHeadersHalfAsLongAgain() {
        for (count, size) in [(4, 64), (19, 64), (20, 128), (300, 512), (1 << 20, 1_572_928)] {
            let file = EntryFile(name: EntryName(dataKey("a")), head: [UInt8](repeating: 0, count: count), body: Data())
            #expect(file.slotSize == size)
        }
    }
}
