import Glibc

/// The lines of an agent's messages. One thread uses it.
struct MessageInput {
    enum Line {
        case message([UInt8])
        /// A line of more bytes than a message may have. It was skipped.
        case tooLong
    }

    /// The largest number of bytes of a message.
    static let limit = 1 << 18

    private let descriptor: Int32
    private var waiting: [Line] = []
    private var rest: [UInt8] = []
    private var isSkipping = false
    /// Whether the agent has closed the input.
    private(set) var hasEnded = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The next line that is not blank. Waits for it. Nil at the end of the input.
    mutating func next() -> Line? {
        while waiting.isEmpty, !hasEnded { read() }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    /// The lines that have arrived, which ``next()`` will return. Does not wait.
    ///
    /// Reads at most a few messages in advance, so that an agent that sends endlessly gets no memory of this process.
    mutating func arrived() -> [Line] {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while !hasEnded, waiting.count < Self.mostWaiting, poll(&request, 1, 0) > 0 { read() }
        return waiting
    }

    private static let mostWaiting = 16

    private mutating func read() {
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            var result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            while result < 0, errno == EINTR || errno == EAGAIN {
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&request, 1, -1)
                result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            count = max(0, result)
        }
        guard !bytes.isEmpty else {
            hasEnded = true
            endLine()
            return
        }
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            take(bytes[start..<end])
            endLine()
            start = end + 1
        }
        take(bytes[start...])
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        guard !isSkipping, rest.count + bytes.count <= Self.limit else {
            isSkipping = true
            rest.removeAll()
            return
        }
        rest += bytes
    }

    private mutating func endLine() {
        let isBlank = rest.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }
        if isSkipping {
            waiting.append(.tooLong)
        } else if !isBlank {
            waiting.append(.message(rest))
        }
        rest.removeAll(keepingCapacity: true)
        isSkipping = false
    }
}
