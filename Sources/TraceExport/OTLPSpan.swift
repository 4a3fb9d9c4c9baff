import TaskEvents
import TraceAnalysis
import TraceReport

/// A span of OpenTelemetry. ``ReportedSpan`` has its facts. JSON and protocol buffers are two encodings of it.
struct OTLPSpan {
    struct Event {
        let name: String
        let time: UInt64
        var attributes = OTLPAttributes()
    }

    struct Link {
        let trace: OTLPIdentifier
        let span: OTLPIdentifier
        let attributes: OTLPAttributes
    }

    /// `SPAN_KIND_INTERNAL`: the span belongs to neither a server nor a client.
    let kind: UInt64 = 1
    /// `STATUS_CODE_ERROR`.
    let errorCode: UInt64 = 2

    let trace: OTLPIdentifier
    let span: OTLPIdentifier
    let parent: OTLPIdentifier?
    let name: String
    /// In nanoseconds since 1970, as all times here.
    let start: UInt64
    let end: UInt64
    var attributes: OTLPAttributes
    private(set) var events: [Event] = []
    let links: [Link]
    /// The error of the span's status. Nil for a span without an error.
    let error: String?

    /// - Parameter zero: the start of the observed trace, in nanoseconds since 1970.
    init(_ row: ReportedSpan, _ ids: OTLPIdentifiers, startedAt zero: UInt64) {
        trace = ids.trace(of: row.trace)
        span = ids.span(of: row.task.id)
        parent = row.parent.map(ids.span)
        name = row.name
        (start, end) = (zero &+ row.start, zero &+ row.end)
        error = row.task.error?.text
        links = row.links.map { link in
            var attributes = OTLPAttributes()
            attributes.add("hopscope.link", link.role)
            return Link(trace: ids.trace(of: link.chain), span: ids.span(of: link.task), attributes: attributes)
        }
        attributes = Self.attributes(of: row.task)
        for hop in row.hops {
            var event = Event(name: "hop", time: zero &+ hop.at)
            event.attributes.add("hopscope.from", hop.from)
            event.attributes.add("hopscope.to", hop.to)
            event.attributes.add("hopscope.wait_ns", hop.wait)
            event.attributes.add("hopscope.class", hop.hopClass.name)
            events.append(event)
        }
        guard let error = row.task.error else { return }
        var event = Event(name: "exception", time: zero &+ (row.task.ended ?? row.end))
        event.attributes.add("exception.type", error.type)
        event.attributes.add("exception.message", error.message)
        events.append(event)
    }

    private static func attributes(of task: ReportedTask) -> OTLPAttributes {
        var attributes = OTLPAttributes()
        attributes.add("hopscope.task", task.id.rawValue)
        attributes.add("hopscope.task.name", task.label.name)
        attributes.add("hopscope.chain", task.chain.rawValue)
        attributes.add("hopscope.kind", task.kind.name)
        attributes.add("hopscope.state", task.state.word)
        attributes.add("hopscope.executor", task.executor)
        if task.label.knownSite != nil {
            attributes.add("code.file.path", task.label.file)
            attributes.add("code.line.number", UInt64(task.label.line))
        }
        attributes.add("hopscope.created_ns", task.created)
        attributes.add("hopscope.queued_ns", task.queued)
        attributes.add("hopscope.started_ns", task.started)
        attributes.add("hopscope.ended_ns", task.ended)
        attributes.add("hopscope.queue_wait_ns", task.queued == nil ? nil : task.queuedTime)
        attributes.add("hopscope.busy_ns", task.busy)
        attributes.add("hopscope.suspended_ns", task.suspendedTime == 0 ? nil : task.suspendedTime)
        attributes.add("hopscope.hops", task.hops)
        attributes.add("hopscope.role", task.role?.name)
        attributes.add("hopscope.skipped", ifTrue: task.isSkipped)
        attributes.add("hopscope.synthesised", ifTrue: task.isSynthesised)
        return attributes
    }
}

/// The attributes of a span, a link or an event. A value that does not apply is left out.
struct OTLPAttributes {
    private(set) var all: [(key: String, value: OTLPValue)] = []

    mutating func add(_ key: String, _ text: String?) {
        if let text { all.append((key, .text(text))) }
    }

    mutating func add(_ key: String, _ number: UInt64?) {
        if let number { all.append((key, .number(number))) }
    }

    mutating func add(_ key: String, ifTrue flag: Bool) {
        if flag { all.append((key, .flag(true))) }
    }
}

enum OTLPValue {
    case text(String)
    case number(UInt64)
    case flag(Bool)
}
