/// The inner loops of resampling in plain Swift: the fallback on processors without faster ones, and the reference of their
/// tests.
enum SwiftResampleKernels {
    /// `out[i]` = Σ `weights[t]` · `rows[t][i]`.
    static func combineRows<Sample: FixedWidthInteger & UnsignedInteger>(
        _ rows: UnsafePointer<UnsafePointer<Sample>?>, _ weights: UnsafePointer<Float>, taps: Int, count: Int,
        into out: UnsafeMutablePointer<Float>
    ) {
        for i in 0..<count { unsafe out[i] = 0 }
        for t in 0..<taps {
            guard let row = unsafe rows[t] else { continue }
            let weight = unsafe weights[t]
            for i in 0..<count { unsafe out[i] += weight * Float(row[i]) }
        }
    }

    /// Combines the pixels of one line, rounds to the nearest level, and clamps colour to alpha.
    static func combineColumns<Sample: FixedWidthInteger & UnsignedInteger>(
        _ line: UnsafePointer<Float>, _ axis: ResampleWeights, channels: Int, into out: UnsafeMutablePointer<Sample>
    ) {
        let limit = Float(Sample.max)
        for x in axis.first.indices {
            var most = Sample.max
            for channel in stride(from: channels - 1, through: 0, by: -1) {
                var sum: Float = 0
                var index = Int(axis.first[x]) * channels + channel
                for tap in x * axis.stride..<x * axis.stride + Int(axis.count[x]) {
                    unsafe sum += axis.weights[tap] * line[index]
                    index += channels
                }
                let level = Sample(max(0, min(limit, sum)) + 0.5)
                if channel == 3 { most = level }
                unsafe out[x * channels + channel] = min(level, most)
            }
        }
    }
}
