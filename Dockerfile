# Everything that the pipeline needs, with the packages of the lock. docs/installing.md describes how to
# build it and run it with Docker, or with Apptainer on a cluster.
FROM python:3.11-slim-bookworm

# Index of another build of torch, such as the one for CPUs (default: pip's index).
ARG TORCH_INDEX=""

WORKDIR /build
COPY envs/requirements.lock envs/torch.txt envs/
RUN pip install --no-cache-dir --require-hashes --no-deps --requirement envs/requirements.lock
RUN pip install --no-cache-dir ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} --requirement envs/torch.txt
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

# Mount a folder here; `socialbias reproduce workflow FOLDER` writes the workflow to it.
WORKDIR /work
CMD ["socialbias", "--help"]
