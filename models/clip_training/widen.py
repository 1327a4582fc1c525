"""More things than the deck maker's catalogue names: what the picture tower sees more kinds of, it generalises from."""

import json
import re
from dataclasses import replace

from dixit_env.decks.maker import Sources, Thing
from dixit_env.decks.maker.sources import EMOJIBASE, NOTO
from dixit_env.languages import LANGUAGES
from dixit_env.packages import read_npm

# Emoji groups of `emojibase-data` that hold things → the roles their things may play on a card.
_ROLES = {
    3: frozenset({"walker", "thing"}),  # animals and nature
    4: frozenset({"edible"}),
    5: frozenset({"thing"}),  # travel and places
    6: frozenset({"thing", "round"}),  # activities
    7: frozenset({"thing", "hang"}),  # objects
}
_SIGNS = re.compile(
    r"o’clock|thirty|arrow|chart|banknote|mailbox|speaker|suit\b|sign\b|envelope|moon\b|globe|place medal"
)


def widened(sources: Sources, held_out: frozenset[str]) -> Sources:
    """The sources with every other emoji that depicts a thing, except what looks like a held-out thing."""
    noto, characters = map(json.loads, read_npm(NOTO, ("icons.json", "chars.json"), sources.folder))
    members = tuple(f"{language}/data.json" for language in LANGUAGES)
    languages = map(json.loads, read_npm(EMOJIBASE, members, sources.folder))
    by_code = [{entry["hexcode"]: entry for entry in entries} for entries in languages]
    forbidden = {word for key in held_out for word in sources.things[key].name["en"].split()[1:]} | set(held_out)
    things, icons = dict(sources.things), dict(sources.icons)
    for code, entry in by_code[0].items():
        key = characters.get(code.lower()) or characters.get(code.lower().replace("-fe0f", ""))
        label = entry["label"]
        if not key or key in things or key not in noto["icons"] or entry.get("group") not in _ROLES:
            continue
        if _SIGNS.search(label) or forbidden & set(re.findall(r"\w+", label.lower())):
            continue
        translated = [entries.get(code, entry) for entries in by_code]
        names = {language: entry["label"] for language, entry in zip(LANGUAGES, translated, strict=True)}
        tags = {language: tuple(entry.get("tags", ())) for language, entry in zip(LANGUAGES, translated, strict=True)}
        things[key] = Thing(key, _ROLES[entry["group"]], names, names, tags)
        icons[key] = noto["icons"][key]["body"]
    return replace(sources, things=things, icons=icons)
