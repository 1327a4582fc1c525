"""`viewers.py ask`."""

import re
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from tqdm import tqdm

from dixit_env.agents.language.viewer import LanguageViewer
from dixit_env.agents.listeners.readers import OUTAGES
from dixit_env.bench.viewers.folder import lines
from dixit_env.bench.viewers.guesses import read_tables
from dixit_env.errors import NoAnswer
from dixit_env.paths import write_atomically

EXAMPLES = """
python scripts/viewers.py ask --study runs/blind --language MODEL@http://127.0.0.1:8080/v1
python scripts/viewers.py ask --study runs/blind --language MODEL@http://127.0.0.1:8080/v1,think=off,temperature=0
"""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Let a language model that sees pictures answer the tables of a study, as answers/MODEL.tsv.

    It is shown what other viewers see, one table at a time. A table without an answer, because the endpoint couldn't be
    asked or the reply not be read, is left out; the next call asks only for what is missing.
    """

    study: Path
    """Folder that viewers.py tables made."""
    language: str
    """The model, MODEL@URL with options as in an agent's name."""
    seed: int = 0
    """Of the model's sampling."""


def main(args: Args) -> None:
    """Ask, write each answer at once."""
    viewer = LanguageViewer.named(args.language)
    tables = read_tables(args.study)
    name = re.sub(r"[^\w.-]+", "_", viewer.chat.model)
    file = args.study / "answers" / f"{name}.tsv"
    answers = {row[0].zfill(3): row for _, row in lines(file)} if file.exists() else {}
    missing = [number for number in tables if number not in answers]
    unread = down = 0
    for number in tqdm(missing, desc=viewer.chat.model, unit="table", disable=None):
        table = tables[number]
        with Image.open(args.study / "pictures" / f"{number}.png") as picture:
            shown = picture.convert("RGB")
        try:
            judged = viewer.judge(shown, table.clue, len(table.cards), args.seed)
        except NoAnswer as error:
            down += 1
            if down == OUTAGES:
                tqdm.write(f"{error}: not asked any more")
                break
            continue
        down = 0
        if judged is None:
            unread += 1
            continue
        answers[number] = [number, *map(str, judged.shares), str(judged.suits)]
        write_atomically(file, "".join("\t".join(answers[name]) + "\n" for name in sorted(answers)))
    outages = len(tables) - len(answers) - unread
    print(f"{len(answers)} of {len(tables)} tables answered in {file}")
    if unread or outages:
        print(f"left out: {outages} outages (run again), {unread} replies that can't be read (give another --seed)")
