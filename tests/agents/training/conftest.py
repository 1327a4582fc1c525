import pytest

from dixit_env.envs.clip_table import ClipTable


@pytest.fixture(scope="module")
def table() -> ClipTable:
    return ClipTable.random(cards=60, clues=300)
