package dev.damask.database;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A table: all versions of its rows, as PostgreSQL keeps them.
final class TableData {
  private static final int GARBAGE_MIN = 200;

  /// A version of a row.
  static final class Version {
    final @Nullable Object[] values;
    final long created; // by this transaction
    final int createdAt; // by this command of it
    long removed; // by this transaction; 0 if by none
    int removedAt; // by this command of it
    long locker; // the transaction that has locked it without a change; 0 if none has
    @Nullable Version next; // what an update has made of it; null after a delete

    Version(@Nullable Object[] values, long created, int createdAt) {
      this.values = values;
      this.created = created;
      this.createdAt = createdAt;
    }
  }

  final String name;
  final List<String> columns;
  final List<String> key;
  final Map<String, Expr> defaults;
  private List<Version> versions = new ArrayList<>();
  private final Map<Integer, Map<Object, List<Version>>> indexes = new HashMap<>();
  private long numbers;
  private int garbage; // versions that were removed since the last vacuum
  private long changes; // grows with every change

  TableData(String name, List<String> columns, List<String> key, Map<String, Expr> defaults) {
    this.name = name;
    this.columns = new ArrayList<>(columns);
    this.key = key;
    this.defaults = defaults;
  }

  int column(String column) {
    int at = columns.indexOf(column);
    if (at < 0) {
      throw new SqlError("42703", "table " + name + " has no column " + column);
    }
    return at;
  }

  long nextNumber() {
    return ++numbers;
  }

  long changes() {
    return changes;
  }

  List<Version> versions() {
    return versions;
  }

  void add(Version version) {
    changes++;
    versions.add(version);
    indexes.forEach((at, index) -> {
      Object value = version.values[at];
      if (value != null) {
        index.computeIfAbsent(value, _ -> new ArrayList<>()).add(version);
      }
    });
  }

  void removed() {
    changes++;
    garbage++;
  }

  /// Returns all versions with a value in a column.
  List<Version> with(int at, @Nullable Object value) {
    if (value == null) {
      return List.of();
    }
    Map<Object, List<Version>> index = indexes.get(at);
    if (index == null) {
      index = new HashMap<>();
      for (Version each : versions) {
        if (each.values[at] != null) {
          index
              .computeIfAbsent(Objects.requireNonNull(each.values[at]), _ -> new ArrayList<>())
              .add(each);
        }
      }
      indexes.put(at, index);
    }
    return index.getOrDefault(value, List.of());
  }

  void addColumn(String column, @Nullable Object value) {
    columns.add(column);
    List<Version> wider = new ArrayList<>();
    for (Version each : versions) {
      @Nullable Object[] values = java.util.Arrays.copyOf(each.values, columns.size());
      values[columns.size() - 1] = value;
      wider.add(new Version(values, each.created, each.createdAt));
    }
    versions = wider;
    indexes.clear();
  }

  /// Drops versions that no transaction can see any more.
  void vacuum(Transactions transactions) {
    if (garbage < GARBAGE_MIN + versions.size() / 4) {
      return;
    }
    garbage = 0;
    long oldest = transactions.oldest();
    List<Version> left = new ArrayList<>();
    for (Version each : versions) {
      boolean isDead =
          transactions.isAborted(each.created)
              || (each.removed > 0
                  && each.removed < oldest
                  && transactions.isCommitted(each.removed));
      if (!isDead) {
        left.add(each);
      }
    }
    versions = left;
    indexes.clear();
  }
}
