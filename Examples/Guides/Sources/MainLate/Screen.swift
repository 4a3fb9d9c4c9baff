import Dispatch

/// A screen that is redrawn on main, and a library that gives main a long block.
@MainActor
final class Screen {
    private(set) var drawings = 0

    func draw() {
        drawings += 1
    }
}

func compact() {
    DispatchQueue.main.async {
        var sum: UInt64 = 0
        let end = DispatchTime.now() + .milliseconds(300)
        while DispatchTime.now() < end { sum &+= 1 }
    }
}

@main
struct App {
    static func main() async throws {
        let screen = Screen()
        for round in 0..<10 {
            if round == 5 { compact() }
            try await Task.sleep(for: .milliseconds(10))
            screen.draw()
        }
    }
}
