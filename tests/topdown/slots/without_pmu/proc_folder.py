"""A synthetic /proc with one process."""

import shutil
from pathlib import Path


class Proc:
    """A synthetic /proc with one process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.machine(0, 1000)
        (root / "sys" / "kernel").mkdir(parents=True)
        (root / "sys" / "kernel" / "task_delayacct").write_text("0\n")

    def machine(self, stolen: int, idle: int) -> None:
        (self.root / "stat").write_text(f"cpu  0 0 0 {idle} 0 0 0 {stolen} 0 0\ncpu0 1 2\n")

    def process(self, pid: int, *, user: int = 0, system: int = 0, minor: int = 0) -> None:
        (self.root / str(pid)).mkdir(exist_ok=True)
        self._stat(self.root / str(pid) / "stat", pid, ("S", user, system, minor))

    def thread(
        self, pid: int, tid: int, *, state: str = "R", on_cpu_ns: int = 0, queued_ns: int = 0,
        voluntary: int = 0, wchan: str = "0", children: str = "",
    ) -> None:  # fmt: skip
        folder = self.root / str(pid) / "task" / str(tid)
        folder.mkdir(parents=True, exist_ok=True)
        self._stat(folder / "stat", tid, (state, 0, 0, 0))
        (folder / "schedstat").write_text(f"{on_cpu_ns} {queued_ns} 7\n")
        (folder / "status").write_text(
            f"Name:\tx\nvoluntary_ctxt_switches:\t{voluntary}\nnonvoluntary_ctxt_switches:\t5\n"
        )
        (folder / "sched").write_text("x (1, #threads: 1)\nse.nr_migrations   :   3\n")
        (folder / "wchan").write_text(wchan)
        (folder / "children").write_text(children)

    def end_thread(self, pid: int, tid: int) -> None:
        shutil.rmtree(self.root / str(pid) / "task" / str(tid))

    @staticmethod
    def _stat(path: Path, number: int, values: tuple[str, int, int, int]) -> None:
        state, user, system, minor = values
        rest = " ".join(["0"] * 26) + " 11"  # up to the ticks of waiting for disks
        path.write_text(
            f"{number} (a) b (c) {state} 1 1 1 0 -1 0 {minor} 0 2 0 {user} {system} {rest}\n"
        )
