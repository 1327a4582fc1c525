"""Jobs on several processes: the same results as on one, whatever dies on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dixit_env import DixitError
from dixit_env.jobs import CRASHES, Journal, WorkerCrash, Workers, run_jobs, run_resumed


@dataclass(frozen=True)
class Squares:
    """Jobs are numbers; `log` gets a line for each set-up and each job done."""

    log: Path | None = None

    def __call__(self) -> Callable[[int], dict[str, int]]:
        self._note("setup")
        return self._square

    def _square(self, number: int) -> dict[str, int]:
        self._note(f"job {number}")
        return {"square": number * number}

    def _note(self, words: str) -> None:
        if self.log is not None:
            with open(self.log, "a") as file:
                file.write(f"{words} {os.getpid()}\n")


@dataclass(frozen=True)
class Deadly:
    """Kills its process over job 3: `times` times, then it is done."""

    folder: Path
    times: int

    def __call__(self) -> Callable[[int], int]:
        return self._job

    def _job(self, number: int) -> int:
        deaths = len(list(self.folder.glob("death*")))
        if number == 3 and deaths < self.times:
            (self.folder / f"death{deaths}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number


@dataclass(frozen=True)
class Faulty:
    def __call__(self) -> Callable[[int], int]:
        return lambda number: self._fail(number)

    def _fail(self, number: int) -> int:
        raise DixitError(f"job {number} asks for the impossible")


@dataclass(frozen=True)
class Threads:
    def __call__(self) -> Callable[[int], int]:
        import torch

        return lambda number: torch.get_num_threads()


@dataclass(frozen=True)
class Slow:
    folder: Path

    def __call__(self) -> Callable[[int], int]:
        def sleep(number: int) -> int:
            (self.folder / f"{os.getpid()}").touch()
            time.sleep(60)
            return number

        return sleep


@dataclass(frozen=True)
class Meeting:
    """A job ends when jobs on two Ray nodes have met."""

    folder: Path

    def __call__(self) -> Callable[[int], int]:
        import ray

        def meet(number: int) -> int:
            self.folder.mkdir(exist_ok=True)
            (self.folder / ray.get_runtime_context().get_node_id()).touch()
            _until(lambda: len(list(self.folder.iterdir())) == 2, seconds=90)
            return number

        return meet


JOBS = {number: number for number in range(12)}


@pytest.mark.parametrize("workers", [1, 2])
def test_every_job_is_done_once_and_each_process_is_set_up_once(workers: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    results = list(run_jobs(Squares(log), JOBS, workers=workers))
    assert sorted(results, key=lambda pair: pair[0]) == [(n, {"square": n * n}) for n in JOBS]
    notes = [line.split() for line in log.read_text().splitlines()]
    setups = [note[-1] for note in notes if note[0] == "setup"]
    assert len(setups) == len(set(setups)) <= workers
    assert sorted(int(note[1]) for note in notes if note[0] == "job") == list(JOBS)
    assert str(os.getpid()) not in setups


def test_runs_that_share_workers_set_each_of_them_up_once_even_if_one_is_stopped_by_an_error(tmp_path: Path) -> None:
    log, path = tmp_path / "log", tmp_path / "journal.jsonl"
    with Workers(1) as crew:
        first = dict(crew.run(Squares(log), {1: 1, 2: 2}))
        second = dict(run_resumed(path, {}, Squares(log), {3: 3}, crew=crew))
        assert log.read_text().count("setup") == 1
        with pytest.raises(DixitError, match="asks for the impossible"):
            list(crew.run(Faulty(), JOBS))
        third = dict(crew.run(Squares(log), {4: 4}))
    assert first | second | third == {n: {"square": n * n} for n in range(1, 5)}
    pids = {int(line.split()[-1]) for line in log.read_text().splitlines()}
    assert len(pids) == 2  # the error ended the first worker
    assert not any(map(_alive, pids))


def test_a_worker_computes_on_one_thread_and_the_parents_setting_is_left_alone() -> None:
    before = os.environ.get("OMP_NUM_THREADS")
    assert list(run_jobs(Threads(), {0: 0})) == [(0, 1)]
    assert os.environ.get("OMP_NUM_THREADS") == before


def test_the_jobs_of_a_worker_that_dies_are_run_again(tmp_path: Path) -> None:
    assert dict(run_jobs(Deadly(tmp_path, CRASHES - 1), JOBS, workers=2)) == JOBS
    assert len(list(tmp_path.glob("death*"))) == CRASHES - 1


def test_a_job_that_always_kills_its_worker_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorkerCrash, match=r"over jobs .*3"):
        list(run_jobs(Deadly(tmp_path, 99), JOBS, workers=1))


def test_what_a_job_raises_is_raised_here() -> None:
    with pytest.raises(DixitError, match="asks for the impossible"):
        list(run_jobs(Faulty(), JOBS))


def test_no_workers_is_an_error() -> None:
    with pytest.raises(DixitError, match="at least 1"):
        list(run_jobs(Squares(), JOBS, workers=0))


def test_finished_jobs_are_kept_and_not_run_again(tmp_path: Path) -> None:
    path, log = tmp_path / "journal.jsonl", tmp_path / "log"
    half = {number: number for number in range(6)}
    first = dict(run_resumed(path, {"a": 1}, Squares(log), half))
    again = dict(run_resumed(path, {"a": 1}, Squares(log), JOBS))
    assert first.items() <= again.items()
    assert list(again)[:6] == list(half)
    jobs = [line.split()[1] for line in log.read_text().splitlines() if line.startswith("job")]
    assert sorted(map(int, jobs)) == list(JOBS)


def test_a_result_that_is_not_to_be_kept_is_found_anew(tmp_path: Path) -> None:
    path, log = tmp_path / "journal.jsonl", tmp_path / "log"
    first = dict(run_resumed(path, {}, Squares(log), JOBS, keep=lambda result: result["square"] != 9))
    assert len(Journal(path, {}).done) == len(JOBS) - 1
    assert dict(run_resumed(path, {}, Squares(log), JOBS)) == first
    jobs = [line.split()[1] for line in log.read_text().splitlines() if line.startswith("job")]
    assert sorted(map(int, jobs)) == sorted([*JOBS, 3])


def test_a_line_that_was_cut_off_is_dropped_and_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    dict(run_resumed(path, {}, Squares(), {0: 0, 1: 1}))
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert len(Journal(path, {}).done) == 1
    results = dict(run_resumed(path, {}, Squares(), {0: 0, 1: 1}))
    assert results == {0: {"square": 0}, 1: {"square": 1}}
    assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path, {"players": 6, "seed": 1, "names": ("a", "b")})
    Journal(path, {"players": 6, "seed": 1, "names": ("a", "b")})
    with pytest.raises(DixitError, match=r"other settings \(players\)"):
        Journal(path, {"players": 5, "seed": 1, "names": ("a", "b")})


def test_a_file_of_another_kind_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text("to whom it may concern\nregards\n")
    with pytest.raises(DixitError, match="can't be read"):
        Journal(path, {})
    assert path.read_text() == "to whom it may concern\nregards\n"


def test_workers_end_with_their_parent_even_when_it_is_killed(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; import test_jobs as t; from dixit_env.jobs import run_jobs\n"
        f"if __name__ == '__main__': list(run_jobs(t.Slow(Path({str(tmp_path)!r})), t.JOBS, workers=2))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parent)
    _until(lambda: len(list(tmp_path.iterdir())) == 2)
    workers = [int(file.name) for file in tmp_path.iterdir()]
    assert all(_alive(worker) for worker in workers)
    parent.kill()
    parent.wait()
    _until(lambda: not any(_alive(worker) for worker in workers))


def test_an_interrupt_ends_the_workers_at_once(tmp_path: Path) -> None:
    code = (  # a shell's background jobs ignore Ctrl-C, and so would all that is started from one
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from pathlib import Path; import test_jobs as t; from dixit_env.jobs import run_jobs\n"
        f"if __name__ == '__main__': list(run_jobs(t.Slow(Path({str(tmp_path)!r})), t.JOBS, workers=2))"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, stderr=subprocess.PIPE, start_new_session=True
    )
    _until(lambda: len(list(tmp_path.iterdir())) == 2)
    os.killpg(parent.pid, signal.SIGINT)
    _, said = parent.communicate(timeout=20)
    assert b"KeyboardInterrupt" in said
    assert not any(_alive(int(file.name)) for file in tmp_path.iterdir())


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    """Without `if __name__ == "__main__":` every worker would start workers."""
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path; import test_jobs as t; from dixit_env.jobs import run_jobs\n"
        "list(run_jobs(t.Squares(Path('log')), t.JOBS, workers=2))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run(
        [sys.executable, script.name], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1  # the script's own: workers say nothing
    assert "needs a guard" in done.stderr.splitlines()[-1]
    assert "__name__ == '__main__'" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "log").exists()


def _until(holds: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_a_ray_cluster_of_two_nodes_gives_the_same(tmp_path: Path) -> None:
    """In a process of its own: Ray leaves threads and sockets behind that other tests would trip over."""
    pytest.importorskip("ray")
    code = f"""
import json, sys
from pathlib import Path
from ray.cluster_utils import Cluster
import test_jobs as t
from dixit_env.jobs import run_jobs
cluster = Cluster(initialize_head=True, head_node_args={{"num_cpus": 1}})
cluster.add_node(num_cpus=1)
folder = Path({str(tmp_path)!r})
squares = dict(run_jobs(t.Squares(), t.JOBS, workers=2, ray=cluster.address))
met = dict(run_jobs(t.Meeting(folder / "met"), t.JOBS, workers=2, ray=cluster.address))
deadly = dict(run_jobs(t.Deadly(folder, 2), t.JOBS, workers=2, ray=cluster.address))
try:
    list(run_jobs(t.Faulty(), t.JOBS, workers=2, ray=cluster.address))
except t.DixitError as error:
    fault = f"{{type(error).__name__}}: {{error}}"
address = cluster.address
cluster.shutdown()
try:
    list(run_jobs(t.Squares(), t.JOBS, ray=address))
except t.DixitError as error:
    gone = str(error)
print("RESULT" + json.dumps([squares, met, deadly, fault, gone]))
"""
    tests = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tests)},  # Ray's workers import this file too
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "RESULT" in done.stdout, done.stderr
    squares, met, deadly, fault, gone = json.loads(done.stdout.partition("RESULT")[2])
    assert squares == {str(n): {"square": n * n} for n in JOBS}
    assert met == deadly == {str(n): n for n in JOBS}
    assert fault.startswith("DixitError: job ")
    assert gone.startswith("no Ray cluster answers")
