/// An object of a report or an export: fields in a fixed order.
package protocol JSONFields {
    func writeFields(to line: inout JSONLine)
}

extension JSONLine {
    package mutating func field(_ key: StaticString, orNull value: (some JSONFields)?) {
        if let value { object(key) { value.writeFields(to: &$0) } } else { null(key) }
    }

    /// Begins a line with a list, and writes each of its objects on a line of its own.
    package mutating func list(_ key: StaticString, _ objects: some Sequence<some JSONFields>, to output: inout some TextOutputStream) {
        begin("[", key, onLine: true)
        var isEmpty = true
        for object in objects {
            self.object(onLine: true) { object.writeFields(to: &$0) }
            if size >= Self.portion { flush(to: &output) }
            isEmpty = false
        }
        end("]", onLine: !isEmpty)
    }
}
