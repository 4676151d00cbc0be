"""Reads and describes tables: CSV and Parquet files, with numbers and dates in many spellings."""
