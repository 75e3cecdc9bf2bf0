"""Options of the reference server and the loader, and their command lines."""

from dataclasses import dataclass
from pathlib import Path

DEFAULT_PORT = 7379
KV_KEYS = 10_000  # in labs with path kv; every GET finds its key
# Time of a lab's run beyond warm-up and duration: start and end of both programs, filling of keys.
RUN_OVERHEAD_S = 0.6


def _words(*values: tuple[str, object]) -> list[str]:
    """Return the names and values of all options that have a value."""
    return [
        word for name, value in values if value not in (None, "") for word in (name, str(value))
    ]


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of the reference server; None or an empty string selects the server's default."""

    path: str = "kv"
    stages: bool = True
    bind: str = ""
    port: int = 0  # 0: any free port
    unix: Path | None = None
    threads: int = 1
    cpus: str = ""
    write: str = "deferred"
    max_batch: int | None = None
    task_quota_us: int | None = None
    footprint_kb: int | None = None  # size of the codec path's generated code
    stage_kb: int | None = None
    maxmemory: str = ""
    maxmemory_policy: str = ""
    password_file: Path | None = None
    metrics_port: int | None = None
    log_batches: Path | None = None
    data: Path | None = None  # directory of path disk; None: temporary files
    sync: str = ""
    disk_limit: str = ""  # of all threads together
    disk_rates: str = ""  # "read_iops=N,..." as in DiskRates
    disk_shares: str = ""
    segment_bytes: str = ""

    def path_arguments(self) -> list[str]:
        """Return the arguments that select the request path, for serving and for replays."""
        return _words(
            ("--path", self.path),
            ("--stages", "on" if self.stages else "off"),
            ("--max-batch", self.max_batch),
            ("--footprint-kb", self.footprint_kb),
            ("--stage-kb", self.stage_kb),
        )

    def arguments(self) -> list[str]:
        """Return the arguments of the program."""
        return self.path_arguments() + _words(
            ("--bind", self.bind),
            ("--port", self.port),
            ("--unix", self.unix),
            ("--threads", self.threads),
            ("--cpus", self.cpus),
            ("--write", self.write),
            ("--task-quota-us", self.task_quota_us),
            ("--maxmemory", self.maxmemory),
            ("--maxmemory-policy", self.maxmemory_policy),
            ("--password-file", self.password_file),
            ("--metrics-port", self.metrics_port),
            ("--log-batches", self.log_batches),
            ("--data", self.data),
            ("--sync", self.sync),
            ("--disk-limit", self.disk_limit),
            ("--disk-rates", self.disk_rates),
            ("--disk-shares", self.disk_shares),
            ("--segment-bytes", self.segment_bytes),
        )


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Options of the loader; with a rate it runs an open loop, without one a closed loop."""

    target: str  # HOST:PORT or unix:PATH
    output: Path
    duration_s: float = 10.0
    warmup_s: float = 1.0
    connections: int = 64
    threads: int = 1
    pipeline: int = 1
    rate_per_s: float | None = None
    arrivals: str = "poisson"
    think_us: int | None = None
    keys: int = 100_000
    key_distribution: str = "uniform"
    value_bytes: str = "64"
    read_share: float = 0.9
    request_file: Path | None = None
    password_file: Path | None = None
    requests: int | None = None
    check: bool = False
    fill: bool = False  # set every key once before the load
    seed: int = 1
    cpus: str = ""
    phases: int | None = None  # descriptor to mark the measured time on

    @property
    def open_loop(self) -> bool:
        """Return whether requests start on a schedule that does not depend on replies."""
        return self.rate_per_s is not None

    def arguments(self) -> list[str]:
        """Return the arguments of the program."""
        words = _words(
            ("--target", self.target),
            ("--mode", "open" if self.open_loop else "closed"),
            ("--rate", None if self.rate_per_s is None else f"{self.rate_per_s:.17g}"),
            ("--arrivals", self.arrivals if self.open_loop else None),
            ("--duration", f"{self.duration_s:g}"),
            ("--warmup", f"{self.warmup_s:g}"),
            ("--connections", self.connections),
            ("--threads", self.threads),
            ("--pipeline", self.pipeline),
            ("--think-us", self.think_us),
            ("--requests", self.requests),
            ("--keys", self.keys),
            ("--key-distribution", self.key_distribution),
            ("--value-bytes", self.value_bytes),
            ("--read-share", f"{self.read_share:g}"),
            ("--request-file", self.request_file),
            ("--password-file", self.password_file),
            ("--seed", self.seed),
            ("--cpus", self.cpus),
            ("--phases", self.phases),
            ("-o", self.output),
        )
        words += ["--check"] if self.check else []
        return words + (["--fill"] if self.fill else [])
