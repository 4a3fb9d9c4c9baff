import Glibc

/// A file descriptor that is closed with its last reference.
///
/// Files of other processes are read by system calls and never mapped. Another process may truncate its file at any time, and touching a
/// mapped page that is gone raises SIGBUS.
final class OpenFile: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The file's size now; 0 if the system does not tell.
    var size: UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_size) : 0
    }

    /// Copies the file's bytes from `offset` on. Returns the number of bytes. It is less than the buffer's size only at the end of the
    /// file or after a read error.
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

    /// Reads one number; nil past the end of the file.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(at offset: UInt64, as type: Value.Type = Value.self) -> Value? {
        var value: Value = 0
        let count = withUnsafeMutableBytes(of: &value) { read(at: offset, into: $0) }
        return count == MemoryLayout<Value>.size ? value : nil
    }
}
