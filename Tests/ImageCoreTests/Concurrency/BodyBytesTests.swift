import Testing

@testable import ImageCore

@Suite struct BodyByteCollections {
    private func chunk(_ byte: UInt8, _ count: Int) -> Data { Data(repeating: byte, count: count) }

    @Test(arguments: [nil, 0, 10, 60, 1 << 40])
    func chunksAreJoinedAndEarlierDataStaysAsItWas(expected: Int?) {
        var bytes = BodyBytes()
        var seen = [bytes.data]
        for number in UInt8(1)...40 {
            let isAdded = bytes.append(chunk(number, 1000 * Int(number)), expected: expected)
            #expect(isAdded)
            seen.append(bytes.data)
        }
        #expect(bytes.count == 820_000)
        var whole = Data()
        #expect(seen[0].isEmpty)
        for (index, data) in seen.dropFirst().enumerated() {
            whole += chunk(UInt8(index + 1), 1000 * (index + 1))
            #expect(data == whole)
        }
    }
}
