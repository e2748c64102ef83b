"""A machine of Debian 12 with a table goes to Debian 13: the packages of 13 replace those of 12.

Run by `python -m hil.gate package` in namespaces of its own, as package_on_debian.py, whose
commands it uses. Usage: package_to_next_debian.py ROOT VERSION-ON-12 VERSION-ON-13
"""

import json
import sys

from package_on_debian import (
    BEFORE,
    BY,
    NOW,
    PACKAGES,
    ROOT,
    TABLE,
    a_table_is_set_up_with_a_person_on_record,
    all_of,
    coups_begun,
    doctor_finds_nothing_that_keeps_it_from_starting,
    done,
    emulated_shoe,
    install,
    installed,
    intact,
    kept,
    problems,
    run,
    run_cases,
    running_table,
    sealed,
    wait_until,
)

NEXT = "deb [trusted=yes] file:/srv/next-debian ./\n"
PYTHON_OF_12 = ROOT / "usr/bin/python3.11"


def names_wanted_files(text: str) -> bool:
    """Whether it names the file of each package for Debian 13."""
    arch = done("dpkg", "--print-architecture").strip()
    return all(f"./{one}_{NOW}_{arch}.deb" in text for one in PACKAGES)


def debian() -> str:
    return (ROOT / "etc/debian_version").read_text().partition(".")[0]


def remarks() -> list[str]:
    """What doctor says of the machine's package, with what to do."""
    found = json.loads(run("smartshoe", "doctor", TABLE, "--json").stdout)["findings"]["machine"]
    return [f"{one['what']}: {one['remedy']}" for one in found if one["area"] == "package"]


def the_packages_are_installed_on_12() -> None:
    done("apt-get", "update")
    done(*install(BEFORE))
    assert installed() == all_of(BEFORE)
    assert debian() == "12"
    assert len(remarks()) == 1
    assert ".deb" not in remarks()[0], remarks()


def a_shoe_is_dealt_and_sealed() -> None:
    with emulated_shoe(seed=7), running_table():
        wait_until("the shoe is sealed", sealed)


def debian_is_exchanged_while_the_packages_are_held() -> None:
    (ROOT / "etc/apt/sources.list").write_text(NEXT)
    before = kept()
    done("apt-mark", "hold", *PACKAGES)
    done("apt-get", "update")
    done("apt-get", "full-upgrade", "--yes")
    assert debian() == "13"
    assert installed() == all_of(BEFORE)
    assert kept() == before


def doctor_names_the_packages_of_13() -> None:
    (said,) = remarks()
    assert "Debian 12" in said, said
    assert names_wanted_files(said), said
    assert not problems(but="package"), problems()


def without_the_python_of_12_the_program_names_them_too() -> None:
    away = PYTHON_OF_12.with_name("python-away")
    PYTHON_OF_12.rename(away)
    try:
        for words in (("smartshoe", "--version"), ("smartshoe", "doctor"), ("smartshoe-hil",)):
            ended = run(*words)
            assert ended.returncode == 4, ended
            assert names_wanted_files(ended.stdout), ended.stdout
            assert "Traceback" not in ended.stdout
    finally:
        away.rename(PYTHON_OF_12)


def an_open_shoe_keeps_the_packages_of_12() -> None:
    with emulated_shoe(seed=8, coups=2), running_table():
        wait_until("two coups", lambda: coups_begun() >= 2)
        done("apt-mark", "unhold", *PACKAGES)
        ended = run(*install(NOW))
        assert ended.returncode != 0, ended.stdout
        assert f"a shoe is open at {TABLE}" in ended.stdout, ended.stdout
        assert installed() == all_of(BEFORE)
        close = ("smartshoe", "close-shoe", TABLE, *BY, "--reason", "Debian 13")
        wait_until("the coup ends and the shoe is closed", lambda: run(*close).returncode == 0)
        wait_until("the shoe is sealed", lambda: len(sealed()) == 2)


def the_packages_of_13_replace_them() -> None:
    before = kept()
    # What an exchange that stopped half-way has left is finished first.
    done("apt-get", "--fix-broken", "install", "--yes")
    done("apt-get", "full-upgrade", "--yes")
    assert installed() == all_of(NOW)
    assert kept() == before
    assert "3.13" in done("python3", "--version")
    assert not (ROOT / "usr/lib/smartshoe/lib/python3.11").exists()


def the_table_goes_on_with_its_evidence() -> None:
    assert "2 sealed shoes" in intact()
    assert not problems(), problems()
    assert ".deb" not in remarks()[0], remarks()
    with emulated_shoe(seed=9), running_table():
        wait_until("three shoes are sealed", lambda: len(sealed()) == 3)
    assert "3 sealed shoes" in intact()
    for file in sorted((ROOT / f"var/lib/smartshoe/{TABLE}/journal/shoes").glob("*/*.shoe")):
        done("smartshoe", "replay", f"/{file.relative_to(ROOT)}")


CASES = (
    the_packages_are_installed_on_12,
    a_table_is_set_up_with_a_person_on_record,
    doctor_finds_nothing_that_keeps_it_from_starting,
    a_shoe_is_dealt_and_sealed,
    debian_is_exchanged_while_the_packages_are_held,
    doctor_names_the_packages_of_13,
    without_the_python_of_12_the_program_names_them_too,
    an_open_shoe_keeps_the_packages_of_12,
    the_packages_of_13_replace_them,
    the_table_goes_on_with_its_evidence,
)

if __name__ == "__main__":
    code = run_cases(CASES)
    print(f"gate: the next Debian ended with {code}", flush=True)
    sys.exit(code)
