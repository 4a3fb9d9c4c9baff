#!/usr/bin/env python3
"""Decodes an OTLP/JSON export with OpenTelemetry's protobuf definitions, and compares its spans with the trace's report.

    python3 -m pip install opentelemetry-proto protobuf
    hopscope export FILE --to otlp -o trace.json && hopscope report FILE --format json > report.json
    Scripts/validate-otlp.py trace.json [report.json]

OTLP uses protobuf's JSON encoding, except that ids are hexadecimal; the script checks them and converts them to base64.
Unknown fields are errors. Prints the findings, and exits with 1 if anything is wrong.
"""
import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Status

LENGTHS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_base64(value):
    """The same JSON with ids in base64, as protobuf's JSON mapping requires."""
    if isinstance(value, list):
        return [with_base64(element) for element in value]
    if not isinstance(value, dict):
        return value
    decoded = {}
    for key, field in value.items():
        if key in LENGTHS:
            raw = bytes.fromhex(field)
            if len(raw) != LENGTHS[key] or not any(raw):
                raise ValueError(f"{key} {field!r} is not {LENGTHS[key]} bytes that are not all 0")
            field = base64.b64encode(raw).decode()
        else:
            field = with_base64(field)
        decoded[key] = field
    return decoded


def attributes(holder):
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in holder.attributes}


def check(request, report):
    """The faults of the request, one sentence each."""
    spans = [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]
    by_id = {(span.trace_id, span.span_id): span for span in spans}
    if len(by_id) != len(spans):
        yield f"{len(spans) - len(by_id)} spans share an id"
    for span in spans:
        name = f"span {span.span_id.hex()} ({span.name!r})"
        if span.end_time_unix_nano < span.start_time_unix_nano:
            yield f"{name} ends before it starts"
        if span.parent_span_id and (span.trace_id, span.parent_span_id) not in by_id:
            yield f"{name} has a parent that is not in its trace"
        for link in span.links:
            if (link.trace_id, link.span_id) not in by_id:
                yield f"{name} is linked to a span that is not there"
        exceptions = [event for event in span.events if event.name == "exception"]
        if (span.status.code == Status.STATUS_CODE_ERROR) != bool(exceptions):
            yield f"{name} has the status {span.status.code} and {len(exceptions)} exceptions"
    if report is not None:
        yield from compare(spans, report)


def compare(spans, report):
    by_task = {attributes(span)["hopscope.task"]: span for span in spans}
    tasks = {task["id"]: task for task in report["tasks"]}
    if by_task.keys() != tasks.keys():
        yield f"the spans and the report have different tasks: {sorted(by_task.keys() ^ tasks.keys())[:10]}"
    for task in report["tasks"]:
        span = by_task.get(task["id"])
        if span is None:
            continue
        said = attributes(span)
        for key in ("created_ns", "queued_ns", "started_ns", "ended_ns", "busy_ns", "hops", "state", "kind", "role", "executor"):
            if said.get("hopscope." + key) != task[key]:
                yield f"task {task['id']}: {key} is {said.get('hopscope.' + key)!r}, in the report {task[key]!r}"
        started, ended = task["started_ns"], task["ended_ns"]
        duration = span.end_time_unix_nano - span.start_time_unix_nano
        if started is not None and ended is not None and duration != ended - started:
            yield f"task {task['id']}: the span takes {duration} ns, in the report {ended - started}"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json_format.ParseDict(with_base64(json.load(file)), ExportTraceServiceRequest())
    report = None
    if len(sys.argv) == 3:
        with open(sys.argv[2], encoding="utf-8") as file:
            report = json.load(file)
    wrong = list(check(request, report))
    for sentence in wrong[:50]:
        print(sentence)
    spans = [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]
    print(
        f"{len(spans)} spans in {len({span.trace_id for span in spans})} traces, {sum(len(span.links) for span in spans)} links, "
        f"{sum(len(span.events) for span in spans)} events, {request.ByteSize()} bytes as protobuf; {len(wrong)} wrong"
    )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
