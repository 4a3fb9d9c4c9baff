/// Loads pages through a limit of two at a time.
public actor Loader {
    private var free = 2
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init() {}

    public func load(_ page: Int) async throws -> String {
        await enter()
        guard page > 0 else { throw NoSuchPage(number: page) }  // The bug: it does not leave.
        leave()
        return "page \(page)"
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

public struct NoSuchPage: Error {
    public let number: Int
}
