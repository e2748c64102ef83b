"""What shows only over many shoes: of a shuffler, a batch, the pace.

Source: controller/monitors/README.md, "Over many shoes".
"""
