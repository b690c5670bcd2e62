"""A WordNet of a few words, written as WN-LMF and installed where only the test sees it."""

from __future__ import annotations

from pathlib import Path

# Synset -> its members and the synset above it.
SYNSETS = {
    "dog": (("dog", "hound"), "canine"),
    "canine": (("canine",), "animal"),
    "animal": (("animal", "living thing"), None),
    "cat": (("cat",), "animal"),
}

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">
<LexicalResource>
<Lexicon id="tiny" label="Tiny" language="en" email="none@example.org" license="MIT" version="1">
"""


def install_wordnet(folder: Path) -> str:
    """Install the lexicon in the data folder `folder`; returns its name."""
    import wn

    entries, synsets = "", ""
    for synset, (members, above) in SYNSETS.items():
        for member in members:
            key = member.replace(" ", "-")
            entries += (
                f'<LexicalEntry id="tiny-{key}-n"><Lemma writtenForm="{member}" partOfSpeech="n"/>'
                f'<Sense id="tiny-{key}-1" synset="tiny-{synset}-n"/></LexicalEntry>\n'
            )
        relation = above and f'<SynsetRelation relType="hypernym" target="tiny-{above}-n"/>'
        synsets += (
            f'<Synset id="tiny-{synset}-n" ili="" partOfSpeech="n">{relation or ""}</Synset>\n'
        )
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "tiny.xml"
    file.write_text(f"{_HEAD}{entries}{synsets}</Lexicon>\n</LexicalResource>\n")
    wn.config.data_directory = folder
    wn.add(file, progress_handler=None)
    return "tiny:1"
