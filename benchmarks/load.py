"""How many single pairs `abcnn serve` scores a second, and how long each takes.

Starts a server of its own on this machine, asks it and stops it. First 1, 8 and 64 clients that
each ask again as soon as they have their answer; then a fixed number of requests a second, sent at
their times whether or not earlier ones are answered, and timed from when they were due: a server
that stalls is charged for every request that came meanwhile. Server and clients share the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = (1, 8, 64)
MOST_REQUESTS = 50_000
MOST_SECONDS = 120.0
WARM_UP = 300


@dataclass(frozen=True)
class Load:
    """What came of one kind of load; times are in milliseconds."""

    load: str
    requests: int
    per_second: float
    p50: float
    p99: float
    longest: float

    @classmethod
    def of(cls, load: str, seconds: float, times: list[float]) -> Load:
        """Sum up the times of requests, in seconds, that took `seconds` together."""
        milliseconds = np.array(times) * 1000
        p50, p99 = np.percentile(milliseconds, [50, 99], method="higher").tolist()
        return cls(load, len(times), len(times) / seconds, p50, p99, milliseconds.max().item())


class Client:
    """A connection that is kept, and the least of HTTP that is needed on it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def at(cls, port: int) -> Client:
        """Connect to a server on this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, request: bytes) -> None:
        """Send a request and read its answer, which must be 200."""
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError(f"the server answered {head[:100]!r}")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        assert length is not None
        await self.reader.readexactly(int(length[1]))

    def close(self) -> None:
        """Hang up."""
        self.writer.close()


async def closed_loop(port: int, clients: int, seconds: float, next_one: Callable) -> Load:
    """`clients` that each send the next request when they have the answer to the last."""
    times: list[float] = []
    start = time.perf_counter()
    end = start + seconds

    async def keep_asking() -> None:
        client = await Client.at(port)
        while (begun := time.perf_counter()) < end and len(times) < MOST_REQUESTS:
            await client.ask(next_one())
            times.append(time.perf_counter() - begun)
        client.close()

    await asyncio.gather(*(keep_asking() for _ in range(clients)))
    name = f"{clients} client{'s' if clients > 1 else ''}"
    return Load.of(name, time.perf_counter() - start, times)


async def open_loop(port: int, rate: float, seconds: float, next_one: Callable) -> Load:
    """Requests at their times, on as many connections as it takes."""
    times: list[float] = []
    free: list[Client] = []
    tasks: set[asyncio.Task[None]] = set()

    async def one(due: float) -> None:
        client = free.pop() if free else await Client.at(port)
        await client.ask(next_one())
        times.append(time.perf_counter() - due)
        free.append(client)

    start = time.perf_counter()
    for number in range(min(MOST_REQUESTS, int(rate * seconds))):
        due = start + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.add(asyncio.create_task(one(due)))
    await asyncio.gather(*tasks)
    taken = time.perf_counter() - start
    for client in free:
        client.close()
    return Load.of(f"{rate:g} requests/s", taken, times)


@contextmanager
def server(bundle: Path, workers: int) -> Iterator[int]:
    """`abcnn serve` on a free port of this machine: the port."""
    command = [sys.executable, str(ROOT / "cli.py"), "serve", str(bundle), "--port", "0"]
    process = subprocess.Popen(
        [*command, "--workers", str(workers)], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        ready, said = 0, []
        while ready < workers:
            said.append(process.stderr.readline())
            if not said[-1]:
                sys.exit("".join(said).strip() or "the server did not start")
            found = re.search(r" is served on http://127\.0\.0\.1:(\d+) ", said[-1])
            if found:
                ready, port = ready + 1, int(found[1])
        yield port
    finally:
        process.terminate()
        process.wait(60)


def requests_of(file: Path) -> list[bytes]:
    """A request for each row of a TSV whose first two columns are sentences, at most 1,000."""
    with file.open(encoding="utf-8", newline="") as rows:
        table = list(csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))[1:1001]
    requests = []
    for left, right, *_ in table:
        body = json.dumps({"left": left, "right": right}).encode()
        head = "POST /score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        requests.append(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return requests


async def measure(port: int, requests: list[bytes], seconds: float, rate: float) -> list[Load]:
    """All loads, one after the other."""
    endless = cycle(requests)

    def next_one() -> bytes:
        return next(endless)

    client = await Client.at(port)
    for _ in range(WARM_UP):
        await client.ask(next_one())
    client.close()
    loads = [await closed_loop(port, clients, seconds, next_one) for clients in CLIENTS]
    return [*loads, await open_loop(port, rate, 2 * seconds, next_one)]


def table(loads: list[Load]) -> str:
    """The results as a table."""
    lines = [
        "| load | requests | requests/s | p50, ms | p99, ms | longest, ms |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {one.load} | {one.requests:,} | {one.per_second:,.0f} | {one.p50:.1f} | "
        f"{one.p99:.1f} | {one.longest:.1f} |"
        for one in loads
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, default=ROOT / "runs" / "demo" / "paraphrase")
    parser.add_argument(
        "--pairs",
        type=Path,
        default=ROOT / "data" / "samples" / "paraphrase" / "test.tsv",
        help="TSV with a header whose first two columns are sentences",
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each load; at most 120")
    parser.add_argument("--rate", type=float, default=100.0, help="requests a second at the end")
    parser.add_argument("--json", type=Path, help="file for the results")
    arguments = parser.parse_args()
    if not (arguments.bundle / "config.json").is_file():
        sys.exit(f"{arguments.bundle}: no bundle; `make demo` trains one, --bundle names another")
    requests = requests_of(arguments.pairs)
    seconds = min(arguments.seconds, MOST_SECONDS)
    with server(arguments.bundle, arguments.workers) as port:
        loads = asyncio.run(measure(port, requests, seconds, arguments.rate))
    print(table(loads))
    if arguments.json is not None:
        network = json.loads((arguments.bundle / "config.json").read_text("utf-8"))["network"]
        record = {
            "cores": os.cpu_count(),
            "workers": arguments.workers,
            "network": {name: network[name] for name in ("model", "vocabulary", "dim", "filters")},
            "pairs": arguments.pairs.name,
            "loads": [asdict(one) for one in loads],
        }
        arguments.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
