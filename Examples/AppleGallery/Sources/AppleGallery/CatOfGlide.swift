import Calotype
import SwiftUI

struct CatOfGlide: View {
    let url: URL?

    var body: some View {
        CalotypeImage(url: url)  // 19
            .placeholder { ProgressView() }
            .transition(.fade(.milliseconds(250)))
            .failure { error in Text(error.message) }  // 20
            .frame(width: 120, height: 80)
    }
}
