# Builds the archive of `make dist`, and an image that has nothing but its files. Two lines in the Dockerfile of a Swift service add the
# command and the probe to it:
#
#   COPY --from=hopscope /usr/bin/hopscope /usr/bin/hopscope
#   COPY --from=hopscope /usr/lib/libhopscope-probe.so /usr/lib/libhopscope-probe.so
#
# after `docker build -t hopscope .` here. Docs/Install.md says which rights `attach` and `ps` need in a container.
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    make xz-utils python3 libncurses-dev libzstd-dev libdw-dev zlib1g-dev liblzma-dev libbz2-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /hopscope
COPY . .
RUN make dist && mkdir /image && tar -xJf .build-dist/hopscope-*.tar.xz --strip-components=1 -C /image

FROM scratch
COPY --from=build /image/ /usr/
