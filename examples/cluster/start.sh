#!/bin/sh
# Starts three nodes on this machine. Their standard input is a pipe of this script, so they end with it.
# Usage: examples/cluster/start.sh [URL]
set -eu
cd "$(dirname "$0")/../.."
URL=${1:-postgresql://postgres:postgres@localhost/postgres}
CLASSES='examples/target/classes:examples/target/lib/*'
[ -d examples/target/lib ] || mvn -q -pl examples,cli -am package -DskipTests
./damask store init "$URL"

node() {
  tail -f /dev/null | java -cp "$CLASSES" dev.damask.examples.cluster.ClusterExample "$URL" node "$1" &
}
node one
node two
node three
trap 'kill $(jobs -p) 2>/dev/null' EXIT INT TERM
cat <<TEXT
Three nodes are starting. In other terminals:
  ./damask nodes '$URL' --watch
  java -cp '$CLASSES' dev.damask.examples.cluster.ClusterExample '$URL' orders 500
  kill -9 PROCESS   (the list of nodes shows the process of each)
Press Enter to stop all nodes.
TEXT
read -r _
