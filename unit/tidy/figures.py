"""Compares figures in the documents with their sources: constants of the program, and measurements in bench/README.md."""
import re

import rooms

API = "app/report_api/api_limits.h"
# Source, a pattern whose groups are figures, and the sentences that have them: document and text, where {0} is the first group.
FIGURES = (
    (API, r"kReads\{\s*\.per_second = (\d+), \.burst = (\d+),[^}]*\};\n"
          r"[^;]*kQuestions\{\s*\.per_second = (\d+), \.burst = (\d+), \.active = (\d+), \.active_in_all = (\d+)\};"
          r"[^;]*?kQuestionsOfNamespace\{[^}]*\.of_one = (\d+),", (
              ("docs/operations.md", "{0} reads and {2} what-ifs a second of a user, {4} what-ifs in progress of a user, {6} of a namespace, "
                                     "{5} in all"),
              ("docs/http-api.md", "{0} reads and {2} what-ifs a second, with bursts of {1} and {3}, and have {4} what-ifs in progress; "
                                   "a namespace may have {6}, and all users together {5}."),
              ("docs/limits.md", "over HTTPS {5} in all, {4} of a user, {6} of a namespace"),
              ("docs/security.md", "{5} in all; {4} of a user, {6} of a namespace | 429 with Retry-After"))),
    (API, r"kBodiesOfUser\{\.in_all = (\d+), \.of_one = (\d+), \.reserve = (\d+)\};\n"
          r"inline constexpr Shares::Bounds kBodiesOfNamespace\{[^}]*\.of_one = (\d+),", (
              ("docs/http-api.md", "Bodies that are still being received have a separate bound: {1} of a user and {3} of a namespace."),
              ("docs/security.md", "{0} in all and {2} for those without one; {1} of a user, {3} of a namespace, "))),
    (API, r"kWaitsOfUser\{\.in_all = (\d+), \.of_one = (\d+), \.reserve = (\d+)\};\n"
          r"inline constexpr Shares::Bounds kWaitsOfPeer\{[^}]*\.of_one = (\d+),[^;]*;\n.*kLongestWait\{(\d+)\}", (
              ("docs/security.md", "{0}, and {2} for those without one; {1} of a user, {3} of a peer; {4} s each"),)),
    ("server/https_server.h", r"connections = (\d+);", (
        ("docs/operations.md", "connections of the HTTPS port | {0}, "), ("docs/security.md", "| connections | peer | {0}; "))),
    ("server/review.h", r"kReviewShares\{\.in_all = (\d+), \.of_one = (\d+), \.reserve = (\d+)\}", (
        ("docs/security.md", "reviews by the API server | peer | {0}, and {2} for those without one; {1} of one"),)),
    ("explain/question/question_limits.h", r"kMostReplicas = (\d+)'(\d+);", (
        ("docs/operations.md", "replicas of a what-if | {0},{1} |"),)),
    # The last row of podium in the table next to kube-scheduler has the memory of 16,000 pods.
    ("bench/README.md", r"required affinity \| kube-scheduler .*\n.*podium \| [^|]*\| [^|]*\| [^|]*\| [^|]*\| (\d+) ", (
        ("docs/operations.md", "With 16,000 pods on 5,000 nodes podium took {0} MiB at its peak"),
        ("bench/README.md", "and {0} with 16,000"))),
)


def words(text):
    return " ".join(text.split())


def findings():
    for source, pattern, sentences in FIGURES:
        match = re.search(pattern, (rooms.ROOT / source).read_text())
        if not match:
            yield f"{source}: unit/tidy/figures.py does not find its figures: {pattern}"
            continue
        for document, sentence in sentences:
            expected = sentence.format(*match.groups())
            if words(expected) not in words((rooms.ROOT / document).read_text()):
                yield f"{document}: does not say what {source} says: {expected}"
