"""File formats: one module per format, with detection, reader and writer."""
