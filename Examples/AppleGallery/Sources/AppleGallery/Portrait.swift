import Calotype
import SwiftUI

/// An image that says how far it is, and what went wrong.
struct Portrait: View {
    let url: URL

    var body: some View {
        CalotypePhaseView(ImageRequest(url: url)) { phase in
            switch phase {
            case .empty: ProgressView()
            case .loading(let progress): ProgressView(value: progress?.fraction)
            case .success(let image): content(of: image)
            case .failure(let error): Text(error.message)
            }
        }
    }

    @ViewBuilder private func content(of image: DecodedImage) -> some View {
        if let cgImage = image.bitmap.makeCGImage() {
            Image(decorative: cgImage, scale: 1).resizable()
        } else {
            Text("This image has a format that Core Graphics cannot show.")
        }
    }
}
