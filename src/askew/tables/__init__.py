"""Tables as people have them: CSV and Parquet files, numbers and dates in many spellings, read and described."""
