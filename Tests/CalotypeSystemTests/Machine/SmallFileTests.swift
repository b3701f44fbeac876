import Foundation
import Testing

@testable import CalotypeSystem

@Suite struct SmallFiles {
    @Test(arguments: [0, 1, 4_095, 4_096, 10_000]) func theWholeTextIsRead(count: Int) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "small-\(UUID().uuidString)")
        let text = String((0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(SmallFile.text(at: file.path) == text)
    }

    @Test func whatIsNoFileHasNoText() {
        #expect(SmallFile.text(at: "/nowhere/file") == nil)
        #expect(SmallFile.text(at: "/proc") == nil)
    }
}
