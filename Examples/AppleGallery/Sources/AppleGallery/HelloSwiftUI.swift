import Calotype
import SwiftUI

struct ContentView: View {
    let url = URL(string: "https://example.org/cat.jpg")!

    var body: some View {
        CalotypeImage(url: url) { ProgressView() }
    }
}
