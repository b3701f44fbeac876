// This module uses only `URL` and `Data` of Foundation; on Linux both are in FoundationEssentials.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
