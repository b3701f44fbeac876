import CGTK
import Calotype
import ImageTargetsGTK

/// An image in a box of 64 application pixels, which it covers. Keep the view as long as the window.
@MainActor func makeAvatar(_ url: URL, named name: String) -> GTKImageView {
    let view = GTKImageView(contentMode: .fill)
    gtk_widget_set_size_request(gtkCast(view.widget), 64, 64)
    gtk_widget_set_halign(gtkCast(view.widget), GTK_ALIGN_CENTER)
    gtk_widget_set_valign(gtkCast(view.widget), GTK_ALIGN_CENTER)
    var request = ImageRequest(url: url)
    request.options.transition = .fade(.milliseconds(200))
    request.options.accessibilityLabel = "A portrait of \(name)"
    view.makeTarget(loader: ImageLoader.shared).setImage(request)
    return view
}
