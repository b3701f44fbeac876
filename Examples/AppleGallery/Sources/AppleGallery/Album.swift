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
    }
}

struct Thumbnail: View {
    let url: URL

    var body: some View {
        CalotypeImage(url: url) { ProgressView() }
            .contentMode(.fill)
            .transition(.fade(.milliseconds(250)))
            .label(url.lastPathComponent)
            .frame(width: 120, height: 120)
            .clipped()
    }
}
