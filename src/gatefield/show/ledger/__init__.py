"""The ledger, shown: its page, its tables in a terminal, and what both say of each formula."""
