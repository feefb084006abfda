package dev.damask.orchestration;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Orchestrations in one file: each with one graph and the rules it names by alias.
///
/// @param orchestrations by the id of their bundle; rules by alias
public record Bundle(Map<String, Orchestration> orchestrations, List<Notice> notices) {
  private static final String FORMAT = "xgr-multi-bundle@1";
  private static final Pattern ALIAS = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{1,127}");
  private static final String PREFIX = "cm:xrc137:";
  private static final int BYTES_MAX = 16 * 1_024 * 1_024;

  public Bundle {
    orchestrations = java.util.Collections.unmodifiableMap(new TreeMap<>(orchestrations));
    notices = List.copyOf(notices);
  }

  /// Reads a bundle; throws [Rejected] with everything that is wrong with it.
  public static Bundle read(String text) {
    Reader reader = new Reader();
    Map<String, Orchestration> found = reader.read(text);
    if (reader.reading.hasErrors()) {
      throw new Rejected("bundle", reader.reading.notices());
    }
    return new Bundle(found, reader.reading.notices());
  }

  private static final class Reader {
    final Reading reading = new Reading();

    Map<String, Orchestration> read(String text) {
      Map<String, Orchestration> found = new TreeMap<>();
      if (text.length() > BYTES_MAX) {
        reading.add(
            Notice.error(
                NoticeCode.LIMIT_EXCEEDED,
                "",
                Json.Spot.NOWHERE,
                "a bundle has at most " + BYTES_MAX + " characters, found " + text.length()));
        return found;
      }
      Json json;
      try {
        json = JsonText.read(text);
      } catch (JsonText.Malformed e) {
        reading.add(Notice.error(NoticeCode.NOT_JSON, "", e.at(), String.valueOf(e.getMessage())));
        return found;
      }
      Json.Fields root = reading.fields("", json);
      if (root == null) {
        return found;
      }
      reading.known("", root, "format", "createdAt", "bundles");
      if (!FORMAT.equals(reading.text("format", root.get("format")))) {
        reading.error(NoticeCode.BUNDLE_FORMAT_INVALID, "format", root, "the format is " + FORMAT);
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
      String at = reading.text("createdAt", root.get("createdAt"));
      try {
        Instant.parse(at == null ? "" : at);
      } catch (DateTimeParseException e) {
        reading.error(
            NoticeCode.BUNDLE_TIME_INVALID,
            "createdAt",
            root,
            "no time such as 2026-01-31T12:00:00Z");
      }
    }

    private void bundle(String path, Json.Fields fields, Map<String, Orchestration> found) {
      reading.known(path, fields, "bundleId", "items");
      String id = reading.text(path + ".bundleId", fields.get("bundleId"));
      List<Json.Fields> graphs = new ArrayList<>();
      Map<String, String> rules = new TreeMap<>();
      List<Json> items = reading.items(path + ".items", fields.get("items"));
      for (int i = 0; i < items.size(); i++) {
        item(path + ".items[" + i + "]", items.get(i), graphs, rules);
      }
      if (id == null || graphs.size() != 1 || rules.isEmpty()) {
        reading.error(
            NoticeCode.BUNDLE_ITEMS_INVALID,
            path,
            fields,
            "a bundle has an id, exactly one xrc729 and at least one xrc137");
        return;
      }
      GraphReader.Result graph = GraphReader.read(graphs.getFirst(), true);
      graph.notices().forEach(reading::add);
      if (graph.document() != null) {
        aliases(path, fields, graph.document(), rules.keySet());
        found.put(id, new Orchestration(graphs.getFirst().canonical(), rules));
      }
    }

    private void item(String path, Json json, List<Json.Fields> graphs, Map<String, String> rules) {
      Json.Fields fields = reading.fields(path, json);
      if (fields == null) {
        return;
      }
      reading.known(path, fields, "type", "alias", "document");
      String type = reading.text(path + ".type", fields.get("type"));
      String alias = reading.text(path + ".alias", fields.get("alias"));
      Json.Fields document = reading.fields(path + ".document", fields.get("document"));
      if (alias != null && !ALIAS.matcher(alias).matches()) {
        reading.error(
            NoticeCode.ALIAS_INVALID, path + ".alias", fields, "an alias matches " + ALIAS);
      } else if (document == null || type == null || !type.matches("xrc729|xrc137")) {
        reading.error(
            NoticeCode.BUNDLE_ITEM_INVALID,
            path,
            fields,
            "an item is an xrc729 or xrc137 with a document");
      } else if (type.equals("xrc729")) {
        graphs.add(document);
      } else {
        rule(path, alias, document, rules);
      }
    }

    private void rule(
        String path, @Nullable String alias, Json.Fields document, Map<String, String> rules) {
      String text = document.canonical();
      RuleReader.read(text).notices().forEach(reading::add);
      if (alias == null || rules.put(alias, text) != null) {
        reading.error(
            NoticeCode.ALIAS_INVALID, path, document, "every rule has an alias of its own");
      }
    }

    private void aliases(String path, Json.Fields at, GraphDocument graph, Set<String> rules) {
      Set<String> unused = new TreeSet<>(rules);
      graph
          .steps()
          .forEach((step, each) -> {
            String alias = each.rule().startsWith(PREFIX) ? Orchestration.key(each.rule()) : null;
            if (alias != null && !rules.contains(alias)) {
              reading.error(
                  NoticeCode.ALIAS_UNRESOLVED,
                  path,
                  at,
                  "step " + step + " names no rule: '" + alias + "'");
            }
            unused.remove(alias == null ? "" : alias);
          });
      unused.forEach(alias ->
          reading.warning(
              NoticeCode.RULE_UNUSED, path, at, "no step uses the rule '" + alias + "'"));
    }
  }
}
