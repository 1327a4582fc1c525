"""Every example in docs/environments.md runs when it is pasted."""

import importlib.util
import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "environments.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.splitlines()[0] for example in EXAMPLES])
def test_the_example_runs(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "torchrl_env" in example and not importlib.util.find_spec("torchrl"):
        pytest.skip("torchrl is not installed: make test-integrations")
    assert len(example.splitlines()) <= 11
    exec(compile(example, "docs/environments.md", "exec"), {})
    assert capsys.readouterr().out


def test_there_is_one_for_each_environment() -> None:
    assert len(EXAMPLES) == 6
