import CalotypeTesting
import ImageCore
import Testing
import __Module__

@Suite(.timeLimit(.minutes(1))) struct __Type__Tests {
    @Test func itKeepsTheContractOfProcessors() throws {
        // `others` has one processor for each parameter, which differs in that parameter.
        try checkProcessingConformance(others: [__Type__(amount: 2)]) { __Type__(amount: 1) }
    }
}
