import Foundation
import Testing

/// A command of the kitty graphics protocol, with its chunks joined.
struct KittyCommand {
    var keys: [String: String] = [:]
    var data = ""
    var longestChunk = 0

    static func parse(_ text: String) throws -> [KittyCommand] {
        var commands: [KittyCommand] = []
        var isOpen = false
        for sequence in text.components(separatedBy: "\u{1B}\\") where !sequence.isEmpty {
            try #require(sequence.hasPrefix("\u{1B}_G"))
            let parts = sequence.dropFirst(3).split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
            let keys = parts[0].split(separator: ",").map { $0.split(separator: "=") }
            if !isOpen { commands.append(KittyCommand()) }
            for key in keys { commands[commands.count - 1].keys[String(key[0])] = String(key[1]) }
            let chunk = parts.count > 1 ? String(parts[1]) : ""
            commands[commands.count - 1].data += chunk
            commands[commands.count - 1].longestChunk = max(commands[commands.count - 1].longestChunk, chunk.utf8.count)
            isOpen = commands[commands.count - 1].keys["m"] == "1"
        }
        try #require(!isOpen)
        return commands
    }
}

/// A decoder of sixels that follows DEC's manual. Components are in percent; a pixel that no pass sets is `nil`.
struct SixelImage {
    let width: Int
    let height: Int
    private(set) var pixels: [[Int]?]
    private(set) var colors = 0

    init(_ text: String) throws {
        try #require(text.hasPrefix("\u{1B}P") && text.hasSuffix("\u{1B}\\"))
        var bytes = Array(text.utf8.dropFirst(2).dropLast(2))[...]
        bytes = try bytes[(#require(bytes.firstIndex(of: UInt8(ascii: "q"))) + 1)...]
        func numbers() -> [Int] {
            let end = bytes.firstIndex { !(48...57).contains($0) && $0 != 59 } ?? bytes.endIndex
            defer { bytes = bytes[end...] }
            return String(decoding: bytes[..<end], as: UTF8.self).split(separator: ";").compactMap { Int($0) }
        }
        try #require(bytes.popFirst() == UInt8(ascii: "\""))
        let raster = numbers()
        (width, height) = (raster[2], raster[3])
        pixels = Array(repeating: nil, count: width * height)
        var palette: [Int: [Int]] = [:]
        var (x, y, color) = (0, 0, 0)
        var times = 1
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "#"):
                let values = numbers()
                color = values[0]
                if values.count == 5 { palette[color] = Array(values[2...]) }
            case UInt8(ascii: "!"): times = numbers()[0]
            case UInt8(ascii: "$"): x = 0
            case UInt8(ascii: "-"): (x, y) = (0, y + 6)
            default:
                try #require((63...126).contains(byte))
                for _ in 0..<times {
                    for bit in 0..<6 where (byte - 63) >> UInt8(bit) & 1 == 1 {
                        try #require(x < width && y + bit < height)
                        pixels[(y + bit) * width + x] = palette[color]
                    }
                    x += 1
                }
                times = 1
            }
        }
        colors = palette.count
    }
}

/// Parses a line of cells with 24-bit colours (`SGR 38;2` and `48;2`).
enum ColoredCells {
    struct Cell {
        var character: Character
        var foreground: [Int]?
        var background: [Int]?
    }

    static func parse(_ line: String) -> [Cell] {
        var cells: [Cell] = []
        var (foreground, background): ([Int]?, [Int]?) = (nil, nil)
        var rest = line[...]
        while let character = rest.popFirst() {
            guard character == "\u{1B}" else {
                cells.append(Cell(character: character, foreground: foreground, background: background))
                continue
            }
            guard let end = rest.firstIndex(where: \.isLetter) else { break }
            var numbers = rest[..<end].dropFirst().split(separator: ";").compactMap { Int($0) }[...]
            let isColor = rest[end] == "m"
            rest = rest[rest.index(after: end)...]
            guard isColor else { continue }
            if numbers.isEmpty { (foreground, background) = (nil, nil) }
            while let number = numbers.popFirst() {
                switch number {
                case 38 where numbers.count >= 4:
                    foreground = Array(numbers.dropFirst().prefix(3))
                    numbers = numbers.dropFirst(4)
                case 48 where numbers.count >= 4:
                    background = Array(numbers.dropFirst().prefix(3))
                    numbers = numbers.dropFirst(4)
                case 49: background = nil
                case 39: foreground = nil
                case 0: (foreground, background) = (nil, nil)
                default: break
                }
            }
        }
        return cells
    }
}
