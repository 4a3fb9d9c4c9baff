/// The pools of a copied process, and the requests in them that wait for a connection.
///
/// An object is taken for a pool if functions that await a promise of a connection have captured it, or have captured the object of the
/// connection, which refers to the channel, and to the pool. The promise is that the connection is opened. If it is another one, such as
/// that the connection is closed, the pool's own collections also hold the connection.
///
/// A request waits in the pool if these collections hold it, and if the request refers to the pool, or if they hold the continuation itself.
struct ConnectionPools {
    private let image: MemoryImage
    private let types: TypeNames
    private let places: HolderPlaces
    /// The descriptors of the connections whose promises an object awaits.
    private var connections: [UInt64: Set<Int32>] = [:]
    /// The objects that await the promise that a connection is opened.
    private var opening: Set<UInt64> = []
    /// The channels, by their descriptors.
    private var channels: [Int32: UInt64] = [:]

    /// From a pool to a collection, to a collection in that one, to a value with a lock.
    private static let mostSteps = 4
    private static let mostObjects = 4096

    init(_ places: HolderPlaces) {
        (image, types, self.places) = (places.image, places.types, places)
    }

    /// Takes note of the objects that a function has captured which awaits a promise of a connection.
    ///
    /// - Parameter opens: Whether the promise is that the connection is opened.
    mutating func note(_ objects: [UInt64], of channel: MemoryImage.Block, _ number: Int32, opens: Bool) {
        channels[number] = channel.address
        for object in objects {
            note(object, number, opens)
            let others = references(of: object)
            guard others.contains(channel.address) else { continue }
            for other in others where other != channel.address { note(other, number, opens) }
        }
    }

    private mutating func note(_ object: UInt64, _ number: Int32, _ opens: Bool) {
        connections[object, default: []].insert(number)
        if opens { opening.insert(object) }
    }

    /// The descriptors of the connections for one of which a request waits. Empty if it waits in no pool, and if it is in several ones.
    ///
    /// - Parameter way: Each object is held by the next one, from the request's continuation on.
    func numbers(onWay way: [UInt64]) -> Set<Int32> {
        var found: Set<UInt64> = []
        var isBehindCollection = false
        for object in way {
            if isBehindCollection, connections[object] != nil { found.insert(object) }
            isBehindCollection = isBehindCollection || places.isCollection(object)
        }
        if found.isEmpty {
            for object in way {
                guard let block = image.block(at: object) else { continue }
                for pool in places.objects(in: block, to: block.size) where connections[pool] != nil && contains(pool, way.contains) {
                    found.insert(pool)
                }
            }
        }
        guard let pool = found.first, found.count == 1, let numbers = connections[pool] else { return [] }
        let isPool = opening.contains(pool) || contains(pool) { isConnection($0, of: numbers) }
        return isPool ? numbers : []
    }

    /// Whether an object is one of these channels, or refers to one.
    private func isConnection(_ object: UInt64, of numbers: Set<Int32>) -> Bool {
        let channels = numbers.compactMap { self.channels[$0] }
        return channels.contains(object) || references(of: object).contains { channels.contains($0) }
    }

    /// Whether a collection that belongs to a pool contains a wanted object.
    private func contains(_ pool: UInt64, _ isWanted: (UInt64) -> Bool) -> Bool {
        var level = [pool]
        var visited: Set<UInt64> = [pool]
        for _ in 0..<Self.mostSteps {
            var next: [UInt64] = []
            for address in level {
                let isCollection = places.isCollection(address)
                for other in references(of: address) where !visited.contains(other) {
                    if isCollection, isWanted(other) { return true }
                    guard visited.count < Self.mostObjects, places.isCollection(other) || isManagedBuffer(other) else { continue }
                    visited.insert(other)
                    next.append(other)
                }
            }
            level = next
        }
        return false
    }

    /// The objects to which the properties or the elements of an object refer.
    private func references(of object: UInt64) -> [UInt64] {
        guard let block = image.block(at: object) else { return [] }
        guard let first = image.word(object), let size = types.instanceSize(ofClass: first), !places.isCollection(object),
            !types.isManagedBuffer(first)
        else { return places.objects(in: block, to: block.size) }
        return places.objects(in: block, to: min(size, block.size))
    }

    private func isManagedBuffer(_ object: UInt64) -> Bool {
        image.word(object).map { types.isManagedBuffer($0) } ?? false
    }
}
