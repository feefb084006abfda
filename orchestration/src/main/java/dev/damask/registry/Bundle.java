package dev.damask.registry;

import dev.damask.check.Diagnostic;
import dev.damask.graph.GraphDocument;
import dev.damask.graph.GraphDocumentReader;
import dev.damask.graph.GraphWriter;
import dev.damask.json.Json;
import dev.damask.json.JsonProblem;
import dev.damask.json.Position;
import dev.damask.rule.RuleReader;
import dev.damask.source.Address;
import dev.damask.source.DiagnosticCode;
import dev.damask.source.DocumentSources;
import dev.damask.source.JsonTexts;
import dev.damask.source.Reading;
import dev.damask.source.Rejected;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Orchestrations in one file: each with one graph and the rules it names by alias or address.
///
/// @param orchestrations by the id of their bundle; rules by their address or, without one, by
///   their alias
public record Bundle(Map<String, Orchestration> orchestrations, List<Diagnostic> diagnostics) {
  private static final String FORMAT = "xgr-multi-bundle@1";
  private static final Pattern ALIAS = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{1,127}");

  /// What a published item has beside the keys of its document.
  private static final Set<String> ENVELOPE = Set.of("meta", "address", "name", "bundleId");

  private static final int BYTES_MAX = 16 * 1_024 * 1_024;

  public Bundle {
    orchestrations = java.util.Collections.unmodifiableMap(new TreeMap<>(orchestrations));
    diagnostics = List.copyOf(diagnostics);
  }

  /// Whether a string looks like a bundle, whatever else is wrong with it.
  public static boolean isBundle(String text) {
    return JsonTexts.isObjectWith("bundles", text);
  }

  /// Reads a bundle; throws [Rejected] with everything that is wrong with it.
  public static Bundle read(String text) {
    Reader reader = new Reader();
    Map<String, Orchestration> found = reader.read(text);
    if (reader.reading.hasErrors()) {
      throw new Rejected("bundle", reader.reading.diagnostics());
    }
    return new Bundle(found, reader.reading.diagnostics());
  }

  private static final class Reader {
    final Reading reading = new Reading();

    Map<String, Orchestration> read(String text) {
      Map<String, Orchestration> found = new TreeMap<>();
      if (text.length() > BYTES_MAX) {
        reading.add(
            DiagnosticCode.LIMIT_EXCEEDED.error(
                "",
                Position.NONE,
                "a bundle must have at most " + BYTES_MAX + " characters, found " + text.length()));
        return found;
      }
      Json json;
      try {
        json = JsonTexts.read(text);
      } catch (JsonProblem e) {
        reading.notJson(e);
        return found;
      }
      Json.Fields root = reading.fields("", json);
      if (root == null) {
        return found;
      }
      reading.known("", root, "format", "createdAt", "kind", "version", "bundles");
      if (!FORMAT.equals(reading.text("format", root.get("format")))) {
        reading.error(
            DiagnosticCode.BUNDLE_FORMAT_INVALID, "format", root, "the format must be " + FORMAT);
      }
      time(root);
      List<Json> items = reading.items("bundles", root.get("bundles"));
      for (int i = 0; i < items.size(); i++) {
        Json.Fields fields = reading.fields("bundles[" + i + "]", items.get(i));
        if (fields != null) {
          bundle("bundles[" + i + "]", fields, found);
        }
      }
      return found;
    }

    private void time(Json.Fields root) {
      if (root.get("createdAt") == null) {
        return;
      }
      String at = reading.text("createdAt", root.get("createdAt"));
      try {
        Instant.parse(at == null ? "" : at);
      } catch (DateTimeParseException e) {
        reading.error(
            DiagnosticCode.BUNDLE_TIME_INVALID,
            "createdAt",
            root,
            "not a time such as 2026-01-31T12:00:00Z");
      }
    }

    /// A rule of a bundle.
    ///
    /// @param address empty when it has none
    private record Item(String alias, String address, Json.Fields document) {
      /// What steps and wake-ups know it by: its address, because that is unique in all bundles.
      String key() {
        return address.isEmpty() ? alias : address;
      }

      boolean isMeant(String name) {
        return name.equals(alias) || (!address.isEmpty() && Address.same(name, address));
      }
    }

    private void bundle(String path, Json.Fields fields, Map<String, Orchestration> found) {
      reading.known(path, fields, "bundleId", "items");
      String id = reading.text(path + ".bundleId", fields.get("bundleId"));
      List<Json.Fields> graphs = new ArrayList<>();
      List<Item> rules = new ArrayList<>();
      List<Json> items = reading.items(path + ".items", fields.get("items"));
      for (int i = 0; i < items.size(); i++) {
        item(path + ".items[" + i + "]", items.get(i), graphs, rules);
      }
      if (id == null || graphs.size() != 1 || rules.isEmpty()) {
        reading.error(
            DiagnosticCode.BUNDLE_ITEMS_INVALID,
            path,
            fields,
            "a bundle needs an id, exactly one xrc729 and at least one xrc137");
        return;
      }
      GraphDocumentReader.Result graph = GraphDocumentReader.read(graphs.getFirst(), true);
      graph.diagnostics().forEach(reading::add);
      if (graph.document() != null) {
        String resolved = GraphWriter.canonical(resolved(path, fields, graph.document(), rules));
        Map<String, String> texts = new TreeMap<>();
        Map<String, Json> places = new TreeMap<>();
        Map<String, String> aliases = new TreeMap<>();
        for (Item rule : rules) {
          aliases.put(rule.alias(), rule.key());
          texts.put(rule.key(), rule.document().canonical());
          places.put(rule.key(), rule.document());
        }
        Orchestration all =
            new Orchestration(
                resolved, texts, new DocumentSources(graphs.getFirst(), places, aliases));
        if (found.put(id, all) != null) {
          reading.error(
              DiagnosticCode.BUNDLE_ITEMS_INVALID,
              path,
              fields,
              "two bundles have the same id '" + id + "'");
        }
      }
    }

    private void item(String path, Json json, List<Json.Fields> graphs, List<Item> rules) {
      Json.Fields fields = reading.fields(path, json);
      if (fields == null) {
        return;
      }
      boolean isWrapped = fields.get("document") != null;
      Json.Fields head = fields;
      if (isWrapped) {
        reading.known(path, fields, "type", "alias", "document");
      } else {
        head = reading.fields(path + ".meta", fields.get("meta"));
      }
      String type = head == null ? null : reading.text(path + ".type", head.get("type"));
      String alias = head == null ? null : reading.text(path + ".alias", head.get("alias"));
      Json.Fields document =
          isWrapped ? reading.fields(path + ".document", fields.get("document")) : bare(fields);
      if (alias != null && !ALIAS.matcher(alias).matches()) {
        reading.error(
            DiagnosticCode.ALIAS_INVALID, path + ".alias", fields, "an alias must match " + ALIAS);
      } else if (document == null || type == null || !type.matches("xrc729|xrc137")) {
        reading.error(
            DiagnosticCode.BUNDLE_ITEM_INVALID,
            path,
            fields,
            "an item needs a document, and 'meta' with the type xrc729 or xrc137");
      } else if (type.equals("xrc729")) {
        graphs.add(document);
      } else {
        String address = isWrapped || head == null ? "" : address(path, fields, head);
        rule(path, new Item(alias == null ? "" : alias, address, document), rules);
      }
    }

    private String address(String path, Json.Fields fields, Json.Fields meta) {
      String own = reading.text(path + ".address", fields.get("address"));
      String deployed = reading.text(path + ".deployedAddress", meta.get("deployedAddress"));
      return own != null && !own.isBlank() ? own : deployed == null ? "" : deployed.strip();
    }

    /// A published item without what stands around its document. A rule has no id of its own.
    private static Json.Fields bare(Json.Fields item) {
      Map<String, Json> own = new LinkedHashMap<>(item.entries());
      own.keySet().removeAll(ENVELOPE);
      if (item.get("structure") == null) {
        own.remove("id");
      }
      return new Json.Fields(item.at(), own);
    }

    private void rule(String path, Item rule, List<Item> rules) {
      RuleReader.read(rule.document()).diagnostics().forEach(reading::add);
      if (rule.alias().isEmpty() || rules.stream().anyMatch(each -> each.isMeant(rule.alias()))) {
        reading.error(
            DiagnosticCode.ALIAS_INVALID,
            path,
            rule.document(),
            "every rule needs a different alias");
      } else if (rules.stream().anyMatch(each -> each.isMeant(rule.key()))) {
        String sentence = "two rules have the same address " + rule.key();
        reading.error(DiagnosticCode.BUNDLE_ITEMS_INVALID, path, rule.document(), sentence);
      }
      rules.add(rule);
    }

    /// The graph with the keys of the rules that its steps name.
    private GraphDocument resolved(
        String path, Json.Fields at, GraphDocument graph, List<Item> rules) {
      Set<Item> unused = new LinkedHashSet<>(rules);
      Map<String, String> keys = new TreeMap<>();
      graph
          .steps()
          .forEach((step, each) -> {
            String name = Orchestration.key(each.rule());
            Item meant = rules.stream().filter(rule -> rule.isMeant(name)).findFirst().orElse(null);
            if (meant == null) {
              reading.error(
                  DiagnosticCode.ALIAS_UNRESOLVED,
                  path,
                  at,
                  "step " + step + " names no rule of the bundle: '" + name + "'");
            } else {
              unused.remove(meant);
              keys.put(each.rule(), meant.key());
            }
          });
      unused.forEach(rule ->
          reading.warning(
              DiagnosticCode.RULE_UNUSED,
              path,
              at,
              "no step uses the rule '" + rule.alias() + "'"));
      return graph.withRules(name -> keys.getOrDefault(name, name));
    }
  }
}
