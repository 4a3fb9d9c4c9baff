/// Finds the file descriptors that the objects of a copied process have in their stored properties.
struct DescriptorFields {
    private let image: MemoryImage
    private let types: TypeNames
    private let descriptors: DescriptorTable

    /// The names of properties that hold a descriptor, without underscores and in lower case.
    private static let names: Set<String> = [
        "fd", "descriptor", "filedescriptor", "socket", "sock", "socketfd", "sockfd", "socketdescriptor",
    ]
    private static let mostWords: UInt64 = 64

    init(_ places: HolderPlaces, _ descriptors: DescriptorTable) {
        (image, types, self.descriptors) = (places.image, places.types, descriptors)
    }

    /// The descriptors of the object that contains an address, and of the objects to which its stored properties refer.
    func numbers(around place: UInt64) -> Set<Int32> {
        guard let block = image.block(at: place), !block.isFree, let metadata = image.word(block.address),
            let size = types.instanceSize(ofClass: metadata)
        else { return [] }
        var found = numbers(in: block.address, metadata, size)
        for offset in stride(from: UInt64(16), to: min(size, Self.mostWords * 8), by: 8) {
            guard let word = image.word(block.address + offset), let other = image.block(at: word), other.address == word, !other.isFree,
                let metadata = image.word(word), let size = types.instanceSize(ofClass: metadata)
            else { continue }
            found.formUnion(numbers(in: word, metadata, size))
        }
        return found
    }

    /// The open sockets that the properties of one object name.
    private func numbers(in object: UInt64, _ metadata: UInt64, _ size: UInt64) -> Set<Int32> {
        var found: Set<Int32> = []
        for offset in stride(from: UInt64(16), to: min(size, Self.mostWords * 8), by: 4) {
            guard let field = types.field(of: metadata, at: offset), field.isInteger, field.offset == offset,
                Self.names.contains(field.name.filter { $0 != "_" }.lowercased()), let word = image.word(object + offset & ~7)
            else { continue }
            let number = Int32(truncatingIfNeeded: offset & 4 == 0 ? word : word >> 32)
            if descriptors.isSocket(number) { found.insert(number) }
        }
        return found
    }
}
