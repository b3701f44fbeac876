import CalotypeTesting
import Posterize
import Testing

@Test func posterizeKeepsTheContractOfProcessors() throws {
    try checkProcessingConformance(others: [Posterize(levels: 5)]) { Posterize(levels: 4) }
}
