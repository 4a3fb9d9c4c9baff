extension SwiftScene {
    static let hotActor = SwiftScene(
        "hot-actor", words: "a hot actor: all shoppers queue for one inventory",
        summary: "each reservation computes on the actor for 12 ms, and twenty shoppers want one; Overview and Executors show the queue",
        sell)
}

private actor Inventory {
    private var left = 10_000

    func reserve(_ pace: ScenePace) -> Int {
        pace.work(milliseconds: 12)
        left -= 1
        return left
    }
}

private func shop(_ inventory: Inventory, _ pace: ScenePace) async {
    for _ in 0..<40 {
        _ = await inventory.reserve(pace)
        await pace.pause(milliseconds: 20)
    }
}

@Sendable private func sell(_ pace: ScenePace) async {
    let inventory = Inventory()
    await withTaskGroup(of: Void.self) { group in
        for number in 1...20 { group.addTask(name: "shopper \(number)") { await shop(inventory, pace) } }
    }
}
