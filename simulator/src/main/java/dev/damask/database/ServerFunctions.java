package dev.damask.database;

import dev.damask.database.StatementRun.Relation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Functions and views of the server itself.
final class ServerFunctions {
  private static final long DATABASE = 5;
  private static final int PAIR = 2;
  private static final long UNSIGNED = 0xffff_ffffL; // as an oid shows it
  private static final int MICROS_PER_MILLI = 1_000;

  private ServerFunctions() {}

  static @Nullable Object call(Backend backend, String name, List<@Nullable Object> values) {
    return switch (name) {
      case "clock_timestamp", "now" ->
          new SqlValues.Moment(backend.database().millis() * MICROS_PER_MILLI);
      case "set_config" -> {
        boolean isLocal = Boolean.TRUE.equals(values.get(2));
        yield backend.set(text(values, 0), text(values, 1), isLocal);
      }
      case "current_setting" -> backend.setting(text(values, 0));
      case "pg_advisory_xact_lock", "pg_advisory_xact_lock_shared" -> {
        backend.lock(key(values), name.endsWith("shared"));
        yield "";
      }
      case "pg_try_advisory_xact_lock" -> backend.tryLock(key(values));
      case "pg_terminate_backend" -> backend.database().terminate(number(values, 0));
      case "pg_backend_pid" -> backend.pid();
      case "pg_is_in_recovery" -> false;
      case "current_database" -> "virtual";
      case "pg_notify" -> {
        backend.notifyAtCommit();
        yield "";
      }
      case "pg_current_xact_id" -> backend.writer();
      case "pg_current_snapshot" -> backend.database().transactions().snapshot().oldest();
      case "pg_snapshot_xmin" -> values.getFirst();
      case "to_regclass" ->
          backend.database().tables().containsKey(text(values, 0)) ? text(values, 0) : null;
      case "pg_column_size" ->
          switch (values.getFirst()) {
            case null -> null;
            case byte[] bytes -> (long) bytes.length;
            default -> (long) text(values, 0).length();
          };
      case "hashtextextended" -> (long) text(values, 0).hashCode();
      case "gen_random_uuid" -> "uuid-" + backend.database().nextUuid();
      case "has_table_privilege" -> true;
      default ->
          throw new SqlError(SqlError.NO_FUNCTION, "the virtual database has no function " + name);
    };
  }

  private static String text(List<@Nullable Object> values, int at) {
    return String.valueOf(values.get(at));
  }

  private static long number(List<@Nullable Object> values, int at) {
    return (Long) Objects.requireNonNull(values.get(at));
  }

  private static AdvisoryLocks.Key key(List<@Nullable Object> values) {
    return values.size() == PAIR
        ? new AdvisoryLocks.Key(PAIR, number(values, 0), number(values, 1))
        : new AdvisoryLocks.Key(1, number(values, 0), 0);
  }

  /// Returns a view of the server; null if there is none of that name.
  static @Nullable Relation relation(Backend backend, String name) {
    VirtualDatabase database = backend.database();
    return switch (name) {
      case "pg_locks" -> locks(database);
      case "pg_stat_activity" -> activity(database);
      case "pg_database" ->
          relation(
              List.of("oid", "datname"),
              List.<@Nullable Object[]>of(new Object[] {DATABASE, "virtual"}));
      case "pg_namespace" -> relation(List.of("oid", "nspname"), List.of());
      case "pg_class" -> relation(List.of("oid", "relname", "relkind", "relnamespace"), List.of());
      case "pg_attribute" -> relation(List.of("attrelid", "attname", "atttypid"), List.of());
      default -> null;
    };
  }

  private static Relation relation(List<String> columns, List<@Nullable Object[]> rows) {
    return new Relation(columns.stream().map(String::intern).toList(), rows);
  }

  private static Relation locks(VirtualDatabase database) {
    List<@Nullable Object[]> rows = new ArrayList<>();
    database
        .locks()
        .all()
        .forEach((key, requests) ->
            requests.forEach(request ->
                rows.add(
                    new Object[] {
                      "advisory",
                      DATABASE,
                      key.first(),
                      key.second() & UNSIGNED,
                      (long) key.space(),
                      request.backend.pid(),
                      request.isGranted
                    })));
    return relation(
        List.of("locktype", "database", "classid", "objid", "objsubid", "pid", "granted"), rows);
  }

  private static Relation activity(VirtualDatabase database) {
    List<@Nullable Object[]> rows = new ArrayList<>();
    for (Backend each : database.backends()) {
      rows.add(
          new Object[] {each.pid(), each.started(), each.state(), each.query(), each.waitEvent()});
    }
    return relation(List.of("pid", "backend_start", "state", "query", "wait_event"), rows);
  }
}
