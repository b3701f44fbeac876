import Calotype
import SwiftUI

/// A grid of thumbnails.
struct Album: View {
    let urls: [URL]

    var body: some View {
        ScrollView {
            LazyVGrid(columns: [GridItem(.adaptive(minimum: 120))]) {
                ForEach(urls, id: \.self) { url in
                    Thumbnail(url: url)
                }
            }
        }
        .environment(\.imageLoader, ImageLoader.shared)
    }
}

struct Thumbnail: View {
    let url: URL
    @Environment(\.displayScale) private var scale

    var body: some View {
        CalotypeImage(request) {
            ProgressView()
        }
        .frame(width: 120, height: 120)
    }

    private var request: ImageRequest {
        var request = ImageRequest(url: url, size: PixelSize(120, scale: scale), contentMode: .fill)
        request.options.transition = .fade(.milliseconds(250))
        request.options.accessibilityLabel = url.lastPathComponent
        return request
    }
}
