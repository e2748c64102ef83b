"""Chooses the guided list for a model of a device."""

from drivers.catalogue import AnyModel
from drivers.model import DeviceKind, Installation
from hil.acceptance.walk.guided_step import GuidedStep
from hil.acceptance.walk.other_walks import READERS, SCANNER, SHUFFLER
from hil.acceptance.walk.shoe_walks import ANGEL_EYE, RFID_SHOE, TABLELINK_SHOE, any_shoe


def walk_of(model: AnyModel, installed: Installation) -> tuple[GuidedStep, ...]:
    """The steps for a device of this model, in order."""
    match model.kind, model.name:
        case DeviceKind.SHOE, "angel-eye-ii-ex":
            return ANGEL_EYE
        case DeviceKind.SHOE, "feig-rfid":
            return RFID_SHOE
        case DeviceKind.SHOE, "tablelink":
            return TABLELINK_SHOE
        case DeviceKind.SHUFFLER, "tablelink":
            return SHUFFLER
        case DeviceKind.READER, _:
            return READERS[installed.seat]
        case DeviceKind.SCANNER, _:
            return SCANNER
        case DeviceKind.SHUFFLER, _:
            return tuple(one for one in SHUFFLER if one.command is None)
        case _:
            return any_shoe(model)
