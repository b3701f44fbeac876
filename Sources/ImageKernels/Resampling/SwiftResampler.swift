internal import ImageCore

/// The resampler in plain Swift: fallback on processors without a faster one, and oracle of the others' tests.
struct SwiftResampler<Sample: FixedWidthInteger & UnsignedInteger> {
    let plan: ResamplePlan
    let channels: Int

    /// Fills all rows of the result.
    func run(
        from source: UnsafeRawBufferPointer, _ sourceBytesPerRow: Int, to result: UnsafeMutableRawBufferPointer,
        _ resultBytesPerRow: Int, _ cancellation: CancellationToken?
    ) throws {
        let offset = plan.columns.lowerBound * channels
        var column = [Float](repeating: 0, count: plan.columns.count * channels)
        var line = [Float](repeating: 0, count: plan.output.width * channels)
        for y in 0..<plan.output.height {
            if y & 7 == 0 { try cancellation?.check() }
            for i in column.indices { column[i] = 0 }
            for (tap, row) in plan.vertical.window(y).enumerated() {
                let weight = plan.vertical.weights[y * plan.vertical.stride + tap]
                let samples = unsafe UnsafeRawBufferPointer(rebasing: source[(row * sourceBytesPerRow)...])
                    .assumingMemoryBound(to: Sample.self)
                for i in column.indices { column[i] += weight * Float(unsafe samples[offset + i]) }
            }
            combineColumns(column, into: &line)
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: result[(y * resultBytesPerRow)...])
                .assumingMemoryBound(to: Sample.self)
            unsafe round(line, to: target)
        }
    }

    private func combineColumns(_ column: [Float], into line: inout [Float]) {
        for x in 0..<plan.output.width {
            let start = Int(plan.horizontal.first[x]) - plan.columns.lowerBound
            for channel in 0..<channels {
                var sum: Float = 0
                for tap in 0..<Int(plan.horizontal.count[x]) {
                    sum += plan.horizontal.weights[x * plan.horizontal.stride + tap] * column[(start + tap) * channels + channel]
                }
                line[x * channels + channel] = sum
            }
        }
    }

    /// Rounds to the nearest level; colour stays at or below alpha.
    private func round(_ line: [Float], to target: UnsafeMutableBufferPointer<Sample>) {
        let limit = Float(Sample.max)
        for x in 0..<plan.output.width {
            let base = x * channels
            var most = Sample.max
            for channel in stride(from: channels - 1, through: 0, by: -1) {
                let level = Sample(max(0, min(limit, line[base + channel])) + 0.5)
                if channel == 3 { most = level }
                unsafe target[base + channel] = min(level, most)
            }
        }
    }
}
