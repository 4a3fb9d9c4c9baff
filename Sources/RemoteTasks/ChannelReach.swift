/// Finds SwiftNIO's channels in a copied process, and the objects that belong to the connection of one.
///
/// It follows references from each channel's pipeline through SwiftNIO's own objects, closures and arrays. An object of another module, such
/// as a handler of the program, is reached from SwiftNIO's own objects only, and leads on only to those, because a handler may refer to a
/// pool of all connections, and the closure that answers the requests to everything that the program shares among them.
///
/// A handler also refers to the request that it works on. The values and promises of that object belong to the connection. Its collections
/// do not, because a pool has those; nor do its closures, nor objects to which a second channel leads as well.
///
/// All that awaits a promise of a channel or of its handlers, such as the one that the channel is connected, waits for the connection,
/// through however many promises of which one keeps the other. The objects that the functions have captured are only told to
/// `ConnectionPools`.
struct ChannelReach {
    private let image: MemoryImage
    private let types: TypeNames
    private let places: HolderPlaces
    /// By object, the number of steps from the nearest channel, and that channel's descriptor. The descriptor is nil if several connections
    /// lead to it.
    private var nearest: [UInt64: (steps: Int, number: Int32?)] = [:]
    /// The descriptors of channels that listen.
    private var listeners: Set<Int32> = []

    /// The same for the requests of handlers and for what awaits promises: the channel's descriptor, nil if several channels lead to the object.
    private var requests: [UInt64: Int32?] = [:]
    private(set) var pools: ConnectionPools
    private let descriptors: DescriptorTable

    private static let mostSteps = 8
    /// Objects at more steps from a channel are not told as its own. They are known not to belong to another channel.
    private static let mostStepsOfOther = 16
    private static let mostObjects = 4096
    private static let mostChannels = 10_000
    private static let channels: Set<String> = ["NIOPosix.SocketChannel", "NIOPosix.ServerSocketChannel", "NIOPosix.DatagramChannel"]
    private static let pipeline = ".ChannelPipeline"
    /// Objects that all connections share.
    private static let shared: Set<String> = [
        "NIOPosix.SelectableEventLoop", "NIOPosix.MultiThreadedEventLoopGroup", "NIOPosix.NIOThread", "NIOPosix.NIOThreadPool",
    ]

    init(_ places: HolderPlaces, _ descriptors: DescriptorTable) {
        (image, types, self.places, self.descriptors) = (places.image, places.types, places, descriptors)
        pools = ConnectionPools(places)
        let fields = DescriptorFields(places, descriptors)
        var areChannels: [UInt64: Bool] = [:]
        let found = image.blocks { first in
            if let known = areChannels[first] { return known }
            let isChannel = types.name(first).map(Self.channels.contains) ?? false
            areChannels[first] = isChannel
            return isChannel
        }
        for channel in found.prefix(Self.mostChannels) where !places.isDead(channel.address) {
            let numbers = fields.numbers(around: channel.address)
            guard let number = numbers.first, numbers.count == 1,
                let pipeline = references(in: channel).first(where: {
                    image.word($0).flatMap { types.name($0) }?.hasSuffix(Self.pipeline) == true
                })
            else { continue }
            reach(from: pipeline, of: channel, number)
        }
    }

    /// The descriptor of the connection to which the first of these objects belongs that belongs to one. Nil if two are equally near.
    ///
    /// - Parameter way: Each object is held by the next one.
    func number(onWay way: [UInt64]) -> Int32? {
        var isBehindCollection = false
        for object in way {
            if let near = nearest[object], near.steps <= Self.mostSteps || near.number == nil {
                // Two channels that lead to one object contradict each other, unless one of them is much nearer.
                if let number = near.number { return requests[object].map { $0 == number } ?? true ? number : nil }
            } else if !isBehindCollection || isFuture(object), let number = requests[object] ?? nil {
                return number
            }
            // An object with a collection may be a pool. The list of functions that await a promise is a collection too.
            isBehindCollection = isBehindCollection || places.isCollection(object)
        }
        return nil
    }

    private mutating func reach(from pipeline: UInt64, of channel: MemoryImage.Block, _ number: Int32) {
        // A socket that listens has no requests.
        let listens = image.word(channel.address).flatMap { types.name($0) }?.contains(".Server") ?? true
        if listens { listeners.insert(number) }
        var visited: Set<UInt64> = [pipeline]
        var level = [(address: pipeline, kind: Kind.own)]
        // The channel has promises of its own: that it is connected, and that it is closed.
        let connects = !listens && descriptors.isConnecting(number)
        var origins = references(in: channel).filter(isFuture).map { Origin(address: $0, part: .future, opens: connects) }
        var steps = 0
        while !level.isEmpty, steps < Self.mostStepsOfOther, visited.count < Self.mostObjects {
            steps += 1
            var next: [(UInt64, Kind)] = []
            for (address, from) in level {
                guard let block = image.block(at: address) else { continue }
                let certain = Set(references(in: block, .handler))
                for other in from == .foreign ? Array(certain) : references(in: block) where !visited.contains(other) {
                    guard let kind = kind(of: other) else { continue }
                    if kind == .foreign, from != .own || !certain.contains(other) { continue }
                    visited.insert(other)
                    note(other, steps, number)
                    if steps <= Self.mostSteps, kind == .foreign || isFuture(other) {
                        origins.append(Origin(address: other, part: kind == .foreign ? .handler : .future, opens: kind != .foreign))
                    }
                    next.append((other, kind))
                }
            }
            level = next
        }
        visited = []
        for origin in origins where !listens { reachRequests(from: origin, of: channel, number, connects, &visited) }
    }

    /// - Parameter connects: Whether the channel is not connected yet. Then the objects of SwiftNIO's that have captured its promises wait for it.
    private mutating func reachRequests(
        from origin: Origin, of channel: MemoryImage.Block, _ number: Int32, _ connects: Bool, _ visited: inout Set<UInt64>
    ) {
        var level = [(origin.address, origin.part)]
        var steps = 0
        while !level.isEmpty, visited.count < Self.mostObjects {
            var next: [(UInt64, Part)] = []
            var isAwaited = false
            for (address, from) in level {
                guard let block = image.block(at: address) else { continue }
                pools.note(captured(by: block, from), of: channel, number, opens: origin.opens)
                // A request has one state from its beginning on, other than a handler.
                let certain = from == .handler ? Set(references(in: block, .handler)) : []
                for other in references(in: block, from == .request ? .request : .own) where !visited.contains(other) {
                    guard let part = part(of: other, from, connects) else { continue }
                    // A word in a handler's state may be an old one. Then it seldom refers to an object of the handler's own module.
                    if from == .handler, !certain.contains(other), module(of: other) != module(of: address) { continue }
                    visited.insert(other)
                    requests[other] = .some(requests[other] == nil ? number : nil)
                    next.append((other, part))
                    isAwaited = isAwaited || part == .future || part == .closure
                }
            }
            level = next
            // A promise may have any number of functions and promises that await it in turn.
            if !isAwaited { steps += 1 }
            if steps > Self.mostStepsToRequests { break }
        }
    }

    /// From a handler to a request, to its values, and on to the promise.
    private static let mostStepsToRequests = 8

    /// The objects of other modules than SwiftNIO's that a function which awaits a promise has captured. A closure may have old words: a
    /// structure among its captures may have an enumeration. A function with one object has no other closure than that.
    private func captured(by block: MemoryImage.Block, _ part: Part) -> [UInt64] {
        switch part {
        case .closure:
            let known = image.word(block.address).map { ClosureCaptures(types).usedSize($0) } ?? 0
            let end = max(16 + known, block.size - min(HolderPlaces.slack, block.size))
            return places.objects(in: block, to: end).filter { kind(of: $0) == .foreign }
        case .future: return references(in: block).filter { kind(of: $0) == .foreign }
        case .handler, .request, .value: return []
        }
    }

    /// An object from which requests and promises of a channel are searched.
    private struct Origin {
        let address: UInt64
        let part: Part
        /// Whether it is a promise that the channel is connected, or that a handler has prepared the connection.
        let opens: Bool
    }

    /// The parts of a request.
    private enum Part {
        case handler, request, value, future, closure
    }

    private static let future = ".EventLoopFuture"

    private func isFuture(_ address: UInt64) -> Bool {
        kind(of: address) == .own && image.word(address).flatMap { types.name($0) }?.hasSuffix(Self.future) ?? false
    }

    private func module(of object: UInt64) -> Substring? {
        image.word(object).flatMap { types.name($0) }?.prefix { $0 != "." }
    }

    /// Nil for memory that does not belong to the same request.
    private func part(of address: UInt64, _ from: Part, _ connects: Bool) -> Part? {
        guard let kind = kind(of: address) else { return nil }
        let name = image.word(address).flatMap { types.name($0) } ?? ""
        switch kind {
        case .foreign: return from == .handler ? .request : nil
        case .closure: return from == .future || from == .closure ? .closure : nil
        case .own where from == .handler: return nil
        case .own where name.hasSuffix(Self.future): return .future
        // The functions that await a promise, but for the first one.
        case .own where from == .future && name == "Swift._ContiguousArrayStorage": return .future
        case .own: return from == .closure && !connects || places.isCollection(address) ? nil : .value
        }
    }

    /// The steps by which a connection must be nearer than a channel that listens, or the other way round. A channel that listens leads to
    /// the connections that it has accepted.
    private static let clearLead = 4

    private mutating func note(_ object: UInt64, _ steps: Int, _ number: Int32) {
        guard let known = nearest[object], known.number != number else {
            if nearest[object] == nil { nearest[object] = (steps, number) }
            return
        }
        guard [known.number, number].contains(where: { $0.map(listeners.contains) ?? false }) else {
            // Pipelines differ in their lengths, so the nearer one of two connections need not be the right one.
            nearest[object] = (min(steps, known.steps), nil)
            return
        }
        let isNearer = steps + Self.clearLead <= known.steps
        if isNearer || steps < known.steps + Self.clearLead { nearest[object] = (min(steps, known.steps), isNearer ? number : nil) }
    }

    private enum Kind {
        case own, closure, foreign
    }

    /// Nil for memory that is not followed.
    private func kind(of address: UInt64) -> Kind? {
        guard let first = image.word(address), first != places.runtime.taskMetadata else { return nil }
        guard !places.isDead(address) else { return nil }
        guard let name = types.name(first) else { return places.isClosure(first) ? .closure : nil }
        if Self.channels.contains(name) || Self.shared.contains(name) || name.hasPrefix("Logging.") { return nil }
        return name.hasPrefix("NIO") || name.hasPrefix("Swift.") ? .own : .foreign
    }

    /// What words with one of several cases are followed.
    private enum Trust {
        /// Those inside of structures, as SwiftNIO has its state.
        case own
        /// None. A handler's state has words of earlier requests.
        case handler
        /// All. A request has one state from its beginning on.
        case request
    }

    /// Whether a property's value is one of several cases, or an optional. The other cases' words may be old ones.
    private func isOneOfSeveral(_ offset: UInt64, _ block: MemoryImage.Block, _ trust: Trust) -> Bool {
        guard let first = image.word(block.address), types.instanceSize(ofClass: first).map({ offset < $0 }) ?? false else { return false }
        return types.field(of: first, at: offset).map { field in
            field.isEnumeration || field.isOptionalStructure || trust == .handler && field.hasOldParts
        } ?? false
    }

    /// The blocks to which the words in use of a block refer.
    private func references(in block: MemoryImage.Block, _ trust: Trust = .own) -> [UInt64] {
        var end = block.size
        if let first = image.word(block.address), let name = types.name(first), let size = types.instanceSize(first) {
            // A string has bytes behind its properties, and old words behind these.
            if name.hasPrefix("Swift.__") { return [] }
            // Objects with elements behind their properties: their size is that of the block.
            if name == "Swift._ContiguousArrayStorage" {
                // An element that is nil or of another case keeps old words, as in the unused part of a circular buffer.
                end = types.mayLackValue(types.lastArgument(of: first, count: 1)) ? 0 : places.usedSize(ofArray: block)
            } else if !name.hasPrefix("Swift._"), !name.hasSuffix("._DequeBuffer"), !types.isManagedBuffer(first) {
                end = min(end, size)
            }
        } else if let first = image.word(block.address), places.isClosure(first) {
            // Behind the captures are old words.
            end = min(end, 16 + ClosureCaptures(types).usedSize(first))
        }
        return stride(from: UInt64(16), to: max(end, 16), by: 8).compactMap { offset in
            guard let word = image.word(block.address + offset).map({ $0 & 0x00ff_ffff_ffff_fff8 }), word != 0,
                let other = image.block(at: word), other.address == word, !other.isFree,
                trust == .request || !isOneOfSeveral(offset, block, trust), !places.isUnused(offset, in: block)
            else { return nil }
            return word
        }
    }
}
