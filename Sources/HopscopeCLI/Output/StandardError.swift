import Glibc

/// Prints a command's messages. Standard output is reserved for results. A failed write to standard error is ignored.
enum StandardError {
    static func say(_ sentence: String) {
        write("hopscope: \(sentence)\n")
    }

    static func write(_ text: String) {
        _ = Descriptor.write(Array(text.utf8), to: STDERR_FILENO)
    }
}

/// Writes to file descriptors.
enum Descriptor {
    /// Writes all bytes. Returns nil on success, or the error number.
    static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Int32? {
        let failure = bytes.withContiguousStorageIfAvailable { writeBuffer(UnsafeRawBufferPointer($0), to: descriptor) }
        return failure ?? Array(bytes).withUnsafeBytes { writeBuffer($0, to: descriptor) }
    }

    private static func writeBuffer(_ buffer: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = buffer[...]
        while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, start, rest.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&writable, 1, -1)
                continue
            }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
