#!/usr/bin/env python3
"""Compares what Hopscope says of the time of tasks with programs that know it.

    Scripts/time-parts.py HOPSCOPE [shares] [slow] [lossy] [changes] [cost] [large]

shares   twelve tasks with known parts of time: each part within 3 points of the task's life, and their sum exact
slow     twenty slow requests among ten thousand: 'explain' names the cause of each in its first segment
lossy    the same with lost records: the cause, or nothing
changes  34 programs that were changed: 'explain --if' told their median and their 99th percentile within 15 %; one of
         them is refused, because other tasks would wait for each other. Each is compared by the medians of five runs, because
         the 99th percentile of a hundred requests is one request, which differs by a third from run to run
cost     what a profile adds to a recorded program: at most 1 % of its processor time, medians of 15 pairs of runs in turns; its
         result, its signals and its interrupted calls are the same in all
large    a recording of 10 million events is explained within 5 s
Without a name it runs all of them. Prints a line for each comparison and exits with 1 if one fails. Programs that wait for a processor
wait for causes of their own: run it on a machine that does nothing else, or with 'chrt -r 1'.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Tests/HopscopeCLITests/Programs")
ROUNDS = 5
PAIRS = 15
PARTS = ["on_cpu_ns", "runnable_ns", "blocked_ns", "queued_ns", "awaiting_ns"]


class Check:
    def __init__(self, hopscope, folder):
        self.hopscope = os.path.abspath(hopscope)
        self.folder = folder
        self.failures = 0
        os.mkdir(os.path.join(folder, "lanes"), 0o700)
        os.environ["HOPSCOPE"] = os.path.join(folder, "lanes")

    def path(self, name):
        return os.path.join(self.folder, name)

    def say(self, is_right, text):
        print(f"{'ok    ' if is_right else 'WRONG '} {text}", flush=True)
        self.failures += not is_right

    def build(self, name, *others, options=()):
        path = self.path(name)
        if not os.path.exists(path):
            files = [os.path.join(SOURCES, f"{source}.swift") for source in (name, *others)]
            swift = os.path.join(os.path.dirname(os.environ.get("SWIFT", "")), "swiftc")
            subprocess.run([swift, "-swift-version", "6", "-parse-as-library", "-g", *options, *files, "-o", path], check=True)
        return path

    def run(self, *arguments):
        run = subprocess.run([self.hopscope, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if run.returncode != 0 or "cannot be profiled" in run.stderr:
            sys.exit(f"hopscope {' '.join(arguments)}: {run.stderr}")
        return run.stdout

    def refusal(self, *arguments):
        """The sentence with which a command refuses."""
        run = subprocess.run([self.hopscope, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return run.stderr.strip() if run.returncode != 0 else "no refusal"

    def record(self, file, *program, options=("--profile",)):
        return self.run("record", *options, "-o", self.path(file), "--", *program)

    def tasks(self, file):
        return json.loads(self.run("report", self.path(file), "--format", "json"))["tasks"]

    def explain(self, file, *arguments):
        return [json.loads(line) for line in self.run("explain", self.path(file), *arguments, "--json").splitlines()]


def line(source, text):
    """The line of a source that contains a text."""
    with open(os.path.join(SOURCES, f"{source}.swift")) as file:
        return next(f"{source}.swift:{number}" for number, content in enumerate(file, 1) if text in content)


def shares(check):
    truth = check.record("shares.hop", check.build("KnownParts", "PartThreads"), "10")
    tasks = {task["name"]: task for task in check.tasks("shares.hop")}
    for name, *known in map(str.split, truth.splitlines()):
        task = tasks[name]
        life = task["ended_ns"] - task["created_ns"]
        told = [task["time"][part] for part in PARTS]
        if None in told:
            check.say(False, f"{name}: a part is unknown: {told}")
            continue
        whole = sum(map(int, known))
        pairs = [(100 * one / life, 100 * int(other) / whole) for one, other in zip(told, known)]
        is_right = sum(told) == life and all(abs(one - other) <= 3 for one, other in pairs)
        texts = [f"{part[:-3]} {one:.1f} ({other:.1f})" for part, (one, other) in zip(PARTS, pairs)]
        check.say(is_right, f"{name}: {', '.join(texts)}; sum {'exact' if sum(told) == life else 'wrong'}")


# For each reason, the kind of the first segment, its task, and what its place and the job that it is behind must contain.
CAUSES = {
    "spins": ("on-cpu", "request", "", ""),
    "callsKernel": ("on-cpu", "request", "", ""),
    "preempted": ("runnable", "request", "", ""),
    "reads": ("blocked", "request", "", ""),
    "locks": ("blocked", "request", "pthread_mutex_lock(mutex)", ""),
    "signals": ("blocked", "request", "semaphore.wait()", ""),
    "waitsForCondition": ("blocked", "request", "condition.wait(until:", ""),
    "naps": ("blocked", "request", "case .naps:", ""),
    "sleepsThread": ("blocked", "request", "Thread.sleep(forTimeInterval:", ""),
    "queuesBehindWork": ("queued", "request", "", "compact"),
    "queuesBehindBlocked": ("queued", "request", "", "compact"),
    "queuesForMain": ("queued", "request", "", "draw"),
    "queuesForPool": ("queued", "late child", "", "hog"),
    "sleeps": ("awaiting", "request", "case .sleeps:", ""),
    "continues": ("awaiting", "request", "await withCheckedContinuation { continuation in after", ""),
    "awaitsSpinning": ("on-cpu", "spinning child", "", ""),
    "awaitsBlocked": ("blocked", "blocked child", "semaphore.wait()", ""),
    "awaitsGroup": ("on-cpu", "waitForGroup", "group.addTask { spin(seconds) }", ""),
    "awaitsQueued": ("queued", "queued child", "", "compact"),
    "resumedByTask": ("on-cpu", "resumer", "", ""),
}


def has_text(place, text):
    """Whether the line of a place contains a text."""
    found = re.fullmatch(r"(?:.*/)?(\w+\.swift):(\d+)", place or "")
    if not found:
        return False
    with open(os.path.join(SOURCES, found[1])) as file:
        return text in file.read().split("\n")[int(found[2]) - 1]


def slow(check, mode=None):
    file = "lossy.hop" if mode else "slow.hop"
    program = [check.build("SlowRequests", "PartThreads")] + ([mode] if mode else [])
    # The requests, which take a fraction of a millisecond, make threads switch more often than a profile records unless it is asked to.
    reasons = check.record(file, *program, options=("--profile", "--profile-switches", "0"))
    names = {task["id"]: task["name"] for task in check.tasks(file)}
    slowest = check.explain(file, "--slowest", "20", "--where", line("SlowRequests", 'Task(name: "request'))
    explained = {names[each["task"]]: each for each in slowest}
    for words in map(str.split, reasons.splitlines()):
        reason, number = words[:2]
        each = explained.get(f"request {number}")
        if each is None or each["segments"] is None:
            # What the trace does not have may not be told.
            check.say(bool(mode), f"{reason}: {'not among the slowest' if each is None else each['sentence']}")
            continue
        first = each["segments"][0]
        kind, task, text, behind = CAUSES[reason]
        # A lost record of a switch makes the time on the processor and that without one the same.
        kinds = {kind, "running"} if mode and kind in ("on-cpu", "runnable") else {kind}
        is_right = (
            first["kind"] in kinds
            and names.get(first["task"], "").startswith(task)
            and (not text or has_text(first["where"], text))
            and (not behind or (first["behind"] or "").startswith(behind))
            and sum(segment["ns"] for segment in each["segments"]) == each["total_ns"]
        )
        check.say(is_right, f"{reason}: {each['sentence']}")
    if mode:
        unknown = sum(each["segments"] is None for each in slowest)
        lost = [words for words in map(str.split, reasons.splitlines()) if len(words) > 2]
        known = [words[0] for words in lost if (explained.get(f"request {words[1]}") or {}).get("segments")]
        check.say(bool(lost) and len(known) < len(lost), f"{unknown} of the slowest are unknown; of {len(lost)} with losses known: {known}")


# For each source, its programs and what changes in them: the jobs of the place that the program's name marks, or the width of `Workers`.
CHANGES = {
    "Changes": {
        "alone": "2x faster", "burst": "2x faster", "child": "2x faster", "group": "3x faster", "slower": "1.5x slower",
        "behind": "4x faster", "drawn": "2x faster", "served": "2x faster", "widened": "width 4", "doubled": "width 4", "narrowed": "width 1",
    },
    "MoreChanges": {
        "lets": "4x faster", "window": "2x faster", "gate": "2x faster", "stream": "2x faster", "tree": "2x slower", "mixed": "3x faster",
        "retries": "2x faster", "blocks": "2x faster", "fewer": "width 2", "more": "width 3", "mains": "2x slower",
    },
    "OtherChanges": {
        "cache": "3x faster", "batch": "2x faster", "twice": "2x faster", "steps": "2x slower", "fanin": "width 8", "single": "width 1",
        "taps": "2x faster", "queued": "2x faster", "timeout": "2x faster", "consumers": "2x faster", "nested": "2x slower",
        "spins": "2x faster",
    },
}


# The tasks that are timed, by the mark of their line; all chains in other programs.
TIMED = {"served": "// request\n"}

# What the sentence must say where a change would have other tasks wait for each other.
REFUSALS = {"batch": "resumes whatever waits when it runs"}


def changes(check):
    for source, programs in CHANGES.items():
        program = check.build(source, "ChangeParts")
        for name, change in programs.items():
            compare(check, program, source, name, change)


def compare(check, program, source, name, change):
    """Compares what is told of a change with the program that has it."""
    is_width = change.startswith("width")
    place = "Workers" if is_width else line(source, f"// {name}\n")
    if name in REFUSALS:
        check.record(f"{name}.base.hop", program, name, "base", options=())
        words = check.refusal("explain", check.path(f"{name}.base.hop"), "--if", f"{place} {change}")
        return check.say(REFUSALS[name] in words, f"{name}, {place} {change}: {words}")
    # The answer to a change that the program has already has its times.
    nothing = change if is_width else "1x faster"
    timed = ("--where", line(source, TIMED[name])) if name in TIMED else ()
    told, real = [], []
    for _ in range(ROUNDS):
        for version in ("base", "changed"):
            check.record(f"{name}.{version}.hop", program, name, version, options=())
        told += check.explain(f"{name}.base.hop", "--if", f"{place} {change}", *timed)
        real += check.explain(f"{name}.changed.hop", "--if", f"{place} {nothing}", *timed)
    is_right, texts = True, []
    for key in ("p50_ns", "p99_ns"):
        base, new = (statistics.median(each[which][key] for each in told) for which in ("base", "new"))
        truth = statistics.median(each["base"][key] for each in real)
        is_right &= abs(new - truth) <= 0.15 * truth
        is_right &= abs(truth - base) <= 0.05 * base or (new > base) == (truth > base)
        texts.append(f"{key[:3]} {base / 1e6:.2f} -> {new / 1e6:.2f} ms (in truth {truth / 1e6:.2f}, {100 * new / truth - 100:+.1f} %)")
    check.say(is_right, f"{name}, {place} {change}: {'; '.join(texts)}")



def cost(check):
    """Compares a recorded program with and without a profile, its own processor time and its result."""
    program = check.build("ProfileCosts", options=("-O",))
    for name in ("spins", "requests", "waits", "switches"):
        ratios, facts = [], set()
        # On two processors, the requests of two runs alike differ by half.
        pinned = ("taskset", "-c", "1") if name == "requests" else ()
        for number in range(PAIRS):
            times = {}
            for is_profiled in (number % 2 == 0, number % 2 == 1):
                options = ("--profile",) if is_profiled else ()
                *fact, used, _ = check.record("cost.hop", *pinned, program, name, options=options).split()
                facts.add(tuple(fact))
                times[is_profiled] = int(used)
            ratios.append(times[True] / times[False])
        ratios.sort()
        middle = statistics.median(ratios)
        # The median of all pairs is in this interval in 95 of 100 measurements.
        low, high = ratios[PAIRS // 2 - 4], ratios[PAIRS // 2 + 4]
        same = "results and signals alike" if len(facts) == 1 else f"DIFFERENT: {facts}"
        check.say(middle <= 1.01 and len(facts) == 1, f"{name}: {middle:.3f} ({low:.3f} to {high:.3f}) of {PAIRS} pairs; {same}")


def large(check):
    """Explains the slowest of 660,000 requests, ten million events."""
    check.record("large.hop", check.build("ProfileCosts", options=("-O",)), "requests", "660000", options=())
    began = time.monotonic()
    explained = check.explain("large.hop", "--slowest", "5")
    seconds = time.monotonic() - began
    size = os.path.getsize(check.path("large.hop"))
    events = re.search(r"([\d,]+) events", check.run("report", check.path("large.hop"))).group(1)
    check.say(seconds <= 5 and len(explained) == 5, f"{events} events, {size / 2**20:.0f} MiB: explained within {seconds:.2f} s")


def main():
    known = {"shares": shares, "slow": slow, "lossy": lambda check: slow(check, "lose"), "changes": changes, "cost": cost, "large": large}
    wanted = sys.argv[2:] or list(known)
    with tempfile.TemporaryDirectory() as folder:
        check = Check(sys.argv[1], folder)
        for name in wanted:
            print(f"{name}:", flush=True)
            known[name](check)
    sys.exit(1 if check.failures else 0)


main()
