// A gallery: a task shows pictures on main, and an older part of the program gives main a block.
import Dispatch
import Foundation

@MainActor var shown: [Int] = []
@MainActor func show(_ picture: Int) { shown.append(picture) }

/// The older part sorts the album on main.
func sortAlbum() {
    DispatchQueue.main.async { compute(milliseconds: 600) }
    print("The album is sorted soon.")
}

func compute(milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {}
}

@main struct Photos {
    static func main() async {
        let thumbnails = Task.detached(name: "thumbnails") {
            for picture in 1...3 {
                compute(milliseconds: 20)
                await show(picture)
            }
            sortAlbum()
            try? await Task.sleep(for: .milliseconds(100))
            await show(4)
        }
        await thumbnails.value
    }
}
