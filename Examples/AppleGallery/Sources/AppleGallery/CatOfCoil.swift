import Calotype
import SwiftUI

struct CatOfCoil: View {
    let url: URL?

    var body: some View {
        CalotypeImage(url: url)  // 20
            .placeholder { ProgressView() }
            .failure { error in Text(error.message) }
            .contentMode(.fill)
            .frame(width: 120, height: 80)
    }
}
