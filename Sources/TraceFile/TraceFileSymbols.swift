import TaskEvents
import TraceTransport

/// The payload of a block of symbols: the functions and lines of places in code, for readers without the program. Each block is whole in
/// itself: its texts, and the symbols that refer to them.
enum TraceFileSymbols {
    private struct Flags: OptionSet {
        let rawValue: UInt32
        /// The function belongs to Swift's runtime.
        static let machinery = Flags(rawValue: 1)
        /// The place is one of a profile's stacks, and not one of the names.
        static let stack = Flags(rawValue: 2)
    }

    private static var symbolSize: Int { 32 }

    /// Encodes names in as many blocks as they need. Leaves out places without a known function: another reader may know more of them.
    static func payloads(of names: FoundNames) -> [(bytes: [UInt8], count: Int)] {
        var payloads: [(bytes: [UInt8], count: Int)] = []
        var block = Block()
        func append(_ address: CodeAddress, _ symbols: [CodeSymbol], _ flags: Flags) {
            // All functions of a place stand in one block, so that a damaged block takes none of them away from the others.
            for symbol in symbols where !symbol.function.isEmpty { block.append(address, symbol, flags) }
            guard block.size >= TraceFileEntries.blockSize else { return }
            payloads.append((block.payload, block.count))
            block = Block()
        }
        // Equal recordings become equal files.
        for (address, symbol) in names.symbols.sorted(by: { $0.key.precedes($1.key) }) { append(address, [symbol], []) }
        for (address, symbols) in names.stacks.sorted(by: { $0.key.precedes($1.key) }) { append(address, symbols, .stack) }
        if block.count > 0 { payloads.append((block.payload, block.count)) }
        return payloads
    }

    private struct Block {
        private var texts: [UInt8] = []
        private var symbols: [UInt8] = []
        private var numbers: [String: UInt32] = [:]
        private(set) var count = 0

        var size: Int { texts.count + symbols.count }

        mutating func append(_ address: CodeAddress, _ symbol: CodeSymbol, _ flags: Flags) {
            let flags = symbol.isMachinery ? flags.union(.machinery) : flags
            for number in [
                self.number(of: address.module), address.offset, self.number(of: symbol.function), self.number(of: symbol.file),
                symbol.line, self.number(of: symbol.path), self.number(of: symbol.library), flags.rawValue,
            ] {
                symbols.append32(number)
            }
            count += 1
        }

        private mutating func number(of text: String) -> UInt32 {
            if let known = numbers[text] { return known }
            let bytes = Array(text.utf8.prefix(TraceFileEntries.textLimit))
            texts.append32(UInt32(bytes.count))
            texts.append(contentsOf: bytes)
            let number = UInt32(numbers.count)
            numbers[text] = number
            return number
        }

        var payload: [UInt8] {
            var bytes: [UInt8] = []
            bytes.append32(UInt32(numbers.count))
            bytes.append32(UInt32(count))
            bytes += texts + symbols
            bytes.pad()
            return bytes
        }
    }

    /// Nil if `payload` is no block of symbols.
    static func read(_ payload: UnsafeRawBufferPointer) -> FoundNames? {
        var reader = TraceFileNumbers(bytes: payload)
        guard let textCount = reader.number(), let count = reader.number() else { return nil }
        var texts: [String] = []
        for _ in 0..<textCount {
            guard let size = reader.number(), let text = reader.text(size) else { return nil }
            texts.append(text)
        }
        guard Int(count) * symbolSize <= reader.left else { return nil }
        func text(_ number: UInt32?) -> String? { number.flatMap { texts.indices.contains(Int($0)) ? texts[Int($0)] : nil } }
        var names = FoundNames()
        for _ in 0..<count {
            guard let module = text(reader.number()), let offset = reader.number(), let function = text(reader.number()),
                let file = text(reader.number()), let line = reader.number(), let path = text(reader.number()),
                let library = text(reader.number()), let flags = reader.number().map(Flags.init(rawValue:))
            else { return nil }
            let symbol = CodeSymbol(
                function: function, file: file, line: line, path: path, isMachinery: flags.contains(.machinery), library: library)
            let address = CodeAddress(module: module, offset: offset)
            if flags.contains(.stack) { names.stacks[address, default: []].append(symbol) } else { names.symbols[address] = symbol }
        }
        return names
    }
}

extension CodeAddress {
    fileprivate func precedes(_ other: CodeAddress) -> Bool { (module, offset) < (other.module, other.offset) }
}

/// Reads the numbers and texts of a payload in their order.
struct TraceFileNumbers {
    let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var left: Int { bytes.count - offset }

    mutating func number() -> UInt32? {
        guard left >= 4 else { return nil }
        defer { offset += 4 }
        return bytes.load32(offset)
    }

    mutating func text(_ size: UInt32) -> String? {
        guard Int(size) <= left else { return nil }
        defer { offset += Int(size) }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(size)]), as: UTF8.self)
    }
}
