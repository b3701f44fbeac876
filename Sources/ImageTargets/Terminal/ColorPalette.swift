internal import ImageCore

/// A small set of colours that approximates those of an image.
struct ColorPalette {
    let colors: [HalfBlocks.RGB]

    /// The 240 colours of xterm's palette that are the same in every terminal, from index 16: the cube and the greys.
    static let xterm: ColorPalette = {
        let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
        let cube = (0..<216).map { HalfBlocks.RGB(red: levels[$0 / 36], green: levels[$0 / 6 % 6], blue: levels[$0 % 6]) }
        let grays = (0..<24).map { UInt8(8 + 10 * $0) }
        return ColorPalette(colors: cube + grays.map { HalfBlocks.RGB(red: $0, green: $0, blue: $0) })
    }()

    /// The 16 colours of text, as the Linux console shows them: red, green and blue are bits 0, 1 and 2, and bit 3 is
    /// the brightness.
    static let ansi = ColorPalette(
        colors: (0..<16).map { index in
            func level(_ bit: Int) -> UInt8 { UInt8(index >> bit & 1) * 170 + UInt8(index >> 3) * 85 }
            // The dark yellow is brown.
            return HalfBlocks.RGB(red: level(0), green: index == 3 ? 85 : level(1), blue: level(2))
        })

    init(colors: [HalfBlocks.RGB]) { self.colors = colors }

    /// Chooses at most `limit` colours. If the image has no more, they are the palette. Otherwise median cut chooses
    /// them: it repeatedly splits the box with the most pixels at the median of its longest side, and takes the mean of
    /// each box.
    init(_ pixels: [HalfBlocks.RGB], limit: Int) {
        var counts: [HalfBlocks.RGB: Int] = [:]
        for pixel in pixels { counts[pixel, default: 0] += 1 }
        if counts.count <= limit {
            colors = counts.keys.sorted { $0.code(bits: 8) < $1.code(bits: 8) }
            return
        }
        // Five bits per component are precise enough for the choice and bound the work.
        var cells: [Int: Cell] = [:]
        for (color, count) in counts { cells[color.code(bits: 5), default: Cell()].add(color, count) }
        var boxes = [Box(cells.sorted { $0.key < $1.key }.map(\.value))]
        while boxes.count < limit,
            let index = boxes.indices.filter({ boxes[$0].cells.count > 1 }).max(by: { boxes[$0].weight < boxes[$1].weight })
        {
            let (low, high) = boxes[index].halves()
            boxes[index] = low
            boxes.append(high)
        }
        colors = boxes.map(\.mean)
    }

    /// The index of each pixel's palette colour. Floyd-Steinberg dithering adds each pixel's error to its neighbours to
    /// the right and below.
    func indices(_ pixels: [HalfBlocks.RGB?], width: Int) -> [Int?] {
        var known: [HalfBlocks.RGB: Int] = [:]
        for (index, color) in colors.enumerated() where known[color] == nil { known[color] = index }
        var nearest: [Int: Int] = [:]
        var result: [Int?] = []
        result.reserveCapacity(pixels.count)
        var (errors, below) = (Array(repeating: SIMD3<Int>(), count: width + 2), Array(repeating: SIMD3<Int>(), count: width + 2))
        for (position, pixel) in pixels.enumerated() {
            let x = position % width
            if x == 0, position > 0 { (errors, below) = (below, Array(repeating: SIMD3<Int>(), count: width + 2)) }
            guard let pixel else {
                result.append(nil)
                continue
            }
            let color = HalfBlocks.RGB(clamping: pixel.components &+ errors[x + 1] / 16)
            let index = known[color] ?? nearestIndex(color, &nearest)
            let error = color.components &- colors[index].components
            errors[x + 2] &+= error &* 7
            below[x] &+= error &* 3
            below[x + 1] &+= error &* 5
            below[x + 2] &+= error
            result.append(index)
        }
        return result
    }

    /// The index of the nearest colour, cached in `nearest` by six bits per component.
    private func nearestIndex(_ color: HalfBlocks.RGB, _ nearest: inout [Int: Int]) -> Int {
        let key = color.code(bits: 6)
        if let index = nearest[key] { return index }
        func distance(_ other: HalfBlocks.RGB) -> Int {
            let difference = color.components &- other.components
            return (difference &* difference).wrappedSum()
        }
        let index = colors.indices.min { distance(colors[$0]) < distance(colors[$1]) } ?? 0
        nearest[key] = index
        return index
    }

    /// The sum and the number of the pixels of similar colours.
    private struct Cell {
        var sums = SIMD3<Int>()
        var count = 0
        mutating func add(_ color: HalfBlocks.RGB, _ times: Int) {
            sums &+= color.components &* times
            count += times
        }
        var mean: SIMD3<Int> { sums / SIMD3(repeating: max(1, count)) }
    }

    /// A set of cells that one palette colour represents.
    private struct Box {
        var cells: [Cell]
        let weight: Int

        init(_ cells: [Cell]) {
            self.cells = cells
            weight = cells.reduce(0) { $0 + $1.count }
        }

        var mean: HalfBlocks.RGB {
            HalfBlocks.RGB(clamping: cells.reduce(SIMD3()) { $0 &+ $1.sums } / SIMD3(repeating: max(1, weight)))
        }

        func halves() -> (Box, Box) {
            let means = cells.map(\.mean)
            let sides = (0..<3).map { axis in (means.map { $0[axis] }.max() ?? 0) - (means.map { $0[axis] }.min() ?? 0) }
            let axis = sides.indices.max { sides[$0] < sides[$1] } ?? 0
            let sorted = cells.sorted { $0.mean[axis] < $1.mean[axis] }
            var (middle, passed) = (1, sorted[0].count)
            while middle < sorted.count - 1, passed < weight / 2 {
                passed += sorted[middle].count
                middle += 1
            }
            return (Box(Array(sorted[..<middle])), Box(Array(sorted[middle...])))
        }
    }
}
