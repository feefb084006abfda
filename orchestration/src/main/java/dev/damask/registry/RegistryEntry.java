package dev.damask.registry;

import dev.damask.source.Address;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;

/// The present state of one document of the registry.
///
/// @param key under which graphs and callers name it
/// @param version from 1; it begins again when a document is deleted and put again
/// @param hash of the canonical form, which pins it
/// @param rawHash of the text as it was put
/// @param owner may change it and, if it is a graph, start sessions
/// @param executors may start sessions and never change anything
public record RegistryEntry(
    Kind kind,
    String key,
    String text,
    long version,
    String hash,
    String rawHash,
    long updatedMillis,
    String owner,
    List<String> executors) {
  /// What form of graph document this is.
  public static final String SCHEMA_VERSION = "xrc729-ostc@1";

  /// What kind of document.
  public enum Kind {
    GRAPH,
    RULE
  }

  public RegistryEntry {
    executors = List.copyOf(executors);
  }

  /// Whether the document was deleted.
  public boolean isDeleted() {
    return version == 0;
  }

  /// Whether a caller may start sessions of this graph.
  public boolean mayStart(String caller) {
    return Address.same(owner, caller) || Address.isAmong(executors, caller);
  }

  Context toContext() {
    return Context.of("kind", kind.name(), "key", key)
        .with("text", text)
        .with("version", version)
        .with("hash", hash)
        .with("rawHash", rawHash)
        .with("updated", updatedMillis)
        .with("owner", owner)
        .with("executors", executors);
  }

  static RegistryEntry from(Context context) {
    List<String> executors = new ArrayList<>();
    if (context.get("executors") instanceof List<?> names) {
      names.forEach(name -> executors.add(String.valueOf(name)));
    }
    return new RegistryEntry(
        Kind.valueOf(String.valueOf(context.get("kind"))),
        String.valueOf(context.get("key")),
        String.valueOf(context.get("text")),
        context.get("version") instanceof Long version ? version : 0,
        String.valueOf(context.get("hash")),
        String.valueOf(context.get("rawHash")),
        context.get("updated") instanceof Long time ? time : 0,
        String.valueOf(context.get("owner")),
        executors);
  }

  RegistryEntry withExecutors(List<String> names, long now) {
    return new RegistryEntry(kind, key, text, version, hash, rawHash, now, owner, names);
  }

  RegistryEntry withOwner(String name, long now) {
    List<String> others = executors.stream().filter(each -> !Address.same(each, name)).toList();
    return new RegistryEntry(kind, key, text, version, hash, rawHash, now, name, others);
  }

  RegistryEntry deleted(long now) {
    return new RegistryEntry(kind, key, "", 0, "", "", now, owner, executors);
  }
}
