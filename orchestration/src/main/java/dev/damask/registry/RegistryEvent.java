package dev.damask.registry;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Something that happened to an entry of the registry.
///
/// @param who the executor or the new owner it concerns; otherwise the owner
public record RegistryEvent(
    Type type,
    RegistryEntry.Kind kind,
    String key,
    long version,
    String hash,
    String who,
    long atMillis) {
  /// What happened.
  public enum Type {
    /// The document was put for the first time, or again after it was deleted.
    SET,
    UPDATED,
    DELETED,
    OWNERSHIP,
    EXECUTOR_ADDED,
    EXECUTOR_REMOVED
  }

  /// What led from one state of an entry to the next.
  ///
  /// @param before null when there was no entry
  static List<RegistryEvent> between(@Nullable RegistryEntry before, RegistryEntry after) {
    List<RegistryEvent> events = new ArrayList<>();
    if (after.isDeleted()) {
      events.add(of(Type.DELETED, after, after.owner()));
    } else if (before == null || before.isDeleted()) {
      events.add(of(Type.SET, after, after.owner()));
    } else if (before.version() != after.version()) {
      events.add(of(Type.UPDATED, after, after.owner()));
    }
    if (before != null && !before.owner().equals(after.owner())) {
      events.add(of(Type.OWNERSHIP, after, after.owner()));
    }
    List<String> old = before == null ? List.of() : before.executors();
    after.executors().stream()
        .filter(name -> !old.contains(name))
        .forEach(name -> events.add(of(Type.EXECUTOR_ADDED, after, name)));
    old.stream()
        .filter(name -> !after.executors().contains(name))
        .forEach(name -> events.add(of(Type.EXECUTOR_REMOVED, after, name)));
    return events;
  }

  private static RegistryEvent of(Type type, RegistryEntry entry, String who) {
    return new RegistryEvent(
        type, entry.kind(), entry.key(), entry.version(), entry.hash(), who, entry.updatedMillis());
  }
}
