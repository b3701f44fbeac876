import CalotypeTesting
import Duotone
import ImageCore
import ImageKernels
import Testing

@Test(.timeLimit(.minutes(1))) func duotoneKeepsTheContractOfProcessors() throws {
    let (navy, cream) = (PixelColor(red: 0, green: 0, blue: 0.4), PixelColor(red: 1, green: 0.8, blue: 0.6))
    let others = [Duotone(.init(dark: navy, light: .white)), Duotone(.init(dark: .black, light: cream)), Duotone()]
    try checkProcessingConformance(others: others) { .duotone(dark: navy, light: cream) }
    var extra = ExtraOptions()
    extra[DuotoneTones.self] = Duotone.Tones(dark: navy, light: cream)
    try checkProcessingConformance(extra: extra) { .duotone }
}
