import TaskEvents

/// A trace whose names would break a format that does not escape them.
package enum HostileTrace {
    /// Names with characters that are special in one of the formats.
    package static let names = [
        #"quote " and \ backslash \" both \\"#, "line\nbreak\r\nand\ttab", "\u{0}\u{1}\u{1B}[2J\u{7F}\u{9B}",
        "</script><script>alert(1)</script>",
        "<b>&amp; &lt; &#x41;</b>]]>", "名前 👩‍👩‍👧 e\u{301} \u{202E}abc\u{2028}def\u{FEFF}\u{FFFE}\u{FFFF}", #"end"] --> x; subgraph "#,
        "`*_~#35;#quot;|a|{{}}%%", "{\"ph\":\"X\"},", "$(rm -rf /) ; -- '", "",
    ]

    /// One object of each kind, each with a hostile name.
    package static func make() -> TraceBuilder {
        var trace = TraceBuilder(at: 5)
        for name in names {
            let (queue, other) = (trace.executor(name, .queue), trace.executor("x" + name, .pool))
            let root = trace.create(.root, name, on: queue, file: name + "/File.swift", line: 3)
            trace.enqueue(root)
            trace.advance(microseconds: 3)
            trace.start(root)
            trace.mark(name)
            trace.advance(nanoseconds: 1)
            trace.fault(root, type: name, message: name)
            let next = trace.create(.continuation, name, of: [root], on: other)
            trace.hop(next, from: queue)
            trace.enqueue(next)
            trace.endJob(root)
            trace.advance(microseconds: 1)
            trace.lane = 1
            trace.start(next)
            trace.readError(of: root, by: next)
            trace.advance(microseconds: 1)
            trace.fault(next, type: name, message: "again " + name, .transformed, from: root)
            trace.endJob(next)
            trace.lane = 0
        }
        return trace
    }
}
