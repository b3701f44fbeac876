import CalotypeSystem

/// The transfer curve of sRGB (IEC 61966-2-1), from and to 0...1.
package enum TransferCurve {
    package static func linear(_ value: Double) -> Double { value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4) }

    package static func encoded(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
