/// The blocks of one place and executor as every output states them.
package struct ReportedBlocks: Sendable {
    /// The place that made them. Nil if it is unknown.
    package let place: String?
    /// The name of the operations that they perform. Nil for other blocks.
    package let operation: String?
    /// Nil for blocks that never entered a queue.
    package let executor: String?
    package let count: Int
    /// Nanoseconds that they have run, in sum and at most.
    package let busy: UInt64
    package let longest: UInt64
    /// The wait that 99 of 100 did not exceed. Nil if none was queued.
    package let waitP99: UInt64?
}
