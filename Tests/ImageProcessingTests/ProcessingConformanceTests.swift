import CalotypeTesting
import ImageCore
import ImageProcessing
import ProcessorParsing
import Testing

@Suite struct ProcessingConformanceTests {
    @Test(
        arguments: [
            "resize(9x7)", "resize(40x40,fill,upscale=true)", "crop-to(1:1,attention)", "trim", "pad(130x90,white)", "rotate(90)",
            "rotate(33)", "flip", "grayscale", "sepia", "tint(#40c0ff)", "brightness(0.1)", "contrast(1.5)", "saturation(2)",
            "gamma(2.2)", "invert", "background(white)", "round(4)", "circle", "border(1)", "blur(2)", "sharpen", "pixelate(4)",
        ])
    func theBuiltInProcessorsPass(list: String) throws {
        try checkProcessingConformance { Composition(try ProcessorList.parse(list)) }
        for processor in try ProcessorList.parse(list) { try checkProcessingConformance { processor } }
    }
}
