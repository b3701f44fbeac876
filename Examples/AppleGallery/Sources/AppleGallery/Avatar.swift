import Calotype
import SwiftUI

struct Avatar: View {
    let url: URL?

    var body: some View {
        CalotypeImage(url: url)
            .placeholder { ProgressView() }
            .failure { error in Text(error.message) }
            .contentMode(.fill)
            .transition(.fade(.milliseconds(250)))
            .priority(.high)
            .label("Avatar")
            .onSuccess { response in print(response.tier) }
            .frame(width: 60, height: 60)
            .clipped()
    }
}
