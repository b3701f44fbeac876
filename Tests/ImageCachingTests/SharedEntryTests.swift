import ImageCore
import Testing

@testable import ImageCaching

@Suite struct SharedEntryTests {
    @Test func anEntryIsDecodedOnlyUnderItsName() throws {
        let stored = entry(1)
        let bytes = try #require(SharedEntry.encode(stored, name: "a"))
        let found = unsafe bytes.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "a") }
        #expect(found?.data == stored.data)
        #expect(found?.head == stored.head)
        #expect(found?.storedAt == stored.storedAt)
        #expect(unsafe bytes.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "b") } == nil)
    }

    @Test func anyChangedOrMissingByteMakesItAMiss() throws {
        let bytes = try #require(SharedEntry.encode(entry(1, count: 50), name: "a"))
        for i in bytes.indices {
            var changed = bytes
            changed[i] ^= 0x10
            #expect(unsafe changed.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "a") } == nil, "byte \(i)")
            let cut = Array(bytes[..<i])
            #expect(unsafe cut.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "a") } == nil, "cut at \(i)")
        }
        let longer = bytes + [0]
        #expect(unsafe longer.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "a") } == nil)
    }
}
