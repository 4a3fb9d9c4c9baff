/// A damaged part of a recording, and the data lost with it.
package struct TraceFileDamage: Hashable, Sendable, CustomStringConvertible {
    package enum Loss: Hashable, Sendable {
        /// The events of these numbers. A `.lost` event replaces each of them.
        case events(Range<Int>)
        /// Names, sites or errors. Events that refer to them show a number instead of a name.
        case names
        /// The program's name and the start time of the trace.
        case header
        /// No event or name: the damaged bytes hold an index, without which opening takes longer, or no data.
        case nothing
    }

    package var loss: Loss
    /// The offsets of the damaged bytes in the file.
    package var bytes: Range<Int>

    /// A sentence for the user.
    package var description: String {
        let damage = "\(bytes.count) bytes from \(bytes.lowerBound) on are damaged"
        switch loss {
        case .events(let numbers) where numbers.count == 1: return "\(damage): event \(numbers.lowerBound) is missing."
        case .events(let numbers): return "\(damage): events \(numbers.lowerBound) to \(numbers.upperBound - 1) are missing."
        case .names: return "\(damage): some names are missing."
        case .header: return "\(damage): the program's name and the time of the recording are missing."
        case .nothing: return "\(damage), but no event is missing by that."
        }
    }
}
