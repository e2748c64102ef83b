"""PINs: hashed so that a file with the hashes gives none away, and without growing the program."""

import resource
import threading
from pathlib import Path

import pytest

from controller.table.accounts.pin import NO_HASH, PinHasher, hash_problem, pin_problem

PIN = "270918"


def test_a_pin_matches_its_hash_and_no_other_does() -> None:
    hasher = PinHasher()
    hashed = hasher.hash(PIN)

    assert hasher.matches(PIN, hashed)
    assert not hasher.matches("270919", hashed)
    assert not hasher.matches(PIN, NO_HASH)


def test_the_hash_has_the_costs_and_another_salt_each_time() -> None:
    one, other = PinHasher().hash(PIN), PinHasher().hash(PIN)

    assert one.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert one != other
    assert PIN not in one


@pytest.mark.parametrize("pin", ["", "12345", "1" * 65, "12345\n", "111111", "123456", "654321"])
def test_a_pin_that_is_guessed_first_is_refused_without_a_word_of_it(pin: str) -> None:
    assert pin_problem(pin).startswith("pin: ")


@pytest.mark.parametrize("pin", [PIN, "ab1234", "correct horse"])
def test_others_are_allowed(pin: str) -> None:
    assert pin_problem(pin) == ""


def resident_kib() -> int:
    with Path("/proc/self/status").open(encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def test_the_memory_of_a_hash_is_given_back_and_only_one_is_made_at_a_time() -> None:
    hasher = PinHasher()
    hasher.hash(PIN)
    before = resident_kib()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    threads = [threading.Thread(target=hasher.hash, args=(PIN,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert resident_kib() - before < 4 * 1024
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= max(peak, before + 30 * 1024)


SALT_AND_HASH = f"{'A' * 22}${'A' * 43}"


@pytest.mark.parametrize("costs", ["m=65536,t=10,p=4", "m=8,t=1,p=1", "m=32,t=1,p=4"])
def test_a_hash_with_bounded_costs_is_taken(costs: str) -> None:
    assert hash_problem(f"$argon2id$v=19${costs}${SALT_AND_HASH}") == ""


@pytest.mark.parametrize(
    "costs",
    [
        "m=65537,t=1,p=1",
        "m=600000,t=1,p=1",
        "m=4294967295,t=1,p=1",
        "m=65536,t=11,p=1",
        "m=65536,t=0,p=1",
        "m=65536,t=1,p=5",
        "m=65536,t=1,p=0",
        "m=31,t=1,p=4",
    ],
)
def test_a_hash_that_costs_more_is_named_and_is_nobodys(costs: str) -> None:
    hashed = f"$argon2id$v=19${costs}${SALT_AND_HASH}"

    assert hash_problem(hashed) == f"its costs {costs.replace(',', ', ')} are not taken"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert not PinHasher().matches(PIN, hashed)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000
