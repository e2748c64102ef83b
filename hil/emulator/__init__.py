"""Devices at the other end of the cable.

Responsible for: emulated devices and the ways to serve them.
Not responsible for: dealing (hil.dealing) and for faults of the wire (hil.faults).
It imports nothing of the program under test: a second reading of the wire document.
Source: package README, "Emulators".
"""
