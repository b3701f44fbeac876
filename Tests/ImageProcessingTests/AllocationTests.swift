import CCalotypeAllocations
import ImageCore
import ImageKernels
import ImageProcessing
import ProcessorParsing
import Testing

/// A processor allocates its memory before the first row, so twelve times the rows need no additional allocation.
@Suite(.enabled(if: clt_counts_allocations(), "allocations are counted with glibc only"))
struct AllocationTests {
    static let lists = [
        "resize(40x30,exact)", "resize(40x)", "resize(40x30,exact,nearest)", "resize(40x30,exact,box)",
        "resize(700x60,exact,upscale=true)",
        "crop(1,1,30,30)", "crop-to(1:1,bottom)", "trim", "pad(150x900,white)", "rotate(90)", "rotate(180)", "flip",
        "rotate(11)", "grayscale", "gamma(2)", "background(#f00)", "round(9)", "circle", "border(2)", "blur(2)",
        "sharpen", "pixelate(10)", "crop(1,1,60,50) rotate(90) resize(20x20,exact)",
    ]

    private func sample(rows: Int) throws -> DecodedImage {
        DecodedImage(
            try unsafe Bitmap(size: PixelSize(width: 80, height: rows), format: .rgba8, alpha: .premultiplied) { pixels, _ in
                unsafe pixels.initializeMemory(as: UInt8.self, repeating: 90)
            })
    }

    private func allocations(_ processors: [any Processing], rows: Int) throws -> Int {
        let image = try sample(rows: rows)
        let context = ProcessingContext(cancellation: CancellationToken())
        let all = Composition(processors)
        // The first run also allocates tables that are kept.
        _ = try all.process(image, context: context)
        let before = clt_allocations()
        let result = try all.process(image, context: context)
        let count = clt_allocations() - before
        return withExtendedLifetime(result) { Int(count) }
    }

    @Test(arguments: lists)
    func rowsNeedNoAllocations(list: String) throws {
        let processors = try ProcessorList.parse(list)
        let few = try allocations(processors, rows: 60)
        let many = try allocations(processors, rows: 720)
        #expect(few > 0, "the bitmap itself is counted")
        #expect(many - few <= 8, "\(few) for 60 rows, \(many) for 720")
    }

    @Test func theRowResamplerAllocatesItsMemoryAtTheStart() throws {
        let source = PixelSize(width: 80, height: 400)
        let geometry = ResizeGeometry(source: source, box: PixelSize(width: 31, height: 170), mode: .exact)
        let resampler = try RowResampler(source: source, format: .rgba8, to: geometry)
        let row = [UInt8](repeating: 7, count: 320)
        var result = [UInt8](repeating: 0, count: 128 * 170)
        let count = try unsafe row.withUnsafeBytes { row in
            try unsafe result.withUnsafeMutableBytes { result in
                let before = clt_allocations()
                for _ in 0..<400 { try unsafe resampler.append(row, to: result, bytesPerRow: 128) }
                return clt_allocations() - before
            }
        }
        #expect(resampler.finishedRows == 170 && count == 0)
    }
}
