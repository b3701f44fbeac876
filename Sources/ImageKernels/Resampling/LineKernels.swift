internal import CCalotypeKernels
internal import ImageCore

/// The inner loops on lines of sums, each in Swift or in C as the path says.
enum LineKernels {
    /// `out[i]` = Σ `weights[t]` · sample `i` of `rows[t]`.
    static func combineRows(
        _ rows: UnsafePointer<UnsafeRawPointer?>, _ weights: UnsafePointer<Float>, taps: Int, _ count: Int,
        _ format: PixelFormat, _ path: KernelPath, into out: UnsafeMutablePointer<Float>
    ) {
        switch format {
        case .gray8, .rgba8:
            let rows = unsafe UnsafeRawPointer(rows).assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
            if path == .swift {
                unsafe SwiftResampleKernels.combineRows(rows, weights, taps: taps, count: count, into: out)
            } else {
                unsafe clt_combine_rows_u8(path.level, rows, weights, taps, count, out)
            }
        case .gray16, .rgba16:
            let rows = unsafe UnsafeRawPointer(rows).assumingMemoryBound(to: UnsafePointer<UInt16>?.self)
            if path == .swift {
                unsafe SwiftResampleKernels.combineRows(rows, weights, taps: taps, count: count, into: out)
            } else {
                unsafe clt_combine_rows_u16(path.level, rows, weights, taps, count, out)
            }
        }
    }

    /// Combines the pixels of a line as `axis` says, rounded to the format.
    static func combineColumns(
        _ line: UnsafePointer<Float>, _ axis: ResampleWeights, _ format: PixelFormat, _ path: KernelPath,
        into target: UnsafeMutableRawPointer
    ) {
        unsafe axis.withTaps { taps in
            let width = axis.first.count
            let narrow = unsafe target.assumingMemoryBound(to: UInt8.self)
            let wide = unsafe target.assumingMemoryBound(to: UInt16.self)
            switch (format, path) {
            case (.gray8, .swift), (.rgba8, .swift):
                unsafe SwiftResampleKernels.combineColumns(line, axis, channels: format.channels, into: narrow)
            case (.gray16, .swift), (.rgba16, .swift):
                unsafe SwiftResampleKernels.combineColumns(line, axis, channels: format.channels, into: wide)
            case (.gray8, _): unsafe clt_combine_columns_gray_u8(path.level, line, taps, width, narrow)
            case (.rgba8, _): unsafe clt_combine_columns_rgba_u8(path.level, line, taps, width, narrow)
            case (.gray16, _): unsafe clt_combine_columns_gray_u16(path.level, line, taps, width, wide)
            case (.rgba16, _): unsafe clt_combine_columns_rgba_u16(path.level, line, taps, width, wide)
            }
        }
    }

    /// Rounds a line of samples to the format.
    static func round(
        _ line: UnsafePointer<Float>, _ count: Int, _ format: PixelFormat, _ path: KernelPath,
        into target: UnsafeMutableRawPointer
    ) {
        let narrow = unsafe target.assumingMemoryBound(to: UInt8.self)
        let wide = unsafe target.assumingMemoryBound(to: UInt16.self)
        switch (format, path) {
        case (.gray8, .swift), (.rgba8, .swift): unsafe SwiftPixelKernels.round(line, count, into: narrow)
        case (.gray16, .swift), (.rgba16, .swift): unsafe SwiftPixelKernels.round(line, count, into: wide)
        case (.gray8, _), (.rgba8, _): unsafe clt_round_u8(path.level, line, count, narrow)
        case (.gray16, _), (.rgba16, _): unsafe clt_round_u16(path.level, line, count, wide)
        }
    }

    /// Repeats the pixels at the ends of a line `lead` times before it and `tail` times after.
    static func repeatEnds(
        _ line: UnsafeMutablePointer<Float>, pixels: Int, channels: Int, lead: Int, tail: Int
    ) {
        let end = pixels * channels
        for i in 0..<lead * channels { unsafe line[i - lead * channels] = line[i % channels] }
        for i in 0..<tail * channels { unsafe line[end + i] = line[end - channels + i % channels] }
    }
}

extension ResampleWeights {
    /// The tables as C takes them; valid only inside.
    func withTaps(_ body: (UnsafePointer<clt_taps>) -> Void) {
        unsafe first.withUnsafeBufferPointer { first in
            unsafe count.withUnsafeBufferPointer { count in
                unsafe weights.withUnsafeBufferPointer { weights in
                    var taps = unsafe clt_taps(
                        first: first.baseAddress, taps: count.baseAddress, weights: weights.baseAddress, stride: stride)
                    unsafe body(&taps)
                }
            }
        }
    }
}
