"""Files of decisions: logs of lm-evaluation-harness, Inspect and HELM, and CSV."""

from __future__ import annotations

import hashlib
import json
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    metrics: Mapping[str, object] = field(default_factory=dict)
    invalid: bool = False  # whether the harness found no answer, or the model refused


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
    if path.suffix not in (".jsonl", ".eval", ".json") or not path.is_file():
        return False
    if path.suffix == ".eval" or path.name in HELM_FILES or "samples_" in path.name:
        return True
    with path.open("rb") as file:
        head = file.read(4096)
    return b'"doc_id"' in head or (b'"eval"' in head and b'"version"' in head)


def read_log(path: Path) -> Log:
    """Read samples of lm-evaluation-harness, a log of Inspect, a run of HELM, or a CSV file."""
    if not is_log(path):
        return _csv(path)
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
            decision = read_number(share, place) / (100 if share != text else 1)
        if decision < 0 or decision > 1:
            raise UserError(f"{place}: the decision {text!r} is not a number from 0 to 1")
        answers[item] = Answer(item, row, item, None, metrics={"decision": decision})
    return Log(path, "CSV", [*answers.values()], {}, {})


def _lm_eval(path: Path) -> Log:
    rows = read_json_lines(path)
    if not rows:
        raise UserError(f"{path}: it has no samples")
    filters = [*dict.fromkeys(row.get("filter", "none") for row in rows)]
    answers = []
    for row in rows:
        if row.get("filter", "none") != filters[0]:
            continue  # the same answer again, by another filter
        asked = row["arguments"]
        asked = [[*part.values()] for part in asked.values()] if isinstance(asked, dict) else asked
        found, choices, scores = row["filtered_resps"], (), ()
        if isinstance(found[0], list) and len(found) == len(asked) > 1:
            choices = [str(part[1]).strip() for part in asked]
            scores = [float(each[0]) for each in found]
        text = found[0] if isinstance(found[0], str) else ""
        if "answer_info" in row["doc"] and not scores:
            choices = [str(row["doc"][name]).strip() for name in ("ans0", "ans1", "ans2")]
        metrics = {
            name: row[name] for name in row.get("metrics", row.keys() - {"doc"}) if name in row
        }
        if text == INVALID:
            metrics = dict.fromkeys(metrics, math.nan)
        answers.append(
            Answer(
                f"doc_id {row['doc_id']}",
                row["doc"],
                row["doc"],
                [part[0] for part in asked],
                choices,
                scores,
                _chosen(text, choices),
                metrics,
                text == INVALID,
            )
        )
    named = re.fullmatch(r"samples_(.+)_([^_]+)", path.stem)
    task, date = named.groups() if named else (None, "")
    results, facts, better = path.with_name(f"results_{date}.json"), {}, {}
    same = {"task": task, "filter": filters[0]}
    if results.is_file():
        run = read_json(results)
        for key, of in {"number of shots": "n-shot", "task version": "versions"}.items():
            same[key] = run.get(of, {}).get(task)
        same |= {"chat template": run.get("chat_template_sha")}
        same |= {"system prompt": run.get("system_instruction_sha")}
        seeds = {key: value for key, value in run.get("config", {}).items() if "seed" in key}
        facts = {"model": run.get("model_name"), "version": run.get("lm_eval_version"), **seeds}
        better = run.get("higher_is_better", {}).get(task, {})
    if len(filters) > 1:
        facts["filter"] = f"{filters[0]} of {', '.join(filters)}"
    return Log(path, "lm-evaluation-harness", answers, same, facts, better)


def _chosen(text: str, choices: Sequence[str]) -> int | None:
    """Return the place of the choice that a text names by its letter or words, if it is one."""
    plain = text.strip().strip("\"'").casefold()
    if (letter := LETTER.fullmatch(plain)) and (place := ord(letter[1]) - ord("a")) < len(choices):
        return place
    named = [i for i, choice in enumerate(choices) if choice.casefold().strip(".") in plain]
    return named[0] if len(named) == 1 else None


def _inspect(path: Path) -> Log:
    log = read_json(path) if path.suffix == ".json" else _inspect_archive(path)
    run = log["eval"]
    if log.get("status") != "success":
        raise UserError(
            f"{path}: its status is {log.get('status')!r}: finish it (inspect eval-retry)"
        )
    if not log.get("samples"):
        raise UserError(f"{path}: it has no samples: run it without --no-log-samples")
    answers = []
    for sample in log["samples"]:
        choices = [choice.strip() for choice in sample.get("choices") or ()]
        grades = sample.get("scores") or {}
        letters = [str(grade.get("answer") or "") for grade in grades.values()]
        asked = []
        for message in sample["messages"]:
            if message["role"] == "assistant" and message.get("source") == "generate":
                break
            asked.append([message["role"], _text_of(message["content"])])
        chosen = _chosen(letters[0], choices) if letters else None
        ends = [each.get("stop_reason") for each in sample["output"].get("choices", [])]
        refused = "content_filter" in ends or bool(sample.get("error"))
        metrics: dict[str, object] = {}
        for name, grade in grades.items():
            many = isinstance(grade["value"], dict)
            metrics |= grade["value"] if many else {name: grade["value"]}
        answers.append(
            Answer(
                f"sample {sample['id']}, epoch {sample['epoch']}",
                {**(sample.get("metadata") or {}), **_answers_of(choices)},
                [_text_of(sample["input"]), choices, sample["target"]],
                asked,
                choices,
                (),
                chosen,
                metrics,
                refused or (bool(choices) and chosen is None),
            )
        )
    config = run.get("config", {})
    same = {"task": run["task"], "task version": run.get("task_version")}
    facts = {"model": run["model"], "version": run.get("packages", {}).get("inspect_ai")}
    facts |= {"epochs": config.get("epochs"), "seed": run["model_generate_config"].get("seed")}
    return Log(path, "Inspect", answers, same, facts)


def _answers_of(choices: Sequence[str]) -> dict[str, str]:
    return {f"ans{i}": choice for i, choice in enumerate(choices)}  # as BBQ names them


def _text_of(content: object) -> object:
    """Return the text of a message, or of a list of messages or parts."""
    if isinstance(content, list):
        return [_text_of(part) for part in content]
    if isinstance(content, dict):
        return content.get("text", _text_of(content.get("content", "")))
    return content


def _inspect_archive(path: Path) -> dict:
    """Return the content of an `.eval` file."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        pass
    else:
        return read_eval_log(str(path)).model_dump(mode="json")
    try:
        with zipfile.ZipFile(path) as archive:
            log = parse_json(archive.read("header.json"))
            names = [name for name in archive.namelist() if name.startswith("samples/")]
            return log | {"samples": [parse_json(archive.read(name)) for name in names]}
    except NotImplementedError:
        hint = "install inspect_ai, or convert it with `inspect log convert --to json`"
        raise UserError(f"{path}: is compressed with zstd: {hint}") from None
    except zipfile.BadZipFile:
        raise UserError(f"{path}: not a log of Inspect") from None


def _helm(folder: Path) -> Log:
    spec, state = (read_json(folder / name) for name in HELM_FILES[:2])
    stats: dict[tuple, dict] = {}
    if (folder / HELM_FILES[2]).is_file():
        for each in read_json(folder / HELM_FILES[2]):
            means = {s["name"]["name"]: s["sum"] / s["count"] for s in each["stats"] if s["count"]}
            stats.setdefault(_trial(each, each["instance_id"]), {}).update(means)
    by_instance: dict[tuple, list[dict]] = {}
    for request in state["request_states"]:
        if request.get("request_mode") != "calibration":
            instance = request["instance"]
            key = _trial(request | {"perturbation": instance.get("perturbation")}, instance["id"])
            by_instance.setdefault(key, []).append(request)
    answers = []
    for key, requests in by_instance.items():
        instance = requests[0]["instance"]
        choices = [each["output"]["text"].strip() for each in instance["references"]]
        separate = [request for request in requests if request.get("reference_index") is not None]
        text, scores, chosen = _completion(requests[0]).get("text", ""), [], None
        mapping = requests[0].get("output_mapping") or {}
        if separate:
            scores = [_completion(request).get("logprob", math.nan) for request in separate]
        else:
            named = [each.strip() for each in mapping.values()] or choices
            place = _chosen(text, named)
            chosen = choices.index(named[place]) if place is not None else None
        item = {**(instance.get("extra_data") or {}), **instance["input"], **_answers_of(choices)}
        answers.append(
            Answer(
                f"instance {key[0]}",
                item,
                [instance["input"], choices, key[2]],
                [request["request"]["prompt"] for request in requests],
                choices,
                scores,
                chosen,
                stats.get(key, {}),
                not separate and (not text.strip() or (bool(mapping) and chosen is None)),
            )
        )
    adapter = spec["adapter_spec"]
    names = ("method", "max_train_instances", "instructions")
    same = {"scenario": spec["scenario_spec"], **{name: adapter.get(name) for name in names}}
    return Log(folder, "HELM", answers, same, {"model": adapter.get("model")})


def _trial(entry: Mapping, instance: str) -> tuple:
    """Return what an entry of a run of HELM is about."""
    return instance, entry["train_trial_index"], _json_text(entry.get("perturbation"))


def _completion(request: Mapping) -> dict:
    completions = (request.get("result") or {}).get("completions") or [{}]
    return completions[0]


def _json_text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


@dataclass
class Decided:
    """What a model decided of an item, in one or several answers."""

    labels: dict[str, str]
    prompts: set[str]
    decisions: list[float]  # 1 for the stereotype, 0 for the other; NaN for an invalid answer

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
        known = items.setdefault(key, Decided(labels, set(), []))
        known.prompts.add(_digest(answer.prompt))
        known.decisions.append(decision)
    if not items:
        shares = [name for name, each in log.answers[0].metrics.items() if _is_share(each)]
        metrics = ", ".join(shares) or "none"
        raise UserError(
            f"{log.path}: its items do not say which answer is the stereotype: name one of the "
            f"metrics with --metric NAME, or 1-NAME if higher is better (metrics: {metrics})"
        )
    return items


def _by_choice(answer: Answer) -> float | None:
    """Return the decision by the roles of the choices; None if these are not known."""
    roles = roles_of(answer.item, answer.choices)
    if not roles:
        return None
    if not answer.scores:
        return math.nan if answer.chosen is None else DECISIONS[roles[answer.chosen]]
    # In BBQ one may answer that it is unknown; an unrelated sentence says nothing about bias.
    which = [i for i, role in enumerate(roles) if role != OTHER or "answer_info" in answer.item]
    best = max(answer.scores[i] for i in which)
    tied = [DECISIONS[roles[i]] for i in which if answer.scores[i] == best]
    return sum(tied) / len(tied) if tied else math.nan


def _by_metric(log: Log, answer: Answer, metric: str, place: str) -> float:
    """Return a metric as a decision."""
    turned, name = metric.startswith("1-"), metric.removeprefix("1-")
    if answer.metrics and name not in answer.metrics:
        raise UserError(f"{place}: no metric {name}; there are {', '.join(answer.metrics)}")
    if log.higher_is_better.get(name) is (not turned):
        way = f"higher is better: write --metric 1-{name}" if not turned else "lower is better"
        raise UserError(f"{log.path}: metric {name}: {way}")
    value = answer.metrics.get(name, math.nan)
    if answer.invalid:
        return math.nan
    value = GRADES.get(value, value) if isinstance(value, str) else value
    if not isinstance(value, int | float) or value < 0 or value > 1:
        raise UserError(
            f"{place}: the metric {name} is {str(value)[:40]!r}, not a number from 0 to 1"
        )
    return 1 - value if turned else float(value)


def _is_share(value: object) -> bool:
    """Return whether a metric is a number from 0 to 1, or missing."""
    value = GRADES.get(value, value) if isinstance(value, str) else value
    return isinstance(value, int | float) and not (value < 0 or value > 1)


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
        what = f"no field {term}" if term else "no term: name a field with --term, or --term item"
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
    return hashlib.sha256(_json_text(content).encode("utf-8", "replace")).hexdigest()


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
        where = f"{items[0][differ[0]].labels['item']} and {len(differ) - 1:,} more"
        raise UserError(f"{both}: {what}, in {where}: run both alike")


def _short(value: object) -> str:
    return printable(str(value), 40)


def _bbq_scores(log: Log) -> str:
    """Return BBQ's two scores; "" for other items."""
    answers = [
        (answer.item["context_condition"], decision)
        for answer in log.answers
        if "answer_info" in answer.item and (decision := _by_choice(answer)) is not None
    ]
    known = [(condition, each) for condition, each in answers if not math.isnan(each)]
    return ", ".join(f"{name} {each:.3f}" for name, each in bbq_scores(known).items() if known)


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
        if not metric and (scores := _bbq_scores(log)):
            bbq.append(f"{scores} ({name})")
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
