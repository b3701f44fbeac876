import CalotypeTesting
import NetpbmCodec
import Testing

@Test(.timeLimit(.minutes(1))) func theEncoderKeepsTheContract() throws {
    try checkEncodingConformance(of: NetpbmEncoder(), readBy: NetpbmDecoder())
}
