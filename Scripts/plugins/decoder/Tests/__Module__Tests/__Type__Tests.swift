import CalotypeTesting
import ImageCore
import Testing
import __Module__

@Suite(.timeLimit(.minutes(1))) struct __Type__Tests {
    @Test func itKeepsTheContractOfDecoders() throws {
        // A complete, small file, made here or read from a resource. Add one with transparency, one with 16 bits per
        // channel, and one with an orientation, if the format has them. With `info:` and `image:`, the header and the
        // pixels are compared too.
        let file = Data("__name__".utf8)
        try checkDecodingConformance(of: __Type__(), samples: [DecodingSample(file, name: "the smallest file")])
    }
}
