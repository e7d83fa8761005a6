"""With this file here, tests in the folders below find `made_up` and `tiny`."""
