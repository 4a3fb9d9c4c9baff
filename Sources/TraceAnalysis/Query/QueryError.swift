/// What of a query cannot be understood, and where.
package struct QueryError: Error, Hashable, CustomStringConvertible {
    /// The characters of the text that it is about, counted from 0.
    package let place: Range<Int>
    /// A whole sentence that says what can be.
    package let description: String
}
