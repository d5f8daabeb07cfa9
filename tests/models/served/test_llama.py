"""A real llama.cpp server of the packaged SmolLM2: its decisions are those of the loaded model.

The server comes with `pip install xllamacpp`, which the project does not need otherwise.
"""

import subprocess
import sys

import numpy as np
import pytest

from socialbias.commands.measure_items import read_items, scorer_of
from socialbias.commands.subjects import open_subject
from socialbias.models.scoring import score
from tests.paths import DATA

MODEL, ITEMS = DATA / "smollm2", DATA / "stereoset-dev-crlf/dev.json"
# Nats a token. llama.cpp rounds what goes into each product to 8 bits; the loaded model does not.
TOLERANCE = 0.05
SERVE = """
import sys, time
from xllamacpp import CommonParams, Server
params = CommonParams()
params.model.path, params.port = sys.argv[1], 0
params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 2048, 2, 1
server = Server(params)
print("at", server.listening_address, flush=True)
time.sleep(3600)
"""


@pytest.fixture
def address():
    pytest.importorskip("xllamacpp", reason="pip install xllamacpp")
    if not MODEL.is_dir() or not ITEMS.is_file():
        pytest.skip("no SmolLM2 or StereoSet in the data folder: run the quickstart")
    [gguf] = MODEL.glob("*.gguf")
    command = [sys.executable, "-c", SERVE, str(gguf)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield next(line.split()[1] for line in server.stdout if line.startswith("at "))
        finally:
            server.kill()


@pytest.mark.long  # 5 minutes on two cores
def test_600_decisions_of_the_served_model_are_those_of_its_weights(address, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    items = read_items(ITEMS).items
    chosen = np.random.default_rng(1).permutation(len(items))[:600]
    apart = []
    for subject in (open_subject(address, served=True), open_subject(MODEL)):
        scores = score(scorer_of(subject), [items[i] for i in chosen], ["sentence_released"])
        means = np.log(scores["sentence_released"].values)
        apart.append(means[:, 0] - means[:, 1])
    served, loaded = apart
    same, clear = (served > 0) == (loaded > 0), np.abs(loaded) > TOLERANCE
    counts = {"clear": clear.sum(), "of these equal": same[clear].sum(), "others": (~clear).sum()}
    print(counts | {"of these equal, too": same[~clear].sum()})
    assert clear.sum() > 500
    assert same[clear].mean() >= 0.99
