# infbench for CPUs: one static binary and nothing else. "make image" builds binary and image.
# It needs a folder to write to (/tmp or --volume), runs as any user, and contains the
# certificate authorities.
FROM scratch
LABEL org.opencontainers.image.title="infbench" \
      org.opencontainers.image.description="Train and compare instruction-following retrievers" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY infbench /usr/local/bin/infbench
ENV PATH=/usr/local/bin HOME=/tmp
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/infbench"]
CMD ["help"]
