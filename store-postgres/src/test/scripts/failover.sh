#!/bin/bash
# A primary with a synchronous standby on loopback ports, for FailoverTest.
#   failover.sh start DIR PORT1 PORT2   creates and starts both
#   failover.sh kill DIR                kills every process of the primary with signal 9
#   failover.sh promote DIR             promotes the standby
#   failover.sh stop DIR                stops both
set -euo pipefail
BIN=${PG_BIN:-$(dirname "$(readlink -f "$(ls -d /usr/lib/postgresql/*/bin/postgres | tail -1)")")}
DIR=$2
as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }

case $1 in
  start)
    [ "$(id -u)" = 0 ] && chown postgres "$DIR"
    as "$BIN/initdb" -D "$DIR/primary" -U postgres -A trust --encoding=UTF8 --locale=C >/dev/null
    as tee -a "$DIR/primary/postgresql.conf" >/dev/null <<CONF
port = $3
unix_socket_directories = '$DIR'
max_connections = 200
synchronous_commit = on
wal_level = replica
CONF
    as "$BIN/pg_ctl" -D "$DIR/primary" -l "$DIR/primary.log" -w start >/dev/null
    as "$BIN/pg_basebackup" -h localhost -p "$3" -U postgres -D "$DIR/standby" -R -X stream
    as tee -a "$DIR/standby/postgresql.conf" >/dev/null <<CONF
port = $4
CONF
    as "$BIN/pg_ctl" -D "$DIR/standby" -l "$DIR/standby.log" -w start >/dev/null
    as "$BIN/psql" -h localhost -p "$3" -U postgres -qc "alter system set synchronous_standby_names = '*'"
    as "$BIN/psql" -h localhost -p "$3" -U postgres -qc "select pg_reload_conf()" >/dev/null
    ;;
  kill)
    MASTER=$(head -1 "$DIR/primary/postmaster.pid")
    kill -9 "$MASTER" $(ps -o pid= --ppid "$MASTER") 2>/dev/null || true
    ;;
  promote)
    as "$BIN/pg_ctl" -D "$DIR/standby" -w promote >/dev/null
    ;;
  stop)
    for each in primary standby; do
      as "$BIN/pg_ctl" -D "$DIR/$each" -m immediate -w stop >/dev/null 2>&1 || true
    done
    ;;
esac
