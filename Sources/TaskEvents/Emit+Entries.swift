import CTraceLanes

/// Functions that enter names, call sites and errors into the trace's table and return their ids. Without a recording the ids are `.none`.
extension Emit {
    /// The label of a task. Its name is `name`, or the literal `fallback` if the task has no name.
    @inlinable
    public static func label(name: String?, or fallback: StaticString, fileID: StaticString, line: UInt) -> EntryID {
        guard trace_is_recording() else { return .none }
        let line = UInt32(truncatingIfNeeded: line)
        if name == nil, fallback.hasPointerRepresentation, fileID.hasPointerRepresentation {
            return EntryID(
                rawValue: trace_label_of_literals(
                    fallback.utf8Start, fallback.utf8CodeUnitCount, fileID.utf8Start, fileID.utf8CodeUnitCount, line))
        }
        return label(of: name ?? "\(fallback)", fileID, line)
    }

    @usableFromInline
    static func label(of name: String, _ fileID: StaticString, _ line: UInt32) -> EntryID {
        var name = name
        let id = name.withUTF8 { name in
            guard fileID.hasPointerRepresentation else {
                return fileID.withUTF8Buffer { trace_label(name.baseAddress, name.count, $0.baseAddress, $0.count, line) }
            }
            return trace_label_of_name(name.baseAddress, name.count, fileID.utf8Start, fileID.utf8CodeUnitCount, line)
        }
        return EntryID(rawValue: id)
    }

    /// The entry for an error: its type and its description. Asking for the description runs the error's own code.
    package static func error(_ error: any Error) -> EntryID {
        guard EventBus.isRecording else { return .none }
        var type = String(describing: Swift.type(of: error))
        var message = String(describing: error)
        let id = type.withUTF8 { type in
            message.withUTF8 { message in trace_error(type.baseAddress, type.count, message.baseAddress, message.count) }
        }
        return EntryID(rawValue: id)
    }

    /// Gives an executor its number. Call it once per executor, and ``end(_:)`` when the executor is gone.
    package static func register(executor name: String, kind: ExecutorKind) -> ExecutorID {
        var name = name
        return ExecutorID(rawValue: name.withUTF8 { trace_executor_register($0.baseAddress, $0.count, kind.rawValue) })
    }

    /// An executor is gone and emits no more events. Later recordings do not have it, and may give its number to another one.
    package static func end(_ executor: ExecutorID) {
        trace_executor_end(executor.rawValue)
    }
}
