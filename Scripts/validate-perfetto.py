#!/usr/bin/env python3
"""Checks a Perfetto export against the rules of Chrome's trace format, and compares its slices with the trace's report.

    hopscope export FILE --to perfetto -o trace.json && hopscope report FILE --format json > report.json
    Scripts/validate-perfetto.py trace.json [report.json]

Needs Python only. Prints the findings, and exits with 1 if anything is wrong.
"""
import collections
import json
import sys
from decimal import Decimal


def nanoseconds(microseconds):
    exact = Decimal(microseconds) * 1000
    if exact != int(exact):
        raise ValueError(f"{microseconds} µs is not a whole number of nanoseconds")
    return int(exact)


def check(events, report):
    """The faults of the export, one sentence each."""
    by_phase = collections.defaultdict(list)
    for event in events:
        by_phase[event["ph"]].append(event)
    tracks = collections.defaultdict(list)
    for event in by_phase["X"]:
        start = nanoseconds(event["ts"])
        tracks[event["pid"], event["tid"]].append((start, start + nanoseconds(event["dur"]), event))

    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in by_phase["M"] if event["name"] == "thread_name"}
    if len(set(names.values())) != len(names):
        yield "two tracks have one name"
    for track in tracks.keys() - names.keys():
        yield f"track {track} has no name"
    for track, slices in tracks.items():
        yield from crossings(names.get(track, track), slices)

    starts = collections.Counter(event["id"] for event in by_phase["s"])
    ends = collections.Counter(event["id"] for event in by_phase["f"])
    if starts != ends or any(count != 1 for count in starts.values()):
        yield f"arrows without both ends, or with more: {sorted((starts - ends) + (ends - starts))[:10]}"
    for end in by_phase["s"] + by_phase["f"]:
        time = nanoseconds(end["ts"])
        slices = tracks[end["pid"], end["tid"]]
        if not any(start <= time and (time < stop or start == stop == time) for start, stop, _ in slices):
            yield f"an end of arrow {end['id']} is in no slice"

    opened = collections.Counter((event["cat"], event["id"]) for event in by_phase["b"])
    closed = collections.Counter((event["cat"], event["id"]) for event in by_phase["e"])
    if opened != closed:
        yield f"asynchronous slices without both ends: {sorted((opened - closed) + (closed - opened))[:10]}"
    if report is not None:
        yield from compare([entry for slices in tracks.values() for entry in slices], by_phase, report)


def crossings(name, slices):
    open_ends = []
    for start, end, event in sorted(slices, key=lambda entry: (entry[0], -entry[1])):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            yield f"{event['name']!r} at {start} ns crosses the end of the slice around it on track {name}"
        open_ends.append(end)


def compare(slices, by_phase, report):
    bodies = collections.defaultdict(list)
    for start, end, event in slices:
        if event["cat"] == "task":
            bodies[event["args"]["task"]].append((start, end))
    suspended = {event["args"]["task"] for event in by_phase["b"] if event["cat"] == "suspended"}
    for task in report["tasks"]:
        stretches = sorted(bodies.get(task["id"], []))
        if task["started_ns"] is None:
            continue
        if not stretches:
            yield f"task {task['id']} has started and has no slice"
            continue
        if stretches[0][0] != task["started_ns"]:
            yield f"task {task['id']} begins at {stretches[0][0]}, in the report at {task['started_ns']}"
        if task["ended_ns"] is not None and task["id"] not in suspended and stretches[-1][1] != max(task["ended_ns"], task["started_ns"]):
            yield f"task {task['id']} ends at {stretches[-1][1]}, in the report at {task['ended_ns']}"
        busy = sum(end - start for start, end in stretches)
        if busy != task["busy_ns"]:
            yield f"task {task['id']} was busy for {busy}, in the report for {task['busy_ns']}"
    arrived = sum(hop["wait_ns"] is not None for hop in report["hops"])
    if len(by_phase["s"]) != arrived:
        yield f"{len(by_phase['s'])} arrows, but {arrived} hops arrived in the report"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file, parse_float=Decimal)["traceEvents"]
    report = None
    if len(sys.argv) == 3:
        with open(sys.argv[2], encoding="utf-8") as file:
            report = json.load(file)
    wrong = list(check(events, report))
    for sentence in wrong[:50]:
        print(sentence)
    counts = collections.Counter(event["ph"] for event in events)
    print(
        f"{counts['X']} slices, {counts['s']} arrows, {counts['b']} waits, {counts['i']} instants on "
        f"{sum(event['name'] == 'thread_name' for event in events)} tracks; {len(wrong)} wrong"
    )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
