import CTraceLanes
import Glibc

/// The state of the process that writes a region.
package enum WriterState: Hashable, Sendable {
    /// The process runs and publishes the region.
    case recording
    /// The process runs, and has stopped publishing the region.
    case withdrawn
    /// The process has ended. The region does not change any more.
    case ended
    /// The process is in another container, so its process id means nothing here.
    case elsewhere
}

extension RegionLayout {
    /// Whether the process that wrote the region still runs; nil if it is in another container. The process id alone does not prove it,
    /// because a later process may have the same id. Such a process started at another time, or after a reboot.
    var writerIsAlive: Bool? {
        guard !isOfEarlierBoot else { return false }
        guard pidNamespace == trace_process_namespace() else { return nil }
        return processIsAlive
    }

    /// The same for a region of this container that is of no earlier boot.
    var processIsAlive: Bool {
        guard pid > 0 else { return false }
        let start = trace_process_start(UInt32(pid))
        if start != 0, processStart != 0 { return start == processStart }
        // Without /proc, only the process id can be checked.
        guard processStart == 0 || trace_process_start(UInt32(getpid())) == 0 else { return false }
        return kill(pid, 0) == 0 || errno == EPERM
    }

    /// Whether the process that wrote the region started no earlier than this one. The kernel counts these times from the boot, so a clock
    /// that is set does not change the answer. Without /proc, any process of this boot may have.
    var writerIsYounger: Bool {
        guard !isOfEarlierBoot, pidNamespace == trace_process_namespace() else { return false }
        let own = trace_process_start(UInt32(getpid()))
        return processStart == 0 || own == 0 || processStart >= own
    }
}
