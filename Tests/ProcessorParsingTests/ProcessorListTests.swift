import CalotypeTesting
import ImageCore
import ImageKernels
import ImageProcessing
import ProcessorParsing
import Testing

@Suite struct ProcessorListTests {
    private func identifiers(_ text: String) throws -> [String] { try ProcessorList.parse(text).map(\.identifier) }

    @Test func processorsAreParsedInOrder() throws {
        #expect(
            try identifiers("resize(320x200,fill) blur(4)  round(12)")
                == ["calotype.resize(320x200,fill,lanczos3)", "calotype.blur(4)", "calotype.round(12,12,12,12)"])
        #expect(try identifiers("").isEmpty)
        #expect(try identifiers("  circle\ninvert ") == ["calotype.circle", "calotype.invert"])
        #expect(try identifiers("circle()") == ["calotype.circle"])
    }

    @Test func argumentsMayBeNamedOrOmitted() throws {
        #expect(try identifiers("resize(320x, filter=box, upscale=true)") == ["calotype.resize(320x,fit,box,upscale)"])
        #expect(try identifiers("resize(x200)") == ["calotype.resize(x200,fit,lanczos3)"])
        #expect(try identifiers("resize(64,linear=true)") == ["calotype.resize(64x,fit,lanczos3,linear)"])
        #expect(try identifiers("sharpen(amount=2)") == ["calotype.sharpen(1,2,0)"])
        #expect(try identifiers("round(4,bottom-left=0)") == ["calotype.round(4,4,4,0)"])
        #expect(try identifiers("round(10%,top-right=0)") == ["calotype.round(10%,0%,10%,10%)"])
        #expect(try identifiers("border(2%,white,radius=50%)") == ["calotype.border(2%,#ffffffff,50%,50%,50%,50%)"])
        #expect(try identifiers("border(2,white,8,bottom-left=0)") == ["calotype.border(2,#ffffffff,8,8,8,0)"])
        #expect(try identifiers("crop-to(16:9,attention)") == ["calotype.crop(16:9,attention)"])
        #expect(try identifiers("crop-to(30x20,top-left)") == ["calotype.crop(30x20,top-left)"])
    }

    @Test func everyProcessorCanBeParsed() throws {
        let text = """
            resize(9x8) crop(1,2,3,4) crop-to(3x4) trim pad(5x6,white) rotate(12.5) flip(vertical) grayscale sepia(0.5)
            tint(#f00) brightness(-0.2) contrast(1.5) saturation(0) gamma(2.2) invert background(black) round(12) circle
            border(2) blur(4) sharpen pixelate(8)
            """
        #expect(try identifiers(text).count == ProcessorList.names.count - 1)
        #expect(ProcessorList.usage.contains("blur(radius)"))
    }

    @Test func quotedValuesMayContainAnyCharacter() throws {
        let mark = try TestImages.solid(width: 2, height: 2)
        let list = try ProcessorList.parse("overlay(\"a, (b)=c.png\",top) blur( \"4\" )") { _ in mark }
        #expect(list.map(\.identifier) == ["calotype.overlay(a, (b)=c.png,top,0,1)", "calotype.blur(4)"])
    }

    @Test func defaultsOfASingleProcessorCanBeChanged() throws {
        let defaults = ["gravity": "top", "anchor": "attention"]
        func identifier(_ name: String, _ arguments: String) throws -> String {
            try ProcessorList.processor(name, arguments, defaults: defaults).identifier
        }
        #expect(try identifier("pad", "9x8") == "calotype.pad(9x8,#00000000,top)")
        #expect(try identifier("pad", "9x8,gravity=left") == "calotype.pad(9x8,#00000000,left)")
        #expect(try identifier("crop-to", "9x8") == "calotype.crop(9x8,attention)")
        #expect(try identifier("blur", "2") == "calotype.blur(2)")
        #expect(ProcessorList.needsArguments("blur") && !ProcessorList.needsArguments("sepia"))
        #expect(!ProcessorList.needsArguments("circle") && !ProcessorList.needsArguments("blurr"))
    }

    @Test func overlaysRequestTheirImage() throws {
        let mark = try TestImages.solid(width: 2, height: 2)
        var asked: [String] = []
        let list = try ProcessorList.parse("overlay(logo.png,top,0.5,margin=8) overlay(logo.png,tiled)") { name in
            asked.append(name)
            return mark
        }
        #expect(list.map(\.identifier) == ["calotype.overlay(logo.png,top,8,0.5)", "calotype.overlay(logo.png,tiled,0,1)"])
        #expect(asked == ["logo.png", "logo.png"])
        #expect(throws: ImageError.self) { try identifiers("overlay(logo.png)") }
    }

    @Test(arguments: [
        ("blur", "The processor blur needs a radius."), ("pad()", "The processor pad needs a size."),
        ("blur(four)", "The processor blur needs a number as its radius, not \"four\"."),
        ("blur(4,5)", "The processor blur takes 1 argument, not 2."),
        ("blur(sigma=4)", "The processor blur has no parameter named \"sigma\"."),
        ("blur(4,radius=5)", "The processor blur was given radius twice."),
        ("round(ten%)", "The processor round needs a number of pixels, or a share such as 10%, as its radius, not \"ten%\"."),
        ("round(4,top-right=10%)", "The processor round needs all radii in pixels, or all in percent."),
        ("pad(5x)", "The processor pad needs both sides of its size, such as 320x200."),
        ("flip(up)", "The processor flip needs one of horizontal, vertical as its direction, not \"up\"."),
    ])
    func errorsNameTheProcessorAndTheParameter(text: String, message: String) {
        #expect(#expect(throws: ImageError.self) { try ProcessorList.parse(text) }?.message == message)
    }

    @Test(arguments: [
        ("blurr(4)", "blurr"), ("blur", "radius"), ("blur()", "radius"), ("blur(four)", "four"), ("blur(4", "parenthesis"),
        ("blur(4,5)", "1 argument"), ("blur(sigma=4)", "sigma"), ("blur(4,radius=5)", "twice"), ("resize(x)", "size"),
        ("resize(axb)", "axb"), ("resize(3x4,cover)", "cover"), ("tint(puce)", "puce"), ("(4)", "name"),
        ("blur(4)round(3", "parenthesis"),
        ("circle)", "circle"), ("pad(5x)", "both sides"), ("crop-to(a:b)", "a:b"), ("flip(up)", "up"),
        ("resize(3x4,upscale=yes)", "yes"),
    ])
    func errorsNameTheMistake(text: String, mention: String) {
        let error = #expect(throws: ImageError.self) { try ProcessorList.parse(text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains(mention) == true, "\(error?.message ?? "")")
    }
}
