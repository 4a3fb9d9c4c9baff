/// A ring: prices need the discounts, discounts need the prices, and each waits for the load of the other that is under way.
actor Catalogue {
    private var loadOfPrices: Task<[Int], Never>?
    private var loadOfDiscounts: Task<[Int], Never>?

    func prices() async -> [Int] {
        let load = loadOfPrices ?? Task(name: "load prices") { await discounts().map { 100 - $0 } }
        loadOfPrices = load
        return await load.value
    }

    func discounts() async -> [Int] {
        let load = loadOfDiscounts ?? Task(name: "load discounts") { await prices().map { $0 / 10 } }
        loadOfDiscounts = load
        return await load.value
    }
}
