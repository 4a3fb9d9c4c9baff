extension SwiftScene {
    static let lostError = SwiftScene(
        "lost-error", words: "an error is lost: a Task throws, and no code awaits it",
        summary: "orders are charged in tasks of their own, and no code learns that some are declined; Overview and Faults name the throw",
        takeOrders)
}

private struct PaymentDeclined: Error {
    let order: Int
}

private func charge(_ order: Int, _ pace: ScenePace) async throws -> Int {
    await pace.pause(milliseconds: 60)
    if order.isMultiple(of: 4) { throw PaymentDeclined(order: order) }
    return order
}

@Sendable private func takeOrders(_ pace: ScenePace) async {
    for order in 1...24 {
        Task { try await charge(order, pace) }
        await pace.pause(milliseconds: 300)
    }
    print("All orders are charged.")
}
