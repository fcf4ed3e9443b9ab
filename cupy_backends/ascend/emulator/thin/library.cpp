/* A library of CANN that the emulator stands for: its symbols are in libemu_core.so, which it brings along. */
