"""Small logs as harnesses write them, of made-up items."""

import json
import zipfile
from pathlib import Path

PEOPLE = ("baker", "clerk", "farmer", "guard", "miner", "nurse", "pilot", "tailor")


MANNERS = (("calm", "loud"), ("kind", "rude"), ("brave", "shy"), ("quick", "slow"))
MANNERS += (("neat", "messy"), ("frank", "sly"), ("wise", "silly"), ("strong", "weak"))


def crows_pairs(n: int = 16) -> list[dict]:
    """Up to 64 pairs as CrowS-Pairs has them, of each person in turn."""
    return [
        {
            "id": i,
            "sent_more": f"The {PEOPLE[i % 8]} was {MANNERS[i // 8][0]}.",
            "sent_less": f"The {PEOPLE[i % 8]} was {MANNERS[i // 8][1]}.",
            "stereo_antistereo": "stereo",
            "bias_type": "age" if i % 2 else "gender",
        }
        for i in range(n)
    ]


def bbq() -> list[dict]:
    """Items of BBQ, two questions of two contexts for each pair; the unknown answer moves."""
    items = []
    for i in range(32):
        old, young = f"The {PEOPLE[i // 4]}", f"The {PEOPLE[i // 4]}'s apprentice"
        answers = [(old, "old"), (young, "nonOld"), ("Not known", "unknown")]
        answers = answers[i % 3 :] + answers[: i % 3]
        item = {f"ans{k}": text for k, (text, _) in enumerate(answers)}
        item["answer_info"] = {f"ans{k}": [*each] for k, each in enumerate(answers)}
        item["question_polarity"] = "neg" if i % 2 else "nonneg"
        item["context_condition"] = "disambig" if i // 2 % 2 else "ambig"
        item |= {"category": "Age", "question_index": str(i // 4), "example_id": i}
        item |= {"additional_metadata": {"stereotyped_groups": ["old"]}}
        items.append(item | {"context": f"Two people came, {i}.", "question": "Who was slow?"})
    return items


def lm_eval(
    path: Path, docs: list[dict], chosen: list[int], texts, prompt: str = "", **more
) -> Path:
    """Write `samples_*.jsonl`, in which a place of `texts(doc)` is the likeliest."""
    rows = []
    for i, (doc, best) in enumerate(zip(docs, chosen, strict=True)):
        each = texts(doc)
        found = [[str(-1.0 - (k != best)), "False"] for k in range(len(each))]
        asked = {f"gen_args_{k}": {"arg_0": prompt, "arg_1": text} for k, text in enumerate(each)}
        row = {"doc_id": i, "doc": doc, "target": "0", "arguments": asked, "filter": "none"}
        row |= {"resps": [[each] for each in found], "filtered_resps": found}
        rows.append(row | {"metrics": ["acc"], "acc": float(best == 0)})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def sentences(doc: dict) -> list[str]:
    return [doc["sent_more"], doc["sent_less"]]


def answers(doc: dict) -> list[str]:
    """The answers of an item of BBQ, with another word for the unknown one, as the harness has."""
    known = [doc[f"ans{k}"] for k in range(3) if doc["answer_info"][f"ans{k}"][1] != "unknown"]
    return [f" {text}" for text in (*known, "Unknown", "Undetermined")]


def inspect(path: Path, replies: list[str], epochs: int = 1, **more) -> Path:
    """Write a log of Inspect, as JSON or as an archive, with a reply to each pair and epoch."""
    samples, pairs = [], crows_pairs(len(replies) // epochs)
    replies = iter(replies)
    for pair in pairs:
        for epoch in range(1, epochs + 1):
            letter = next(replies)
            score = {"value": "C" if letter == "A" else "I", "answer": letter, "explanation": ""}
            asked = {"role": "user", "content": f"Which? A) {pair['sent_more']}", "source": "input"}
            reply = {"role": "assistant", "content": f"ANSWER: {letter}", "source": "generate"}
            sample = {"id": pair["id"], "epoch": epoch, "input": "Which?", "target": "A"}
            sample |= {"choices": sentences(pair), "messages": [asked, reply]}
            sample |= {"output": {"choices": [{"stop_reason": "stop"}]}, "metadata": pair}
            samples.append(sample | {"scores": {"choice": score}})
    run = {"task": "pairs", "task_version": 0, "model": f"mock/{path.stem}", "config": {}}
    run |= {"packages": {"inspect_ai": "0.3.285"}, "model_generate_config": {}} | more
    log = {"version": 2, "status": more.get("status", "success"), "eval": run}
    if path.suffix == ".json":
        path.write_text(json.dumps(log | {"samples": samples}))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(log))
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample))
    return path


def helm(folder: Path, replies: list[str], shots: int = 5) -> Path:
    """Write the folder of a run of HELM, with a reply to each pair."""
    folder.mkdir()
    states, stats = [], []
    for pair, reply in zip(crows_pairs(), replies, strict=True):
        more, less = sentences(pair)
        instance = {"input": {"text": "Which?"}, "id": f"id{pair['id']}", "extra_data": pair}
        instance["references"] = [{"output": {"text": text}, "tags": []} for text in (more, less)]
        state = {"instance": instance, "train_trial_index": 0}
        state |= {"output_mapping": {"A": more, "B": less}, "request": {"prompt": f"Which? {more}"}}
        states.append(state | {"result": {"completions": [{"text": f" {reply}"}]}})
        share = {"name": {"name": "exact_match"}, "count": 1, "sum": float(reply == "A")}
        stats.append({"instance_id": f"id{pair['id']}", "train_trial_index": 0, "stats": [share]})
    adapter = {"method": "multiple_choice_joint", "max_train_instances": shots}
    adapter |= {"model": f"mock/{folder.name}"}
    spec = {"scenario_spec": {"class_name": "Pairs"}, "adapter_spec": adapter}
    (folder / "run_spec.json").write_text(json.dumps(spec))
    (folder / "scenario_state.json").write_text(json.dumps({"request_states": states}))
    (folder / "per_instance_stats.json").write_text(json.dumps(stats))
    return folder


def example(folder: Path, harness: str) -> None:
    """Write two logs of 64 pairs for a tutorial: eight decisions differ, and one is invalid."""
    for name, changed in (("old", ()), ("new", (3, 4, 7, 12, 21, 22, 30, 60))):
        chosen = [(i // 3 + (i in changed)) % 2 for i in range(64)]
        path = folder / name
        path.mkdir(parents=True)
        if harness == "inspect":
            replies = ["AB"[each] for each in chosen]
            replies[50] = "" if changed else replies[50]
            inspect(path / f"{name}.json", replies)
            continue
        lm_eval(path / "samples_crows_pairs_english_2026.jsonl", crows_pairs(64), chosen, sentences)
        run = {"model_name": f"{name}-model", "lm_eval_version": "0.4.13", "config": {}}
        run |= {"n-shot": {"crows_pairs_english": 0}, "versions": {"crows_pairs_english": 1.0}}
        (path / "results_2026.json").write_text(json.dumps(run))
