import TaskEvents

/// What is not as it was written in a recording, and what that costs.
package struct TraceFileDamage: Hashable, Sendable, CustomStringConvertible {
    package enum Loss: Hashable, Sendable {
        /// The events of these numbers; each stands as a loss in its place.
        case events(Range<Int>)
        /// Names, sites or errors; what refers to them has a number for a name.
        case names
        /// The program's name and when the trace began.
        case header
        /// Nothing: the index, without which opening takes longer, or bytes that say nothing.
        case nothing
    }

    package var loss: Loss
    /// Where in the file the bytes are.
    package var bytes: Range<Int>

    /// A sentence.
    package var description: String {
        let place = "\(bytes.count) bytes from \(bytes.lowerBound) on are damaged"
        switch loss {
        case .events(let numbers) where numbers.count == 1: return "\(place): event \(numbers.lowerBound) is missing."
        case .events(let numbers): return "\(place): events \(numbers.lowerBound) to \(numbers.upperBound - 1) are missing."
        case .names: return "\(place): some names are missing."
        case .header: return "\(place): the program's name and the time of the recording are missing."
        case .nothing: return "\(place), but no event is missing by that."
        }
    }
}
