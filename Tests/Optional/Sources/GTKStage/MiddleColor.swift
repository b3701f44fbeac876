import CCalotypeGTKStage
import ImageTargetsGTK

extension GTKImageView {
    /// Returns the colour in the middle of the image: straight (not premultiplied) red, green, blue and alpha, 0 to
    /// 255. `nil` if the view is blank there.
    func middleColor() -> [UInt8]? {
        var rgba: [UInt8] = [0, 0, 0, 0]
        return unsafe clt_stage_middle_color(widget, &rgba) ? rgba : nil
    }
}
