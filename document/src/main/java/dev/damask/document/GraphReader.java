package dev.damask.document;

import dev.damask.document.FieldReader.Entry;
import dev.damask.json.Json.Fields;
import dev.damask.json.Json.Numeral;
import dev.damask.json.Json.Text;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Creates graphs: nodes, their joins, and the targets of their tokens.
final class GraphReader {
  private final TermReader terms;

  GraphReader(TermReader terms) {
    this.terms = terms;
  }

  Term graph(FieldReader fields) {
    List<Node> nodes = new ArrayList<>();
    fields.entries("nodes").forEach((id, entry) -> nodes.add(node(id, fields.object(entry))));
    return fields.make(() ->
        new Term.Graph(
            mode(fields), TermReader.merge(fields, "newest"), split(fields, "start"), nodes));
  }

  static Mode mode(FieldReader fields) {
    return Mode.valueOf(fields.text("mode", "implicit").toUpperCase(Locale.ROOT));
  }

  private Node node(String id, FieldReader fields) {
    Term written = terms.readOrNull(fields, "do");
    Term body = written != null ? written : terms.noted(fields.fields(), fields.path().then(".do"));
    return fields.make(() ->
        new Node(
            id,
            fields.has("join") ? join(fields.object("join")) : null,
            body,
            split(fields, "then")));
  }

  private static Split split(FieldReader fields, String key) {
    if (fields.require(key) instanceof Text(var at, var target)) {
      return new Split.To(target);
    }
    FieldReader split = fields.object(key);
    if (split.has("to") != split.has("copies")) {
      throw split.problem("to", "'copies' and 'to' require each other");
    }
    return split.make(() -> {
      if (split.has("and")) {
        return new Split.And(split.names("and"));
      }
      if (split.has("xor")) {
        return new Split.Xor(arcs(split, "xor"));
      }
      return split.has("or")
          ? new Split.Or(arcs(split, "or"))
          : new Split.Copies(split.whole("copies", 1), split.text("to"));
    });
  }

  private static List<Split.Arc> arcs(FieldReader fields, String key) {
    return fields.list(key, entry -> arc(fields.object(entry)));
  }

  private static Split.Arc arc(FieldReader fields) {
    if (fields.has("else")) {
      if (fields.has("when")) {
        throw fields.problem("when", "'else' must not have a condition");
      }
      return new Split.Arc(null, true, fields.text("else"));
    }
    return new Split.Arc(
        fields.has("when") ? fields.guard("when") : null, false, fields.text("to"));
  }

  private static Node.Join join(FieldReader fields) {
    boolean abort = fields.has("short");
    for (String key : List.of("from", "block", "cancel")) {
      if (fields.has(key) && !fields.has("kof")) {
        throw fields.problem(key, "'" + key + "' requires 'kof'");
      }
    }
    return fields.make(() -> {
      if (fields.has("and")) {
        return new Node.Join.And(weights(fields), abort);
      }
      if (fields.has("or")) {
        return new Node.Join.Or(fields.names("or"), abort);
      }
      return kof(fields, abort);
    });
  }

  private static Node.Join kof(FieldReader fields, boolean abort) {
    int k = fields.whole("kof", 1);
    List<String> sources = fields.names("from");
    if (fields.flag("block") == fields.has("cancel")) {
      throw fields.problem("kof", "kof must have either 'block: true' or 'cancel', not both");
    }
    return fields.flag("block")
        ? new Node.Join.Blocking(k, sources, abort)
        : new Node.Join.Cancelling(k, sources, fields.names("cancel"), abort);
  }

  private static Map<String, Integer> weights(FieldReader fields) {
    Map<String, Integer> weights = new LinkedHashMap<>();
    if (fields.require("and") instanceof Fields) {
      for (Map.Entry<String, Entry> source : fields.entries("and").entrySet()) {
        Numeral weight = (Numeral) source.getValue().node();
        weights.put(source.getKey(), weight.number().intValue());
      }
    } else {
      for (String source : fields.names("and")) {
        if (weights.put(source, 1) != null) {
          throw fields.problem("and", "duplicate source '" + source + "'");
        }
      }
    }
    return weights;
  }
}
