import CTraceLanes

/// Has the processor bring memory near that will be looked at soon; the thread does not wait for it.
package func prefetch(_ address: UnsafeRawPointer) {
    trace_prefetch(address)
}
