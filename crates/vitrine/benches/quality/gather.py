"""Makes collections for the quality benchmark from labelled data that stands in published packages.

    npm pack cwe-sdk@1.1.19
    pip download --no-deps --no-binary :all: graphiti-core==0.31.2 agentic-graph-mem==1.9.4 cherche==2.2.1
    python3 gather.py DIRECTORY PACKAGE...
    cargo bench --bench quality -- DIRECTORY

Each becomes a folder of DIRECTORY as the BEIR benchmark keeps them. Their data is not part of this project:
CWE (MITRE, free to use with attribution), LongMemEval (MIT), MultiHop-RAG (ODC-BY), Semanlink (MIT).
"""

import json
import re
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def weaknesses(read):
    """Kinds of weaknesses in software; what was observed in a product leads to the kinds it is an example of."""
    space = "{http://cwe.mitre.org/cwe-7}"
    parts = ["Description", "Extended_Description", ".//Background_Detail", ".//Alternate_Term"]
    parts += [".//Consequence/Note", ".//Mitigation/Description"]
    documents, queries = {}, {}
    for weakness in ElementTree.fromstring(read("raw/cwe-archive.xml")).iter(space + "Weakness"):
        if weakness.get("Status") == "Deprecated":
            continue
        name = "CWE-" + weakness.get("ID")
        paths = (re.sub(r"(\w+)(?=/|$)", space + r"\1", part) for part in parts)
        found = (text_of(element) for path in paths for element in weakness.findall(path))
        documents[name] = (weakness.get("Name"), "\n\n".join(filter(None, found)))
        for example in weakness.iter(space + "Observed_Example"):
            seen = re.sub(r"\s*\(?\bCWE-\d+\b[^)]*\)?", "", text_of(example.find(space + "Description"))).strip()
            if len(seen.split()) >= 4:
                queries.setdefault(seen, set()).add(name)
    return documents, queries


def text_of(element):
    return re.sub(r"\s+", " ", " ".join(element.itertext())).strip()


def chats(read):
    """Long chats with an assistant; questions about them lead to the chats that hold the answer."""
    documents, queries = {}, {}
    for entry in json.loads(read("tests/evals/data/longmemeval_data/longmemeval_oracle.json")):
        for name, turns in zip(entry["haystack_session_ids"], entry["haystack_sessions"]):
            documents[name] = ("", "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns))
        if not entry["question_id"].endswith("_abs"):
            queries.setdefault(entry["question"], set()).update(entry["answer_session_ids"])
    return documents, queries


def news(read):
    """News; questions that need several articles lead to each of them."""
    documents, queries = {}, {}
    for article in json.loads(read("evaluation/data/multihoprag_corpus.json")):
        documents[article["url"]] = (article["title"], article["body"])
    for entry in json.loads(read("evaluation/data/multihoprag_qa.json")):
        queries.setdefault(entry["query"].strip(), set()).update(fact["url"] for fact in entry["evidence_list"])
    return documents, queries


def bookmarks(read):
    """What one person kept of the web over years; a tag of theirs leads to what they gave it to."""
    documents, queries = {}, {}
    tags = json.loads(read("cherche/data/semanlink/tags.json"))
    for entry in json.loads(read("cherche/data/semanlink/docs.json")):
        text = plain("\n\n".join(filter(None, [joined(entry["arxiv_summary"]), joined(entry["comment"])])))
        if len(text.split()) < 15:
            continue
        documents[entry["document"]] = (plain(joined(entry["arxiv_title"]) or joined(entry["title"])), text)
        for tag in filter(tags.get, entry["tag"]):
            queries.setdefault(first(tags[tag]["prefLabel"]), set()).add(entry["document"])
    fits = lambda label, kept: len(label.split()) >= 2 and 2 <= len(kept) <= 40
    return documents, {label: kept for label, kept in queries.items() if fits(label, kept)}


def joined(value):
    return " ".join(value) if isinstance(value, list) else value or ""


def first(value):
    return value[0] if isinstance(value, list) and value else value or ""


def plain(text):
    return re.sub(r"https?://\S+", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)).strip()


KINDS = {
    "cwe": ("CWE", weaknesses),
    "graphiti": ("LongMemEval", chats),
    "agentic": ("MultiHop-RAG", news),
    "cherche": ("Semanlink", bookmarks),
}


def write(folder, documents, queries):
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    with open(folder / "corpus.jsonl", "w") as file:
        for name, (title, text) in documents.items():
            print(json.dumps({"_id": name, "title": title, "text": text}), file=file)
    judged = [(text, sorted(names & documents.keys())) for text, names in queries.items()]
    judged = [(f"q{number}", text, names) for number, (text, names) in enumerate(judged) if names]
    with open(folder / "queries.jsonl", "w") as file:
        for query, text, _ in judged:
            print(json.dumps({"_id": query, "text": text}), file=file)
    with open(folder / "qrels" / "test.tsv", "w") as file:
        print("query-id", "corpus-id", "score", sep="\t", file=file)
        for query, _, names in judged:
            for name in names:
                print(query, name, 1, sep="\t", file=file)
    print(f"{folder}: {len(documents)} documents, {len(judged)} queries")


def main(directory, *packages):
    for package in map(Path, packages):
        name, make = next(kind for start, kind in KINDS.items() if package.name.startswith(start))
        with tarfile.open(package) as archive:
            # Every path starts with a folder of the package's own name.
            members = {member.name.partition("/")[2]: member for member in archive}
            write(Path(directory) / name, *make(lambda path: archive.extractfile(members[path]).read()))


main(*sys.argv[1:])
