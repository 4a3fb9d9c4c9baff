import TaskEvents
import TraceAnalysis
import TraceReport

extension OTLPMessage {
    /// - Parameter zero: the start of the observed trace, in nanoseconds since 1970.
    mutating func write(_ span: ReportedSpan, _ ids: OTLPIdentifiers, startedAt zero: UInt64) {
        identifier(1, "traceId", ids.trace(of: span.trace))
        identifier(2, "spanId", ids.span(of: span.task.id))
        if let parent = span.parent { identifier(4, "parentSpanId", ids.span(of: parent)) }
        string(5, "name", span.name)
        // `SPAN_KIND_INTERNAL`: the span belongs to neither a server nor a client.
        number(6, "kind", 1)
        fixed64(7, "startTimeUnixNano", zero &+ span.start)
        fixed64(8, "endTimeUnixNano", zero &+ span.end)
        attributes(9, OTLPAttributes(of: span))
        list(11, "events", OTLPEvent.all(of: span)) { message, event in
            message.fixed64(1, "timeUnixNano", zero &+ event.time)
            message.string(2, "name", event.name)
            message.attributes(3, event.attributes)
        }
        list(13, "links", span.links) { message, link in
            message.identifier(1, "traceId", ids.trace(of: link.chain))
            message.identifier(2, "spanId", ids.span(of: link.task))
            var attributes = OTLPAttributes()
            attributes.add("hopscope.link", link.role)
            message.attributes(4, attributes)
        }
        message(15, "status") { status in
            guard let error = span.task.error else { return }
            // `STATUS_CODE_ERROR`.
            status.number(3, "code", 2)
            status.string(2, "message", error.text)
        }
    }
}

private struct OTLPEvent {
    let name: String
    let time: UInt64
    var attributes = OTLPAttributes()

    /// The hops, then the error.
    static func all(of span: ReportedSpan) -> [OTLPEvent] {
        var events = span.hops.map { hop in
            var event = OTLPEvent(name: "hop", time: hop.at)
            event.attributes.add("hopscope.from", hop.from)
            event.attributes.add("hopscope.to", hop.to)
            event.attributes.add("hopscope.wait_ns", hop.wait)
            event.attributes.add("hopscope.class", hop.hopClass.name)
            return event
        }
        guard let error = span.task.error else { return events }
        var event = OTLPEvent(name: "exception", time: span.task.ended ?? span.end)
        event.attributes.add("exception.type", error.type)
        event.attributes.add("exception.message", error.message)
        events.append(event)
        return events
    }
}

extension OTLPAttributes {
    fileprivate init(of span: ReportedSpan) {
        let task = span.task
        add("hopscope.task", task.id.rawValue)
        add("hopscope.task.name", task.label.fullName)
        add("hopscope.chain", task.chain.rawValue)
        add("hopscope.kind", task.kind.name)
        add("hopscope.state", task.state.word)
        add("hopscope.executor", task.executor)
        if task.label.knownSite != nil {
            add("code.file.path", task.label.file)
            add("code.line.number", UInt64(task.label.line))
        }
        add("hopscope.created_ns", task.created)
        add("hopscope.queued_ns", task.queued)
        add("hopscope.started_ns", task.started)
        add("hopscope.ended_ns", task.ended)
        add("hopscope.queue_wait_ns", task.queued == nil ? nil : task.queuedTime)
        add("hopscope.busy_ns", task.busy)
        add("hopscope.suspended_ns", task.suspendedTime == 0 ? nil : task.suspendedTime)
        add("hopscope.on_cpu_ns", task.time?.onCPU)
        add("hopscope.runnable_ns", task.time?.runnable)
        add("hopscope.blocked_ns", task.time?.blocked == 0 ? nil : task.time?.blocked)
        add("hopscope.awaiting_ns", task.time?.awaiting == 0 ? nil : task.time?.awaiting)
        add("hopscope.hops", task.hops)
        add("hopscope.role", task.role?.name)
        add("hopscope.skipped", ifTrue: task.isSkipped)
        add("hopscope.synthesised", ifTrue: task.isSynthesised)
        for attribute in span.attributes { add(attribute.key, attribute.value) }
    }
}
