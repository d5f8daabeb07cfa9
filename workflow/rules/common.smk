# Configuration, sources and the helpers that all rules share. The only place with functions.
import sys
from pathlib import Path

import yaml

from socialbias.annotation.folder import check_folder, completed_files
from socialbias.annotation.items import SAMPLE
from socialbias.reporting.catalogue import load_catalogue
from socialbias.config import load_config, paper_sources
from socialbias.corpora.recipes import is_sampled, recipe
from socialbias.pipeline.digest import code_digest
from socialbias.errors import UserError
from socialbias.sources.binding import bind, places_of
from socialbias.sources.registry import load_registry


def plan(raw):
    """The typed configuration, the registry, the catalogue and what each role is bound to."""
    try:
        registry = load_registry(Path("resources/sources.yaml"))
        catalogue = load_catalogue(Path("resources/artefacts.yaml"))
        config = load_config(raw, list(registry), list(catalogue))
    except UserError as error:
        sys.exit(str(error))
    places = places_of(config)
    bindings = bind(config.inputs.model_dump(), registry, places, paper_sources())
    return config, registry, catalogue, places, bindings


CONFIG, REGISTRY, CATALOGUE, PLACES, BINDINGS = plan(config)
RUN = f"results/{CONFIG.run}"
# What a person types to make one artefact of this run.
COMMAND = "snakemake --cores 2" + (" --profile profiles/quickstart" * (CONFIG.run == "quickstart"))
KIND = f"{CONFIG.run}-mirror" if PLACES.mirror else CONFIG.run


def code(script, *functions):
    """The digest of a script and of all that it reaches, as a parameter of its rule.

    `functions` are those that the script looks up, as `socialbias.module:name`.
    """
    root = Path(workflow.basedir)
    return code_digest(root / "src", root / "scripts" / script, *functions)


def role_inputs(*roles):
    """Named inputs: the manifests of the sources that these roles are bound to."""
    return {role: manifest_of(role) for role in roles if BINDINGS[role].source}


def manifest_of(role):
    """The manifest of the source that a role is bound to."""
    return f"{PLACES.data}/{BINDINGS[role].source}/manifest.json"


def embedding_inputs(words, *roles):
    """Named inputs: the vectors of the words in `lists` or `professions`, where there is a source."""
    return {
        role: f"{RUN}/embeddings/{role}/{words}/info.json"
        for role in roles
        if BINDINGS[role].source
    }


def decade_inputs():
    """Named input: the vectors by decade, where there is a source."""
    return {"decades": f"{RUN}/embeddings/decades/info.json"} if BINDINGS["decades"].source else {}


TRAINING = ("dimensions", "window", "min_count", "epochs", "negative", "sample")
CORPORA = ("nyt", "wikitext", "goodreads_romance", "goodreads_history_biography")


def corpus_settings(wildcards):
    """How the bound source of a corpus is read."""
    binding = BINDINGS[f"corpus_{wildcards.corpus}"]
    name = wildcards.corpus.replace("_", "-")
    settings = recipe(name, binding.source) | {"corpus": name, "fidelity": binding.fidelity}
    return settings | ({"seed": CONFIG.seed} if is_sampled(settings) else {})


def corpus_inputs(*corpora):
    """Named inputs: counts, tags and bootstrapped vectors of those corpora that have a source."""
    inputs = {}
    for corpus in corpora:
        folder = f"{RUN}/corpora/{corpus}"
        if BINDINGS[f"corpus_{corpus}"].source:
            if BINDINGS["analogies"].source and BINDINGS["similarity"].source:
                inputs[f"{corpus}_checks"] = f"{folder}/intrinsic.parquet"
            inputs[f"{corpus}_report"] = f"{folder}/prepared/report.json"
            inputs[f"{corpus}_models"] = [
                f"{folder}/models/{replicate}/vectors.npy"
                for replicate in range(CONFIG.bad_seeds.bootstraps)
            ]
            if BINDINGS["tagger"].source:
                inputs[f"{corpus}_tags"] = f"{folder}/tags.parquet"
    return inputs


# The texts of Trustworthy: that of Table 3, and what GPT-2 was trained on and wrote (Table 6).
TEXTS = ("wikipedia", "webtext", "samples")
# Where the configuration names no source for them, the run trains a GPT-2 and lets it write.
TRAINS_GPT2 = not CONFIG.inputs.gpt2 and bool(BINDINGS["corpus_webtext"].source)
HAS_GPT2 = TRAINS_GPT2 or bool(BINDINGS["gpt2"].source)
WRITES_SAMPLES = not CONFIG.inputs.corpus_samples and HAS_GPT2
TRAINED_GPT2 = f"{RUN}/contextual/gpt2/model/report.json"
# The text that each model reads.
READS = {"bert": "wikipedia", "gpt2": "webtext"}
# On a cluster, a job that runs a model on a GPU asks for one.
GPUS = 1 if CONFIG.contextual.device == "cuda" else 0


def about_text(text):
    """Source and fidelity of a text; {} where there is none."""
    if text == "samples" and WRITES_SAMPLES:
        return {"source": about_model("gpt2")["source"], "fidelity": "substitute"}
    binding = BINDINGS[f"corpus_{text}"]
    about = {"source": binding.source, "fidelity": binding.fidelity}
    return about if binding.source else {}


def about_model(model):
    """Source and fidelity of a model; one that the run trains is named after its text."""
    if model == "gpt2" and TRAINS_GPT2:
        return {"source": BINDINGS["corpus_webtext"].source, "fidelity": "substitute"}
    binding = BINDINGS[model]
    about = {"source": binding.source, "fidelity": binding.fidelity}
    return about if binding.source else {}


def model_path(model):
    """What says where a model is: its source's manifest, or the report beside a trained one."""
    return TRAINED_GPT2 if model == "gpt2" and TRAINS_GPT2 else manifest_of(model)


def reads_text(model):
    """Whether there are both the model and the text that it reads."""
    return bool(about_model(model) and about_text(READS[model]))


def text_inputs(*texts):
    """Named inputs: the counts of those texts that there are."""
    return {
        text: f"{RUN}/trustworthy/evidence/text_{text}.parquet"
        for text in texts
        if about_text(text)
    }


def probe_inputs(*models):
    """Named inputs: the probes of those models that there are, with the text that they read."""
    return {
        f"probe_{model}": f"{RUN}/trustworthy/evidence/probe_{model}.parquet"
        for model in models
        if reads_text(model)
    }


def reduction_inputs():
    """Named input: the reduction of the encoder, where there is one."""
    given = f"{RUN}/contextual/bert/given/info.json"
    return {"reduction": given} if reads_text("bert") else {}


def represent_inputs(wildcards):
    """The model, and the text that it reads."""
    folder = f"{RUN}/corpora/{READS[wildcards.model]}"
    return {
        "model": model_path(wildcards.model),
        "report": f"{folder}/prepared/report.json",
        "documents": f"{folder}/documents/documents.json",
    }


def represent_settings(wildcards):
    """Which words and sentences are represented, by which layer, and how."""
    model, options = wildcards.model, CONFIG.trustworthy
    trains = model == "gpt2" and TRAINS_GPT2
    # Of the encoder alone is the reduction read; all others are there for the probe.
    reduces = f"{model}/{wildcards.weights}" == "bert/given"
    return {
        "model": model,
        "about": {"model": about_model(model), "text": about_text(READS[model])},
        "random": wildcards.weights == "random",
        "layer": getattr(options, f"{model}_probe").layer,
        "as_tokens": trains,  # the model that a run trains knows lower-case words alone
        "word_lists": options.word_lists,
        "shortest": options.shortest,
        "longest": options.longest,
        "documents": options.represented_documents,
        "per_word": options.sentences_per_word,
        "per_target": options.sentences_per_target,
        "for_probe_alone": not reduces,
        "draws": options.represented_draws if reduces else 0,
        "runs": CONFIG.contextual.model_dump(),
        "seed": CONFIG.seed,
    }


def probe_options(model):
    """How the probes of a model are trained."""
    options = getattr(CONFIG.trustworthy, f"{model}_probe")
    return {"epochs": options.epochs, "batch_size": options.batch}


def about_texts():
    """Source and fidelity of every text and model that there is, by name."""
    about = {text: about_text(text) for text in TEXTS}
    about |= {model: about_model(model) for model in READS}
    return {name: said for name, said in about.items() if said}


# What each artefact that rests on the evidence of text and probes reads.
FROM_TEXT = {
    "table6": {"texts": ("webtext", "samples"), "probes": ("gpt2",)},
    "probes": {"probes": ("bert", "gpt2")},
    "professions": {
        "texts": TEXTS,
        "probes": ("bert", "gpt2"),
        "vectors": True,
        "roles": ("census_gender",),
    },
    "decodings": {"decodings": True},
}


def from_text_inputs(artefact):
    """Named inputs of an artefact in FROM_TEXT, where there is a source."""
    needs = FROM_TEXT[artefact]
    inputs = text_inputs(*needs.get("texts", ())) | probe_inputs(*needs.get("probes", ()))
    inputs |= role_inputs(*needs.get("roles", ()))
    if needs.get("vectors"):
        inputs |= embedding_inputs("professions", "word2vec", "glove") | reduction_inputs()
    if needs.get("decodings"):
        inputs["evidence"] = f"{RUN}/trustworthy/evidence/decodings.parquet"
    return inputs


def from_text_settings():
    """What the values of the artefacts in FROM_TEXT depend on beside their inputs."""
    return {
        "level": CONFIG.intervals.level,
        "replicates": CONFIG.intervals.replicates,
        "word_list": CONFIG.trustworthy.word_lists[0],
        "census_year": CONFIG.trustworthy.census_year,
        "about": about_texts() | about_decodings(),
        "fidelity": fidelity("census_gender"),
        "seed": CONFIG.seed,
    }


def prepared_inputs(text, shards=False):
    """Named inputs: a text as ids, and its documents; {} where there is no source."""
    folder = f"{RUN}/corpora/{text}"
    inputs = {"report": f"{folder}/prepared/report.json"}
    if shards:
        inputs["documents"] = f"{folder}/documents/documents.json"
    return inputs if about_text(text) else {}


def annotation_inputs():
    """Named inputs: the sample that people have labelled, and their files; {} where there are none."""
    if CONFIG.trustworthy.annotations.folder is None:
        return {}
    folder = Path(CONFIG.trustworthy.annotations.folder)
    try:
        check_folder(folder, Path("results"))
    except UserError as error:
        sys.exit(str(error))
    return {"sample": str(folder / SAMPLE), "files": [str(path) for path in completed_files(folder)]}


def about_decodings():
    """Source and fidelity of the published samples; {} where there are none."""
    binding = BINDINGS["gpt2_decodings"]
    about = {"source": binding.source, "fidelity": binding.fidelity}
    return {"gpt2_decodings": about} if binding.source else {}


def contexts_settings():
    """Which sentences make contexts."""
    options = CONFIG.trustworthy
    settings = {key: getattr(options, key) for key in ("shortest", "longest", "windows")}
    return settings | {"keep_last": options.last_window}


GENRES = ("goodreads_romance", "goodreads_history_biography")
SEED_VERSIONS = ("gathered_seeds", "gathered_seeds_newest")
SEED_WORDS = f"{RUN}/bad_seeds/evidence/seed_words.yaml"
# What each artefact of Bad Seeds reads: corpora, seed sets, and further inputs by name.
BAD_SEEDS = {
    "table1": {"corpora": CORPORA},
    "table2": {"corpora": CORPORA},
    "table3": {"seeds": SEED_VERSIONS},
    "table4": {"corpora": ("nyt", "wikitext"), "seeds": ("gathered_seeds",)},
    "figure1": {"seeds": SEED_VERSIONS},
    "figure2": {"corpora": GENRES, "seeds": ("gathered_seeds",), "pretrained": True},
    "figure3": {"corpora": ("nyt",), "seeds": ("gathered_seeds",), "pretrained": True},
    "figure4": {"corpora": ("nyt",), "published": True},
    "figure5": {"corpora": CORPORA, "seeds": ("gathered_seeds",)},
    "spread": {"corpora": CORPORA, "seeds": ("gathered_seeds",)},
    "documents": {"sampled": "wikitext", "seeds": ("gathered_seeds",)},
}


def bad_seeds_inputs(wildcards):
    """Named inputs of an artefact of Bad Seeds, where there is a source."""
    needs = BAD_SEEDS[wildcards.artefact]
    inputs = {"word_lists": "resources/word_lists/bad_seeds.yaml"}
    inputs |= corpus_inputs(*needs.get("corpora", ())) | role_inputs(*needs.get("seeds", ()))
    if needs.get("pretrained") and BINDINGS["word2vec"].source:
        inputs["google_news"] = f"{RUN}/embeddings/word2vec/seeds/info.json"
    if needs.get("sampled") and BINDINGS[f"corpus_{needs['sampled']}"].source:
        folder = f"{RUN}/corpora/{needs['sampled']}"
        inputs["sampled_report"] = f"{folder}/prepared/report.json"
        inputs["sampled_documents"] = f"{folder}/documents/documents.json"
    if needs.get("published"):
        inputs["published"] = f"resources/published/bad_seeds_{wildcards.artefact}.csv"
    return inputs


def bad_seeds_settings(wildcards):
    """Sources and fidelity of what an artefact of Bad Seeds reads, and how it measures."""
    needs, options = BAD_SEEDS[wildcards.artefact], CONFIG.bad_seeds
    corpora = needs.get("corpora", (needs["sampled"],) if "sampled" in needs else ())
    roles = {corpus.replace("_", "-"): f"corpus_{corpus}" for corpus in corpora}
    roles |= {role: role for role in needs.get("seeds", ())}
    roles |= {"google-news": "word2vec"} if needs.get("pretrained") else {}
    about = {
        name: {"source": BINDINGS[role].source, "fidelity": BINDINGS[role].fidelity}
        for name, role in roles.items()
        if BINDINGS[role].source
    }
    if "sampled" in needs:
        own = options.documents
        training = {key: getattr(own if hasattr(own, key) else options, key) for key in TRAINING}
        sizes = {key: getattr(own, key) for key in ("words", "replicates", "removals")}
        return {"about": about, "seed": CONFIG.seed, "options": training, **sizes}
    return {
        "about": about,
        "min_count": options.min_count,
        "draws": options.shuffles,
        "pairs": options.generated_pairs,
        "rarest": options.rarest,
        "commonest": options.commonest,
        "seed": CONFIG.seed,
    }


def seed_audit_inputs(wildcards):
    """A user's list of seeds, and the corpus that it is measured in."""
    if CONFIG.bad_seeds.word_list is None:
        sys.exit("seed_audit: name your file of seed sets: --config 'bad_seeds={word_list: FILE}'")
    corpus = CONFIG.bad_seeds.audited_in
    lists = {"word_lists": "resources/word_lists/bad_seeds.yaml"}
    seeds = {"seeds": CONFIG.bad_seeds.word_list}
    return lists | seeds | corpus_inputs(corpus) | role_inputs("gathered_seeds")


def seed_audit_settings(wildcards):
    """Source and fidelity of the corpus and of the gathered seeds."""
    corpus = CONFIG.bad_seeds.audited_in
    roles = {corpus.replace("_", "-"): f"corpus_{corpus}", "gathered_seeds": "gathered_seeds"}
    about = {
        name: {"source": BINDINGS[role].source, "fidelity": BINDINGS[role].fidelity}
        for name, role in roles.items()
    }
    absent = missing({"corpus": [f"corpus_{corpus}"]})
    return {"about": about, "level": CONFIG.intervals.level, "missing": absent}


def missing_in_bad_seeds(wildcards):
    """By row, the corpus that has no source."""
    sampled = BAD_SEEDS[wildcards.artefact].get("sampled")
    if sampled:
        rows = CATALOGUE[f"bad_seeds_{wildcards.artefact}"].rows
        return missing(dict.fromkeys(rows, [f"corpus_{sampled}"]))
    return missing({corpus.replace("_", "-"): [f"corpus_{corpus}"] for corpus in CORPORA})


def fidelity(*roles):
    """How near the bound source of each of these roles is to the paper's, as a parameter."""
    return {role: BINDINGS[role].fidelity for role in roles if BINDINGS[role].source}


def wanted_words(wildcards):
    """The source of the vectors, and what says which words to take from it."""
    if wildcards.words == "seeds":
        return {"vectors": manifest_of(wildcards.role), "word_lists": [SEED_WORDS]}
    lists = ["resources/word_lists/trustworthy.yaml"]
    census = ["census_gender", "census_race"]
    roles = {"professions": census, "vocabulary": census, "weat": ["weat_lists"]}
    if wildcards.words == "vocabulary":
        lists.append("resources/word_lists/debiasing.yaml")
    return {
        "vectors": manifest_of(wildcards.role),
        "word_lists": lists,
        **role_inputs(*roles.get(wildcards.words, [])),
    }


def missing(columns):
    """By values column (or row), what is missing and how to get it.

    Args:
        columns: By column or row, the roles that it needs, or a sentence that says why there is no input
            yet. A role that is bound is not missing.
    """
    reasons = {
        column: "; ".join(BINDINGS[r].missing if r in BINDINGS else r for r in needs)
        for column, needs in columns.items()
    }
    return {column: reason.strip("; ") for column, reason in reasons.items() if reason.strip("; ")}


def variants(column):
    """The values columns of a printed column that has one for each variant of the word lists."""
    return [f"{column}@{variant}" for variant in CONFIG.trustworthy.word_lists]


def drawing(name):
    """What a drawing rule needs to know of its artefact."""
    return {"artefact": name, "style": CONFIG.style_of(name)}


def artefact_files(wildcards_or_name):
    """Everything that makes up one artefact."""
    paper, artefact = str(wildcards_or_name).rsplit("_", 1)
    kinds = ["values.csv", "csv", "tex", "html", "pdf", "svg", "png", "comparison.csv"]
    return [f"{RUN}/{paper}/{artefact}.{kind}" for kind in kinds]


def every(kind):
    """One file of this kind for each artefact, such as `values.csv`."""
    return [f"{RUN}/{a.paper}/{a.artefact}.{kind}" for a in CATALOGUE.values()]


def show_bindings():
    """What a person wants to know before anything is fetched: each role, its source, its place."""
    width = max(map(len, BINDINGS))
    made = {"gpt2": TRAINS_GPT2, "corpus_samples": WRITES_SAMPLES}
    print(f"run {CONFIG.run!r}:", file=sys.stderr)
    for b in BINDINGS.values():
        text = f"no input: {b.missing}"
        if b.source:
            text = f"{b.source} ({b.fidelity}), from {b.where}"
        elif made.get(b.role):
            text = "made in this run (substitute)"
        print(f"  {b.role:<{width}}  {text}", file=sys.stderr)


if workflow.is_main_process:
    show_bindings()


onsuccess:
    if Path(RUN, "index.html").exists():
        print(f"the page: {RUN}/index.html", file=sys.stderr)


wildcard_constraints:
    corpus="|".join([*CORPORA, *TEXTS]),
    text="|".join(TEXTS),
    model="|".join(READS),
    paper="|".join(sorted({a.paper for a in CATALOGUE.values()})),
    artefact="|".join(sorted({a.artefact for a in CATALOGUE.values()})),
    source="|".join(REGISTRY),
