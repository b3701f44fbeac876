import Foundation

enum FileOutput {
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// The resident memory of the process in bytes: the second field of `/proc/self/statm`, in pages.
    static var residentBytes: Int {
        guard let line = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = line.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    static func pause(microseconds: UInt32) { usleep(microseconds) }
}
