package dev.damask.source;

import dev.damask.json.Json;
import java.util.Map;

/// The documents of an orchestration as parts of a larger file, with their places in it.
public final class DocumentSources {
  private final Json graph;
  private final Map<String, Json> rules;
  private final Map<String, String> aliases;

  /// Creates the sources of a graph, its rules by key, and the keys of the rules by alias.
  public DocumentSources(Json graph, Map<String, Json> rules, Map<String, String> aliases) {
    this.graph = graph;
    this.rules = Map.copyOf(rules);
    this.aliases = Map.copyOf(aliases);
  }

  /// Returns the graph document.
  public Json graph() {
    return graph;
  }

  /// By key.
  public Map<String, Json> rules() {
    return rules;
  }

  /// The keys of the rules by their aliases.
  public Map<String, String> aliases() {
    return aliases;
  }
}
