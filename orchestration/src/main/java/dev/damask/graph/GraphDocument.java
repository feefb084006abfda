package dev.damask.graph;

import dev.damask.source.Hash;
import dev.damask.source.Rejected;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A graph of steps as data: what runs after what, and where it meets again.
///
/// A document that exists is well formed: every step it names is there, and every join has a sound
/// threshold. Whether its rules fit together is the business of [OrchestrationCheck].
///
/// @param steps by id, in the order of the document
/// @param rawHash of the text it was read from
public record GraphDocument(String id, Map<String, Step> steps, String rawHash) {
  public GraphDocument {
    steps = Collections.unmodifiableMap(new LinkedHashMap<>(steps));
  }

  /// A step: the key of its rule in the registry, and a branch for each outcome.
  public record Step(String rule, Branch onValid, Branch onInvalid) {}

  /// What follows from one outcome.
  ///
  /// @param join null when the children stay in the group of their parent
  public record Branch(List<String> spawns, @Nullable Join join) {
    public static final Branch LEAF = new Branch(List.of(), null);

    public Branch {
      spawns = List.copyOf(spawns);
    }

    public boolean isLeaf() {
      return spawns.isEmpty() && join == null;
    }
  }

  /// Where the children of a branch meet.
  ///
  /// @param k how many sources must deliver; meant by mode `any` as 1 and by `all` as every one
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

  /// What becomes of the other producers when a join is decided.
  public enum Rest {
    DRAIN,
    KILL
  }

  /// A step that counts for a join if its outcome is the wanted one.
  public record Source(String node, When when) {}

  /// The outcome that counts.
  public enum When {
    VALID,
    INVALID,
    ANY
  }

  /// Reads a text that is ready to run; throws [Rejected] with everything that is wrong with it.
  public static GraphDocument read(String text) {
    GraphDocumentReader.Result result = GraphDocumentReader.read(text, false);
    if (result.document() == null) {
      throw new Rejected("graph document", result.diagnostics());
    }
    return result.document();
  }

  /// The one form in which every spelling of this graph is written.
  public String canonical() {
    return GraphWriter.canonical(this);
  }

  /// Pins the graph: the hash of its canonical form.
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
