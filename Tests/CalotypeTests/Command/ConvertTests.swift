import ImageCore
import ImageCodecs
import ImageDecoding
import CalotypeTesting
import Testing

import CalotypeSystem

@Suite("calotype convert", .timeLimit(.minutes(1)))
struct ConvertTests {
    private let folder = try? ScratchFolder()

    private func convert(_ name: String, _ output: String, _ options: String...) async throws -> (run: CommandRun, file: Data) {
        let folder = try #require(folder)
        let run = try await CommandProcess(["convert", Project.image(name), folder.file(output)] + options).end()
        return (run, folder.data(output))
    }

    private func size(of file: Data) throws -> PixelSize {
        try DecoderRegistry(.codecs).info(of: file, limits: DecodingLimits()).size
    }

    @Test(.timeLimit(.minutes(1)))
    func aTruncatedImageIsWrittenNeitherToAPipeNorToAFile() async throws {
        let folder = try ScratchFolder()
        let jpeg = try Project.bytes(of: "dunes.jpg")
        let cut = try folder.write(Data(jpeg.prefix(jpeg.count / 2)), to: "cut.jpg")
        let old = try folder.write(Data([1, 2, 3]), to: "old.rgba")
        let pipe = folder.file("pipe.rgba")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK)
        defer { _ = close(reader) }
        for output in [pipe, old, folder.file("new.rgba")] {
            let run = try await CommandProcess.run("convert", cut, output)
            #expect(run.status == 1)
            #expect(run.errors.hasPrefix("calotype: \(cut): ") && run.errorLines.count == 1)
        }
        var byte: UInt8 = 0
        #expect(unsafe read(reader, &byte, 1) == 0)
        #expect(try Data(contentsOf: URL(filePath: old)) == Data([1, 2, 3]))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["cut.jpg", "old.rgba", "pipe.rgba"])
    }

    @Test(arguments: [("a.png", ImageFormat.png), ("a.jpg", .jpeg), ("a.JPEG", .jpeg), ("a.webp", .webp), ("a.avif", .avif)])
    func theExtensionOfTheOutputChoosesTheFormat(_ name: String, _ format: ImageFormat) async throws {
        let (run, file) = try await convert("dunes.jpg", name)
        #expect(run.ending == .status(0))
        #expect(run.output.isEmpty && run.errors.isEmpty)
        let info = try DecoderRegistry(.codecs).info(of: file, limits: DecodingLimits())
        #expect(info.format == format)
        #expect(info.size == PixelSize(width: 480, height: 320))
    }

    @Test func anRGBAFileIsTheSizeAndThenRowsOfStraightPixels() async throws {
        let (run, file) = try await convert("badge.png", "a.rgba")
        #expect(run.ending == .status(0))
        #expect(Array(file.prefix(8)) == [240, 0, 0, 0, 240, 0, 0, 0])
        #expect(file.count == 8 + 240 * 240 * 4)
        // The corner is transparent. The palette's colour of the ring is nearly opaque, and is written as it is stored.
        #expect(file[8 + 3] == 0)
        let ring = 8 + (18 * 240 + 120) * 4
        #expect(Array(file[ring..<ring + 4]) == [251, 247, 238, 254])
    }

    @Test func orientationIsAppliedUnlessAnOptionPreventsIt() async throws {
        let upright = try await convert("arrow.jpg", "upright.png")
        #expect(try size(of: upright.file) == PixelSize(width: 240, height: 360))
        let stored = try await convert("arrow.jpg", "stored.png", "--no-orientation")
        #expect(try size(of: stored.file) == PixelSize(width: 360, height: 240))
    }

    @Test(arguments: [
        (["--size", "240x240"], 240, 160), (["--size", "240x240", "--mode", "fill"], 240, 240),
        (["--size", "240x100", "--mode", "exact"], 240, 100), (["--size", "240x"], 240, 160), (["--size", "x160"], 240, 160),
        (["--size", "960x960"], 480, 320), (["--size", "960x960", "--upscale"], 960, 640),
        (["--crop", "10,20,100,50"], 100, 50), (["--crop", "0,0,200,200", "--size", "50x50"], 50, 50),
        (["--size", "240x240", "--filter", "nearest"], 240, 160),
    ])
    func sizeAndCropOptionsDecideTheSizeOfTheOutput(_ options: [String], _ width: Int, _ height: Int) async throws {
        let folder = try #require(folder)
        let run = try await CommandProcess(["convert", Project.image("dunes.jpg"), folder.file("a.png")] + options).end()
        #expect(run.ending == .status(0))
        #expect(try size(of: folder.data("a.png")) == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ["--size", "120x90"], ["--size", "120x90", "--mode", "fill"], ["--filter", "nearest", "--size", "60x"],
        ["--quality", "20"], ["--frame", "0"], ["--quality", "20", "--quality", "90", "--size", "50x", "--size", "x20"],
    ])
    func aValueMayFollowASpaceOrAnEqualsSign(_ options: [String]) async throws {
        let folder = try #require(folder)
        let files = ["convert", Project.image("dunes.jpg")]
        let plain = try await CommandProcess(files + [folder.file("plain.jpg")] + options).end()
        let joined = stride(from: 0, to: options.count, by: 2).map { options[$0] + "=" + options[$0 + 1] }
        let parsed = try await CommandProcess(files + [folder.file("parsed.jpg")] + joined).end()
        #expect(plain.ending == .status(0) && parsed.ending == .status(0), "\(plain.errors) \(parsed.errors)")
        #expect(!folder.data("plain.jpg").isEmpty && folder.data("plain.jpg") == folder.data("parsed.jpg"))
    }

    @Test(arguments: [
        ("resize(60x60,fill) rotate(90) crop(0,0,60,20)", 60, 20), ("crop(0,0,60,20) rotate(90) resize(60x60,fill)", 20, 20),
    ])
    func processorsRunInOrder(_ list: String, _ width: Int, _ height: Int) async throws {
        let (run, file) = try await convert("dunes.jpg", "a.png", "--process", list)
        #expect(run.ending == .status(0), "\(run.errors)")
        #expect(try size(of: file) == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        (["--size", "60x60", "--mode", "fill", "--rotate", "90", "--crop", "0,0,60,20"], 60, 20),
        (["--crop", "0,0,60,20", "--rotate", "90", "--size", "60x60", "--mode", "fill"], 20, 20),
        (["--process", "crop(0,0,90,80)", "--rotate=-90", "--process", "resize(40x)"], 40, 45),
        (["--pad", "500x400,white", "--trim", "--pad=490x"], nil, nil),
        (["--crop", "100x50", "--crop", "1:1"], 50, 50), (["--resize", "96x,filter=box", "--circle"], 64, 64),
    ])
    func stepsRunInTheOrderOfTheCommandLine(_ options: [String], _ width: Int?, _ height: Int?) async throws {
        let folder = try #require(folder)
        let run = try await CommandProcess(["convert", Project.image("dunes.jpg"), folder.file("a.png")] + options).end()
        guard let width, let height else {
            #expect(run.ending == .status(2) && run.errors.contains("--pad") && run.errors.contains("both sides"))
            return
        }
        #expect(run.ending == .status(0), "\(run.errors)")
        #expect(try size(of: folder.data("a.png")) == PixelSize(width: width, height: height))
    }

    /// Each step changes the output, which shows that the option reaches its processor.
    @Test(arguments: [
        ["--blur", "4"], ["--round", "30"], ["--round", "30,top-right=2"], ["--circle"], ["--rotate", "12.5"],
        ["--rotate", "-90"], ["--flip"], ["--flip=vertical"], ["--gravity", "top", "--crop", "100x100"],
        ["--crop", "16:9", "--gravity", "attention"], ["--crop", "5,6,70,80"], ["--trim=0.5"], ["--pad", "500x500,#ff8000"],
        ["--sharpen"], ["--sharpen=2,1.5"], ["--border", "4,white"], ["--pixelate", "12"], ["--greyscale"], ["--grayscale=0.5"],
        ["--sepia"], ["--tint", "#3080ff"], ["--brightness", "-0.2"], ["--contrast", "1.5"], ["--saturation", "0.2"],
        ["--gamma", "2.2"], ["--invert"], ["--background", "white", "--rotate", "5"], ["--size", "64x"],
        ["--overlay", Project.image("badge.png")],
        ["--overlay", "\(Project.image("badge.png")),margin=5,opacity=0.5", "--gravity", "top-left"],
        ["--size", "99x99", "--mode", "fill", "--gravity", "right"], ["--crop-to", "3:1,bottom"],
    ])
    func everyStepIsAnOption(_ options: [String]) async throws {
        let folder = try #require(folder)
        let (plain, made) = (folder.file("plain.png"), folder.file("made.png"))
        #expect(try await CommandProcess(["convert", Project.image("dunes.jpg"), plain]).end().ending == .status(0))
        // Options are accepted before the paths, too.
        let run = try await CommandProcess(["convert"] + options + [Project.image("dunes.jpg"), made]).end()
        #expect(run.ending == .status(0), "\(run.errors)")
        #expect(folder.data("made.png") != folder.data("plain.png"))
    }

    @Test(arguments: [
        (["--blur", "x"], "--blur"), (["--blur"], "radius"), (["--blur", "--circle"], "radius"), (["--blur", "-4"], "--blur"),
        (["--flip", "sideways"], "Unexpected argument"), (["--flip=sideways"], "sideways"), (["--gravity", "up"], "up"),
        (["--pad", "9x9,puce"], "puce"), (["--crop", "1,2"], "--crop"), (["--crop", ""], "--crop"), (["--size"], "--size"),
        (["--overlay", "a.png,opacity=2"], "opacity"), (["--step", "bogus=1"], "bogus"), (["--sepia=2"], "--sepia"),
        (["--crop", "0,0,0,5"], "--crop"), (["--rotate", "nan"], "--rotate"), (["--process", "blur(9"], "--process"),
    ])
    func anInvalidStepIsWrongUsage(_ options: [String], _ mention: String) async throws {
        let folder = try #require(folder)
        let run = try await CommandProcess(["convert", Project.image("dunes.jpg"), folder.file("a.png")] + options).end()
        #expect(run.ending == .status(2))
        #expect(run.errorLines.count == 1 && run.errors.contains(mention), "\(run.errors)")
        #expect(folder.names.isEmpty)
    }

    @Test func theQuotedNameOfAnOverlayMayHaveCommasAndParentheses() async throws {
        let folder = try #require(folder)
        let mark = try folder.write(Project.bytes(of: "badge.png"), to: "a, (b).png")
        let run = try await CommandProcess([
            "convert", Project.image("dunes.jpg"), folder.file("a.png"), "--overlay", "\"\(mark)\",top", "--process",
            "overlay(\"\(mark)\",tiled)",
        ]).end()
        #expect(run.ending == .status(0), "\(run.errors)")
    }

    @Test func oneFrameOfAnAnimationCanBeProcessed() async throws {
        let folder = try #require(folder)
        let animation = try folder.write(try #require(flagGIF), to: "flag.gif")
        let run = try await CommandProcess(
            ["convert", animation, folder.file("a.rgba"), "--frame", "1", "--invert", "--crop", "4x4", "--gravity", "top-left"]
        ).end()
        #expect(run.ending == .status(0), "\(run.errors)")
        #expect(Array(folder.data("a.rgba")[8..<12]) == [215, 95, 175, 255])
    }

    @Test func anAnimationBecomesAnAnimatedWebPWithProcessedFrames() async throws {
        let folder = try #require(folder)
        let animation = try folder.write(try #require(flagGIF), to: "flag.gif")
        let options = ["--size", "12x", "--invert", "--quality", "100"]
        let run = try await CommandProcess(["convert", animation, folder.file("a.webp")] + options).end()
        #expect(run.ending == .status(0), "\(run.errors)")
        let made = try DecoderRegistry(.codecs).animation(of: folder.data("a.webp"), options: DecodeOptions())
        #expect(DecoderRegistry(.codecs).format(of: folder.data("a.webp")) == .webp)
        #expect(made.durations == [.milliseconds(100), .milliseconds(200), .milliseconds(300)] && made.loopCount == 0)
        for (index, corner) in [[25, 195, 215], [215, 95, 175], [205, 175, 35]].enumerated() {
            let frame = try made.frame(at: index)
            #expect(frame.size == PixelSize(width: 12, height: 8))
            #expect(unsafe frame.bitmap.withUnsafePixels { unsafe $0.prefix(3).map { Int($0) } } == corner, "frame \(index)")
        }
        // --frame, and a format without animations, give one frame.
        for (output, options) in [("still.webp", ["--frame", "1"]), ("still.png", [])] {
            let run = try await CommandProcess(["convert", animation, folder.file(output)] + options).end()
            #expect(run.ending == .status(0), "\(run.errors)")
            #expect(try DecoderRegistry(.codecs).info(of: folder.data(output), limits: DecodingLimits()).frameCount == 1)
        }
    }

    @Test func anUnknownProcessorIsWrongUsageThatNamesIt() async throws {
        let (run, _) = try await convert("dunes.jpg", "a.png", "--process", "blurr(4)")
        #expect(run.ending == .status(2) && run.errors.contains("blurr") && run.errorLines.count == 1)
    }

    @Test func aLowerQualityMakesASmallerFile() async throws {
        let low = try await convert("voronoi.webp", "low.jpg", "--quality", "10")
        let high = try await convert("voronoi.webp", "high.jpg", "--quality", "95")
        #expect(low.file.count * 2 < high.file.count)
    }

    @Test func aFailureKeepsTheOldFileAndLeavesNoOther() async throws {
        let folder = try #require(folder)
        let old = try folder.write([1, 2, 3], to: "old.png")
        let broken = try folder.write(Project.bytes(of: "chart.png").prefix(3000), to: "broken.png")
        let run = try await CommandProcess.run("convert", broken, old)
        #expect(run.ending == .status(1))
        #expect(run.errorLines.count == 1)
        #expect(folder.data("old.png") == Data([1, 2, 3]))
        #expect(folder.names == ["broken.png", "old.png"])
    }

    @Test func theErrorNamesAnOutputThatCannotBeWritten() async throws {
        let folder = try #require(folder)
        let output = folder.file("missing/a.png")
        let run = try await CommandProcess.run("convert", Project.image("chart.png"), output)
        #expect(run.ending == .status(1))
        #expect(run.errors.hasPrefix("calotype: \(output): The file cannot be written"))
    }

    /// A PNG file of grey, with chunks before its pixels and behind them.
    private func grayPNG(_ before: [(String, [UInt8])], _ after: [(String, [UInt8])] = []) throws -> Data {
        let gray = try unsafe Bitmap(size: PixelSize(width: 8, height: 8), format: .gray8, alpha: .opaque) { pixels, _ in
            for i in pixels.indices { unsafe pixels[i] = 60 }
        }
        let file = try PNGEncoder().encode(DecodedImage(gray), as: .png, options: EncodeOptions())
        // The header, without the declaration of sRGB that follows it.
        let chunks = { (list: [(String, [UInt8])]) in list.flatMap { HostileFileTests.chunk($0.0, $0.1) } }
        return file.prefix(33) + chunks(before) + file.dropFirst(33 + 13).dropLast(12) + chunks(after) + file.suffix(12)
    }

    @Test(arguments: [false, true]) func aProfileThatFitsIsKeptOnRequest(_ keeps: Bool) async throws {
        let folder = try ScratchFolder()
        let chart = try Project.bytes(of: "chart.png")
        let gamma = HostileFileTests.chunk("gAMA", [0, 1, 0x86, 0xA0])
        let file = try folder.write(chart.prefix(33) + gamma + chart.dropFirst(33), to: "linear.png")
        let run = try await CommandProcess(
            ["convert", file, folder.file("out.png")] + (keeps ? ["--keep-profile"] : [])
        ).end()
        #expect(run.ending == .status(0), "\(run.errors)")
        let info = try DecoderRegistry(.codecs).info(of: folder.data("out.png"), limits: DecodingLimits())
        #expect((info.colorProfile != nil) == keeps)
    }

    /// A profile is kept where it fits what is written, and otherwise the colours are converted (FEATURES 10.6).
    @Test(arguments: ["png", "jpg", "webp", "avif"])
    func aKeptProfileNeverChangesTheLook(_ format: String) async throws {
        // Given: linear grey, whose profile is one of RGB.
        let folder = try ScratchFolder()
        let file = try folder.write(grayPNG([("gAMA", [0, 1, 0x86, 0xA0])]), to: "gray.png")
        for options in [[], ["--keep-profile"]] {
            let run = try await CommandProcess(["convert", file, folder.file("out." + format), "--quality", "100"] + options)
                .end()
            #expect(run.ending == .status(0), "\(run.errors)")
            let image = try DecoderRegistry(.codecs).decode(folder.data("out." + format), options: DecodeOptions())
            let level = TestImages.pixel(of: image, x: 4, y: 4)[0]
            #expect(abs(Int(level) - 133) <= 2, "\(options): \(level)")
        }
    }

    /// A still image needs only the first frame; an animated one says which frame is broken.
    @Test func aBrokenFrameMattersOnlyWhereItIsWritten() async throws {
        let folder = try ScratchFolder()
        func control(_ number: UInt8, x: UInt8) -> [UInt8] {
            [0, 0, 0, number, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, x, 0, 0, 0, 0, 0, 1, 0, 10, 0, 0]
        }
        let file = try folder.write(
            grayPNG(
                [("acTL", [0, 0, 0, 2, 0, 0, 0, 0]), ("fcTL", control(0, x: 0))],
                [("fcTL", control(1, x: 4)), ("fdAT", [0, 0, 0, 2, 1, 2, 3])]), to: "broken.png")
        for name in ["still.png", "still.jpg", "still.rgba"] {
            #expect(try await CommandProcess.run("convert", file, folder.file(name)).ending == .status(0))
        }
        #expect(try await CommandProcess.run("convert", file, folder.file("a.webp"), "--frame", "0").ending == .status(0))
        let run = try await CommandProcess.run("convert", file, folder.file("b.webp"))
        #expect(run.ending == .status(1))
        #expect(run.errors.contains("Frame 2"))
        #expect(try await CommandProcess.run("info", file, "--json").output.contains("\"frames\": 2"))
    }

    @Test func aMissingFrameIsAnError() async throws {
        let (run, file) = try await convert("dunes.jpg", "a.png", "--frame", "3")
        #expect(run.ending == .status(1))
        #expect(file.isEmpty)
    }
}
