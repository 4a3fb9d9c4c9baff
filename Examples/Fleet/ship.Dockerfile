# The sidecar. `docker build -t hopscope ../..` makes the image that the command comes from.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libcurl4 ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=hopscope /usr/bin/hopscope /usr/bin/hopscope
USER 1000
ENTRYPOINT ["hopscope"]
