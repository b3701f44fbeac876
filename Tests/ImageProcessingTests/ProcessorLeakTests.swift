import CCalotypeHeapUsage
import ImageCore
import ImageKernels
import ImageProcessing
import ProcessorParsing
import Testing

/// What a processor allocates is free afterwards. The sanitizers find leaks too, but only where they run.
@Suite(.timeLimit(.minutes(1))) struct ProcessorLeakTests {
    private static let rounds = 30

    @Test(arguments: AllocationTests.lists + ["blur(20)", "sharpen(20,2)", "resize(30x,linear=true)", "crop-to(1:1,attention)"])
    func aProcessorLeavesNothingOnTheHeap(list: String) throws {
        let image = DecodedImage(
            try unsafe Bitmap(size: PixelSize(width: 80, height: 60), format: .rgba8, alpha: .straight) { pixels, _ in
                for index in pixels.indices { unsafe pixels[index] = UInt8(truncatingIfNeeded: index &* 7) }
            })
        let processors = Composition(try ProcessorList.parse(list))
        func round() throws { _ = try processors.process(image, context: ProcessingContext()) }
        // The first rounds allocate tables that are kept.
        for _ in 0..<4 { try round() }
        let before = clt_heap_bytes()
        for _ in 0..<Self.rounds { try round() }
        let after = clt_heap_bytes()
        // Other threads of the process may have allocated something.
        #expect(after < before + 160 * Self.rounds, "\(Int(after) - Int(before)) bytes")
    }
}
