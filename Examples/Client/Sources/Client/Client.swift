import Hopscope

struct Offline: Error {}

struct Story: Sendable {
    let title: String
}

/// Loads stories from a service that the network can lose.
struct Stories {
    let network = ChainExecutor.pool(name: "network", width: 2)
    let isOnline: Bool

    func numbers() -> ChainTask<[Int]> {
        ChainTask(on: network, name: "load numbers") { [1, 2, 3] }
    }

    func story(_ number: Int) -> ChainTask<Story> {
        ChainTask(on: network, name: "load story \(number)") {
            guard isOnline else { throw Offline() }
            return Story(title: "Story \(number)")
        }
    }

    /// All of them at once. The join fails if one of them does, and everything after it is skipped until a handler reads the error.
    func show() -> ChainTask<String> {
        numbers()
            .continueOnSuccessWithTask(name: "load stories") { numbers in
                ChainTask<Story>.whenAllResults(numbers.map(story))
            }
            .continueOnSuccessWith(on: .main, name: "show") { "showed \($0.count) stories" }
            .continueOnErrorWith(on: .main, name: "apologise") { (_: any Error) in "no stories: offline" }
    }
}

@main
enum Client {
    static func main() async throws {
        for isOnline in [true, false] {
            print(try await Stories(isOnline: isOnline).show().value)
        }
    }
}
