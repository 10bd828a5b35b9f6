"""Detects text that tells a model how to behave, rather than how to do the work.

A lesson is about tools. A text that plays a role, asks for stories or opinions, or speaks of a
model's rules may have none of the known phrases, but it has many of these words. Each word counts
once, so that a long text scores no higher than a short one of the same kind.
"""

from __future__ import annotations

import re

from hardwon.core.text.quoting_words import ADDRESSING

# Words that lessons hardly ever have.
_STRONG = (
    "above text|act as|acting as|amoral|answer as|answer me|as a language|ask me|asks me|"
    "bomb|break character|breaking character|can not refuse|cannot refuse|cocaine|crimes|"
    "dark humor|debate|developer mode|dialogue between|do anything|erotic|essay|evil|"
    "fetish|first prompt is|first question|first request|from now on|god mode|graphically|"
    "gross|hacker|hidden prompt|i ask|i say|i want you|i was instructed|i'm sorry|"
    "ignore all|immoral|in character|initial instructions|initial prompt|instruction set|"
    "instructions above|jailbreak|jailbroken|legality|maintenance mode|meth|morality|"
    "murder|my prompt|my prompts|my question|my questions|never refuse|no matter how|"
    "no restrictions|no rules|not supposed to tell|nsfw|persona|personify|play the role|"
    "poem|pretend|pretending|previous instructions|profanity|reply as|respond as|roleplay|"
    "roleplaying|sarcasm|secret instructions|sexual|short story|speak as|stay in character|"
    "swear|swearing|system instruction|system override|systemprompt|tell me|text above|"
    "the role of|told me|two entities|uncensored|unethical|unfiltered|user message|villain|"
    "want you to|were told|were you told|when i ask|when i say|wikipedia article|"
    "without restrictions|word for word|write a story|you act|you are a|you are an|"
    "you are going to|you are now|you can do|you have no|you must always|you must never|"
    "you play|you were given|you were told|you will act|you will always|you will be|"
    "you will never|you will not|you're a|you're going to|your answer|your answers|"
    "your character|your creator|your developers|your guidelines|your initial|"
    "your instructions|your limitations|your name is|your personality|your programming|"
    "your prompt|your response|your responses|your restrictions|your rules|your starting|"
    "your system|your training"
)

# Words of which lessons about programs that use a model have one or two.
_MEDIUM = (
    "ai|ai assistant|ai model|an ai|begin your|chatbot|chatgpt|crime|criminal|dan|"
    "debug mode|detailed|disclaimer|disclaimers|drugs|emotions|ethical|ethics|explicit|"
    "fictional|gpt|harmful|human|humans|hypothetical|i cannot|i will|illegal|imagine|"
    "language model|llm|moral|morals|no matter what|offensive|openai|opinions|"
    "regardless of|respond only|rules apply|scenario|simulate|simulating|start your|"
    "system prompt|the conversation|the prompt|this conversation|this prompt|weapon|"
    "weapons|you are the|you do not have|you have been|your"
)

# Words that any text may have.
_WEAK = (
    "act|acts|advice|always|answer|answers|anything|assistant|believe|character|content|"
    "conversation|everything|feel|game|give|guidelines|i|information|instructions|internet|"
    "knowledge|language|me|mode|my|never|normal|opinion|output|personality|player|policies|"
    "prompt|prompts|question|questions|remember|replies|reply|request|requests|respond|"
    "responds|response|responses|restrictions|rules|say|saying|sentence|speak|stay|story|"
    "talk|tell|think|topic|topics|user|warnings|words|world|write|you|yourself"
)

# Requests for what a model was told before.
_TOLD = (
    r"\b(?:system prompt|systemprompt|system message|initial (?:prompt|instructions|configuration)"
    r"|instructions you|you were (?:given|told|started|instructed|asked)|(?:the )?text you"
    r"|your (?:first|initial|starting|original|system|hidden) (?:message|prompts?|instructions?"
    r"|text|rules|configuration|words)|my instructions"
    r"|instructions (?:begin|start|say)|stands above|this (?:entire )?conversation|word for word"
    r"|above text|text above|i was instructed|told before|you not supposed|not supposed to tell"
    r"|initialization string)\b"
)
_TOLD_SIGNS = (  # every match contains one of these; they are faster to search for
    *("prompt", "system", "initial", "instruct", "you", "text", "stands above", "conversation"),
    *("word for word", "told before", "not supposed to"),
)
_ASKING = (
    r"\b(?:repeat|show|output|print|reveal|complete|continue|translate|encode|see|display|tell"
    r"|recite|share|give|what|console|replace|beginning)\b"
)
# Lines of code, and the comments and strings in them that may address a reader.
_CODE_LINE = (
    r"[ \t]*(?:def |class |import |from \w|return\b|if[ (]|for[ (]|while[ (]|elif |else\b"
    r"|try\b|except\b|const |let |var |function |public |private |static |#include|func |fn "
    r"|package |using |print\(|console\.|\w+ ?= ?\S|\w+\(.*\)|@\w|[{}\])];?\s*$).*|.*[;{]\s*$"
)
_COMMENT_OR_STRING = (
    r"#(?!include|!)\s*([^\n]{12,400})|//\s*([^\n]{12,400})|/\*([^*]{12,600})|<!--([^>]{12,600})"
    r"|--\s([^\n]{12,400})|\"([^\"\n]{16,400})\"|'([^'\n]{16,400})'|\"\"\"([^\"]{12,600})"
)
_LINES = 3
_SENTENCE_WORDS = 4  # a shorter comment is no sentence
_ADDRESSING = frozenset(ADDRESSING.split())
_HELD, _LOOSE = 5.0, 7.0  # score to hold a text back: with strong words, and without
_WEIGHTS = tuple(
    (frozenset(words.split("|")), weight)
    for words, weight in ((_STRONG, 2.0), (_MEDIUM, 1.0), (_WEAK, 0.5))
)
_LONGEST = 4  # words of a phrase
_LETTERS = "abcdefghijklmnopqrstuvwxyz'"
_BETWEEN_WORDS = {code: " " for code in range(128) if chr(code) not in _LETTERS}
_FIRST = frozenset(phrase.split()[0] for phrases, _ in _WEIGHTS for phrase in phrases)


def speaks_to_model(text: str) -> bool:
    """Whether the text reads like instructions to a model."""
    words = _words(text.lower())
    phrases = {
        " ".join(words[at : at + size])
        for at, word in enumerate(words)
        if word in _FIRST
        for size in range(1, _LONGEST + 1)
    }
    strong, medium, weak = (len(listed & phrases) * weight for listed, weight in _WEIGHTS)
    total = strong + medium + weak
    if total >= _LOOSE or (total >= _HELD and (strong or medium >= 2)):
        return True
    flat = " ".join(words)
    return (
        any(map(flat.__contains__, _TOLD_SIGNS))
        and bool(re.search(_TOLD, flat))
        and bool(re.search(_ASKING, flat))
    )


def _words(lower: str) -> list[str]:
    if lower.isascii():  # faster, and as most texts are
        return lower.translate(_BETWEEN_WORDS).split()
    return re.findall(rf"[{_LETTERS}]+", lower.replace("’", "'"))


def hides_in_code(text: str) -> bool:
    """Whether comments or strings in code address a reader."""
    if not _has_code(text):
        return False
    sentences = (next(filter(None, groups), "") for groups in re.findall(_COMMENT_OR_STRING, text))
    return any(_addresses(sentence) for sentence in sentences)


def _has_code(text: str) -> bool:
    """Whether at least `_LINES` lines are code."""
    lines = text.split("\n")
    count = 0
    for remaining in range(len(lines), 0, -1):
        if count + remaining < _LINES:
            return False
        count += re.match(_CODE_LINE, lines[-remaining]) is not None
    return count >= _LINES


def _addresses(sentence: str) -> bool:
    words = re.findall(r"(?<![\w.])[a-z']+(?!\w)", sentence.lower())
    return len(words) >= _SENTENCE_WORDS and not _ADDRESSING.isdisjoint(words)
