"""Files of decisions: logs of lm-evaluation-harness, Inspect and HELM, and CSV."""

from __future__ import annotations

import hashlib
import json
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json, read_json, read_json_lines
from socialbias.files.paths import check_file
from socialbias.files.tables import read_number, read_table
from socialbias.files.text import printable, shown
from socialbias.measures.datasets.bbq import scores as bbq_scores
from socialbias.measures.datasets.roles import DECISIONS, OTHER, roles_of

IDS = {"id", "idx", "index", "doc_id", "example_id", "__index_level_0__"}  # no content of an item
TERMS = ("term", "target", "target_word", "occupation", "profession")
DOMAINS = ("domain", "bias_type", "category")
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": math.nan}  # of Inspect
INVALID = "[invalid]"  # what a filter of lm-evaluation-harness found no answer in
COLUMNS = ("item", "term", "decision")  # of a CSV file, which may also have `domain`
WORDS = {"true": 1.0, "yes": 1.0, "stereotype": 1.0, "false": 0.0, "no": 0.0}
WORDS |= {"anti-stereotype": 0.0, **dict.fromkeys(("invalid", "refusal", "none"), math.nan)}
HELM_FILES = ("run_spec.json", "scenario_state.json", "per_instance_stats.json")
LM_EVAL = re.compile(r"(samples|results)_.*\d{4}-\d\d-\d\dT")  # names that it gives
LETTER = re.compile(r"(?:answer\s*(?:is|:)?\s*)?\(?([a-z])\)?[.):]?", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """What a model answered to an item, once."""

    id: str  # the log's own, for messages
    item: Mapping  # fields of the item
    content: object  # what makes it the same item in another log
    prompt: object
    choices: Sequence[str] = ()
    scores: Sequence[float] = ()  # log-probabilities of the choices, if these decide
    chosen: int | None = None  # else the place of the chosen one; None for an invalid answer
    metrics: Mapping[str, float] = field(default_factory=dict)  # those from 0 to 1
    invalid: bool = False  # whether the harness found no answer, or the model refused

    def with_reply(self, text: str, choices: Sequence[str], **more: object) -> Answer:
        """Return the answer with the choice that a text names by its letter or words, if any."""
        choices = [choice.strip() for choice in choices]
        plain = text.strip(" \n\"'").casefold()
        letter = LETTER.fullmatch(plain)
        named = [i for i, choice in enumerate(choices) if choice.casefold().strip(".") in plain]
        if letter and ord(letter[1]) - ord("a") < len(choices):
            named = [ord(letter[1]) - ord("a")]
        place = named[0] if len(named) == 1 else None
        return replace(self, choices=choices, chosen=place, **more)


@dataclass(frozen=True)
class Log:
    """A log."""

    path: Path
    harness: str
    answers: list[Answer]
    same: dict[str, object]  # what two logs must have in common, as far as it is known
    facts: dict[str, object]  # what may differ, such as versions and seeds
    higher_is_better: dict[str, bool] = field(default_factory=dict)  # by metric, if it is known

    @property
    def files(self) -> list[Path]:
        """Its files."""
        named = [self.path / name for name in HELM_FILES] if self.path.is_dir() else [self.path]
        return [path for path in named if path.is_file()]


def is_log(path: Path) -> bool:
    """Return whether a file or folder is a log of a harness, by its name and its first bytes."""
    if path.is_dir():
        return all((path / name).is_file() for name in HELM_FILES[:2])
    if path.suffix == ".eval" or path.name in HELM_FILES or LM_EVAL.match(path.name):
        return True
    if path.suffix not in (".jsonl", ".json") or not path.is_file():
        return False
    keys = {".jsonl": (b'"doc_id"', b'"resps"'), ".json": (b'"status"', b'"eval"')}[path.suffix]
    with path.open("rb") as file:
        head = file.readline() if path.suffix == ".jsonl" else file.read(4096)
    return all(key in head for key in keys)


def read_log(path: Path) -> Log:
    """Read samples of lm-evaluation-harness, a log of Inspect, a run of HELM, or a CSV file."""
    if not is_log(path) or not path.exists():
        return _csv(path)
    if LM_EVAL.match(path.name) and path.suffix != ".jsonl":
        raise UserError(f"{path}: name the samples_....jsonl that --log_samples writes, unpacked")
    try:
        if path.name in HELM_FILES:
            path = path.parent
        if path.is_dir():
            return _helm(path)
        return _lm_eval(path) if path.suffix == ".jsonl" else _inspect(path)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)[:80]
        raise UserError(f"{path}: not a log that can be read: {reason}") from None


def _csv(path: Path) -> Log:
    check_file(path, once=True)
    answers: dict[str, Answer] = {}
    for place, row in read_table(path, COLUMNS, filled=COLUMNS[:2]):
        item, text = row["item"], row["decision"]
        if item in answers:
            raise UserError(f"{place}: item {item} appears twice")
        decision = WORDS.get(text.lower())
        if decision is None:
            share = text.removesuffix("%").strip()
            if share.isalpha() and share.lower() != "nan":
                raise UserError(f"{place}: write the decision {text!r} as 1 or 0, or yes or no")
            decision = read_number(share, place) / (100 if share != text else 1)
        if decision < 0 or decision > 1:
            raise UserError(f"{place}: the decision {text!r} is not a number from 0 to 1")
        answers[item] = Answer(item, row, item, None, metrics={"decision": decision})
    return Log(path, "CSV", [*answers.values()], {}, {})


def _lm_eval(path: Path) -> Log:
    rows = read_json_lines(path)
    if not rows:
        raise UserError(f"{path}: it has no samples")
    # Several filters read the same answers.
    filters = [*dict.fromkeys(row.get("filter", "none") for row in rows)]
    answers = []
    for row in (row for row in rows if row.get("filter", "none") == filters[0]):
        item, found, asked = row["doc"], row["filtered_resps"], row["arguments"]
        asked = [[*part.values()] for part in asked.values()] if isinstance(asked, dict) else asked
        choices, scores, text = [], [], ""
        if isinstance(found[0], str):
            text = found[0]
            choices = [item[name] for name in ("ans0", "ans1", "ans2") if name in item]
        elif len(found) == len(asked) > 1:
            # Some metrics also ask for the choices without the context.
            which = [i for i, part in enumerate(asked) if part[0] == asked[0][0]]
            choices, scores = [asked[i][1] for i in which], [float(found[i][0]) for i in which]
        metrics = _shares({name: each for name, each in row.items() if name != "doc_id"})
        answer = Answer(f"doc_id {row['doc_id']}", item, item, [part[0] for part in asked])
        more = {"scores": scores, "metrics": metrics, "invalid": text == INVALID}
        answers.append(answer.with_reply(text, choices, **more))
    named = re.fullmatch(r"samples_(.+)_([^_]+)", path.stem)
    task, date = named.groups() if named else (None, "")
    results = path.with_name(f"results_{date}.json")
    run = read_json(results) if results.is_file() else {}
    shots, version, better = (
        run.get(name, {}).get(task) for name in ("n-shot", "versions", "higher_is_better")
    )
    same = {"task": task, "filter": filters[0], "number of shots": shots}
    same |= {"chat template": run.get("chat_template_sha")}
    same |= {"system prompt": run.get("system_instruction_sha")}
    facts = {"filters": ", ".join(filters), "model": run.get("model_name")}
    facts |= {"version": run.get("lm_eval_version"), "task version": version}
    facts |= {name: value for name, value in run.get("config", {}).items() if "seed" in name}
    return Log(path, "lm-evaluation-harness", answers, same, facts, better or {})


def _inspect(path: Path) -> Log:
    log = read_json(path) if path.suffix == ".json" else _inspect_archive(path)
    run, status = log["eval"], log.get("status")
    if status != "success":
        raise UserError(f"{path}: its status is {status!r}: finish it with `inspect eval-retry`")
    if not log.get("samples"):
        raise UserError(f"{path}: it has no samples: run it without --no-log-samples")
    answers = []
    for sample in log["samples"]:
        choices, grades = sample.get("choices") or [], sample.get("scores") or {}
        asked = []
        for message in sample["messages"]:
            if message["role"] == "assistant" and message.get("source") == "generate":
                break
            asked.append([message["role"], _text_of(message["content"])])
        metrics: dict[str, object] = {}
        for name, grade in grades.items():
            value = grade["value"]
            metrics |= value if isinstance(value, dict) else {name: value}
        text = str(next(iter(grades.values()), {}).get("answer") or "")
        ends = [each.get("stop_reason") for each in sample["output"].get("choices", [])]
        refused = "content_filter" in ends or bool(sample.get("error"))
        answer = Answer(
            f"sample {sample['id']}, epoch {sample['epoch']}",
            (sample.get("metadata") or {}) | _answers_of(choices),
            [_text_of(sample["input"]), choices, sample["target"]],
            asked,
        )
        reply = answer.with_reply(text, choices, metrics=_shares(metrics))
        answers.append(replace(reply, invalid=refused or (choices and reply.chosen is None)))
    facts = {"model": run["model"], "version": run.get("packages", {}).get("inspect_ai")}
    facts |= {"task version": run.get("task_version"), "epochs": run["config"].get("epochs")}
    facts |= {"seed": run["model_generate_config"].get("seed")}
    return Log(path, "Inspect", answers, {"task": run["task"]}, facts)


def _inspect_archive(path: Path) -> dict:
    """Return the content of an `.eval` file."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        read_eval_log = None
    try:
        if read_eval_log is not None:
            return read_eval_log(str(path)).model_dump(mode="json")
        with zipfile.ZipFile(path) as archive:
            log = parse_json(archive.read("header.json"))
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            return log | {"samples": [parse_json(archive.read(name)) for name in names]}
    except NotImplementedError:
        hint = "install inspect_ai, or convert it with `inspect log convert --to json`"
        raise UserError(f"{path}: is compressed with zstd: {hint}") from None
    except (zipfile.BadZipFile, KeyError, ValueError):
        raise UserError(f"{path}: not a log of Inspect") from None


def _helm(folder: Path) -> Log:
    spec, state = (read_json(folder / name) for name in HELM_FILES[:2])
    stats: dict[tuple, dict[str, float]] = {}
    known = folder / HELM_FILES[2]
    for entry in read_json(known) if known.is_file() else ():
        means = {s["name"]["name"]: s["sum"] / s["count"] for s in entry["stats"] if s["count"]}
        key = (entry["instance_id"], entry["train_trial_index"], str(entry.get("perturbation")))
        stats.setdefault(key, {}).update(_shares(means))
    requests: dict[tuple, list[dict]] = {}
    for request in state["request_states"]:
        instance = request["instance"]
        key = (instance["id"], request["train_trial_index"], str(instance.get("perturbation")))
        if request.get("request_mode") != "calibration":
            requests.setdefault(key, []).append(request)
    answers = []
    for key, of_item in requests.items():
        instance, mapping = of_item[0]["instance"], of_item[0].get("output_mapping") or {}
        choices = [each["output"]["text"] for each in instance["references"]]
        replies = [(each["result"].get("completions") or [{}])[0] for each in of_item]
        text, scores = replies[0].get("text", "").strip(), []
        if of_item[0].get("reference_index") is not None:
            text, scores = "", [reply["logprob"] for reply in replies]
        answer = Answer(
            f"instance {key[0]}",
            (instance.get("extra_data") or {}) | instance["input"] | _answers_of(choices),
            [instance["input"], choices, key[2]],
            [each["request"]["prompt"] for each in of_item],
        )
        more = {"scores": scores, "metrics": stats.get(key, {})}
        reply = answer.with_reply(mapping.get(text, text), choices, **more)
        invalid = not (text or scores) or (bool(mapping) and reply.chosen is None)
        answers.append(replace(reply, invalid=invalid))
    adapter = spec["adapter_spec"]
    same = {"scenario": spec["scenario_spec"], "method": adapter.get("method")}
    same |= {"number of shots": adapter.get("max_train_instances")}
    return Log(folder, "HELM", answers, same, {"model": adapter.get("model")})


def _shares(metrics: Mapping[str, object]) -> dict[str, float]:
    """Return the metrics that are numbers from 0 to 1, or grades."""
    numbers = {
        name: GRADES.get(each, each)
        for name, each in metrics.items()
        if isinstance(each, int | float | str)
    }
    known = {name: each for name, each in numbers.items() if not isinstance(each, str)}
    return {name: float(each) for name, each in known.items() if not (each < 0 or each > 1)}


def _answers_of(choices: Sequence[str]) -> dict[str, str]:
    return {f"ans{i}": choice.strip() for i, choice in enumerate(choices)}  # as BBQ names them


def _text_of(content: object) -> object:
    """Return the text of a message, or of a list of messages or parts."""
    if isinstance(content, list):
        return [_text_of(part) for part in content]
    if isinstance(content, dict):
        return content.get("text", _text_of(content.get("content", "")))
    return content


@dataclass
class Decided:
    """What a model decided of an item, in one or several answers."""

    labels: dict[str, str]
    prompts: set[str]
    condition: str  # of the context, in BBQ
    decisions: list[float] = field(default_factory=list)  # 1: stereotype, 0: not, NaN: invalid

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest that the mean of the decisions can be."""
        known = [each for each in self.decisions if not math.isnan(each)]
        invalid = len(self.decisions) - len(known)
        return sum(known) / len(self.decisions), (sum(known) + invalid) / len(self.decisions)


def decided(log: Log, term: str | None = None, metric: str | None = None) -> dict[str, Decided]:
    """Return the decisions by item, whose key is a digest of its content.

    Args:
        log: The log.
        term: The field of the items with their terms, or `item`; None for what the items are known
            to have.
        metric: The metric that is the decision, or `1-` and one whose higher values are better;
            None for whether the chosen answer is the stereotype.
    """
    items: dict[str, Decided] = {}
    for answer in log.answers:
        place = f"{log.path}, {answer.id}"
        if log.harness == "CSV":
            term, metric = COLUMNS[1:]
        decision = _by_metric(log, answer, metric, place) if metric else _by_choice(answer)
        if decision is None:
            continue
        key = _digest(answer.content)
        labels = {"item": answer.id, "term": _term(answer.item, term, key, place)}
        if domain := _domain(answer.item):
            labels["domain"] = domain
        condition = answer.item["context_condition"] if "answer_info" in answer.item else ""
        known = items.setdefault(key, Decided(labels, set(), condition))
        known.prompts.add(_digest(answer.prompt))
        known.decisions.append(decision)
    if not log.answers:
        raise UserError(f"{log.path}: there are no decisions in it")
    if not items:
        metrics = ", ".join(log.answers[0].metrics) or "none"
        raise UserError(
            f"{log.path}: its items do not say which answer is the stereotype: name one of the "
            f"metrics with --measure NAME, or 1-NAME if higher is better (metrics: {metrics})"
        )
    return items


def _by_choice(answer: Answer) -> float | None:
    """Return the decision by the roles of the choices; None if these are not known."""
    roles = roles_of(answer.item, answer.choices)
    if not roles:
        return None
    if not answer.scores:
        known = answer.chosen is not None and not answer.invalid
        return DECISIONS[roles[answer.chosen]] if known else math.nan
    # In BBQ one may answer that it is unknown; an unrelated sentence says nothing about bias.
    which = [i for i, role in enumerate(roles) if role != OTHER or "answer_info" in answer.item]
    best = max(answer.scores[i] for i in which)
    tied = [DECISIONS[roles[i]] for i in which if answer.scores[i] == best]
    return sum(tied) / len(tied) if tied else math.nan


def _by_metric(log: Log, answer: Answer, metric: str, place: str) -> float:
    """Return a metric as a decision."""
    turned, name = metric.startswith("1-"), metric.removeprefix("1-")
    if answer.invalid:
        return math.nan
    if name not in answer.metrics:
        known = ", ".join(answer.metrics) or "none"
        raise UserError(f"{place}: no metric {name} from 0 to 1 (metrics: {known})")
    if log.higher_is_better.get(name) is (not turned):
        way = f"{'lower' if turned else 'higher'} is better: write {'1-' * (not turned)}{name}"
        raise UserError(f"{log.path}: metric {name}: {way}")
    return 1 - answer.metrics[name] if turned else answer.metrics[name]


def _term(item: Mapping, term: str | None, key: str, place: str) -> str:
    """Return the term of an item."""
    if term == "item" or (term is None and "sent_more" in item and "term" not in item):
        return key  # the pairs of CrowS-Pairs have no terms
    if term is None and "question_index" in item:
        return f"{item.get('category', '')} {item['question_index']}".strip()
    names = [term] if term else [name for name in TERMS if name in item]
    value = item.get(names[0]) if names else None
    if value in (None, ""):
        fields = ", ".join(item) or "none"
        hint = "no term: name its field with --targets, or --targets item"
        what = f"no field {term}" if term else hint
        raise UserError(f"{place}: {what} (fields: {fields})")
    return str(value)


def _domain(item: Mapping) -> str:
    """Return the domain of an item, in BBQ with the condition of its context; "" if it has none."""
    named = [str(item[name]) for name in DOMAINS if item.get(name)][:1]
    return ", ".join([*named, *([item["context_condition"]] if "answer_info" in item else [])])


def _digest(content: object) -> str:
    """Return a digest of an item's content, without the numbers that it has in a data set."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = {name: value for name, value in content.items() if name not in IDS}
    text = json.dumps(content, sort_keys=True, default=str)  # of ASCII alone
    return hashlib.sha256(text.encode()).hexdigest()


def check_alike(first: Log, second: Log, items: Sequence[Mapping[str, Decided]]) -> None:
    """Raise UserError if two logs are not of the same question to two models."""
    both = f"{first.path} and {second.path}"
    if first.harness != second.harness:
        raise UserError(
            f"{both}: are logs of {first.harness} and {second.harness}: use one harness"
        )
    for name, value in first.same.items():
        other = second.same.get(name)
        if value is not None and other is not None and value != other:
            values = f"{_short(value)} and {_short(other)}"
            raise UserError(f"{both}: they differ in {name} ({values}): run both alike")
    common = [key for key in items[0] if key in items[1]]
    if not common:
        raise UserError(f"{both}: they have no item in common")
    for key in common:
        one, other = (side[key].labels for side in items)
        for name in (one.keys() & other.keys()) - {"item"}:
            if one[name] != other[name]:
                raise UserError(
                    f"{second.path}: item {one['item']} has another {name} than in {first.path}"
                )
    differ = [key for key in common if items[0][key].prompts != items[1][key].prompts]
    if differ:
        what = "the prompts differ (examples, chat template, system prompt or order of choices)"
        where = f"{len(differ):,} items, such as {items[0][differ[0]].labels['item']}"
        raise UserError(f"{both}: {what} in {where}: run both alike")


def _short(value: object) -> str:
    return printable(str(value), 40)


def names_of(logs: Sequence[Log]) -> list[str]:
    """Return names of the two sides: of the models, or else of the files or their folders."""
    names = [shown(str(log.facts.get("model") or "")) for log in logs]
    if not all(names) or names[0] == names[1]:
        names = [shown(log.path.name) for log in logs]
    if names[0] == names[1]:
        names = [shown(Path(*log.path.absolute().parts[-2:])) for log in logs]
    return names


def described(
    logs: Sequence[Log],
    items: Sequence[Mapping[str, Decided]],
    names: Sequence[str],
    metric: str | None,
) -> tuple[dict[str, str], list[str]]:
    """Return how decisions were made, and notes on what two logs do not have in common."""
    how = "the choice that the answer names"
    if logs[0].harness == "CSV":
        how = "the decisions of the file"
    elif metric:
        how = f"the metric {metric}"
    elif logs[0].answers[0].scores:
        how = "the choice with the higher log-probability (a tie is 0.5), as the harness has it"
    invalid, alone, unknown, bbq = [], [], [], []
    for log, name, side, other in zip(logs, names, items, items[::-1], strict=True):
        answers = [each for item in side.values() for each in item.decisions]
        if wrong := sum(map(math.isnan, answers)):
            invalid.append(f"{wrong:,} of {len(answers):,} ({name})")
        if more := len(side.keys() - other.keys()):
            alone.append(f"{more:,} ({name})")
        if left_out := len({_digest(answer.content) for answer in log.answers}) - len(side):
            unknown.append(f"{left_out:,} ({name})")
        of_bbq = [(item.condition, each) for item in side.values() for each in item.decisions]
        if not metric and of_bbq[0][0]:
            scores = [f"{key} {each:.3f}" for key, each in bbq_scores(of_bbq).items()]
            bbq.append(f"{', '.join(scores)} ({name})")
    titles = {
        "invalid answers or refusals": invalid,
        "items in one log alone": alone,
        "left out, since the item does not say which answer is the stereotype": unknown,
        "BBQ's scores": bbq,
    }
    notes = [f"{title}: {'; '.join(texts)}" for title, texts in titles.items() if texts]
    for key in sorted(logs[0].facts.keys() | logs[1].facts.keys()):
        first, second = (log.facts.get(key) for log in logs)
        if first != second and key != "model":
            notes.append(f"{key}: {_short(first)} in {names[0]}, {_short(second)} in {names[1]}")
    return {"scoring": f"{logs[0].harness}: {how}"}, notes
