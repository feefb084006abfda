package dev.damask.store;

import dev.damask.attribute.CaseFacts;
import dev.damask.attribute.FactIndex;
import dev.damask.attribute.IndexKey;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The index of a [MemoryStore], which guards it.
final class MemoryIndex implements FactIndex {
  private final Map<String, NavigableSet<Entry>> byName = new TreeMap<>();

  /// Replaces the entries of a case.
  ///
  /// @param before null if the case is new
  void change(@Nullable CaseRecord before, CaseRecord after) {
    if (before != null && before.facts() == after.facts()) {
      return; // most commits change none of them
    }
    if (before != null) {
      remove(before);
    }
    after.facts().entries().forEach(each -> put(each.name(), IndexKey.of(each.value()), after));
  }

  void remove(CaseRecord record) {
    for (CaseFacts.Entry each : record.facts().entries()) {
      entries(each.name()).remove(entry(IndexKey.of(each.value()), record));
    }
  }

  private void put(String name, byte[] key, CaseRecord record) {
    entries(name).add(entry(key, record));
  }

  private static Entry entry(byte[] key, CaseRecord record) {
    return new Entry(key, record.startedMillis(), record.caseId());
  }

  private NavigableSet<Entry> entries(String name) {
    return byName.computeIfAbsent(name, _ -> new TreeSet<>());
  }

  /// Whether the entries are exactly those of these records.
  boolean agrees(List<CaseRecord> records) {
    MemoryIndex expected = new MemoryIndex();
    records.forEach(each -> expected.change(null, each));
    byName.values().removeIf(NavigableSet::isEmpty);
    return byName.equals(expected.byName);
  }

  @Override
  public boolean hasStatus() {
    return false;
  }

  @Override
  public Reader open(String name) {
    NavigableSet<Entry> entries = byName.getOrDefault(name, new TreeSet<>());
    return new Reader() {
      private @Nullable Entry at; // null before the first entry and after the last one

      @Override
      public @Nullable Entry seek(Entry from) {
        at = entries.ceiling(from);
        return at;
      }

      @Override
      public @Nullable Entry next() {
        at = at == null ? null : entries.higher(at);
        return at;
      }

      @Override
      public void close() {}
    };
  }
}
