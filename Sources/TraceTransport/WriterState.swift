import CTraceLanes
import Glibc
import TaskEvents

/// What has become of the process that writes a region.
package enum WriterState: Hashable, Sendable {
    /// It runs and publishes.
    case recording
    /// It runs, and has stopped publishing this region.
    case withdrawn
    /// It has ended: what it left is all there is.
    case ended
    /// It is in another container, so that its number says nothing here.
    case elsewhere
}

extension RegionLayout {
    /// Whether the process that wrote the region still runs. A number alone does not say: a later process may have it, which then began at
    /// another time, or after another start of the machine.
    var writerIsAlive: Bool? {
        var current = [UInt8](repeating: 0, count: 16)
        current.withUnsafeMutableBufferPointer { trace_boot($0.baseAddress) }
        guard boot == current else { return false }
        guard pidNamespace == trace_process_namespace() else { return nil }
        guard pid > 0 else { return false }
        // Without /proc there is only the number.
        guard processStart != 0, trace_process_start(UInt32(getpid())) != 0 else { return kill(pid, 0) == 0 || errno == EPERM }
        return trace_process_start(UInt32(pid)) == processStart
    }
}
