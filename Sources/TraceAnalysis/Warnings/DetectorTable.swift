import TaskEvents

/// The detectors that receive each event, by its kind and detail.
///
/// Every event passes here. A call of a detector in an array would retain the array and the detector.
final class DetectorTable {
    /// Larger details share the detectors of smaller ones. They are details of no kind that this version knows, or priorities.
    private static let details = 16
    private static let rows = (Int(EventKind.allCases.map(\.rawValue).max()!) + 1) * details

    /// Keeps the objects in `calls` alive.
    private let detectors: [WarningDetector]
    /// The calls of row `n` are those from `starts[n]` to `starts[n + 1]`.
    private let starts: UnsafeMutablePointer<Int>
    private let calls: UnsafeMutablePointer<Unmanaged<WarningDetector>>

    init(_ detectors: [WarningDetector]) {
        self.detectors = detectors
        starts = .allocate(capacity: Self.rows + 1)
        calls = .allocate(capacity: max(1, Self.rows * detectors.count))
        let kinds = detectors.map(\.kinds)
        var end = 0
        for row in 0..<Self.rows {
            starts[row] = end
            guard let kind = EventKind(rawValue: UInt8(row / Self.details)) else { continue }
            for number in detectors.indices
            where kinds[number].contains(kind) && detectors[number].wants(kind, detail: UInt8(row % Self.details)) {
                (calls + end).initialize(to: Unmanaged.passUnretained(detectors[number]))
                end += 1
            }
        }
        starts[Self.rows] = end
    }

    deinit {
        starts.deallocate()
        calls.deallocate()
    }

    /// Passes an event of a known kind on.
    @inline(__always) func see(_ event: TaskEvent, _ kind: EventKind, _ lane: Int, _ scene: WarningScene) {
        let row = Int(kind.rawValue) * Self.details + Int(event.detail) % Self.details
        for call in starts[row]..<starts[row + 1] {
            calls[call]._withUnsafeGuaranteedRef { $0.see(event, lane: lane, scene) }
        }
    }
}
