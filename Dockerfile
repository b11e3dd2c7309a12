# ctl in a container: docker build -t ctl . && docker run --rm -v "$PWD:/suite" ctl test /suite/tests
FROM rust:1-slim-bookworm AS build
WORKDIR /src
COPY . .
# The commit of the sources, which the context does not contain: --build-arg CTL_COMMIT="$(git rev-parse --short=12 HEAD)"
ARG CTL_COMMIT=
RUN CTL_COMMIT="$CTL_COMMIT" cargo install --path . --locked --root /out

FROM debian:bookworm-slim
COPY --from=build /out/bin/ctl /usr/local/bin/ctl
COPY LICENSE NOTICE THIRD-PARTY.md /usr/share/doc/ctl/
# The program needs no privileges, and the directory of a cluster belongs to the user that runs it.
RUN useradd --uid 10001 --create-home ctl && install --directory --owner=ctl --group=ctl --mode=0700 /state
USER 10001
ENV CTL_STATE=/state
VOLUME /state
WORKDIR /suite
ENTRYPOINT ["ctl"]
CMD ["help"]
