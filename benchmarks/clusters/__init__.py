"""Trees over the workers of a Dask cluster: what they take, a model of larger clusters, files larger than memory."""
