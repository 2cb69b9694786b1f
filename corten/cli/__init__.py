"""The `corten` command. One module per subcommand; what takes long to import is imported where it is used."""
