import CalotypeTesting
import Posterize
import Testing

@Test func posterizeKeepsTheContractOfProcessors() throws {
    try checkProcessingConformance { Posterize(levels: 4) }
}
