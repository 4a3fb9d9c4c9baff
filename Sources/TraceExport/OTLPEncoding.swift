import TextOutput

// The two encodings of a span: OpenTelemetry's JSON, and protocol buffers with the field numbers of opentelemetry-proto.

extension JSONLine {
    mutating func write(_ span: OTLPSpan) {
        object { line in
            line.field("traceId", span.trace.text)
            line.field("spanId", span.span.text)
            if let parent = span.parent { line.field("parentSpanId", parent.text) }
            line.field("name", span.name)
            line.field("kind", span.kind)
            line.field("startTimeUnixNano", String(span.start))
            line.field("endTimeUnixNano", String(span.end))
            line.attributes(span.attributes)
            line.array("events") { line in
                for event in span.events {
                    line.object { line in
                        line.field("timeUnixNano", String(event.time))
                        line.field("name", event.name)
                        line.attributes(event.attributes)
                    }
                }
            }
            line.array("links") { line in
                for link in span.links {
                    line.object { line in
                        line.field("traceId", link.trace.text)
                        line.field("spanId", link.span.text)
                        line.attributes(link.attributes)
                    }
                }
            }
            line.object("status") { line in
                guard let error = span.error else { return }
                line.field("code", span.errorCode)
                line.field("message", error)
            }
        }
    }

    mutating func attributes(_ attributes: OTLPAttributes) {
        array("attributes") { line in
            for (key, value) in attributes.all {
                line.object { line in
                    line.field("key", key)
                    line.object("value") { line in
                        switch value {
                        case .text(let text): line.field("stringValue", text)
                        // The JSON encoding represents integers as strings.
                        case .number(let number): line.field("intValue", String(number))
                        case .flag(let flag): line.field("boolValue", flag)
                        }
                    }
                }
            }
        }
    }
}

extension ProtobufMessage {
    mutating func write(_ span: OTLPSpan) {
        bytes(1, span.trace.bytes)
        bytes(2, span.span.bytes)
        if let parent = span.parent { bytes(4, parent.bytes) }
        string(5, span.name)
        number(6, span.kind)
        fixed64(7, span.start)
        fixed64(8, span.end)
        attributes(9, span.attributes)
        for event in span.events {
            message(11) { message in
                message.fixed64(1, event.time)
                message.string(2, event.name)
                message.attributes(3, event.attributes)
            }
        }
        for link in span.links {
            message(13) { message in
                message.bytes(1, link.trace.bytes)
                message.bytes(2, link.span.bytes)
                message.attributes(4, link.attributes)
            }
        }
        guard let error = span.error else { return }
        message(15) { status in
            status.string(2, error)
            status.number(3, span.errorCode)
        }
    }

    private mutating func attributes(_ field: UInt64, _ attributes: OTLPAttributes) {
        for (key, value) in attributes.all { attribute(field, key, value) }
    }

    mutating func attribute(_ field: UInt64, _ key: String, _ value: OTLPValue) {
        message(field) { pair in
            pair.string(1, key)
            pair.message(2) { message in
                switch value {
                case .text(let text): message.string(1, text)
                case .flag(let flag): message.bool(2, flag)
                case .number(let number): message.number(3, number)
                }
            }
        }
    }
}
