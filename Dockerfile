# docker build -t birdmodes .
# docker run --rm -v "$PWD:/data" -u "$(id -u):$(id -g)" birdmodes segment recordings/
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/birdmodes \
 && /opt/birdmodes/bin/pip install --no-cache-dir -c constraints.txt '.[app,excel,sun]'

FROM python:3.13-slim
COPY --from=build /opt/birdmodes /opt/birdmodes
# whoever runs it has no home in here; caches go where everybody may write
ENV PATH=/opt/birdmodes/bin:$PATH HOME=/tmp MPLCONFIGDIR=/tmp/matplotlib NUMBA_CACHE_DIR=/tmp/numba
WORKDIR /data
# nobody, by number, as some that run containers ask for it
USER 65534:65534
ENTRYPOINT ["birdmodes"]
CMD ["--help"]
