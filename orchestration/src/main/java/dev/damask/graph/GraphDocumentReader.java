package dev.damask.graph;

import dev.damask.check.Diagnostic;
import dev.damask.graph.GraphDocument.Branch;
import dev.damask.graph.GraphDocument.Join;
import dev.damask.graph.GraphDocument.Mode;
import dev.damask.graph.GraphDocument.Rest;
import dev.damask.graph.GraphDocument.Source;
import dev.damask.graph.GraphDocument.Step;
import dev.damask.graph.GraphDocument.When;
import dev.damask.json.Json;
import dev.damask.source.DiagnosticCode;
import dev.damask.source.Hash;
import dev.damask.source.Limit;
import dev.damask.source.Reading;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads graph documents in every accepted spelling and reports all errors of a document.
public final class GraphDocumentReader {
  static final Pattern STEP_ID = Pattern.compile("[A-Za-z][A-Za-z0-9_-]*");
  private static final Pattern DRAFT = Pattern.compile("\\$\\{.*|.*\\{\\{.*", Pattern.DOTALL);

  private final Reading reading = new Reading();
  private final boolean drafts;
  private Map<String, Json> structure = Map.of();

  private GraphDocumentReader(boolean drafts) {
    this.drafts = drafts;
  }

  /// The document, or null if it has errors, and all diagnostics.
  public record Result(@Nullable GraphDocument document, List<Diagnostic> diagnostics) {}

  /// Reads a document.
  ///
  /// @param drafts whether the keys of rules may still be placeholders
  public static Result read(String text, boolean drafts) {
    GraphDocumentReader reader = new GraphDocumentReader(drafts);
    Json.Fields root = reader.reading.root(text, Limit.GRAPH_BYTES);
    GraphDocument document = root == null ? null : reader.document(root, Hash.of(text));
    return reader.result(document);
  }

  /// Reads a graph that is part of another document.
  public static Result read(Json.Fields root, boolean drafts) {
    GraphDocumentReader reader = new GraphDocumentReader(drafts);
    return reader.result(reader.document(root, Hash.of(root.canonical())));
  }

  private Result result(@Nullable GraphDocument document) {
    return new Result(reading.hasErrors() ? null : document, reading.diagnostics());
  }

  private @Nullable GraphDocument document(Json.Fields root, String rawHash) {
    reading.known("", root, "id", "structure");
    String id = reading.text("id", root.get("id"));
    if (id == null || id.isBlank()) {
      reading.error(DiagnosticCode.ID_MISSING, "id", root, "the graph needs a non-empty id");
    }
    Json.Fields fields = reading.fields("structure", root.get("structure"));
    if (fields == null || fields.entries().isEmpty()) {
      reading.error(
          DiagnosticCode.STRUCTURE_EMPTY, "structure", root, "the graph needs at least one step");
      return null;
    }
    structure = fields.entries();
    reading.cap(Limit.STEPS, structure.size(), "structure", fields);
    Map<String, Step> steps = new LinkedHashMap<>();
    structure.forEach((name, json) -> {
      Step step = step("structure." + name, name, json);
      if (step != null) {
        steps.put(name, step);
      }
    });
    return reading.hasErrors() || id == null ? null : new GraphDocument(id, steps, rawHash);
  }

  private @Nullable Step step(String path, String name, Json json) {
    if (reading.cap(Limit.STEP_ID, name.length(), path, json) && !STEP_ID.matcher(name).matches()) {
      reading.error(
          DiagnosticCode.INVALID_STEP_ID,
          path,
          json,
          "a step id must match " + STEP_ID + ", found '" + name + "'");
    }
    Json.Fields fields = reading.fields(path, json);
    if (fields == null) {
      return null;
    }
    reading.known(path, fields, "rule", "onValid", "onInvalid");
    String rule = reading.text(path + ".rule", fields.get("rule"));
    if (rule == null || rule.isBlank()) {
      reading.error(DiagnosticCode.STEP_RULE_MISSING, path, json, "the step needs a rule");
    } else if (!drafts && DRAFT.matcher(rule).matches()) {
      reading.error(
          DiagnosticCode.DRAFT_RULE,
          path + ".rule",
          fields,
          "'" + rule + "' is the placeholder of a draft");
    }
    Branch valid = branch(path + ".onValid", name, fields.get("onValid"));
    Branch invalid = branch(path + ".onInvalid", name, fields.get("onInvalid"));
    return rule == null ? null : new Step(rule, valid, invalid);
  }

  private Branch branch(String path, String step, @Nullable Json json) {
    Json.Fields fields = reading.fields(path, json);
    if (fields == null) {
      return Branch.LEAF;
    }
    reading.known(path, fields, "spawns", "join");
    List<Json> items = reading.items(path + ".spawns", fields.get("spawns"));
    reading.cap(Limit.SPAWNS, items.size(), path + ".spawns", fields);
    List<String> spawns = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      String place = path + ".spawns[" + i + "]";
      String spawn = reading.text(place, items.get(i));
      if (spawn != null && !structure.containsKey(spawn)) {
        reading.error(DiagnosticCode.SPAWN_TARGET_UNKNOWN, place, items.get(i), noStep(spawn));
      } else if (spawn != null) {
        spawns.add(spawn);
        if (spawn.equals(step)) {
          reading.warning(
              DiagnosticCode.SELF_SPAWN_RETRY_LOOP, place, items.get(i), "the step spawns itself");
        }
      }
    }
    Json join = fields.get("join");
    return new Branch(spawns, join == null ? null : join(path + ".join", join));
  }

  private static String noStep(String name) {
    return "there is no step '" + name + "'";
  }

  private @Nullable Join join(String path, Json json) {
    Json.Fields fields = reading.fields(path, json);
    if (fields == null) {
      return null;
    }
    reading.known(path, fields, "joinid", "mode", "k", "waitonjoin", "from");
    String target = reading.text(path + ".joinid", fields.get("joinid"));
    if (target == null || target.isBlank()) {
      reading.error(DiagnosticCode.JOIN_ID_MISSING, path, json, "the join needs a target");
    } else if (!structure.containsKey(target)) {
      reading.error(DiagnosticCode.JOIN_TARGET_UNKNOWN, path + ".joinid", json, noStep(target));
    }
    List<Source> from = from(path + ".from", fields);
    Rest rest = rest(path + ".waitonjoin", fields.get("waitonjoin"));
    Threshold threshold = threshold(path, fields, from.size());
    if (target == null || threshold == null || from.isEmpty()) {
      return null;
    }
    return new Join(target, threshold.mode(), threshold.k(), rest, from);
  }

  private List<Source> from(String path, Json.Fields join) {
    List<Json> items = reading.items(path, join.get("from"));
    if (items.isEmpty()) {
      reading.error(
          DiagnosticCode.JOIN_FROM_EMPTY, path, join, "the join needs at least one source");
    }
    reading.cap(Limit.JOIN_INPUTS, items.size(), path, join);
    List<Source> from = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      String place = path + "[" + i + "]";
      Json.Fields fields = reading.fields(place, items.get(i));
      if (fields == null) {
        continue;
      }
      reading.known(place, fields, "node", "when");
      String node = reading.text(place + ".node", fields.get("node"));
      if (node == null || !structure.containsKey(node)) {
        reading.error(
            DiagnosticCode.JOIN_FROM_UNKNOWN, place, fields, noStep(node == null ? "" : node));
        continue;
      }
      String word = reading.text(place + ".when", fields.get("when"));
      When when = when(word == null ? "any" : word);
      if (when == null) {
        reading.error(
            DiagnosticCode.JOIN_WHEN_INVALID,
            place + ".when",
            fields,
            "when must be valid, invalid or any, got " + word);
        continue;
      }
      if (from.stream().anyMatch(earlier -> earlier.node().equals(node))) {
        reading.warning(
            DiagnosticCode.JOIN_FROM_REPEATED,
            place,
            fields,
            "'" + node + "' is listed more than once");
      }
      from.add(new Source(node, when));
    }
    return from;
  }

  private static @Nullable When when(String word) {
    return switch (word) {
      case "valid" -> When.VALID;
      case "invalid" -> When.INVALID;
      case "any", "both", "" -> When.ANY;
      default -> null;
    };
  }

  private Rest rest(String path, @Nullable Json json) {
    String word = reading.text(path, json);
    if (json != null && !"kill".equals(word) && !"drain".equals(word)) {
      reading.error(
          DiagnosticCode.JOIN_WAIT_INVALID,
          path,
          json,
          "waitonjoin must be drain or kill, got " + word);
    }
    return "kill".equals(word) ? Rest.KILL : Rest.DRAIN;
  }

  private record Threshold(Mode mode, int k) {}

  /// Reads `any`, `all`, `kofn` with `k`, `{"kofn": n}` or `{"k": n}`; the default is `any`.
  private @Nullable Threshold threshold(String path, Json.Fields join, int sources) {
    Json mode = join.get("mode");
    Json number = join.get("k");
    String word = "any";
    if (mode instanceof Json.Fields(var at, var entries, var keys)
        && entries.size() == 1
        && (entries.containsKey("kofn") || entries.containsKey("k"))
        && number == null) {
      number = entries.values().iterator().next();
      word = "kofn";
    } else if (mode != null) {
      String given = mode instanceof Json.Text(var at, var value) ? value : "";
      word = given.equals("any") || given.equals("all") || given.equals("kofn") ? given : "";
    }
    OptionalLong k =
        number instanceof Json.Numeral numeral ? numeral.whole() : OptionalLong.empty();
    long need =
        switch (word) {
          case "any" -> 1;
          case "all" -> sources;
          case "kofn" -> k.orElse(0);
          default -> -1;
        };
    boolean contradicts = number != null && (k.isEmpty() || k.getAsLong() != need);
    if (need < 0 || contradicts || ((need < 1 || need > sources) && sources > 0)) {
      reading.error(
          DiagnosticCode.JOIN_THRESHOLD_INVALID,
          path + (need < 0 ? ".mode" : ".k"),
          join,
          need < 0
              ? "mode must be any, all, kofn with k, {\"kofn\": n} or {\"k\": n}"
              : contradicts && !word.equals("kofn")
                  ? "k is not allowed with mode " + word
                  : "k must be between 1 and the number of sources, "
                      + sources
                      + ", got "
                      + shown(number));
      return null;
    }
    return sources == 0
        ? null
        : new Threshold(
            word.equals("any") ? Mode.ANY : word.equals("all") ? Mode.ALL : Mode.KOFN, (int) need);
  }

  private static String shown(@Nullable Json json) {
    return json == null ? "nothing" : json.canonical();
  }
}
