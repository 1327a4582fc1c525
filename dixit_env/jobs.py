"""Run many independent jobs on processes of this machine or on a Ray cluster, and keep what is finished.

A job runs in a worker, which is set up once: `setup()` returns the function that does the jobs. The same few lines
hand out the jobs and collect the results in either case. The jobs of a worker that dies are run again, so a job's
result must depend on the job alone. Every worker computes on one thread: N workers use N cores, and floating-point sums
are the same however many workers there are.
"""

import json
import logging
import multiprocessing
import multiprocessing.process
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from dixit_env.errors import DixitError

Job = Any
Result = Any
Setup = Callable[[], Callable[[Job], Result]]
"""Hashable and picklable, such as an instance of a frozen dataclass."""

CRASHES = 3
"""Workers may die this often in a row without finishing a job (chosen: three deaths have a cause)."""

_NO_GUARD = 79  # exit code of a worker that was about to start workers: no signal and none of Python's own


class WorkerCrash(DixitError):
    """Workers died `CRASHES` times in a row over the same jobs."""


def run_jobs(
    setup: Setup, jobs: Mapping[int, Job], *, workers: int = 1, ray: str | None = None
) -> Iterator[tuple[int, Result]]:
    """Run the numbered jobs and yield `(number, result)` as they finish, in any order.

    Args:
        setup: makes the function that does a job; called once in each worker process.
        jobs: picklable values by number, started in this order.
        workers: how many jobs run at once.
        ray: address of a Ray cluster ("auto" for the one that this machine belongs to); None for processes here.

    Raises:
        WorkerCrash: when workers die `CRASHES` times in a row and no job gets done.
        DixitError: when there is no such cluster, or the script that calls this lacks the guard that `multiprocessing`
            needs; and whatever `setup` or a job raises.
    """
    _end_if_imported_by_worker()
    with Workers(workers, ray) as own:
        yield from own.run(setup, jobs)


class Workers(AbstractContextManager["Workers"]):
    """Workers that several runs share, so that what a setup has loaded is there for the next run.

    They start with the first job, and end with the block or with an error. Arguments and errors as in `run_jobs`.
    """

    def __init__(self, workers: int = 1, ray: str | None = None) -> None:
        if workers < 1:
            raise DixitError(f"{workers} workers can't do anything: give at least 1")
        self._workers = workers
        self._ray = ray
        self._open: tuple[ExitStack, _Pool] | None = None

    def __exit__(self, *error: Any) -> None:
        if self._open:
            stack, _ = self._open
            self._open = None
            stack.__exit__(*error)

    def run(self, setup: Setup, jobs: Mapping[int, Job]) -> Iterator[tuple[int, Result]]:
        """What `run_jobs` does, by these workers."""
        waiting = dict(jobs)
        crashes = 0
        while waiting:
            try:
                for number, result in _work(setup, waiting, self._pool()):
                    del waiting[number]
                    crashes = 0
                    yield number, result
            except BrokenExecutor as error:
                crashes += 1
                if crashes == CRASHES:
                    numbers = ", ".join(map(str, islice(waiting, self._workers)))
                    raise WorkerCrash(
                        f"workers died {CRASHES} times in a row (killed, or out of memory?) over jobs {numbers}:"
                        " use fewer workers"
                    ) from error

    @contextmanager
    def _pool(self) -> Iterator["_Pool"]:
        """The pool, which is opened unless an earlier run left it; an error closes it."""
        if self._open is None:
            stack = ExitStack()
            opened = _processes(self._workers) if self._ray is None else _cluster(self._ray, self._workers)
            self._open = stack, stack.enter_context(opened)
        try:
            yield self._open[1]
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise


def run_resumed(
    path: Path,
    settings: Mapping[str, Any],
    setup: Setup,
    jobs: Mapping[int, Job],
    *,
    keep: Callable[[Result], bool] = lambda result: True,
    workers: int = 1,
    ray: str | None = None,
    crew: Workers | None = None,
    together: int = 0,
) -> Iterator[tuple[int, Result]]:
    """Like `run_jobs`, keeping each result as a line of `path`; what is there already comes first and is not run again.

    `settings` are all that the results depend on; results are JSON values. A result that `keep` refuses is yielded but
    not written, so that its job is run again the next time. A `crew` of workers that several runs share does the jobs
    instead of `workers` of their own, here or on `ray`. With `together` above 0 a worker does up to so many jobs at
    once: its function takes a list of jobs and returns the list of their results. Raises `DixitError` when `path` holds
    results of other settings.
    """
    _end_if_imported_by_worker()
    journal = Journal(path, settings)
    yield from [(number, journal.done[number]) for number in jobs if number in journal.done]
    missing = {number: job for number, job in jobs.items() if number not in journal.done}
    with nullcontext(crew) if crew else Workers(workers, ray) as doing:
        for number, result in _run_in_parcels(setup, missing, doing, together):
            yield number, journal.add(number, result) if keep(result) else result


def _run_in_parcels(setup: Setup, jobs: Mapping[int, Job], workers: Workers, size: int) -> Iterator[tuple[int, Result]]:
    """`Workers.run`, with `size` jobs at a time for each worker if that is above 0. A parcel goes by its first
    number."""
    if size == 0:
        yield from workers.run(setup, jobs)
        return
    numbers = list(jobs)
    parcels = {numbers[start]: numbers[start : start + size] for start in range(0, len(numbers), size)}
    lists = {first: [jobs[number] for number in parcel] for first, parcel in parcels.items()}
    for first, results in workers.run(setup, lists):
        yield from zip(parcels[first], results, strict=True)


class Journal:
    """Finished jobs on disk, one JSON line each; the first line holds the settings.

    A line that a crash cut off is dropped. Raises `DixitError` when the file is something else or has other settings.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.done: dict[int, Result] = {}
        now = json.loads(json.dumps({"settings": settings}))
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
        if not whole:
            path.write_text(json.dumps(now) + "\n", encoding="utf-8")
            return
        try:
            head, *lines = [json.loads(line) for line in whole.split(b"\n")]
            before = head["settings"]
            self.done = {line["job"]: line["result"] for line in lines}
        except (ValueError, KeyError, TypeError) as error:
            raise DixitError(f"{path} can't be read: delete it, or give another folder") from error
        if before != now["settings"]:
            both = {**before, **now["settings"]}
            other = [name for name in both if before.get(name) != now["settings"].get(name)]
            raise DixitError(
                f"{path} was begun with other settings ({', '.join(other)}):"
                " repeat them to go on, give another folder, or delete the file"
            )
        with open(path, "r+b") as file:
            file.truncate(len(whole) + 1)

    def add(self, number: int, result: Result) -> Result:
        """Write a result; returns it as it will be read back."""
        line = json.dumps({"job": number, "result": result}, ensure_ascii=False)
        with open(self.path, "a", encoding="utf-8", newline="\n") as file:
            file.write(line + "\n")
        return json.loads(line)["result"]


@dataclass(frozen=True)
class _Pool:
    """Workers, wherever they are."""

    at_once: int  # jobs to hand out before the first result
    submit: Callable[[Setup, Job], "Future[Result]"]


def _work(
    setup: Setup, jobs: Mapping[int, Job], workers: AbstractContextManager[_Pool]
) -> Iterator[tuple[int, Result]]:
    queue = iter(list(jobs.items()))
    with workers as pool:
        running = {pool.submit(setup, job): number for number, job in islice(queue, pool.at_once)}
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                number, result = running.pop(future), future.result()
                running |= {pool.submit(setup, job): following for following, job in islice(queue, 1)}
                yield number, result


@cache
def _ready(setup: Setup) -> Callable[[Job], Result]:
    return setup()


def _do(setup: Setup, job: Job) -> Result:
    return _ready(setup)(job)


@contextmanager
def _processes(workers: int) -> Iterator[_Pool]:
    others = set(multiprocessing.active_children())
    own: set[multiprocessing.process.BaseProcess] = set()
    context = multiprocessing.get_context("spawn")
    with one_thread(), ProcessPoolExecutor(workers, context, initializer=_follow_parent) as executor:

        def submit(setup: Setup, job: Job) -> "Future[Result]":
            future = executor.submit(_do, setup, job)
            own.update(set(multiprocessing.active_children()) - others)
            return future

        try:
            yield _Pool(workers + 1, submit)  # one job more than workers, so that no worker waits for the next
        except BaseException as error:
            # A broken executor ends its workers itself; exit codes are known only when it has done so.
            executor.shutdown(wait=isinstance(error, BrokenExecutor), cancel_futures=True)
            for process in own:
                process.terminate()
            if isinstance(error, BrokenExecutor) and any(process.exitcode == _NO_GUARD for process in own):
                raise DixitError(
                    "a script that starts workers needs a guard, because every worker imports the script:"
                    " put the code that runs below  if __name__ == '__main__':"
                ) from None
            raise


def _end_if_imported_by_worker() -> None:
    """End this process if it is a worker that still imports the script that started it.

    A spawned worker imports the main script first. Without the guard the script would start workers again, in every
    worker. The parent recognises the exit code and says so.
    """
    if getattr(multiprocessing.process.current_process(), "_inheriting", False):  # as multiprocessing itself asks
        os._exit(_NO_GUARD)


def _follow_parent() -> None:
    """In a worker: leave Ctrl-C to the parent, and end when the parent has ended, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def end_with_parent() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


@contextmanager
def one_thread() -> Iterator[None]:
    """Processes started in here compute on one thread (OpenMP, and with it torch; OpenBLAS)."""
    before = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    os.environ.update(dict.fromkeys(before, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _cluster(address: str, workers: int) -> Iterator[_Pool]:
    try:
        import ray
    except ImportError as error:
        raise DixitError('a Ray cluster needs ray: pip install "dixit-env[cluster]"') from error
    try:
        host, _, port = address.removeprefix("ray://").rpartition(":")
        if host:  # ray itself would wait for ten minutes and more
            socket.create_connection((host, int(port)), timeout=10).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError) as error:
        raise DixitError(
            f"no Ray cluster answers at {address!r} ({str(error).splitlines()[0]}): start one with `ray start --head`"
        ) from error
    # Ray gives a task with one CPU one thread, and runs it again when its worker or its machine is lost.
    task = ray.remote(num_cpus=1, max_retries=CRASHES - 1)(_do)

    def submit(setup: Setup, job: Job) -> "Future[Result]":
        answer: Future[Result] = Future()

        def settle(done: "Future[Result]") -> None:
            error = done.exception()
            if error is None:
                answer.set_result(done.result())
            elif isinstance(error, ray.exceptions.RayTaskError):
                answer.set_exception(error.cause)
            else:
                answer.set_exception(BrokenExecutor(str(error)))

        task.remote(setup, job).future().add_done_callback(settle)
        return answer

    try:
        yield _Pool(workers, submit)
    finally:
        ray.shutdown()
