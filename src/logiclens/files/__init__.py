"""Tables in files: CSV, TSV and Parquet, compressed or not, whole or in batches."""
