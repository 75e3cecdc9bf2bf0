"""A recorded machine with one process of two threads, whose counters a test changes."""

from pathlib import Path

from stallscope.system_files import Roots

PID = 40


class Machine:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.roots = Roots.recorded(folder)
        self.thread(40, "R", "running", run_ns=0, queue_ns=0)
        self.thread(41, "S", "202 0x1 0x2", run_ns=0, queue_ns=0)
        self.process(cpu_ticks=0, threads=2)
        self.write("proc/stat", "cpu 100 0 50 800 10 0 5 35\ncpu0 1\nprocs_running 7\n")
        self.write("proc/diskstats", self.disk(100, 50))
        self.write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n")
        self.write("sys/block/vda/size", "1\n")
        self.idle(0)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def thread(self, tid: int, letter: str, call: str, *, run_ns: int, queue_ns: int) -> None:
        place = f"proc/{PID}/task/{tid}"
        self.write(f"{place}/stat", f"{tid} (a) R (b) {letter} 1 1")
        self.write(f"{place}/syscall", call)
        self.write(f"{place}/schedstat", f"{run_ns} {queue_ns} 5")

    def process(self, *, cpu_ticks: int, threads: int) -> None:
        numbers = f"1 1 1 0 -1 0 0 0 0 0 {cpu_ticks} 0 0 0 20 0 {threads} 0"
        self.write(f"proc/{PID}/stat", f"{PID} (a) R (b) S {numbers}")

    def disk(self, reads: int, read_ms: int) -> str:
        numbers = f"{reads} 0 800 {read_ms} 0 0 0 0 0 {read_ms} 0 0 0 0 0 0 0"
        return f" 254 0 vda {numbers}\n 254 1 vda1 {numbers}\n 7 0 loop0 {numbers}\n"

    def idle(self, time_us: int) -> None:
        state = "sys/devices/system/cpu/cpu0/cpuidle/state0"
        self.write(f"{state}/name", "C1")
        self.write(f"{state}/time", str(time_us))
