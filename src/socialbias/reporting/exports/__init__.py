"""A finished run for other people's tools: Every Eval Ever, Hugging Face, RO-Crate.

    python -m socialbias.reporting.exports [results/<run>]

All of it is made from files: `run.json` and `all.parquet` of the run, the manifests of its inputs,
`resources/sources.yaml`, and `resources/exports.yaml`, which says how results are called elsewhere.
"""
