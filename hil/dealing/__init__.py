"""People and cards at the bench: a physical shoe, the dealer who deals it, and what truly happened.

Responsible for: naming the parts, see the modules.
Not responsible for: devices and wires (hil.emulator).
It imports nothing of the program under test: it is a second, independent reading of the rules.
Source: package README, "Dealing".
"""
