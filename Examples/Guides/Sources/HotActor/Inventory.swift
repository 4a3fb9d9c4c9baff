/// Every request asks one actor, which computes for a millisecond.
actor Inventory {
    private var stock = 0

    func reserve() {
        let end = ContinuousClock.now + .milliseconds(1)
        while ContinuousClock.now < end { stock &+= 1 }
    }
}

@main
struct Warehouse {
    static func main() async {
        let inventory = Inventory()
        await withTaskGroup(of: Void.self) { group in
            for request in 1...40 {
                group.addTask(name: "request \(request)") {
                    for _ in 0..<10 { await inventory.reserve() }
                }
            }
        }
    }
}
