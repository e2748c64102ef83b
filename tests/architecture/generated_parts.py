"""Puts generated parts into a page, between marks that name them."""


def with_parts(text: str, parts: dict[str, str]) -> str:
    """The page with these parts between their marks."""
    for name, drawn in parts.items():
        before, rest = text.split(f"<!-- {name} -->\n")
        _, after = rest.split(f"<!-- end of {name} -->\n")
        text = f"{before}<!-- {name} -->\n{drawn}<!-- end of {name} -->\n{after}"
    return text
