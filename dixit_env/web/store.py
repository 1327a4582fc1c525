"""Every table's events in a database, through SQLAlchemy: SQLite by default, any other by its URL.

One thread writes. Everything that waits is written in one transaction, so that a hundred busy tables cost one commit;
an event counts only once it is committed. The number of an event within its table is part of the primary key, so two
servers on one database can't both continue the same table.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import msgspec
from sqlalchemy import (
    Column,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from dixit_env.errors import DixitError
from dixit_env.web.events import AnyEvent, Opened

BATCH = 500  # writes in one transaction; chosen: keeps a transaction in the range of milliseconds

metadata = MetaData()
events = Table(
    "events",
    metadata,
    Column("table", String(32), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 0, within the table
    Column("at", Float, nullable=False),  # seconds since 1970
    Column("data", Text, nullable=False),  # the event as JSON
)
# Expired tables: nobody may come back to them; what may be exported stays.
closed = Table("closed", metadata, Column("table", String(32), primary_key=True))

_decoder = msgspec.json.Decoder(AnyEvent)


class StoreError(Exception):
    """The database failed to write or to read events."""


@dataclass(frozen=True, slots=True)
class _Write:
    rows: list[dict[str, object]]
    done: "asyncio.Future[None]"
    loop: asyncio.AbstractEventLoop

    def answer(self, error: Exception | None) -> None:
        def tell() -> None:
            if self.done.done():
                return
            if error is None:
                self.done.set_result(None)
            else:
                self.done.set_exception(StoreError(str(error)))

        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits any more
            self.loop.call_soon_threadsafe(tell)


class Store:
    """The events of all tables.

    Args:
        url: of the database (`sqlite:///games.sqlite`, `postgresql+psycopg://…`), or the path of an SQLite file.

    Raises:
        DixitError: when the database can't be opened.
    """

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url if "://" in url else f"sqlite:///{url}")
            self.engine = create_engine(parsed, hide_parameters=True)  # what people write stays out of logs
            if parsed.get_backend_name() == "sqlite":
                _make_private(parsed.database)
                event.listen(self.engine, "connect", _sqlite_settings)
            metadata.create_all(self.engine)
        except (SQLAlchemyError, ImportError) as error:
            fault = str(getattr(error, "orig", None) or error).splitlines()[0]
            raise DixitError(f"the database can't be opened: {fault}; give a file name or a database URL") from error
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name="store", daemon=True)
        self._writer.start()

    async def append(self, table: str, number: int, new: Sequence[AnyEvent]) -> None:
        """Write a table's events from `number` on; returns when they are safe, raises `StoreError` when not."""
        await self.append_all([(table, number, new)])

    async def append_all(self, parts: Sequence[tuple[str, int, Sequence[AnyEvent]]]) -> None:
        """Write events of several tables, each with the number of its first one: all of them, or none."""
        loop = asyncio.get_running_loop()
        now = time.time()
        rows: list[dict[str, object]] = [
            {"table": table, "number": number + index, "at": now, "data": msgspec.json.encode(one).decode()}
            for table, number, new in parts
            for index, one in enumerate(new)
        ]
        write = _Write(rows, loop.create_future(), loop)
        self._queue.put(write)
        await write.done

    def read(self, table: str) -> list[AnyEvent]:
        """A table's events; [] when there is no such table, or it has expired. Raises `StoreError`."""
        try:
            with self.engine.connect() as connection:
                if connection.execute(select(closed).where(closed.c.table == table)).first():
                    return []
            return self._read(table)
        except SQLAlchemyError as error:
            raise StoreError(str(error)) from error

    def tables(self) -> list[str]:
        """All tables, expired ones included."""
        with self.engine.connect() as connection:
            return list(connection.scalars(select(events.c.table).distinct().order_by(events.c.table)))

    def openings(self) -> list[Opened]:
        """The first event of every table, expired ones included."""
        with self.engine.connect() as connection:
            first = connection.scalars(select(events.c.data).where(events.c.number == 0))
            return [opened for data in first if isinstance(opened := _decoder.decode(data), Opened)]

    def moments(self, table: str) -> list[float]:
        """When each of a table's events was written: seconds since 1970."""
        query = select(events.c.at).where(events.c.table == table).order_by(events.c.number)
        with self.engine.connect() as connection:
            return list(connection.scalars(query))

    def history(self) -> Iterator[tuple[str, list[AnyEvent]]]:
        """Every table with its events, expired ones included."""
        for table in self.tables():
            yield table, self._read(table)

    def idle_since(self, moment: float) -> list[str]:
        """Open tables where nothing has happened since `moment` (seconds since 1970)."""
        last = select(events.c.table).group_by(events.c.table).having(func.max(events.c.at) < moment)
        with self.engine.connect() as connection:
            return list(connection.scalars(last.where(events.c.table.not_in(select(closed.c.table)))))

    def forget(self, table: str) -> None:
        """Remove a table for good."""
        with self.engine.begin() as connection:
            connection.execute(delete(events).where(events.c.table == table))

    def close_table(self, table: str, kept: Sequence[AnyEvent]) -> None:
        """Close a table for good and replace its events by `kept`."""
        with self.engine.begin() as connection:
            connection.execute(insert(closed).values(table=table))
            for number, one in enumerate(kept):
                row = (events.c.table == table) & (events.c.number == number)
                connection.execute(update(events).where(row).values(data=msgspec.json.encode(one).decode()))

    def close(self) -> None:
        """Write what waits and close the database."""
        self._queue.put(None)
        self._writer.join()
        self.engine.dispose()

    def _read(self, table: str) -> list[AnyEvent]:
        query = select(events.c.data).where(events.c.table == table).order_by(events.c.number)
        with self.engine.connect() as connection:
            return [_decoder.decode(data) for data in connection.scalars(query)]

    def _write_all(self) -> None:
        """The writer's thread."""
        while True:
            write = self._queue.get()
            batch: list[_Write] = []
            while write is not None:
                batch.append(write)
                if self._queue.empty() or len(batch) >= BATCH:
                    break
                write = self._queue.get()
            if batch and (fault := self._write(batch)):
                # written one by one, so that only the bad one fails
                for one in batch:
                    one.answer(self._write([one]) if len(batch) > 1 else fault)
            else:
                for one in batch:
                    one.answer(None)
            if write is None:
                return

    def _write(self, batch: list[_Write]) -> Exception | None:
        try:
            with self.engine.begin() as connection:
                connection.execute(insert(events), [row for write in batch for row in write.rows])
        except SQLAlchemyError as error:
            return error
        return None


def _make_private(path: str | None) -> None:
    """Let nobody else on this machine read what people write; SQLite gives its other files the rights of this one."""
    if path and path != ":memory:" and not path.startswith("file:"):
        with contextlib.suppress(OSError):  # no such folder, or another's file: SQLite says so when it opens it
            Path(path).touch(0o600)
            Path(path).chmod(0o600)


def _sqlite_settings(connection: object, _: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA journal_mode=WAL")  # readers don't wait for the writer
    cursor.execute("PRAGMA synchronous=FULL")  # a commit outlives a power cut, not only a crash
    cursor.execute("PRAGMA busy_timeout=5000")
    cursor.close()
