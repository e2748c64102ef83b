"""The rules of baccarat as pure functions and data, with the clauses they come from.

Responsible for: cards, hands, the third-card table, one coup, the burn, the cut card, the outcome,
the catalogue of clauses and the profiles.
Not responsible for: what happens at a table (procedure), devices, files and time.
Source: README in this folder.
"""
