import TraceTransport

/// The header of a recording.
package struct TraceFileHeader: Hashable, Sendable {
    /// The version that this program writes, and the latest version that it reads.
    package static let version: UInt32 = 2

    package var program: String
    package var pid: Int32
    /// The trace's start in nanoseconds since 1970. Event times count from it.
    package var startRealtime: UInt64

    package init(program: String, pid: Int32, startRealtime: UInt64) {
        self.program = program
        self.pid = pid
        self.startRealtime = startRealtime
    }

    /// The header for a new recording of these lanes.
    package init(of source: any LaneSource) {
        self.init(program: source.program, pid: source.pid, startRealtime: source.startRealtime)
    }
}

extension TraceFileHeader {
    static var magic: [UInt8] { Array("HOPTRACE".utf8) }
    /// The size of the part that is the same in every version. The program's name follows it.
    static var fixedSize: Int { 64 }
    static var programLimit: Int { 4096 }

    var bytes: [UInt8] {
        let program = Array(program.utf8.prefix(Self.programLimit))
        var bytes = Self.magic
        bytes.append32(0)
        bytes.append32(UInt32(Self.fixedSize + (program.count + 7) / 8 * 8))
        bytes.append32(UInt32(bitPattern: pid))
        bytes.append32(UInt32(program.count))
        bytes.append64(startRealtime)
        bytes.append(contentsOf: repeatElement(0, count: Self.fixedSize - bytes.count))
        bytes.append(contentsOf: program)
        bytes.pad()
        bytes.withUnsafeMutableBytes { Self.setVersion(Self.version, in: $0) }
        return bytes
    }

    /// Sets the version of a header and updates its checksum.
    static func setVersion(_ version: UInt32, in bytes: UnsafeMutableRawBufferPointer) {
        bytes.store32(8, version)
        let size = Int(UnsafeRawBufferPointer(bytes).load32(12))
        bytes.store32(60, checksum(of: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<size])))
    }

    /// The checksum of all bytes except its own field.
    private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = TraceFileChecksum()
        checksum.add(UnsafeRawBufferPointer(rebasing: bytes[..<60]))
        checksum.add(UnsafeRawBufferPointer(rebasing: bytes[fixedSize...]))
        return checksum.value
    }

    /// The result of reading a file's first bytes.
    enum Beginning {
        case header(TraceFileHeader, size: Int)
        case newer(version: UInt32)
        /// The file is a recording, but its header is changed or incomplete.
        case damaged
        case other
    }

    /// Reads the header. `bytes` are the file's first bytes, up to the largest size of a header.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Beginning {
        guard bytes.count >= magic.count, bytes[..<magic.count].elementsEqual(magic) else { return .other }
        guard bytes.count >= fixedSize else { return .damaged }
        let size = Int(bytes.load32(12))
        guard size >= fixedSize, size <= bytes.count,
            checksum(of: UnsafeRawBufferPointer(rebasing: bytes[..<size])) == bytes.load32(60)
        else { return .damaged }
        guard bytes.load32(8) <= version else { return .newer(version: bytes.load32(8)) }
        let length = Int(bytes.load32(20))
        guard length <= size - fixedSize else { return .damaged }
        let program = String(decoding: bytes[fixedSize..<(fixedSize + length)], as: UTF8.self)
        let start = min(bytes.load64(24), TraceLimits.latestStart)
        let header = TraceFileHeader(program: program, pid: Int32(bitPattern: bytes.load32(16)), startRealtime: start)
        return .header(header, size: size)
    }
}
