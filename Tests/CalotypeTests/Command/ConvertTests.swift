import ImageCore
import ImageDecoding
import Testing

@Suite("calotype convert")
struct ConvertTests {
    private let folder = try? ScratchFolder()

    private func convert(_ name: String, _ output: String, _ options: String...) async throws -> (run: CommandRun, file: Data) {
        let folder = try #require(folder)
        let run = try await CommandProcess(["convert", Project.picture(name), folder.file(output)] + options).end()
        return (run, folder.data(output))
    }

    private func size(of file: Data) throws -> PixelSize {
        try DecoderRegistry().info(of: file, limits: DecodingLimits()).size
    }

    @Test(arguments: [("a.png", ImageFormat.png), ("a.jpg", .jpeg), ("a.JPEG", .jpeg), ("a.webp", .webp), ("a.avif", .avif)])
    func theExtensionChoosesTheFormat(_ name: String, _ format: ImageFormat) async throws {
        let (run, file) = try await convert("dunes.jpg", name)
        #expect(run.ending == .status(0))
        #expect(run.output.isEmpty && run.errors.isEmpty)
        let info = try DecoderRegistry().info(of: file, limits: DecodingLimits())
        #expect(info.format == format)
        #expect(info.size == PixelSize(width: 480, height: 320))
    }

    @Test func rgbaIsTheSizeAndThenStraightRows() async throws {
        let (run, file) = try await convert("badge.png", "a.rgba")
        #expect(run.ending == .status(0))
        #expect(Array(file.prefix(8)) == [240, 0, 0, 0, 240, 0, 0, 0])
        #expect(file.count == 8 + 240 * 240 * 4)
        // The corner is transparent; the palette's entry for the ring is not quite opaque, and comes out as it is stored.
        #expect(file[8 + 3] == 0)
        let ring = 8 + (18 * 240 + 120) * 4
        #expect(Array(file[ring..<ring + 4]) == [251, 247, 238, 254])
    }

    @Test func orientationIsAppliedUnlessToldOtherwise() async throws {
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
    func sizesAndPartsComeOutAsAsked(_ options: [String], _ width: Int, _ height: Int) async throws {
        let folder = try #require(folder)
        let run = try await CommandProcess(["convert", Project.picture("dunes.jpg"), folder.file("a.png")] + options).end()
        #expect(run.ending == .status(0))
        #expect(try size(of: folder.data("a.png")) == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("resize(60x60,fill) rotate(90) crop(0,0,60,20)", 60, 20), ("crop(0,0,60,20) rotate(90) resize(60x60,fill)", 20, 20),
    ])
    func processorsRunInTheOrderGiven(_ list: String, _ width: Int, _ height: Int) async throws {
        let (run, file) = try await convert("dunes.jpg", "a.png", "--process", list)
        #expect(run.ending == .status(0), "\(run.errors)")
        #expect(try size(of: file) == PixelSize(width: width, height: height))
    }

    @Test func anUnknownProcessorIsWrongUsageAndIsNamed() async throws {
        let (run, _) = try await convert("dunes.jpg", "a.png", "--process", "blurr(4)")
        #expect(run.ending == .status(2) && run.errors.contains("blurr") && run.errorLines.count == 1)
    }

    @Test func theQualityDecidesTheSizeOfALossyFile() async throws {
        let poor = try await convert("voronoi.webp", "poor.jpg", "--quality", "10")
        let good = try await convert("voronoi.webp", "good.jpg", "--quality", "95")
        #expect(poor.file.count * 2 < good.file.count)
    }

    @Test func aFailureLeavesTheOldFileAndNothingElse() async throws {
        let folder = try #require(folder)
        let old = try folder.write([1, 2, 3], to: "old.png")
        let broken = try folder.write(Project.bytes(of: "chart.png").prefix(3000), to: "broken.png")
        let run = try await CommandProcess.run("convert", broken, old)
        #expect(run.ending == .status(1))
        #expect(run.errorLines.count == 1)
        #expect(folder.data("old.png") == Data([1, 2, 3]))
        #expect(folder.names == ["broken.png", "old.png"])
    }

    @Test func anOutputThatCannotBeWrittenIsNamed() async throws {
        let folder = try #require(folder)
        let output = folder.file("missing/a.png")
        let run = try await CommandProcess.run("convert", Project.picture("chart.png"), output)
        #expect(run.ending == .status(1))
        #expect(run.errors.hasPrefix("calotype: \(output): The file cannot be written"))
    }

    @Test func aFrameThatIsNotThereIsAnError() async throws {
        let (run, file) = try await convert("dunes.jpg", "a.png", "--frame", "3")
        #expect(run.ending == .status(1))
        #expect(file.isEmpty)
    }
}
