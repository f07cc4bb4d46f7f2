"""One function over many tasks: in processes here, or on a Dask cluster."""
