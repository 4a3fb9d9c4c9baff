#!/usr/bin/env python3
"""Measures the cost of readers for a program that publishes: a stopped reader (SIGSTOP), and readers that are killed.

    Scripts/reader-cost.py HOPSCOPE [ROUNDS [TASKS]]

Each round runs `demo load` without a reader, with a stopped reader, and with readers that are killed and restarted, in
varying order, and measures the program's processor time and wall time. Prints the median and the quartiles of the rounds'
ratios: 1 is no cost. A second run without a reader in each round shows the noise. Build hopscope for release first.
"""
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time


def wait_for(condition, process):
    while process.poll() is None and not condition():
        time.sleep(0.001)


def run(hopscope, tasks, reading):
    """Runs the program with the given kind of reader. Returns its processor time and wall time in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        lanes = os.path.join(folder, "lanes")
        os.mkdir(lanes, 0o700)
        environment = os.environ | {"HOPSCOPE": lanes}
        start = time.monotonic()
        program = subprocess.Popen(
            [hopscope, "demo", "load", "--tasks", str(tasks), "--speed", "100000", "--no-ui"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        readers = []

        def read():
            out = os.path.join(folder, f"{len(readers)}.hop")
            reader = subprocess.Popen(
                [hopscope, "record", "-o", out, str(program.pid)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            readers.append(reader)
            wait_for(lambda: os.path.exists(out) and os.path.getsize(out) > 4096, reader)

        if reading != "alone":
            wait_for(lambda: any(name.endswith(".hoplanes") for name in os.listdir(lanes)), program)
        if reading == "stopped":
            read()
            readers[-1].send_signal(signal.SIGSTOP)
        while reading == "killed" and not ended(program):
            read()
            readers[-1].kill()
            readers[-1].wait()
            time.sleep(0.02)
        _, _, usage = os.wait4(program.pid, 0) if program.returncode is None else (0, 0, program.usage)
        elapsed = time.monotonic() - start
        program.returncode = 0
        for reader in readers:
            reader.kill()
            reader.wait()
        return usage.ru_utime + usage.ru_stime, elapsed


def ended(program):
    pid, _, usage = os.wait4(program.pid, os.WNOHANG)
    if pid:
        program.returncode, program.usage = 0, usage
    return pid != 0


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    hopscope = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    tasks = int(sys.argv[3]) if len(sys.argv) > 3 else 200_000
    kinds = ["alone", "again", "stopped", "killed"]
    ratios = {kind: ([], []) for kind in kinds[1:]}
    for _ in range(rounds):
        figures = {}
        for kind in random.sample(kinds, len(kinds)):
            figures[kind] = run(hopscope, tasks, "alone" if kind == "again" else kind)
        for kind, (processor, clock) in ratios.items():
            processor.append(figures[kind][0] / figures["alone"][0])
            clock.append(figures[kind][1] / figures["alone"][1])
    for kind, both in ratios.items():
        words = {"again": "noise (alone, twice)", "stopped": "a stopped reader", "killed": "readers that are killed"}[kind]
        for name, values in zip(["processor time", "clock"], both):
            low, middle, high = statistics.quantiles(values, n=4)
            print(f"{words:24} {name:15} {middle:.3f}  ({low:.3f} to {high:.3f}, {rounds} rounds)")


if __name__ == "__main__":
    main()
