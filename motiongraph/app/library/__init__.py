"""The library room: clips that were opened or made here."""
