/// Little-endian, unaligned numbers, as in the files of the cache.
extension [UInt8] {
    mutating func append(littleEndian value: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// The number at `offset`. The caller checks the bounds.
    func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T {
        unsafe T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}
