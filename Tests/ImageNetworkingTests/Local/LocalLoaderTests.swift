import CalotypeSystem
import HTTPTypes
import ImageCore
import ImageNetworking
import NetworkTestKit
import Testing

/// A temporary directory, removed with its last reference.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/calotype-networking-XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if let directory = unsafe opendir(path) {
            while let entry = unsafe readdir(directory) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                _ = unsafe unlink(path + "/" + name)
            }
            _ = unsafe closedir(directory)
        }
        _ = unsafe rmdir(path)
    }

    /// Writes a file and returns its URL.
    func file(_ name: String, _ bytes: [UInt8]) throws -> URL {
        let descriptor = unsafe open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        try #require(descriptor >= 0)
        var written = 0
        while written < bytes.count {
            written += unsafe bytes[written...].withUnsafeBytes { unsafe write(descriptor, $0.baseAddress!, $0.count) }
        }
        _ = close(descriptor)
        return url(name)
    }

    func url(_ name: String) -> URL { URL(filePath: path + "/" + name) }
}

@Suite(.timeLimit(.minutes(1)))
struct FileLoaderReads {
    let directory: TemporaryDirectory
    let loader = FileLoader()

    init() throws { directory = try TemporaryDirectory() }

    @Test func aSmallFileIsReadAtOnce() async throws {
        let url = try directory.file("a b%c.png", Array("image".utf8))
        let response = try await loader.load(DataRequest(url: url))
        #expect(response.url == url)
        #expect(response.head.status == 200)
        #expect(response.expectedBytes == 5)
        #expect(response.body.wholeData == Data("image".utf8))
    }

    @Test(arguments: [0, 7, 300, 301, 10_000])
    func aFileIsReadWholeByItsPathOrItsURL(byteCount: Int) throws {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let url = try directory.file("a b%c.png", bytes)
        let loader = FileLoader(chunkSize: 300)
        #expect(try Array(loader.contents(ofFile: directory.path + "/a b%c.png")) == bytes)
        #expect(try Array(loader.contents(of: url)) == bytes)
    }

    @Test func aFileThatCannotBeReadIsATypedError() throws {
        _ = try directory.file("long", [1, 2, 3])
        let short = FileLoader(maximumResponseBytes: 2)
        func code(_ loader: FileLoader, _ name: String) -> ImageError.Code? {
            #expect(throws: ImageError.self) { try loader.contents(ofFile: directory.path + "/" + name) }?.code
        }
        #expect(code(loader, "missing") == .fileUnreadable)
        #expect(code(loader, "") == .fileUnreadable)
        #expect(code(short, "long") == .tooLarge)
    }

    @Test func aLargeFileStreamsInChunks() async throws {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let url = try directory.file("large", bytes)
        let response = try await FileLoader(chunkSize: 300).load(DataRequest(url: url))
        #expect(response.expectedBytes == 1000)
        var chunks: [Data] = []
        for try await chunk in response.body { chunks.append(chunk) }
        #expect(chunks.map(\.count) == [300, 300, 300, 100])
        #expect(chunks.flatMap { $0 } == bytes)
    }

    @Test func anEmptyFileIsAnEmptyBody() async throws {
        let url = try directory.file("empty", [])
        #expect(try await loader.body(of: DataRequest(url: url)).isEmpty)
    }

    @Test func aPathWithoutASchemeAndTheNameOfThisMachineAreFiles() async throws {
        _ = try directory.file("a", [1])
        for text in [directory.path + "/a", "file://localhost" + directory.path + "/a", "FILE://" + directory.path + "/a"] {
            #expect(try await loader.body(of: DataRequest(url: try #require(URL(string: text)))) == Data([1]))
        }
    }

    @Test func aMissingFileIsAnError() async throws {
        let error = try await imageError { _ = try await loader.load(DataRequest(url: directory.url("none"))) }
        #expect(error.code == .fileUnreadable)
        #expect(error.message == "There is no file \(directory.path)/none.")
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func anUnreadableFileIsAnError() async throws {
        let url = try directory.file("secret", [1])
        _ = unsafe chmod(directory.path + "/secret", 0)
        let error = try await imageError { _ = try await loader.load(DataRequest(url: url)) }
        #expect(error.message.contains("may not be read"))
    }

    @Test func aDirectoryIsAnError() async throws {
        let error = try await imageError { _ = try await loader.load(DataRequest(url: directory.url(""))) }
        #expect(error.code == .fileUnreadable)
        #expect(error.message.contains("is a directory"))
    }

    @Test func aPipeAndADeviceAreErrorsWithoutWaiting() async throws {
        try #require(unsafe mkfifo(directory.path + "/pipe", 0o644) == 0)
        for url in [directory.url("pipe"), URL(filePath: "/dev/zero")] {
            let error = try await imageError { _ = try await loader.load(DataRequest(url: url)) }
            #expect(error.code == .fileUnreadable)
            #expect(error.message.contains("is a pipe or device"))
        }
    }

    @Test func aFileAboveTheLimitIsAnError() async throws {
        let url = try directory.file("big", [UInt8](repeating: 0, count: 101))
        let error = try await imageError { _ = try await loader.load(DataRequest(url: url, maximumResponseBytes: 100)) }
        #expect(error.code == .tooLarge)
        #expect(
            try await imageError { _ = try await FileLoader(maximumResponseBytes: 100).load(DataRequest(url: url)) }.code
                == .tooLarge)
        #expect(try await loader.body(of: DataRequest(url: url, maximumResponseBytes: 101)).count == 101)
    }

    @Test func aFileThatShrinksIsAnError() async throws {
        let url = try directory.file("shrinks", [UInt8](repeating: 7, count: 1000))
        let response = try await FileLoader(chunkSize: 400).load(DataRequest(url: url))
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next()?.count == 400)
        _ = unsafe truncate(directory.path + "/shrinks", 500)
        let error = try await imageError { _ = try await chunks.next() }
        #expect(error.message.contains("became shorter"))
    }

    @Test(arguments: ["file://elsewhere/a", "file:///a%00b"])
    func aURLOfNoLocalFileIsAnInvalidRequest(_ text: String) async throws {
        guard let url = URL(string: text) else { return }
        #expect(try await imageError { _ = try await loader.load(DataRequest(url: url)) }.code == .invalidRequest)
    }

    @Test func aDroppedBodyClosesItsFile() async throws {
        let url = try directory.file("open", [UInt8](repeating: 7, count: 1000))
        func loadAndDrop() async throws -> Int {
            let response = try await FileLoader(chunkSize: 10).load(DataRequest(url: url))
            return try #require(response.expectedBytes)
        }
        // Far more files than a process may open.
        for _ in 0..<30_000 { _ = try await loadAndDrop() }
    }
}

@Suite(.timeLimit(.minutes(1))) struct DataURLs {
    let loader = DataURLLoader()

    private func load(_ text: String, maximumBytes: Int? = nil) async throws -> (text: String, type: String?) {
        let url = try #require(URL(string: text))
        let response = try await loader.load(DataRequest(url: url, maximumResponseBytes: maximumBytes))
        return (try await response.body.text(), response.head.headerFields[.contentType])
    }

    @Test(arguments: [
        ("data:text/plain,hello%20world", "hello world", "text/plain"),
        ("data:,a%2Cb", "a,b", "text/plain;charset=US-ASCII"),
        ("data:;charset=utf-8,x", "x", "text/plain;charset=utf-8"),
        ("DATA:image/png;base64,aGVsbG8=", "hello", "image/png"),
        ("data:image/png;BASE64,aGVsbG8", "hello", "image/png"),
        ("data:;base64,aGVs%0AbG8%3D", "hello", "text/plain;charset=US-ASCII"),
        ("data:image/png;base64,", "", "image/png"),
        ("data:image/png;base64,fn5-fg==#part", "~~~~", "image/png"),
        ("data:image/png;base64,Pz8_Pw==", "????", "image/png"),
        // Blanks, which URL encodes, as in the Fetch standard's "data: URL processor".
        ("data:image/png; base64,aGVsbG8=", "hello", "image/png"),
        ("data: image/png ;  BASE64,aGVsbG8=", "hello", "image/png"),
        ("data:image/png;charset=utf-8 ; base64,aGVs bG8=", "hello", "image/png;charset=utf-8"),
        ("data:; base64,aGVsbG8", "hello", "text/plain;charset=US-ASCII"),
        ("data: ;base64,aGVsbG8", "hello", "text/plain;charset=US-ASCII"),
        ("data:image/png;base64;charset=x,aGVsbG8", "aGVsbG8", "image/png;base64;charset=x"),
        ("data:base64,aGVsbG8", "aGVsbG8", "text/plain;charset=US-ASCII"),
        ("data:image/png;base64 ,aGVsbG8", "hello", "image/png"),
        ("data:image/png;base64,%61%47%56%73%62%47%38%3D", "hello", "image/png"),
        ("data:image/png;base64,%20aGVs%09%0C%0D%0AbG8%20=", "hello", "image/png"),
        // The last two bits are dropped.
        ("data:image/png;base64,aGVsbG9=", "hello", "image/png"), ("data:image/png;base64,aGVsbG9", "hello", "image/png"),
        ("data:,100%", "100%", "text/plain;charset=US-ASCII"), ("data:,a%2Gb%", "a%2Gb%", "text/plain;charset=US-ASCII"),
    ])
    func theDataIsDecoded(_ url: String, _ text: String, _ type: String) async throws {
        let (body, mediaType) = try await load(url)
        #expect(body == text)
        #expect(mediaType == type)
    }

    @Test(arguments: [
        ("data:image/png", "has no comma"), ("data:", "has no comma"), ("data:image/png#a,b", "has no comma"),
        ("data:image/png;base64,a", "valid base64"), ("data:image/png;base64,ab=", "valid base64"),
        ("data:image/png;base64,a=bc", "valid base64"), ("data:image/png;base64,ab!c", "valid base64"),
        ("data:image/png;base64,abc==", "valid base64"),
    ])
    func aMalformedURLIsAnInvalidRequest(_ text: String, _ reason: String) async throws {
        let error = try await imageError { _ = try await load(text) }
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains(reason))
    }

    @Test func dataAboveTheLimitIsAnError() async throws {
        #expect(try await load("data:,12345", maximumBytes: 5).text == "12345")
        #expect(try await imageError { _ = try await load("data:,123456", maximumBytes: 5) }.code == .tooLarge)
        #expect(try await imageError { _ = try await load("data:;base64,aGVsbG8gd29ybGQ=", maximumBytes: 5) }.code == .tooLarge)
    }

    @Test func messagesShowOnlyTheStartOfTheURL() async throws {
        let error = try await imageError { _ = try await load("data:image/png;base64," + String(repeating: "!", count: 5000)) }
        #expect(error.message.utf8.count < 120)
    }
}
