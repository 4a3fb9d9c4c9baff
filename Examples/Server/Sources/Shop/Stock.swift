/// An actor is hot: each request searches for two milliseconds on it.
actor Stock {
    private var searches = 0

    func count(_ item: String) -> Int {
        let end = ContinuousClock.now + .milliseconds(2)
        while ContinuousClock.now < end { searches &+= 1 }
        return item.count
    }
}
