package dev.damask.graph;

import dev.damask.source.Hash;
import dev.damask.source.Rejected;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A graph of steps as data: the steps, their branches and joins.
///
/// A graph document is well formed: every step it names exists, and every join has a valid
/// threshold. [OrchestrationCheck] checks it together with its rules.
///
/// @param steps by id, in the order of the document
/// @param rawHash the hash of the document as it was read
public record GraphDocument(String id, Map<String, Step> steps, String rawHash) {
  public GraphDocument {
    steps = Collections.unmodifiableMap(new LinkedHashMap<>(steps));
  }

  /// A step: the key of its rule in the registry, and a branch for each outcome.
  public record Step(String rule, Branch onValid, Branch onInvalid) {}

  /// The steps that start after one outcome.
  ///
  /// @param join null if the children stay in the group of their parent
  public record Branch(List<String> spawns, @Nullable Join join) {
    public static final Branch LEAF = new Branch(List.of(), null);

    public Branch {
      spawns = List.copyOf(spawns);
    }

    public boolean isLeaf() {
      return spawns.isEmpty() && join == null;
    }
  }

  /// The join of a branch's children.
  ///
  /// @param k how many sources must deliver: 1 in mode `any`, all in mode `all`
  public record Join(String target, Mode mode, int k, Rest rest, List<Source> from) {
    public Join {
      from = List.copyOf(from);
      if (k < 1 || k > from.size()) {
        throw new IllegalArgumentException(
            "a join needs between 1 and %d of its sources, got %d".formatted(from.size(), k));
      }
    }
  }

  /// How many sources a join needs.
  public enum Mode {
    ANY,
    ALL,
    KOFN
  }

  /// The treatment of the other producers when a join fires.
  public enum Rest {
    DRAIN,
    KILL
  }

  /// A step that counts for a join if it has a given outcome.
  public record Source(String node, When when) {}

  /// The outcome that counts.
  public enum When {
    VALID,
    INVALID,
    ANY
  }

  /// Reads a document without placeholders. Throws [Rejected] with all its errors.
  public static GraphDocument read(String text) {
    GraphDocumentReader.Result result = GraphDocumentReader.read(text, false);
    if (result.document() == null) {
      throw new Rejected("graph document", result.diagnostics());
    }
    return result.document();
  }

  /// The canonical form, which is the same for every spelling of this graph.
  public String canonical() {
    return GraphWriter.canonical(this);
  }

  /// The hash of the canonical form. Sessions are pinned to it.
  public String hash() {
    return Hash.of(canonical());
  }

  /// The same graph with other keys of rules.
  public GraphDocument withRules(java.util.function.UnaryOperator<String> change) {
    Map<String, Step> changed = new LinkedHashMap<>();
    steps.forEach((name, step) ->
        changed.put(name, new Step(change.apply(step.rule()), step.onValid(), step.onInvalid())));
    return new GraphDocument(id, changed, rawHash);
  }
}
