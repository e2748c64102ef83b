"""Signed notes and checkpoints: a published note, and everything that is none."""

import base64
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.evidence_log.checkpoint import TreeHead, parse_checkpoint
from controller.journal.evidence_log.note import (
    NOTE_BYTES_MAX,
    KeyType,
    NoteError,
    NoteKey,
    SignatureLine,
    SignedNote,
    cosigned_bytes,
    parse_note,
    sign_line,
    table_key,
    valid_signatures,
)
from controller.system.keys import PublicKey, signature_of_der

# The example in the documentation of Go's golang.org/x/mod/sumdb/note.
PUBLISHED = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdn"
    "gotpRZb6KE6RyyBwJnAM=\n"
).encode()
NEUMANN = NoteKey(
    "PeterNeumann",
    KeyType.ED25519,
    PublicKey(base64.b64decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")[1:]),
)
ORIGIN = "casino.example/pit-3/bac-12"
TABLE = Ed25519PrivateKey.from_private_bytes(bytes(32))
WITNESS = Ed25519PrivateKey.from_private_bytes(bytes([1]) * 32)
TABLE_KEY = NoteKey(ORIGIN, KeyType.ED25519, PublicKey(TABLE.public_key().public_bytes_raw()))
WITNESS_KEY = NoteKey(
    "witness.example", KeyType.COSIGNATURE, PublicKey(WITNESS.public_key().public_bytes_raw())
)
HEAD = TreeHead(ORIGIN, 7, bytes(range(32)))
TIME_S = 1_763_900_000


def cosignature(text: str, time_s: int = TIME_S) -> SignatureLine:
    signed = time_s.to_bytes(8, "big") + WITNESS.sign(cosigned_bytes(text, time_s))
    return SignatureLine(WITNESS_KEY.name, WITNESS_KEY.id, signed)


SIGNED = SignedNote(HEAD.text(), (sign_line(TABLE_KEY, HEAD.text(), TABLE.sign),))


def test_a_published_note_is_read_and_holds() -> None:
    note = parse_note(PUBLISHED)

    assert NEUMANN.id.hex() == "c74f20a3"
    assert [one.key for one in valid_signatures(note, [NEUMANN])] == [NEUMANN]
    assert note.to_bytes() == PUBLISHED


def test_a_changed_text_does_not_hold() -> None:
    note = parse_note(PUBLISHED.replace(b"answer", b"Answer"))

    with pytest.raises(NoteError, match="the signature of PeterNeumann does not hold"):
        valid_signatures(note, [NEUMANN])


def test_lines_of_unknown_keys_are_passed_over_but_one_must_be_known() -> None:
    note = SignedNote(SIGNED.text, (cosignature(SIGNED.text), *SIGNED.signatures))

    assert [one.key for one in valid_signatures(note, [TABLE_KEY])] == [TABLE_KEY]
    with pytest.raises(NoteError, match="no known key has signed it"):
        valid_signatures(note, [NEUMANN])


def test_a_key_of_the_same_name_with_another_id_is_another_key() -> None:
    other = NoteKey(ORIGIN, KeyType.ED25519, WITNESS_KEY.public)

    with pytest.raises(NoteError, match="no known key has signed it"):
        valid_signatures(SIGNED, [other])


def test_a_witness_signs_text_and_time() -> None:
    note = SignedNote(SIGNED.text, (*SIGNED.signatures, cosignature(SIGNED.text)))

    by_table, by_witness = valid_signatures(note, [TABLE_KEY, WITNESS_KEY])
    assert (by_table.time_s, by_witness.time_s) == (None, TIME_S)


@pytest.mark.parametrize("at", range(0, 72, 5))
def test_a_cosignature_with_one_bit_changed_does_not_hold(at: int) -> None:
    line = cosignature(SIGNED.text)
    changed = bytearray(line.signature)
    changed[at] ^= 1
    wrong = SignatureLine(line.name, line.key_id, bytes(changed))

    with pytest.raises(NoteError, match=r"the signature of witness\.example does not hold"):
        valid_signatures(SignedNote(SIGNED.text, (wrong,)), [WITNESS_KEY])


# The form of a public key of P-256, in DER (RFC 5480, section 2).
SPKI_HEAD = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")


def test_a_table_whose_key_is_of_ecdsa_signs_in_der() -> None:
    private = ec.derive_private_key(7, ec.SECP256R1())
    point = private.public_key().public_numbers()
    raw = b"\x04" + point.x.to_bytes(32, "big") + point.y.to_bytes(32, "big")
    key = table_key(ORIGIN, PublicKey(raw))

    def sign(data: bytes) -> bytes:
        return signature_of_der(private.sign(data, ec.ECDSA(hashes.SHA256())))

    line = sign_line(key, HEAD.text(), sign)

    assert (key.type, key.id) == (KeyType.ECDSA, sha256(SPKI_HEAD + raw).digest()[:4])
    private.public_key().verify(line.signature, HEAD.text().encode(), ec.ECDSA(hashes.SHA256()))
    assert [one.key for one in valid_signatures(SignedNote(HEAD.text(), (line,)), [key])] == [key]
    for wrong in (bytes(64), signature_of_der(line.signature), line.signature[:-1]):
        note = SignedNote(HEAD.text(), (SignatureLine(line.name, line.key_id, wrong),))
        with pytest.raises(NoteError, match="does not hold"):
            valid_signatures(note, [key])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text\n",
        b"text\n\n",
        b"text\n\n\xe2\x80\x94 name AAAAAAA=",
        b"text\n\n- name AAAAAAA=\n",
        b"text\n\n\xe2\x80\x94 na+me AAAAAAA=\n",
        b"text\n\n\xe2\x80\x94 name AAAA\n",
        b"text\n\n\xe2\x80\x94 name AAAAAA\n",
        b"text\n\n\xe2\x80\x94 name  AAAAAAA=\n",
        b"te\rxt\n\n\xe2\x80\x94 name AAAAAAA=\n",
        b"te\xffxt\n\n\xe2\x80\x94 name AAAAAAA=\n",
        b"text\n\n" + b"\xe2\x80\x94 name AAAAAAA=\n" * 65,
        b"x" * NOTE_BYTES_MAX + b"\n\n\xe2\x80\x94 name AAAAAAA=\n",
    ],
)
def test_what_is_no_note_is_refused(data: bytes) -> None:
    with pytest.raises(NoteError):
        parse_note(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_note_or_refused(data: bytes) -> None:
    try:
        note = parse_note(data)
    except NoteError:
        return
    assert parse_note(note.to_bytes()) == note


def test_a_checkpoint_is_read_as_it_was_written() -> None:
    assert parse_checkpoint(HEAD.text()) == HEAD
    assert parse_checkpoint(f"{HEAD.text()}an extension\n") == HEAD


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (0, ""),
        (0, "a b"),
        (0, "a+b"),
        (1, "07"),
        (1, "-7"),
        (1, "+7"),
        (1, " 7"),
        (1, "\u0667"),
        (1, "9223372036854775808"),
        (2, ""),
        (2, "AAAA"),
        (2, "A" * 43 + "B="),
        (2, "!" * 44),
    ],
)
def test_what_is_no_checkpoint_is_refused(line: int, text: str) -> None:
    lines = HEAD.text().split("\n")
    lines[line] = text

    with pytest.raises(NoteError):
        parse_checkpoint("\n".join(lines))
