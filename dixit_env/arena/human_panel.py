"""A table of simulated people, from what 20,246 human rounds say about how people vote.

A listener's belief says where votes go on average; people at one table agree more than independent voters would,
because they see the same pictures in the same light. The panel has both: each turn draws the table's common opinion
from a Dirichlet distribution around the belief, and every listener votes by it. The correlation of two votes for the
same card is then ρ, and the number of listeners that find the storyteller's card is beta-binomial.

Refit the constants with

    python scripts/benchmark.py listeners --rounds FOLDER --out runs/listeners

which writes them as `panel` into results.json.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dixit_env.arena.human_rounds import Rounds

Floats = NDArray[np.float64]

