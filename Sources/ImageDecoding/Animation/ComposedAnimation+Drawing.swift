internal import ImageCore
internal import ImageKernels

/// Draws frames on the canvas, as browsers do.
extension ComposedAnimation {
    /// Draws on the canvas until it shows `frame`.
    func show(_ frame: Int) throws {
        if current == frame { return }
        var next = firstFrame(for: frame)
        if let current, current < frame, current + 1 >= next {
            next = current + 1
        } else {
            clear()
        }
        var start = current == nil ? next : nil
        while next <= frame {
            try options.checkCancellation()
            if let current { dispose(of: source.frames[current]) }
            do {
                try draw(next)
            } catch {
                // The frame may be drawn in part, so the next call starts with an empty canvas.
                clear()
                throw error
            }
            current = next
            // Only its decode shows that a frame leaves out pixels, and needs those of earlier frames.
            if next == start, firstFrame(for: next) < next {
                next = firstFrame(for: frame)
                start = next
                clear()
            } else {
                next += 1
            }
        }
    }

    private func clear() {
        clear(x: 0, y: 0, source.canvas)
        current = nil
    }

    /// The last frame up to `frame` that can be drawn on an empty canvas.
    private func firstFrame(for frame: Int) -> Int {
        (0...frame).reversed().first { index in
            if index == 0 { return true }
            let (before, here) = (source.frames[index - 1], source.frames[index])
            if before.disposal == .clear, before.covers(source.canvas) { return true }
            return here.covers(source.canvas) && (!here.blends || !here.hasAlpha) && here.disposal != .restore
        } ?? 0
    }

    private func dispose(of frame: AnimationFrame) {
        switch frame.disposal {
        case .keep: break
        case .clear: clear(x: frame.x, y: frame.y, frame.size)
        case .restore:
            guard let saved else { return clear(x: frame.x, y: frame.y, frame.size) }
            unsafe canvas.base.copyMemory(from: saved.canvas.base, byteCount: canvas.stride * source.canvas.height)
            failure = saved.failure
        }
    }

    private func draw(_ index: Int) throws {
        let frame = source.frames[index]
        if frame.disposal == .restore {
            let copy = try saved?.canvas ?? Scratch(rows: source.canvas.height, rowBytes: 4 * source.canvas.width)
            unsafe copy.base.copyMemory(from: canvas.base, byteCount: canvas.stride * source.canvas.height)
            saved = (copy, failure)
        }
        let (stored, failure) = try source.decodePixels(of: index, options: frameOptions)
        let bitmap = try stored.convertedToRGBA8()
        let hidesCanvas = frame.covers(source.canvas) && (!frame.blends || bitmap.alpha == .opaque)
        self.failure = failure ?? (hidesCanvas ? nil : self.failure)
        guard let area = visible(x: frame.x, y: frame.y, bitmap.size) else { return }
        unsafe bitmap.withUnsafePixels { pixels in
            guard let base = pixels.baseAddress else { return }
            for y in area.y {
                let from = unsafe base + (y - frame.y) * bitmap.bytesPerRow + 4 * (area.x.lowerBound - frame.x)
                let to = unsafe canvas.base + y * canvas.stride + 4 * area.x.lowerBound
                if frame.blends, bitmap.alpha != .opaque {
                    unsafe blend(
                        from.assumingMemoryBound(to: UInt8.self), over: to.assumingMemoryBound(to: UInt8.self),
                        width: area.x.count)
                } else {
                    unsafe to.copyMemory(from: from, byteCount: 4 * area.x.count)
                }
            }
        }
    }

    private func clear(x: Int, y: Int, _ size: PixelSize) {
        if size == source.canvas, (x, y) == (0, 0) { failure = nil }
        guard let area = visible(x: x, y: y, size) else { return }
        for row in area.y {
            let start = unsafe canvas.base + row * canvas.stride + 4 * area.x.lowerBound
            unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: 4 * area.x.count)
        }
    }

    /// The part of a frame that is inside the canvas; `nil` for none.
    private func visible(x: Int, y: Int, _ size: PixelSize) -> (x: Range<Int>, y: Range<Int>)? {
        let (left, right) = (max(0, x), min(source.canvas.width, x + size.width))
        let (top, bottom) = (max(0, y), min(source.canvas.height, y + size.height))
        return left < right && top < bottom ? (left..<right, top..<bottom) : nil
    }
}

/// Blends a row of straight RGBA with another by the "over" operator of Porter and Duff, rounded to the nearest level.
private func blend(_ source: UnsafePointer<UInt8>, over target: UnsafeMutablePointer<UInt8>, width: Int) {
    for start in stride(from: 0, to: 4 * width, by: 4) {
        let (top, bottom) = unsafe (UInt32(source[start + 3]), UInt32(target[start + 3]))
        if top == 0, bottom != 0 { continue }
        if top == 255 || bottom == 0 {
            for i in start..<start + 4 { unsafe target[i] = source[i] }
            continue
        }
        // The weights of both colours, and alpha, in units of 1/255².
        let (above, below) = (top &* 255, (255 &- top) &* bottom)
        let alpha = above &+ below
        for i in start..<start + 3 {
            let sum = unsafe UInt32(source[i]) &* above &+ UInt32(target[i]) &* below &+ alpha / 2
            unsafe target[i] = UInt8(truncatingIfNeeded: sum / alpha)
        }
        unsafe target[start + 3] = UInt8(truncatingIfNeeded: (alpha &+ 127) / 255)
    }
}
