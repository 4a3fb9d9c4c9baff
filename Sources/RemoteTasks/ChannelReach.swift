/// Finds SwiftNIO's channels in a copied process, and the objects that belong to the connection of one.
///
/// It follows references from each channel's pipeline through SwiftNIO's own objects, closures and arrays. An object of another module, such
/// as a handler of the program, is reached from SwiftNIO's own objects only, and leads on only to those: a handler may refer to a pool of all
/// connections, and a closure, such as what answers the requests, to whatever the program shares among them.
struct ChannelReach {
    private let image: MemoryImage
    private let types: TypeNames
    private let places: HolderPlaces
    /// By object, the number of steps from the nearest channel, and that channel's descriptor. The descriptor is nil if two are equally near.
    private var nearest: [UInt64: (steps: Int, number: Int32?)] = [:]

    private static let mostSteps = 12
    private static let mostObjects = 4096
    private static let mostChannels = 10_000
    private static let channels: Set<String> = ["NIOPosix.SocketChannel", "NIOPosix.ServerSocketChannel", "NIOPosix.DatagramChannel"]
    private static let pipeline = ".ChannelPipeline"
    /// Objects that all connections share.
    private static let shared: Set<String> = [
        "NIOPosix.SelectableEventLoop", "NIOPosix.MultiThreadedEventLoopGroup", "NIOPosix.NIOThread", "NIOPosix.NIOThreadPool",
    ]

    init(_ places: HolderPlaces, _ descriptors: DescriptorTable) {
        (image, types, self.places) = (places.image, places.types, places)
        let fields = DescriptorFields(places, descriptors)
        var areChannels: [UInt64: Bool] = [:]
        let found = image.blocks { first in
            if let known = areChannels[first] { return known }
            let isChannel = types.name(first).map(Self.channels.contains) ?? false
            areChannels[first] = isChannel
            return isChannel
        }
        for channel in found.prefix(Self.mostChannels) {
            let numbers = fields.numbers(around: channel.address)
            guard let number = numbers.first, numbers.count == 1,
                let pipeline = references(in: channel).first(where: {
                    image.word($0).flatMap { types.name($0) }?.hasSuffix(Self.pipeline) == true
                })
            else { continue }
            reach(from: pipeline, number)
        }
    }

    /// The descriptor of the connection to which an object belongs. Nil if it belongs to none, or if two are equally near.
    func number(ofObject address: UInt64) -> Int32? { nearest[address]?.number }

    private mutating func reach(from pipeline: UInt64, _ number: Int32) {
        var visited: Set<UInt64> = [pipeline]
        var level = [(address: pipeline, kind: Kind.own)]
        var steps = 0
        while !level.isEmpty, steps < Self.mostSteps, visited.count < Self.mostObjects {
            steps += 1
            var next: [(UInt64, Kind)] = []
            for (address, from) in level {
                guard let block = image.block(at: address) else { continue }
                for other in references(in: block) where !visited.contains(other) {
                    guard let kind = kind(of: other), kind != .foreign || from == .own else { continue }
                    visited.insert(other)
                    note(other, steps, number)
                    next.append((other, kind))
                }
            }
            level = next
        }
    }

    private mutating func note(_ object: UInt64, _ steps: Int, _ number: Int32) {
        guard let known = nearest[object], known.steps <= steps else {
            nearest[object] = (steps, number)
            return
        }
        if known.steps == steps, known.number != number { nearest[object] = (steps, nil) }
    }

    private enum Kind {
        case own, closure, foreign
    }

    /// Nil for memory that is not followed.
    private func kind(of address: UInt64) -> Kind? {
        guard let first = image.word(address), first != places.runtime.taskMetadata else { return nil }
        guard let name = types.name(first) else { return places.isClosure(first) ? .closure : nil }
        if Self.channels.contains(name) || Self.shared.contains(name) || name.hasPrefix("Logging.") { return nil }
        return name.hasPrefix("NIO") || name.hasPrefix("Swift.") ? .own : .foreign
    }

    /// The blocks to which the words in use of a block refer.
    private func references(in block: MemoryImage.Block) -> [UInt64] {
        var end = block.size
        if let first = image.word(block.address), let name = types.name(first), let size = types.instanceSize(first) {
            // Objects with elements behind their properties: their size is that of the block.
            if name == "Swift._ContiguousArrayStorage" {
                end = places.usedSize(ofArray: block)
            } else if !name.contains("Storage"), !name.contains("Buffer") {
                end = min(end, size)
            }
        }
        return stride(from: UInt64(16), to: max(end, 16), by: 8).compactMap { offset in
            guard let word = image.word(block.address + offset).map({ $0 & 0x00ff_ffff_ffff_fff8 }), word != 0,
                let other = image.block(at: word), other.address == word, !other.isFree
            else { return nil }
            return word
        }
    }
}
