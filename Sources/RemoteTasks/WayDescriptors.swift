/// Finds the descriptor to which the way from a continuation to its owner leads, in a copied process.
final class WayDescriptors {
    private let places: HolderPlaces
    private let descriptors: DescriptorTable
    /// Whether an epoll watches descriptors by their numbers, as SwiftNIO has it, and not for blocks.
    private let watchesByNumber: Bool
    private lazy var channels = ChannelReach(places, descriptors)

    /// The objects on the way from a continuation that may belong to a channel.
    private static let mostOwners = 5

    init(_ places: HolderPlaces, _ kernel: KernelReferences, _ descriptors: DescriptorTable) {
        (self.places, self.descriptors) = (places, descriptors)
        watchesByNumber = kernel.watched.contains { $0.key != 0 && places.image.block(at: $0.key) == nil && descriptors.isSocket($0.value) }
    }

    /// The one that the kernel watches for a block on the way, or that of an object on the way, or of a channel to which one belongs.
    ///
    /// - Parameters:
    ///   - watched: The descriptors that the kernel watches for blocks on the way.
    ///   - words: The words on the way. Each refers to what has the one before it.
    ///   - keepers: The blocks that refer to the continuation. If there are several, a word in one of them may still be an old one.
    func descriptor(watched: Set<Int32>, _ words: [MemoryImage.Reference], keepers: Set<UInt64>) -> WaitedDescriptor? {
        var numbers = watched
        if numbers.isEmpty {
            let fields = DescriptorFields(places, descriptors)
            for word in words { numbers.formUnion(fields.numbers(around: word.place)) }
        }
        if numbers.isEmpty, watchesByNumber { return connection(words, keepers) }
        guard let number = numbers.first, numbers.count == 1 else { return nil }
        return descriptor(number)
    }

    private func descriptor(_ number: Int32) -> WaitedDescriptor? {
        var found = descriptors.descriptor(number, .unknown)
        found?.isLikely = true
        if found?.state == .listening { found?.purpose = .accepts }
        return found
    }

    /// The connection of a channel, or of a pool. Nil if there are several keepers, and not all lead to its peer.
    private func connection(_ words: [MemoryImage.Reference], _ keepers: Set<UInt64>) -> WaitedDescriptor? {
        // A channel may lead to the continuation by an old word. The way to the owner shows the others.
        let owners = words.prefix(Self.mostOwners).compactMap { places.image.block(at: $0.place)?.address }
            .drop { places.isCheckedContinuation($0) }
        guard let found = channels.number(onWay: Array(owners)).map(descriptor) ?? connection(ofPoolOnWay: Array(owners)) else {
            return nil
        }
        let isAgreed =
            keepers.count == 1
            || keepers.allSatisfy { keeper in
                channels.number(onWay: [keeper]).flatMap(descriptor)?.peer == found.peer
            }
        return isAgreed ? found : nil
    }

    /// What a request waits for that a pool of connections has queued.
    private func connection(ofPoolOnWay owners: [UInt64]) -> WaitedDescriptor? {
        var found = descriptors.connections(channels.pools.numbers(onWay: owners))
        found?.isLikely = true
        return found
    }
}
