# Downloads the released archive $RELEASE, compares it with the checksum $SHA256, and puts its
# infbench on the path. Without $RELEASE the job has put one there itself.
set -euo pipefail
if [ -z "${RELEASE:-}" ]; then
  infbench version
  exit
fi
if [[ ! "${SHA256:-}" =~ ^[0-9a-f]{64}$ ]]; then
  echo "::error::SHA256 is not a SHA-256 in hexadecimal digits: copy the one of ${RELEASE##*/} from the release's SHA256SUMS"
  exit 1
fi
place=$(mktemp -d "${RUNNER_TEMP:-/tmp}/infbench-XXXXXX")
curl --fail --location --silent --show-error --retry 3 --output "$place/archive.tar.gz" "$RELEASE"
if ! sha256sum --check --status <<< "$SHA256  $place/archive.tar.gz"; then
  echo "::error::$RELEASE has the SHA-256 $(sha256sum "$place/archive.tar.gz" | cut -d ' ' -f 1), not $SHA256"
  exit 1
fi
tar -xzf "$place/archive.tar.gz" -C "$place" --strip-components 1 --no-same-owner
echo "$place" >> "$GITHUB_PATH"
"$place/infbench" version
