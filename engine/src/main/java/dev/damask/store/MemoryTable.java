package dev.damask.store;

import dev.damask.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A table in memory. Every method may be called from any thread.
final class MemoryTable implements Table {
  private static final Comparator<String> TEXT =
      (one, other) ->
          one.equals(other) // the usual case, without copies
              ? 0
              : Arrays.compareUnsigned(
                  one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

  private static final Comparator<TableRow> BY_KEY =
      Comparator.comparing(TableRow::kind, TEXT)
          .thenComparing(TableRow::key, TEXT)
          .thenComparing(TableRow::version, Comparator.reverseOrder());

  private static final Comparator<TableRow> BY_INDEX =
      Comparator.comparing(TableRow::kind, TEXT)
          .thenComparing(TableRow::indexKey, TEXT)
          .thenComparing(BY_KEY);

  // Guarded by this.
  private final NavigableSet<TableRow> rows = new TreeSet<>(BY_KEY);
  private final NavigableSet<TableRow> index = new TreeSet<>(BY_INDEX);

  synchronized void apply(RowChange change) {
    TableRow row = change.row();
    boolean isIndexed = !row.indexKey().isEmpty();
    rows.remove(row);
    if (isIndexed) {
      index.remove(row);
    }
    if (change instanceof RowChange.Put) {
      rows.add(row);
      if (isIndexed) {
        index.add(row);
      }
    }
  }

  private static TableRow probe(String kind, String key, long version, String indexKey) {
    return new TableRow(kind, key, version, Bytes.of(), indexKey);
  }

  @Override
  public synchronized Optional<TableRow> find(String kind, String key, long version) {
    TableRow probe = probe(kind, key, version, "");
    return Optional.ofNullable(rows.ceiling(probe)).filter(row -> BY_KEY.compare(row, probe) == 0);
  }

  @Override
  public synchronized List<TableRow> versions(String kind, String key, int limit) {
    return page(
        rows.tailSet(probe(kind, key, Long.MAX_VALUE, ""), true),
        row -> row.kind().equals(kind) && row.key().equals(key),
        limit);
  }

  @Override
  public synchronized List<TableRow> rows(String kind, @Nullable TableRow after, int limit) {
    return page(
        after == null
            ? rows.tailSet(probe(kind, "", Long.MAX_VALUE, ""), true)
            : rows.tailSet(after, false),
        row -> row.kind().equals(kind),
        limit);
  }

  @Override
  public synchronized List<TableRow> indexed(
      String kind, String prefix, @Nullable TableRow after, int limit) {
    return page(
        after == null
            ? index.tailSet(probe(kind, "", Long.MAX_VALUE, prefix), true)
            : index.tailSet(after, false),
        row -> row.kind().equals(kind) && row.indexKey().startsWith(prefix),
        limit);
  }

  private static List<TableRow> page(
      NavigableSet<TableRow> from, Predicate<TableRow> belongs, int limit) {
    List<TableRow> page = new ArrayList<>();
    for (TableRow row : from) {
      if (page.size() >= limit || !belongs.test(row)) {
        break;
      }
      page.add(row);
    }
    return page;
  }
}
