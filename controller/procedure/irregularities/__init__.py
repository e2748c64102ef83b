"""The catalogue of irregularities: one row per code, with what it means, permits and forbids.

Source: D-32.
"""

from controller.procedure.irregularities.catalogue import CATALOGUE
from controller.procedure.irregularities.codes import IrregularityCode, IrregularityKind

__all__ = ["CATALOGUE", "IrregularityCode", "IrregularityKind"]
