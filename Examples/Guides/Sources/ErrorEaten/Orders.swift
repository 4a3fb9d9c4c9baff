/// Orders are charged in the background. No code looks at the result.
struct CardDeclined: Error {
    var order: Int
}

func charge(order: Int) async throws {
    try await Task.sleep(for: .milliseconds(5))
    if order == 3 { throw CardDeclined(order: order) }
}

func accept(order: Int) {
    Task(name: "charge \(order)") {
        try await charge(order: order)
    }
}

@main
struct Orders {
    static func main() async throws {
        for order in 1...5 {
            accept(order: order)
        }
        try await Task.sleep(for: .milliseconds(200))
        print("All orders are accepted.")
    }
}
