#!/usr/bin/env python3
"""Runs `load` at a bounded rate with an attached inspector, and beside them a program of Swift tasks that answers requests, and `ship`.
Checks that nothing grows, is lost or disagrees.

    Scripts/soak.py HOPSCOPE MINUTES [TASKS-PER-SECOND]

Prints the resident memory of the processes once a minute. Fails if the last third of the run needs more memory than the second, if an
event was lost, or if the inspector counts other numbers of tasks than `load`. In the first third the readers fill what they keep: a
million ended tasks, or 100,000.

The main task of the answering program lives as long as the program, and all other tasks are its children. `ship` sends to a collector that
is away.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

SAMPLE_SECONDS = 5
NAMES = ["load", "the inspector", "the server", "ship"]
# Each request makes five tasks.
REQUESTS_PER_SECOND = 1_000
KEYS = ["1", "2", "3", "4", "5", "6", "7", "Down", "PageDown", "Home"]


def resident(pid):
    """Resident memory in MiB, None once the process has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS")), None)
    except OSError:
        return None


class Terminal:
    """A tmux server of its own with one window."""

    def __init__(self, command):
        self.socket = f"soak-{os.getpid()}"
        self.tmux("new-session", "-d", "-x", "140", "-y", "40", command)

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-L", self.socket, *arguments], check=False, capture_output=True, text=True).stdout

    def press(self, key):
        self.tmux("send-keys", key)

    def lines(self):
        return self.tmux("capture-pane", "-p").split("\n")

    def pid(self):
        return self.tmux("list-panes", "-F", "#{pane_pid}").strip()

    def close(self):
        self.tmux("kill-server")


def watch(load, terminal, pids, seconds):
    """The resident memory of the processes, sampled until `load` has ended."""
    samples = []
    begin = time.monotonic()
    while load.poll() is None and time.monotonic() - begin < seconds * 3:
        terminal.press(KEYS[len(samples) % len(KEYS)])
        time.sleep(SAMPLE_SECONDS)
        sample = [resident(pid) for pid in pids]
        if None in sample:
            if load.poll() is None:
                sys.exit(f"soak: {NAMES[sample.index(None)]} has ended before the load did")
            break
        samples.append(sample)
        if len(samples) % (60 // SAMPLE_SECONDS) == 0:
            minute = len(samples) * SAMPLE_SECONDS // 60
            print(f"soak: minute {minute}: " + ", ".join(f"{name} {size:.0f} MiB" for name, size in zip(NAMES, sample)), flush=True)
    return samples


def growth(samples, which):
    """How much more the last third needs than the second, in MiB."""
    third = len(samples) // 3
    second, last = samples[third : 2 * third], samples[2 * third :]
    return max(sample[which] for sample in last) - max(sample[which] for sample in second)


def settled_header(terminal):
    """The header once the inspector has seen the end."""
    header = ""
    for _ in range(60):
        header = terminal.lines()[0]
        if "ended" in header:
            break
        time.sleep(1)
    return header


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1).replace(",", "")) if found else None


def serve(hopscope, folder, seconds):
    """Starts the answering program under the probe."""
    source = os.path.join(os.path.dirname(__file__), "../Tests/HopscopeCLITests/Programs/Requests.swift")
    program = os.path.join(folder, "requests")
    subprocess.run([os.environ.get("SWIFT", "swift") + "c", "-O", "-parse-as-library", source, "-o", program], check=True)
    environment = dict(os.environ, HOPSCOPE=folder, LD_PRELOAD=os.path.join(os.path.dirname(hopscope), "libhopscope-probe.so"))
    # It runs longer than `load`, which may be behind.
    command = [program, str(int(REQUESTS_PER_SECOND * seconds * 4)), str(REQUESTS_PER_SECOND)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)


def ship(hopscope, folder):
    """Starts `ship`. Nothing listens on the port of its collector."""
    environment = dict(os.environ, HOPSCOPE=folder, XDG_STATE_HOME=folder)
    command = [hopscope, "ship", "--to", "http://127.0.0.1:9", "--every", "10s"]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    hopscope, minutes = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    rate = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    seconds = minutes * 60
    tasks = int(rate * seconds)
    # Only this user may read it.
    with tempfile.TemporaryDirectory(prefix="hopscope-soak-", ignore_cleanup_errors=True) as folder:
        return soak(hopscope, folder, seconds, tasks)


def soak(hopscope, folder, seconds, tasks):
    environment = dict(os.environ, HOPSCOPE=folder, TERM="xterm-256color")
    others = [serve(hopscope, folder, seconds), ship(hopscope, folder)]
    # At speed 1, load takes five seconds.
    command = [hopscope, "demo", "load", "--no-ui", "--tasks", str(tasks), "--speed", f"{max(0.001, 5 / seconds):.6f}"]
    load = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for _ in range(600):
        if any(str(load.pid) in name and name.endswith(".hoplanes") for name in os.listdir(folder)):
            break
        time.sleep(0.1)
    terminal = Terminal(f"env HOPSCOPE={folder} {hopscope} attach {load.pid}")
    problems = []
    try:
        samples = watch(load, terminal, [load.pid, terminal.pid(), *(other.pid for other in others)], seconds)
        header = settled_header(terminal)
        report = load.communicate()[0]
        made = number(r"load made ([\d,]+) tasks", report)
        faulted = number(r"([\d,]+) faulted", report)
        shown = number(r"([\d,]+) tasks?\b", header)
        lost = number(r"([\d,]+) lost", header)
        print(f"soak: load made {made} tasks, {faulted} of them faulted; the inspector's header: {header.strip()}")
        if made != tasks:
            problems.append(f"load made {made} tasks and not {tasks}")
        if shown != made:
            problems.append(f"the inspector counts {shown} tasks and load {made}")
        if lost != 0:
            problems.append(f"the inspector lost {lost} events")
        for which, name in enumerate(NAMES):
            grown = growth(samples, which)
            print(f"soak: {name} needs {grown:+.1f} MiB more in the last third than in the second")
            if grown > 8 + 0.03 * samples[-1][which]:
                problems.append(f"{name} grows by {grown:.0f} MiB")
    finally:
        for process in [load, *others]:
            process.kill()
        terminal.close()
    for problem in problems:
        print(f"soak: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
