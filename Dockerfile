# Everything that the pipeline needs, with the packages of the lock: docs/installing.md says how to
# build and run it with Docker, and with Apptainer on a cluster.
FROM python:3.11-slim-bookworm

# For another build of torch than that of pip's index, such as the one for CPUs.
ARG TORCH_INDEX=""

WORKDIR /build
COPY envs/requirements.lock envs/torch.txt envs/
RUN pip install --no-cache-dir --require-hashes --no-deps --requirement envs/requirements.lock
RUN pip install --no-cache-dir ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} --requirement envs/torch.txt
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

# In a folder of the user's: `socialbias workflow FOLDER` writes what Snakemake starts from.
WORKDIR /work
CMD ["socialbias", "--help"]
