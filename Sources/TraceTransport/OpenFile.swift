import Glibc
import TaskEvents

/// A descriptor that is closed with its last reference.
///
/// Another process's file is read by system calls and never mapped: reading a mapped page that the file has lost raises SIGBUS, and a file
/// that another process writes may lose pages at any time.
final class OpenFile: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Copies what the file has from `offset` on. Returns how many bytes that were: fewer than there is room for only at its end.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset <= UInt64(Int64.max) else { return 0 }
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// One number; nil past the file's end.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(at offset: UInt64, as type: Value.Type = Value.self) -> Value? {
        var value: Value = 0
        let count = withUnsafeMutableBytes(of: &value) { read(at: offset, into: $0) }
        return count == MemoryLayout<Value>.size ? value : nil
    }
}
