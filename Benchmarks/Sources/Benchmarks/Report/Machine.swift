internal import Foundation

/// The machine of a run.
struct Machine: Codable, Sendable {
    /// The operating system and its kernel.
    var system: String
    /// The model of the processor.
    var processor: String
    /// The number of usable processors.
    var processors: Int
    var memoryGigabytes: Double
    /// The number of running tasks, averaged over the minute before the run: above zero, others used the machine too.
    var load: Double

    static var current: Machine {
        var loads = [0.0, 0, 0]
        _ = unsafe getloadavg(&loads, 3)
        let model = Shell.output("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>&- || sysctl -n machdep.cpu.brand_string")
        return Machine(
            system: "\(ProcessInfo.processInfo.operatingSystemVersionString), \(Shell.output("uname -sr"))",
            processor: model.split(separator: "\n").first.map(String.init) ?? Shell.output("uname -m"),
            processors: ProcessInfo.processInfo.activeProcessorCount,
            memoryGigabytes: (Double(ProcessInfo.processInfo.physicalMemory) / 1e8).rounded() / 10, load: loads[0])
    }
}

/// The version of a program or library that is part of the measurements.
struct Version: Codable, Sendable {
    var name: String
    /// `nil` when it is not installed.
    var version: String?

    /// The first text of the command's output that looks like a version.
    private init(_ name: String, _ command: String) {
        self.name = name
        version = Shell.output(command).firstMatch(of: /[0-9]+(\.[0-9]+)+[-+.\w]*/).map { String($0.output.0) }
    }

    static var all: [Version] {
        let clientVersions = "Benchmarks/AsyncHTTPClientPeer/Package.resolved"
        let asynchronous =
            "test -x .build/async-http-client-peer/release/AsyncHTTPClientPeer && sed -n '/\"async-http-client\"/,/\"version\"/s/.*\"version\" : //p' \(clientVersions)"
        return [
            Version("Swift", "swift --version"), Version("libjpeg", "pkg-config --modversion libjpeg"),
            Version("libpng", "pkg-config --modversion libpng"), Version("libwebp", "pkg-config --modversion libwebp"),
            Version("libavif", "pkg-config --modversion libavif"), Version("libcurl", "pkg-config --modversion libcurl"),
            Version("curl", "curl --version"), Version("nginx", "nginx -v || /usr/sbin/nginx -v"),
            Version("djpeg", "djpeg -version </dev/null"), Version("dwebp", "dwebp -version"),
            Version("avifdec", "avifdec --version"), Version("vipsthumbnail", "vipsthumbnail --vips-version"),
            Version("ImageMagick", "mogrify -version"),
            Version("Pillow", "'\(Programs.python)' -c 'import PIL; print(PIL.__version__)' 2>&-"),
            Version(
                "pyvips' libvips",
                "'\(Programs.python)' -c 'import pyvips; print(\"%d.%d.%d\" % tuple(map(pyvips.version, range(3))))' 2>&-"),
            Version("AsyncHTTPClient", asynchronous),
        ]
    }
}

/// Short commands whose output describes a run.
enum Shell {
    /// The output and the errors of a command in the folder of the project, without the last line break.
    static func output(_ command: String) -> String {
        guard let folder = try? ScratchFolder() else { return "" }
        defer { folder.remove() }
        let file = folder.file("output")
        let words = ["sh", "-c", "cd \"$1\" && { \(command); } 2>&1", "sh", Programs.project.path]
        _ = try? ChildProcess(words, output: file).wait()
        return String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The commit of the sources.
    static var commit: String? {
        let commit = output("git rev-parse --short=12 HEAD")
        guard commit.wholeMatch(of: /[0-9a-f]+/) != nil else { return nil }
        return output("git status --porcelain --untracked-files=no").isEmpty ? commit : "\(commit), with changes"
    }
}
