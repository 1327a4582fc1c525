"""The training curve: one CSV row every few steps, and a picture of it."""

import csv
import time
from pathlib import Path

_EVERY = 20  # steps a row


class Curve:
    """Means of what a stage measures, appended to a CSV file as training goes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sums: dict[str, float] = {}
        self._count = 0

    def add(self, stage: str, step: int, **measures: float) -> None:
        """Note a step's measures; every 20 steps their means become rows `stage, step, time, measure, value`."""
        for name, value in measures.items():
            self._sums[name] = self._sums.get(name, 0.0) + value
        self._count += 1
        if self._count < _EVERY:
            return
        new = not self._path.exists()
        with self._path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(["stage", "step", "time", "measure", "value"])
            for name, total in self._sums.items():
                writer.writerow([stage, step, f"{time.time():.0f}", name, f"{total / self._count:.5f}"])
        self._sums, self._count = {}, 0

    def draw(self, picture: Path) -> None:
        """Plot every measure of every stage over its steps."""
        from matplotlib.figure import Figure

        with self._path.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        series: dict[str, list[tuple[int, float]]] = {}
        for row in rows:
            series.setdefault(f"{row['stage']}: {row['measure']}", []).append((int(row["step"]), float(row["value"])))
        rows_of_three = -(-len(series) // 3)
        figure = Figure(figsize=(9.6, 2.6 * rows_of_three), layout="constrained")
        grid = list(figure.subplots(rows_of_three, 3, squeeze=False).flat)
        for axes, (title, points) in zip(grid, series.items(), strict=False):
            axes.plot(*zip(*points, strict=True), linewidth=1)
            axes.set_title(title, fontsize=10)
            axes.set_xlabel("step")
        for axes in grid[len(series) :]:
            axes.set_axis_off()
        figure.savefig(picture, dpi=120)
