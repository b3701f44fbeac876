// What ImageCaching takes of Dispatch and Foundation that only Apple's have. Compiled along with its sources.
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
    ) -> any DispatchSourceMemoryPressure { fatalError("It is never run.") }
}

extension URL {
    static var cachesDirectory: URL { URL(filePath: "/") }
}
