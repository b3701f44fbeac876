// This module uses only `URL` and `Data` of Foundation; on Linux both are in FoundationEssentials.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif

// The types of headers are part of the plug-in protocols and of the options.
@_exported public import HTTPTypes
