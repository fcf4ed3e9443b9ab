"""The parts of benchmark.py: what is measured (cases), how (measure), on what (libraries), and how it is shown (report, plot)."""
