import CTraceLanes
import Glibc
import TaskEvents

/// The number of traces of dead processes to keep. The latest are kept as long as they meet all three limits.
package struct TraceKeeping: Hashable, Sendable {
    package var files = Int(TRACE_KEPT_REGIONS)
    /// The largest time since a process wrote its last record, in seconds.
    package var age = 7 * 24 * 3600
    /// The largest total size.
    package var bytes = UInt64(TRACE_KEPT_BYTES)

    package init() {}
}

extension TraceDirectory {
    /// Removes the files that dead processes left: traces beyond the limits, traces that were never published, and all sockets. Files of
    /// running processes or other containers stay, and so do files that Hopscope did not write. Returns the names of the removed files.
    ///
    /// - Parameter now: seconds since 1970.
    @discardableResult
    package func prune(_ keeping: TraceKeeping = TraceKeeping(), now: Int) -> [String] {
        let names = names()
        var removed: [String] = []
        var kept = 0
        var bytes: UInt64 = 0
        for leftover in names.compactMap({ leftover($0) }).sorted(by: { $0.lastRecord > $1.lastRecord }) {
            let isOld = now - Int(leftover.lastRecord / 1_000_000_000) > keeping.age
            let fits = kept < keeping.files && bytes + leftover.bytes <= keeping.bytes
            if fits, !isOld, !leftover.name.hasPrefix(".") {
                kept += 1
                bytes += leftover.bytes
            } else if remove(leftover) {
                removed.append(leftover.name)
            }
        }
        for name in names where name.hasSuffix(Self.controlSuffix) {
            let region = "\(name.dropLast(Self.controlSuffix.count))\(Self.suffix)"
            // A region that is just being withdrawn may already have its hidden name.
            guard !isLiving(region), !isLiving("." + region) else { continue }
            if unlinkat(descriptor, name, 0) == 0 { removed.append(name) }
        }
        return removed
    }

    private func isLiving(_ name: String) -> Bool {
        guard let region = try? RegionFile(named: name, in: self) else { return false }
        return region.writer != .ended
    }

    /// A region whose process has ended.
    private struct Leftover {
        var name: String
        /// Nanoseconds since 1970.
        var lastRecord: UInt64
        var bytes: UInt64
        var device: dev_t
        var inode: ino_t
    }

    private func leftover(_ name: String) -> Leftover? {
        guard name.hasSuffix(Self.suffix), let region = try? RegionFile(named: name, in: self), region.writer == .ended else { return nil }
        var status = stat()
        guard fstat(region.file.descriptor, &status) == 0, status.st_uid == geteuid() else { return nil }
        // Uses the trace's own time, because writing to a mapping need not change the file's modification time.
        let last = region.startRealtime &+ region.now
        return Leftover(
            name: name, lastRecord: last, bytes: UInt64(status.st_blocks) * 512, device: status.st_dev, inode: status.st_ino)
    }

    /// Removes a file if it is still the inspected one.
    private func remove(_ leftover: Leftover) -> Bool {
        var status = stat()
        guard fstatat(descriptor, leftover.name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
        guard status.st_dev == leftover.device, status.st_ino == leftover.inode else { return false }
        return unlinkat(descriptor, leftover.name, 0) == 0
    }
}
