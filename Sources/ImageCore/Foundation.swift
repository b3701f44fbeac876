// `URL` and `Data` are all that this module takes from Foundation; on Linux the essentials hold them.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif

// The types of headers are part of the plug-in protocols and of the options.
@_exported public import HTTPTypes
