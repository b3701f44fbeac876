import ImageCore
import LoopbackHTTP
import Testing

@Suite("calotype info", .timeLimit(.minutes(1)))
struct InfoTests {
    @Test(arguments: [
        (
            "arrow.jpg",
            #""format": "jpeg", "width": 360, "height": 240, "frames": 1, "loopCount": 1, "orientation": 6, "hasAlpha": false, "bitDepth": 8, "#
                + #""colorModel": "rgb", "colorProfile": null, "isProgressive": false, "byteCount": 4562"#
        ),
        (
            "dunes.jpg",
            #""format": "jpeg", "width": 480, "height": 320, "frames": 1, "loopCount": 1, "orientation": 1, "hasAlpha": false, "bitDepth": 8, "#
                + #""colorModel": "rgb", "colorProfile": null, "isProgressive": true, "byteCount": 7727"#
        ),
        (
            "marble.jpg",
            #""format": "jpeg", "width": 320, "height": 320, "frames": 1, "loopCount": 1, "orientation": 1, "hasAlpha": false, "bitDepth": 8, "#
                + #""colorModel": "gray", "colorProfile": null, "isProgressive": false, "byteCount": 11382"#
        ),
        (
            "badge.png",
            #""format": "png", "width": 240, "height": 240, "frames": 1, "loopCount": 1, "orientation": 1, "hasAlpha": true, "bitDepth": 8, "#
                + #""colorModel": "indexed", "colorProfile": null, "isProgressive": false, "byteCount": 7591"#
        ),
        (
            "iris16.png",
            #""format": "png", "width": 240, "height": 180, "frames": 1, "loopCount": 1, "orientation": 1, "hasAlpha": false, "bitDepth": 16, "#
                + #""colorModel": "rgb", "colorProfile": null, "isProgressive": false, "byteCount": 19033"#
        ),
        (
            "glass.webp",
            #""format": "webp", "width": 360, "height": 360, "frames": 1, "loopCount": 1, "orientation": 1, "hasAlpha": true, "bitDepth": 8, "#
                + #""colorModel": "rgb", "colorProfile": null, "isProgressive": false, "byteCount": 10134"#
        ),
        (
            "plasma10.avif",
            #""format": "avif", "width": 400, "height": 300, "frames": 1, "loopCount": 1, "orientation": 1, "hasAlpha": false, "bitDepth": 10, "#
                + #""colorModel": "rgb", "colorProfile": null, "isProgressive": false, "byteCount": 2298"#
        ),
    ])
    func jsonHasEveryField(_ name: String, _ fields: String) async throws {
        let path = Project.image(name)
        let run = try await CommandProcess.run("info", path, "--json")
        #expect(run.ending == .status(0))
        #expect(run.output == "{\"source\": \"\(path)\", \(fields)}\n")
    }

    /// Files without an end whose images are whole: the pixel of web pages, and JPEG without its end marker.
    @Test func anImageWithoutItsEndIsComplete() async throws {
        for text in ["R0lGODlhAQABAAD/ACwAAAAAAQABAAACADs=", "R0lGODlhAQABAAAAACwAAAAAAQABAAA=", "R0lGODlhAQABAAAAACw="] {
            let run = try await CommandProcess.run("info", "data:image/gif;base64," + text, "--json")
            #expect(run.ending == .status(0), "\(run.errors)")
            #expect(run.output.contains(#""width": 1, "height": 1, "frames": 1"#))
            let folder = try ScratchFolder()
            let converted = try await CommandProcess.run("convert", "data:image/gif;base64," + text, folder.file("a.rgba"))
            #expect(converted.ending == .status(0), "\(converted.errors)")
            #expect(Array(folder.data("a.rgba")) == [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
        }
        let folder = try ScratchFolder()
        for name in ["dunes.jpg", "marble.jpg"] {
            let file = try folder.write(Project.bytes(of: name).dropLast(2) + Data(count: 100), to: name)
            #expect(try await CommandProcess.run("info", file).ending == .status(0))
        }
        let cut = try folder.write(Project.bytes(of: "marble.jpg").dropLast(200), to: "cut.jpg")
        #expect(try await CommandProcess.run("info", cut).ending == .status(1))
    }

    @Test func pathsAndURLsAndDataURLsAreSources() async throws {
        let data = try Project.bytes(of: "tiles.webp")
        let server = try LoopbackServer(serving: { _ in LoopbackServer.Response(200, body: Array(data)) })
        defer { server.stop() }
        let folder = try ScratchFolder()
        let odd = try folder.write(data, to: "a b#c?d%41é:.webp")
        let run = try await CommandProcess.run(
            "info", odd, "file://" + Project.image("tiles.webp"), "HTTP://127.0.0.1:\(server.port)/tiles",
            "data:image/webp;base64," + data.base64EncodedString(), "--json")
        #expect(run.ending == .status(0))
        #expect(run.errors.isEmpty)
        #expect(run.outputLines.count == 4)
        #expect(run.outputLines.allSatisfy { $0.contains(#""format": "webp", "width": 360, "height": 280"#) })
    }

    @Test(arguments: [[], ["--json"]])
    func credentialsInAURLAreNotPrinted(_ options: [String]) async throws {
        let data = try Project.bytes(of: "tiles.webp")
        let server = try LoopbackServer(serving: { request in
            LoopbackServer.Response(request["Authorization"] == "Basic bWU6c2VjcmV0" ? 200 : 401, body: Array(data))
        })
        defer { server.stop() }
        let address = "127.0.0.1:\(server.port)/tiles"
        let sources = ["http://me:secret@\(address)", "http://me:secret@[::1"]
        let run = try await CommandProcess(["info"] + sources + options).end()
        #expect(run.output.contains("http://\(address)") && run.errors.contains("http://[::1"))
        #expect(!(run.output + run.errors).contains("secret"))
    }

    @Test func withoutJSONEachFactHasALine() async throws {
        let run = try await CommandProcess.run("info", Project.image("arrow.jpg"))
        #expect(run.ending == .status(0))
        let facts = """
              format:        jpeg
              width:         360
              height:        240
              frames:        1
              loopCount:     1
              orientation:   6
              hasAlpha:      false
              bitDepth:      8
              colorModel:    rgb
              colorProfile:  none
              isProgressive: false
              byteCount:     4562

            """
        #expect(run.output == Project.image("arrow.jpg") + "\n" + facts)
    }

    @Test func anHTTPStatusOtherThanSuccessIsAnError() async throws {
        let server = try LoopbackServer(serving: { _ in LoopbackServer.Response(404) })
        defer { server.stop() }
        let run = try await CommandProcess.run("info", server.url("/gone.png"))
        #expect(run.ending == .status(1))
        #expect(run.errors.hasPrefix("calotype: \(server.url("/gone.png")): The server answered 404"))
    }
}
