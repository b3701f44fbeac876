internal import Calotype
internal import Foundation

extension Suite {
    /// Makes thumbnails of many photos on all processors.
    static let photos = Suite(name: "photos", summary: "1,000 JPEGs of 2 megapixels to thumbnails of 400 pixels") {
        effort, seed in
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let count = effort.scaled(1_000)
        let names = try PhotosBench.make(count, in: folder, seed: seed)
        let output = folder.file("out")
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        let atATime = ProcessInfo.processInfo.activeProcessorCount
        // The tools process one photo at a time, so as many of them run as there are processors.
        func parallel(_ command: String) -> [String] {
            let list = "printf '%s\\n' \(folder.path)/*.jpg | xargs -P \(atATime) -n \(max(1, count / atATime / 4)) \(command)"
            return ["sh", "-c", list]
        }
        let commands = [
            [Programs.path("calotype"), "load"] + names + [
                "-o", output, "--size", "400x400", "--format", "jpg", "--quality", "75", "--no-cache",
            ],
            parallel("vipsthumbnail -s 400 -o \(output)/%s.jpg"),
            parallel("mogrify -limit thread 1 -quality 75 -define jpeg:size=800x800 -path \(output) -thumbnail 400x400"),
        ]
        let times = try await blocking { PhotosBench.times(commands, rounds: effort == .smoke ? 1 : 3) }
        guard let own = times[0] else { throw MissingProgram(name: "calotype", isNeeded: true) }
        let fastest = [times[1], times[2]].compactMap { $0?.median }.min()
        return [("vipsthumbnail", times[1]), ("ImageMagick", times[2])].map { name, time in
            Row(
                suite: "photos", name: "\(count) photos to thumbnails, time", samples: own, unit: "ms",
                peer: Row.Peer(name: name, samples: time), budget: time?.median == fastest ? .ratio(0.8) : nil)
        }
    }
}

private enum PhotosBench {
    /// Writes ten photos of different sizes and links to them, and returns all paths.
    static func make(_ count: Int, in folder: ScratchFolder, seed: UInt64) throws -> [String] {
        var paths: [String] = []
        for index in 0..<count {
            let path = folder.file("photo-\(index).jpg")
            if index < 10 {
                let size = PixelSize(width: 1600 + 16 * index, height: 1200 + 12 * index)
                let scene = DecodedImage(
                    try Scene(
                        size: count < 100 ? PixelSize(width: size.width / 4, height: 300) : size, seed: seed &+ UInt64(index)
                    ).bitmap())
                try Codecs.encoder.encode(scene, as: .jpeg, options: EncodeOptions()).write(to: URL(filePath: path))
            } else {
                try FileManager.default.linkItem(atPath: paths[index % 10], toPath: path)
            }
            paths.append(path)
        }
        return paths
    }

    /// Returns the milliseconds of each command, or `nil` for one that fails. Each round runs all of them.
    static func times(_ commands: [[String]], rounds: Int) -> [[Double]?] {
        var times = [[Double]?](repeating: [], count: commands.count)
        for _ in 0..<rounds {
            for (index, command) in commands.enumerated() {
                guard let before = times[index] else { continue }
                let began = ContinuousClock.now
                let isGood = (try? ChildProcess(command).wait().status) == 0
                times[index] = isGood ? before + [(.now - began) / .milliseconds(1)] : nil
            }
        }
        return times
    }
}
