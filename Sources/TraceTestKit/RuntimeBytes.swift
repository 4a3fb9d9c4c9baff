import Foundation

/// The bytes of a runtime's file, for changes at places that are found by names and by patterns of machine code.
struct RuntimeBytes {
    private(set) var data: Data

    init(_ data: Data) { self.data = data }

    mutating func apply(_ change: RuntimeChange) throws {
        switch change {
        case .stripped: return
        case .without(let symbol):
            // In tables of names, each name is between two zeros. The changed name no longer has the hash that the loader looks up.
            let wanted = Data([0] + symbol.utf8 + [0])
            while let range = data.range(of: wanted) { data[range.upperBound - 2] = UInt8(ascii: "!") }
        case .renamed(let text, let other):
            try replace(Data(text.utf8), with: Data(other.utf8))
        case .variable(let name, let value):
            let place = try filePlace(of: symbol(name).value)
            data.replaceSubrange(place..<place + 4, with: withUnsafeBytes(of: value.littleEndian) { Data($0) })
        case .variableIs(let name, let other):
            let (one, source) = (try symbol(name), try symbol(other))
            // The value, the size and the section of the other one.
            for offset in [6, 7] + Array(8..<24) { data[one.place + offset] = data[source.place + offset] }
        case .childFragment(let size): try moveGroup(size)
        case .dependencyKind(let kind, let other):
            for place in try dependencyStores() where data[place + 3] == kind { data[place + 3] = other }
        case .noBackPointer:
            for place in try dependencyStores() {
                // mov %r, 0x28(%rax), if it follows soon.
                for next in place + 7..<place + 16 where data[next + 1] == 0x89 && data[next + 3] == 0x28 && data[next] & 0xfb == 0x48 {
                    data.replaceSubrange(next..<next + 4, with: [0x0f, 0x1f, 0x40, 0x00])
                    break
                }
            }
        case .nameKind(let kind):
            // movq $6, (%r15)
            try replace(Data([0x49, 0xc7, 0x07, 0x06, 0, 0, 0]), with: Data([0x49, 0xc7, 0x07, kind, 0, 0, 0]))
        }
    }

    private mutating func replace(_ old: Data, with new: Data) throws {
        guard old.count == new.count, data.range(of: old) != nil else { throw RuntimeNotMade(reason: "A text was not found.") }
        var rest = data.startIndex..<data.endIndex
        while let range = data.range(of: old, in: rest) {
            data.replaceSubrange(range, with: new)
            rest = range.upperBound..<data.endIndex
        }
    }

    // MARK: A program for another runtime

    /// Lets the loader accept a program that uses symbols that an earlier runtime lacks: they become 0.
    mutating func weakenReferences() {
        for table in tables(ofKind: 11) {
            for place in stride(from: table.first + 24, to: table.end, by: 24) where number(place + 6, 2) == 0 && data[place + 4] >> 4 == 1
            {
                data[place + 4] = 2 << 4 | data[place + 4] & 0xf
            }
        }
    }

    /// Lets the kernel start a program with another loader. Only the kernel reads this path, and from the file.
    mutating func setLoader(_ path: String) {
        let segments = Int(number(32, 8))
        for index in 0..<Int(number(56, 2)) where number(segments + index * 56, 4) == 3 {
            set(segments + index * 56 + 8, UInt64(data.count))
            set(segments + index * 56 + 32, UInt64(path.utf8.count + 1))
            data += Data(path.utf8 + [0])
        }
    }

    private mutating func set(_ place: Int, _ value: UInt64) {
        data.replaceSubrange(place..<place + 8, with: withUnsafeBytes(of: value.littleEndian) { Data($0) })
    }

    // MARK: Machine code of x86-64

    /// The size of a child's fragment is 16 if bit 24 of a job's flags is set: they are shifted by 20, and bit 4 is kept.
    private mutating func moveGroup(_ size: Int) throws {
        guard let shift: UInt8 = [32: 19, 64: 18][size] else { throw RuntimeNotMade(reason: "No such size.") }
        // shr $20, %r; and $16, %r.
        let places = places(of: [20, 0x83]).filter {
            data[$0 - 2] == 0xc1 && data[$0 - 1] & 0xf8 == 0xe8 && data[$0 + 2] & 0xf8 == 0xe0 && data[$0 + 3] == 16
        }
        for place in places { (data[place], data[place + 3]) = (shift, UInt8(size)) }
        // The sum of the sizes: shl $4, %eax; lea (%rax,%rcx,8), %r13d; add $208, %r13.
        let sum = Data([0xc1, 0xe0, 0x04, 0x44, 0x8d, 0x2c, 0xc8, 0x49, 0x81, 0xc5, 0xd0, 0, 0, 0])
        guard places.count == 18, let range = data.range(of: sum) else { throw RuntimeNotMade(reason: "The code is not as known.") }
        data[range.lowerBound + 2] = size == 32 ? 5 : 6
    }

    private func places(of bytes: [UInt8]) -> [Int] {
        var (places, rest) = ([Int](), data.startIndex..<data.endIndex)
        while let range = data.range(of: Data(bytes), in: rest) {
            places.append(range.lowerBound)
            rest = range.lowerBound + 1..<data.endIndex
        }
        return places
    }

    /// The places of `movl $KIND, 0x20(%rax)`, which store the kind of a dependency.
    private func dependencyStores() throws -> [Int] {
        let places = places(of: [0xc7, 0x40, 0x20]).filter { (1...4).contains(data[$0 + 3]) && data[$0 + 4] == 0 }
        guard places.count == 8 else { throw RuntimeNotMade(reason: "The code is not as known.") }
        return places
    }

    // MARK: The file's tables

    private func number(_ place: Int, _ size: Int) -> UInt64 {
        data.withUnsafeBytes { bytes in
            switch size {
            case 2: UInt64(bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))
            case 4: UInt64(bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
            case _: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            }
        }
    }

    /// The sections of a kind, each with the place of the texts that it refers to.
    private func tables(ofKind kind: UInt64) -> [(first: Int, end: Int, texts: Int)] {
        let sections = Int(number(40, 8))
        func section(_ index: Int) -> Int { sections + index * 64 }
        return (0..<Int(number(60, 2))).filter { number(section($0) + 4, 4) == kind }.map { index in
            let (first, size) = (Int(number(section(index) + 24, 8)), Int(number(section(index) + 32, 8)))
            return (first, first + size, Int(number(section(Int(number(section(index) + 40, 4))) + 24, 8)))
        }
    }

    /// The entry of an exported symbol, and the symbol's address.
    private func symbol(_ name: String) throws -> (place: Int, value: UInt64) {
        for table in tables(ofKind: 11) {
            guard let text = data.range(of: Data([0] + name.utf8 + [0]), in: table.texts..<data.endIndex) else { continue }
            for place in stride(from: table.first, to: table.end, by: 24) where Int(number(place, 4)) == text.lowerBound + 1 - table.texts {
                return (place, number(place + 8, 8))
            }
        }
        throw RuntimeNotMade(reason: "There is no \(name).")
    }

    /// The place in the file of an address.
    private func filePlace(of address: UInt64) throws -> Int {
        let segments = Int(number(32, 8))
        for index in 0..<Int(number(56, 2)) {
            let segment = segments + index * 56
            let (offset, low, size) = (number(segment + 8, 8), number(segment + 16, 8), number(segment + 32, 8))
            if number(segment, 4) == 1, address >= low, address < low + size { return Int(address - low + offset) }
        }
        throw RuntimeNotMade(reason: "The variable is not in the file.")
    }
}
