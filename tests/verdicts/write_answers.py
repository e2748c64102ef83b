"""Writes the answers of now to every script of the net: python tests/verdicts/write_answers.py.

For changes of the law alone: the commit says which. A change of structure leaves them as they are.
"""

import scripts_file
from verdict_answers import answers_to


def main() -> None:
    scripts = scripts_file.read()
    scripts_file.write_answers(
        answers_to(one.profile, one.decks, one.observed, "\n".join(one.statements))
        for one in scripts
    )


if __name__ == "__main__":
    main()
