/// Finds the descriptor to which the way from a continuation to its owner leads, in a copied process.
final class WayDescriptors {
    private let places: HolderPlaces
    private let descriptors: DescriptorTable
    /// Whether an epoll watches descriptors by their numbers, as SwiftNIO has it, and not for blocks.
    private let watchesByNumber: Bool
    private let fields: DescriptorFields
    private lazy var channels = ChannelReach(places, descriptors)

    /// The objects on the way from a continuation that may belong to a channel.
    private static let mostOwners = 5

    init(_ places: HolderPlaces, _ kernel: KernelReferences, _ descriptors: DescriptorTable) {
        (self.places, self.descriptors) = (places, descriptors)
        fields = DescriptorFields(places, descriptors)
        watchesByNumber = kernel.watched.contains { $0.key != 0 && places.image.block(at: $0.key) == nil && descriptors.isSocket($0.value) }
    }

    /// The one that the kernel watches for a block on the way, or that of an object on the way, or of a channel to which one belongs.
    ///
    /// - Parameters:
    ///   - watched: The descriptors that the kernel watches for blocks on the way.
    ///   - words: The words on the way. Each refers to what has the one before it.
    ///   - keepers: The blocks that refer to the continuation. If there are several, a word in one of them may be an old one, so all of them
    ///     have to lead to the same peer.
    ///   - rivals: The blocks that refer to blocks on the way. None of them may lead to another peer.
    func descriptor(
        watched: Set<Int32>, _ words: [MemoryImage.Reference], keepers: Set<UInt64>, rivals: Set<UInt64>
    ) -> WaitedDescriptor? {
        if let number = watched.first { return watched.count == 1 ? descriptor(number) : nil }
        let numbers = words.reduce(into: Set()) { $0.formUnion(fields.numbers(around: $1.place)) }
        var found = numbers.count == 1 ? numbers.first.flatMap(descriptor) : nil
        if numbers.isEmpty, watchesByNumber { found = connection(words) }
        guard let found else { return nil }
        let isAgreed = keepers.count < 2 || keepers.allSatisfy { peer(of: $0) == .some(found.peer) }
        return isAgreed && rivals.allSatisfy { peer(of: $0).map { $0 == found.peer } ?? true } ? found : nil
    }

    /// The peer to which a block leads. Nil if it leads to no descriptor, or to several.
    private func peer(of block: UInt64) -> String?? {
        let own = fields.numbers(around: block)
        let number = own.isEmpty && watchesByNumber ? channels.number(onWay: [block]) : own.first
        return own.count < 2 ? number.flatMap(descriptor).map(\.peer) : nil
    }

    private func descriptor(_ number: Int32) -> WaitedDescriptor? {
        var found = descriptors.descriptor(number, .unknown)
        found?.isLikely = true
        if found?.state == .listening { found?.purpose = .accepts }
        return found
    }

    /// The connection of a channel, or of a pool. Nil if both exist and contradict each other.
    private func connection(_ words: [MemoryImage.Reference]) -> WaitedDescriptor? {
        // A channel may lead to the continuation by an old word. The way to the owner shows the others.
        let owners = words.prefix(Self.mostOwners).compactMap { places.image.block(at: $0.place)?.address }
            .drop { places.isCheckedContinuation($0) }
        let own = channels.number(onWay: Array(owners)).flatMap(descriptor)
        let ofPool = connection(ofPoolOnWay: Array(owners))
        return own == nil || ofPool == nil || own?.peer == ofPool?.peer ? own ?? ofPool : nil
    }

    /// What a request waits for that a pool of connections has queued.
    private func connection(ofPoolOnWay owners: [UInt64]) -> WaitedDescriptor? {
        var found = descriptors.connections(channels.pools.numbers(onWay: owners))
        found?.isLikely = true
        return found
    }
}
