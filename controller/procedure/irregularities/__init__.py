"""The catalogue of irregularities: one row per code, with what it means, permits and forbids.

Source: D-32.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.irregularities.batch import BATCH_IRREGULARITIES
from controller.procedure.irregularities.card import CARD_IRREGULARITIES
from controller.procedure.irregularities.codes import IrregularityCode, IrregularityKind
from controller.procedure.irregularities.conduct import CONDUCT_IRREGULARITIES
from controller.procedure.irregularities.custody import CUSTODY_IRREGULARITIES
from controller.procedure.irregularities.shoe import SHOE_IRREGULARITIES

__all__ = ["CATALOGUE", "IrregularityCode", "IrregularityKind"]

_ROWS: Final = {
    **CARD_IRREGULARITIES,
    **SHOE_IRREGULARITIES,
    **CONDUCT_IRREGULARITIES,
    **CUSTODY_IRREGULARITIES,
    **BATCH_IRREGULARITIES,
}
CATALOGUE: Final = MappingProxyType({code: _ROWS[code] for code in IrregularityCode})
