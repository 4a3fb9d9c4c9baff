import CDebugInfo
import TaskEvents

/// The programs and libraries whose functions have been asked for, each opened once. Any thread may call it.
final class DebugFiles: Sendable {
    /// A function at an address, by its linkage name.
    struct Frame {
        var function: String
        /// The path of the source file; empty if unknown.
        var path: String
        var line: UInt32
        /// The line at which the function begins; 0 if unknown.
        var begin: UInt32 = 0
    }

    /// Belongs to the thread that holds the lock.
    private struct Open: @unchecked Sendable {
        /// By path. Nil for a file that cannot be read.
        var files: [String: OpaquePointer?] = [:]
    }

    /// Functions around one address: more of them are never shown.
    private static let depth = 64

    private let open = Guarded(Open())

    deinit {
        open.withLock { open in
            for file in open.files.values { debug_close(file) }
        }
    }

    /// The functions that an address of a file is in: the innermost inlined one first, the function itself last.
    func frames(at address: UInt64, of path: String) -> [Frame] {
        open.withLock { open in
            let known = open.files[path]
            let file = known ?? debug_open(path)
            if known == nil { open.files[path] = file }
            guard let file else { return [] }
            var frames = Array(repeating: debug_frame(), count: Self.depth)
            let count = debug_frames(file, address, &frames, frames.count)
            return frames.prefix(count).compactMap(Self.frame)
        }
    }

    private static func frame(_ frame: debug_frame) -> Frame? {
        guard let function = frame.function else { return nil }
        let path = frame.path.map { String(cString: $0) } ?? ""
        // The compiler's own code has a line 0, or a file in angle brackets.
        guard frame.line > 0, !path.isEmpty, !path.hasPrefix("<") else {
            return Frame(function: String(cString: function), path: "", line: 0)
        }
        let folder = frame.folder.map { String(cString: $0) + "/" } ?? ""
        return Frame(function: String(cString: function), path: folder + path, line: frame.line, begin: frame.begin)
    }
}
