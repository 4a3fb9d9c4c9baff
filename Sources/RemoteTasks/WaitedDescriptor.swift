import TraceAnalysis

/// The file descriptor that a task or a thread waits for: a socket with its peer and its state, or something else.
package struct WaitedDescriptor: Hashable, Sendable {
    /// What the descriptor is. `ps --json` spells the raw values.
    package enum Kind: String, Sendable {
        case tcp, unix, udp, pipe, file
        /// Several TCP connections to one peer, for one of which a request waits.
        case pool
        /// Another socket, or another thing of the kernel's.
        case other
    }

    /// The state of a socket. `ps --json` spells the raw values.
    package enum State: String, Sendable {
        /// The peer has not answered yet.
        case connecting
        case established
        /// Data is there, and the program has not read it.
        case unread
        /// The peer takes no more data.
        case sendBufferFull = "send-buffer-full"
        case closedByPeer = "closed-by-peer"
        /// The program has closed its own direction.
        case closing
        case listening
        case closed

        fileprivate var words: String {
            switch self {
            case .connecting: "no answer yet"
            case .established: "established"
            case .unread: "data is there, and the program has not read it"
            case .sendBufferFull: "its send buffer is full"
            case .closedByPeer: "closed by the peer"
            case .closing: "closed by the program"
            case .listening: "listening"
            case .closed: "closed"
            }
        }
    }

    /// What the program waits for.
    package enum Purpose: Sendable {
        case receives, sends, connects, accepts
        /// The program waits for the descriptor in a way that is not known.
        case unknown
    }

    /// Nil for a pool.
    package var number: Int32?
    package var kind: Kind
    package var purpose: Purpose
    /// The other end of a connection: `127.0.0.1:5432`, or the path of a Unix socket. Nil if there is none, or if it has no name.
    package var peer: String?
    /// The program's own end.
    package var local: String?
    package var state: State?
    /// Nanoseconds since the socket has last received data, or since it was connected; of a full socket, since it has last sent data. Nil if
    /// unknown.
    package var silence: UInt64?
    /// The times that the connection's first packet was sent again.
    package var retries = 0
    /// The number of connections of a pool.
    package var connections = 1
    /// Whether only a connection is known that the waiting task's continuation leads to, and not the call that waits for it.
    package var isLikely = false

    /// The words that follow "waits".
    package var words: String {
        let name = number.map { "\(kind.rawValue) descriptor \($0)" } ?? "one of \(connections) connections"
        let end =
            switch purpose {
            case .receives: "for data from " + (peer ?? name)
            case .sends: "until " + (peer ?? name) + " takes data"
            case .connects: "for a connection to " + (peer ?? name)
            case .accepts: "for a connection on " + (local ?? name)
            case .unknown: "for " + (peer ?? local ?? name)
            }
        var facts = end.hasSuffix(name) || end.contains(name + " ") ? [] : [name]
        if let state { facts.append(state.words) }
        if let silence, silence >= Self.shortest {
            let time = DurationText.text(silence)
            switch state {
            case .established: facts.append("nothing received for \(time)")
            case .sendBufferFull: facts.append("nothing sent for \(time)")
            case _: break
            }
        }
        return (isLikely ? "probably " : "") + end + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
    }

    /// A shorter silence is not worth a word.
    private static let shortest: UInt64 = 1_000_000_000
}

/// The rule of a task whose thread waits for a socket that does not answer.
package enum StuckDescriptor {
    /// The name of the rule.
    package static let rule = "stuck-io"
    /// The least silence in nanoseconds.
    static let patience: UInt64 = 5_000_000_000
    /// The least number of repetitions of a connection's first packet. The second one is sent after three seconds.
    static let retries = 2

    /// Whether a descriptor does not answer. False for one that is only likely, and if the time is not known.
    static func contains(_ descriptor: WaitedDescriptor) -> Bool {
        guard !descriptor.isLikely else { return false }
        switch (descriptor.state, descriptor.purpose) {
        case (.connecting, _): return descriptor.retries >= retries
        case (.established, .receives), (.sendBufferFull, _): return descriptor.silence ?? 0 >= patience
        case _: return false
        }
    }
}
