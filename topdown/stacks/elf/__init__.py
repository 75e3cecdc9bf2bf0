"""ELF files: headers, symbols and the functions of their unwind tables."""
