/// Counts what is read of a store. It is a pointer, because counting must cost no more than an addition. It belongs to the store's thread.
final class ReadCount {
    private let number = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    init() {
        number.initialize(to: 0)
    }

    deinit {
        number.deallocate()
    }

    var count: Int { number.pointee }

    @inline(__always)
    func add(_ more: Int) {
        number.pointee &+= more
    }
}
