/// The inner loops of resampling in plain Swift: fallback on processors without faster ones, and their tests' oracle.
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

    /// Combines the pixels of one line, rounds to the nearest level and cuts colour off at alpha.
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

    /// The tent down the columns: what the rows before left in `rising`, and the falling half of these.
    static func tentRows(
        _ rows: UnsafePointer<UnsafePointer<UInt8>?>, factor: Int, count: Int, rising: UnsafeMutablePointer<UInt16>,
        into out: UnsafeMutablePointer<UInt16>
    ) {
        for i in 0..<count {
            var (rise, fall): (UInt16, UInt16) = (0, 0)
            for t in 0..<factor {
                let sample = unsafe UInt16(rows[t]?[i] ?? 0)
                rise += UInt16(t + 1) * sample
                fall += UInt16(factor - 1 - t) * sample
            }
            unsafe out[i] = rising[i] + fall
            unsafe rising[i] = rise
        }
    }

    /// The tent along a line of `count` + 1 blocks.
    static func tentColumns(
        _ line: UnsafePointer<UInt16>, factor: Int, channels: Int, scale: Float, count: Int,
        into out: UnsafeMutablePointer<UInt8>
    ) {
        for x in 0..<count {
            for c in 0..<channels {
                var sum: UInt32 = 0
                for t in 0..<factor {
                    unsafe sum += UInt32(t + 1) * UInt32(line[(x * factor + t) * channels + c])
                    unsafe sum += UInt32(factor - 1 - t) * UInt32(line[((x + 1) * factor + t) * channels + c])
                }
                unsafe out[x * channels + c] = UInt8(Float(sum) * scale + 0.5)
            }
        }
    }
}
