import CTraceLanes

/// Asks the processor to fetch memory that is needed soon. The thread does not wait for it.
package func prefetch(_ address: UnsafeRawPointer) {
    trace_prefetch(address)
}
