package dev.damask.registry;

import dev.damask.registry.RegistryEntry.Kind;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// The latest state of each registry entry, deleted ones included. It exists before the engine is,
/// because sessions of the store begin to move, and to read rules, when the engine opens.
final class RegistryIndex {
  // written by the registry under its lock, read by every evaluation
  private final Map<Kind, Map<String, RegistryTable.Change>> latest = new EnumMap<>(Kind.class);

  private final Map<String, List<RegistryEvent>> events = new ConcurrentHashMap<>();

  /// The versions of all graphs by their hashes.
  private final Map<String, RegistryEntry> graphs = new ConcurrentHashMap<>();

  /// The texts of all rules there have been, by their hashes.
  private final Map<String, String> ruleTexts = new ConcurrentHashMap<>();

  RegistryIndex(List<RegistryTable.Change> changes) {
    for (Kind kind : Kind.values()) {
      latest.put(kind, new ConcurrentHashMap<>());
    }
    changes.forEach(this::put);
  }

  /// Returns all versions of all graphs that were not deletions.
  List<RegistryEntry> graphs() {
    return List.copyOf(graphs.values());
  }

  private Map<String, RegistryTable.Change> of(Kind kind) {
    return java.util.Objects.requireNonNull(latest.get(kind));
  }

  private static String id(Kind kind, String key) {
    return kind.name() + " " + key;
  }

  void put(RegistryTable.Change change) {
    String id = id(change.entry().kind(), change.entry().key());
    if (change.entry().kind() == Kind.RULE && !change.entry().isDeleted()) {
      ruleTexts.putIfAbsent(change.entry().hash(), change.entry().text());
    }
    if (change.entry().kind() == Kind.GRAPH && !change.entry().isDeleted()) {
      graphs.putIfAbsent(change.entry().hash(), change.entry());
    }
    RegistryTable.Change before = of(change.entry().kind()).put(change.entry().key(), change);
    events
        .computeIfAbsent(id, key -> new CopyOnWriteArrayList<>())
        .addAll(RegistryEvent.between(before == null ? null : before.entry(), change.entry()));
  }

  /// Everything that happened to an entry, in order.
  List<RegistryEvent> events(Kind kind, String key) {
    return List.copyOf(events.getOrDefault(id(kind, key), List.of()));
  }

  RegistryTable.@Nullable Change get(Kind kind, String key) {
    return of(kind).get(key);
  }

  List<RegistryEntry> all() {
    return latest.values().stream()
        .flatMap(changes -> changes.values().stream())
        .map(RegistryTable.Change::entry)
        .toList();
  }

  @Nullable String text(String key) {
    RegistryTable.Change change = get(Kind.RULE, key);
    return change == null || change.entry().isDeleted() ? null : change.entry().text();
  }

  @Nullable String text(String key, String hash) {
    return ruleTexts.get(hash);
  }
}
