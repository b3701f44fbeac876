import CalotypeSystem
import Foundation
import ImageCore
import Testing

@testable import CalotypeCommand

@Suite("Atomic files")
struct AtomicFileTests {
    @Test func anExistingFileIsReplacedAndKeepsItsPermissions() throws {
        let folder = try ScratchFolder()
        let path = try folder.write([1], to: "a")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try AtomicFile.write(Data([2, 3]), to: path)
        #expect(folder.data("a") == Data([2, 3]))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(folder.names == ["a"])
    }

    @Test(arguments: [0o4755, 0o2755, 0o1755]) func aReplacedFileLosesItsSetuidSetgidAndStickyBits(mode: Int) throws {
        let folder = try ScratchFolder()
        let path = try folder.write([1], to: "a")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        try AtomicFile.write(Data([2]), to: path)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o755)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"), arguments: [(0o777, 0o644), (0o600, 0o600)])
    func aReplacedFileOfAnotherOwnerGrantsNoExtraPermissions(mode: Int, expected: Int) throws {
        let folder = try ScratchFolder()
        let path = try folder.write([1], to: "a")
        try FileManager.default.setAttributes([.posixPermissions: mode, .ownerAccountID: 12_345], ofItemAtPath: path)
        try AtomicFile.write(Data([2]), to: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == expected)
        #expect(attributes[.ownerAccountID] as? Int == 0)
    }

    @Test func aLinkIsFollowedAndKept() throws {
        let folder = try ScratchFolder()
        let path = try folder.write([1], to: "a")
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: path)
        try AtomicFile.write(Data([2]), to: folder.file("link"))
        #expect(folder.data("a") == Data([2]))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link")) == path)
    }

    @Test func aLinkIsReplacedIfTheUserDidNotChooseItsName() throws {
        let folder = try ScratchFolder()
        let path = try folder.write([1], to: "a")
        for (name, target) in [("link", path), ("dangling", folder.file("missing"))] {
            try FileManager.default.createSymbolicLink(atPath: folder.file(name), withDestinationPath: target)
            try AtomicFile.write(Data([2]), to: folder.file(name), followsLinks: false)
            #expect(folder.data(name) == Data([2]))
            #expect(throws: (any Error).self) { try FileManager.default.destinationOfSymbolicLink(atPath: folder.file(name)) }
        }
        #expect(folder.data("a") == Data([1]))
        #expect(folder.names == ["a", "dangling", "link"])
    }

    @Test(.timeLimit(.minutes(1))) func aPipeIsReplacedIfTheUserDidNotChooseItsName() throws {
        let folder = try ScratchFolder()
        #expect(unsafe mkfifo(folder.file("pipe"), 0o666) == 0)
        try AtomicFile.write(Data([2]), to: folder.file("pipe"), followsLinks: false)
        #expect(folder.data("pipe") == Data([2]))
    }

    @Test func aDeviceIsWrittenDirectly() throws {
        try AtomicFile.write(Data([1]), to: "/dev/null")
        let type = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
        #expect(type == .typeCharacterSpecial)
    }

    #if os(Linux)
        @Test func aFullDeviceIsAFailure() throws {
            let error = #expect(throws: ImageError.self) { try AtomicFile.write(Data([1]), to: "/dev/full") }
            #expect(error?.code == .fileUnwritable)
        }

        @Test func aRegularFileInDevIsReplaced() throws {
            let path = "/dev/shm/calotype-tests-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: path) }
            for content in [Data([1, 2, 3]), Data([4])] {
                try AtomicFile.write(content, to: path)
                #expect(try Data(contentsOf: URL(filePath: path)) == content)
            }
        }
    #endif

    /// Such as a redirected `/dev/stdout`: the shell continues to use the file that it opened.
    @Test(arguments: [false, true])
    func anOpenFileIsWrittenDirectly(_ isNamedByALink: Bool) throws {
        let folder = try ScratchFolder()
        let file = try #require(FileHandle(forUpdatingAtPath: try folder.write([1], to: "a")))
        var path = "/dev/fd/\(file.fileDescriptor)"
        if isNamedByALink {
            try FileManager.default.createSymbolicLink(atPath: folder.file("first"), withDestinationPath: path)
            try FileManager.default.createSymbolicLink(atPath: folder.file("second"), withDestinationPath: "first")
            path = folder.file("second")
        }
        try AtomicFile.write(Data([2]), to: path)
        #expect(try file.readToEnd() == Data([1, 2]))
    }

    @Test(.timeLimit(.minutes(1))) func nothingIsWrittenOnceTheProcessIsExiting() async {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            ExitCleanup.run()
            let error = #expect(throws: ImageError.self) { try AtomicFile.write(Data([1]), to: folder.file("a")) }
            #expect(error?.code == .fileUnwritable)
            #expect(folder.names.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(1))) func theEndOfTheProcessRemovesTheFilesThatAreStillRegistered() async {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            let (open, complete) = (try folder.write([1], to: "open"), try folder.write([2], to: "complete"))
            for path in [open, complete] { #expect(ExitCleanup.add(file: path)) }
            ExitCleanup.remove(file: complete)
            ExitCleanup.run()
            #expect(folder.names == ["complete"])
        }
    }

    @Test func aFailureThrowsAndLeavesNoFile() throws {
        let folder = try ScratchFolder()
        #expect(throws: ImageError.self) { try AtomicFile.write(Data([1]), to: folder.path) }
        #expect(throws: ImageError.self) { try AtomicFile.write(Data([1]), to: folder.file("missing/a")) }
        #expect(folder.names.isEmpty)
    }
}
