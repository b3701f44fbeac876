// The parts of Dispatch and Foundation that ImageCaching uses and only Apple's versions have. Compiled with its sources.
import CalotypeSystem
import Dispatch
import ImageCore

protocol DispatchSourceMemoryPressure: AnyObject, DispatchSourceProtocol {
    var data: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSource {
    struct MemoryPressureEvent: OptionSet, Sendable {
        let rawValue: UInt
        static let warning = MemoryPressureEvent(rawValue: 2)
        static let critical = MemoryPressureEvent(rawValue: 4)
    }

    static func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure { fatalError("The stub is only type-checked.") }
}

extension URL {
    static var cachesDirectory: URL { URL(filePath: "/") }

    mutating func setResourceValues(_ values: URLResourceValues) throws {}
}

struct URLResourceValues {
    var isExcludedFromBackup: Bool?
}

extension stat {
    var st_atimespec: timespec { st_atim }
    var st_mtimespec: timespec { st_mtim }
}

var F_FULLFSYNC: Int32 { 51 }
