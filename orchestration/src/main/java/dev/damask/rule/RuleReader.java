package dev.damask.rule;

import dev.damask.check.Diagnostic;
import dev.damask.json.Json;
import dev.damask.rule.RuleDocument.Call;
import dev.damask.rule.RuleDocument.Extract;
import dev.damask.rule.RuleDocument.Field;
import dev.damask.rule.RuleDocument.Kind;
import dev.damask.rule.RuleDocument.Read;
import dev.damask.rule.RuleDocument.Rule;
import dev.damask.rule.RuleDocument.Save;
import dev.damask.source.DiagnosticCode;
import dev.damask.source.Hash;
import dev.damask.source.Limit;
import dev.damask.source.Reading;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads rule documents and reports all errors of a document.
public final class RuleReader {
  static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "PATCH");

  /// Headers that delimit or route a message. A rule that sets them could smuggle a request.
  private static final Set<String> FRAMING =
      Set.of("host", "content-length", "transfer-encoding", "connection", "upgrade", "te");

  private static final long TIMEOUT_MAX = 8_000;

  private final Reading reading = new Reading();
  private final ValueReader values = new ValueReader(reading);
  private final Set<String> aliases = new TreeSet<>();

  /// The document, or null if it has errors, and all diagnostics.
  public record Result(@Nullable RuleDocument document, List<Diagnostic> diagnostics) {}

  public static Result read(String text) {
    RuleReader reader = new RuleReader();
    Json.Fields root = reader.reading.root(text, Limit.RULE_BYTES);
    RuleDocument document = root == null ? null : reader.document(root, Hash.of(text));
    return new Result(reader.reading.hasErrors() ? null : document, reader.reading.diagnostics());
  }

  /// Reads a rule that is part of another document.
  public static Result read(Json.Fields root) {
    RuleReader reader = new RuleReader();
    String text = root.canonical();
    reader.reading.cap(Limit.RULE_BYTES, RuleText.bytes(text), "", root);
    RuleDocument document = reader.document(root, Hash.of(text));
    return new Result(reader.reading.hasErrors() ? null : document, reader.reading.diagnostics());
  }

  private RuleDocument document(Json.Fields root, String rawHash) {
    reading.known(
        "", root, "payload", "rules", "contractReads", "apiCalls", "onValid", "onInvalid");
    if (root.get("payload") == null) {
      reading.error(
          DiagnosticCode.PAYLOAD_MISSING,
          "payload",
          root,
          "the rule document must declare its payload");
    }
    BranchReader branches = new BranchReader(reading, values);
    return new RuleDocument(
        payload(root.get("payload")),
        reads(root.get("contractReads")),
        calls(root.get("apiCalls")),
        rules(root.get("rules")),
        branches.branch("onValid", root.get("onValid")),
        branches.branch("onInvalid", root.get("onInvalid")),
        root.canonical(),
        rawHash);
  }

  private Map<String, Field> payload(@Nullable Json json) {
    Map<String, Field> payload = new LinkedHashMap<>();
    Json.Fields fields = reading.fields("payload", json);
    if (fields == null) {
      return payload;
    }
    reading.cap(Limit.PAYLOAD_FIELDS, fields.entries().size(), "payload", fields);
    fields
        .entries()
        .forEach((name, entry) -> {
          String path = "payload." + name;
          name(DiagnosticCode.PAYLOAD_FIELD_KEY_INVALID, path, name, entry);
          Json.Fields field = reading.fields(path, entry);
          if (field != null) {
            reading.known(path, field, "type", "default");
            ValueType type = values.type(path, field);
            if (type != null) {
              payload.put(name, new Field(type, values.fallback(path, type, field)));
            }
          }
        });
    return payload;
  }

  private void name(DiagnosticCode code, String path, String name, Json at) {
    if (reading.cap(Limit.FIELD_NAME, name.length(), path, at) && !NAME.matcher(name).matches()) {
      reading.error(code, path, at, "a name must match " + NAME + ", found '" + name + "'");
    }
  }

  private List<Read> reads(@Nullable Json json) {
    List<Read> reads = new ArrayList<>();
    List<Json> items = reading.items("contractReads", json);
    if (json != null) {
      reading.cap(Limit.READS, items.size(), "contractReads", json);
    }
    for (int i = 0; i < items.size(); i++) {
      String path = "contractReads[" + i + "]";
      Json.Fields fields = reading.fields(path, items.get(i));
      if (fields == null) {
        continue;
      }
      reading.known(path, fields, "to", "function", "args", "saveAs", "rpc");
      String to = required(path, fields, "to");
      String function = required(path, fields, "function");
      String backend = reading.text(path + ".rpc", fields.get("rpc"));
      reads.add(
          new Read(
              to,
              function,
              values.typedValues(path + ".args", fields.get("args"), fields, null),
              saves(path + ".saveAs", fields),
              backend == null ? "" : backend));
    }
    return reads;
  }

  private TreeMap<Integer, Save> saves(String path, Json.Fields read) {
    TreeMap<Integer, Save> saves = new TreeMap<>();
    Json.Fields fields = reading.fields(path, read.get("saveAs"));
    if (fields == null) {
      return saves;
    }
    reading.cap(Limit.SAVES, fields.entries().size(), path, fields);
    fields
        .entries()
        .forEach((slot, entry) -> {
          String place = path + "." + slot;
          Json.Fields save = reading.fields(place, entry);
          if (!slot.matches("[0-9]{1,4}")) {
            reading.error(
                DiagnosticCode.SAVEAS_SLOT_INVALID,
                place,
                entry,
                "a slot must be a non-negative integer");
          } else if (save != null) {
            reading.known(place, save, "key", "type", "default");
            String key = required(place, save, "key");
            name(DiagnosticCode.SAVEAS_KEY_INVALID, place + ".key", key, save);
            alias(DiagnosticCode.SAVEAS_KEY_REPEATED, place, key, save);
            requireOwn(place + ".key", key, save);
            ValueType type = values.type(place, save);
            if (type != null) {
              saves.put(
                  Integer.parseInt(slot), new Save(key, type, values.fallback(place, type, save)));
            }
          }
        });
    return saves;
  }

  /// A required, non-empty string; empty if it is missing.
  private String required(String path, Json.Fields fields, String key) {
    String text = reading.text(path + "." + key, fields.get(key));
    if (text == null || text.isBlank()) {
      reading.error(
          DiagnosticCode.KEY_MISSING, path + "." + key, fields, "'" + key + "' is missing");
      return "";
    }
    reading.cap(Limit.EXPRESSION_CHARS, text.length(), path + "." + key, fields);
    return text;
  }

  private void alias(DiagnosticCode code, String path, String alias, Json at) {
    if (!alias.isEmpty() && !aliases.add(alias)) {
      reading.error(code, path, at, "'" + alias + "' is written more than once");
    }
  }

  private void requireOwn(String path, String key, Json at) {
    if (CompiledRule.isEngineKey(key)) {
      reading.error(
          DiagnosticCode.ENGINE_KEY,
          path,
          at,
          "'" + key + "' is set by the engine; use another name");
    }
  }

  private List<Call> calls(@Nullable Json json) {
    List<Call> calls = new ArrayList<>();
    List<Json> items = reading.items("apiCalls", json);
    if (json != null) {
      reading.cap(Limit.API_CALLS, items.size(), "apiCalls", json);
    }
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < items.size(); i++) {
      String path = "apiCalls[" + i + "]";
      Json.Fields fields = reading.fields(path, items.get(i));
      if (fields != null) {
        Call call = call(path, fields);
        if (!names.add(call.name())) {
          reading.error(
              DiagnosticCode.API_NAME_REPEATED,
              path,
              fields,
              "two calls have the same name '" + call.name() + "'");
        }
        calls.add(call);
      }
    }
    return calls;
  }

  private Call call(String path, Json.Fields fields) {
    reading.known(
        path,
        fields,
        "name",
        "method",
        "urlTemplate",
        "contentType",
        "bodyTemplate",
        "headers",
        "timeoutMs",
        "extractMap");
    String name = required(path, fields, "name");
    String method = required(path, fields, "method");
    if (!METHODS.contains(method)) {
      reading.error(
          DiagnosticCode.API_METHOD_INVALID,
          path + ".method",
          fields,
          "the method must be one of " + METHODS);
    }
    String content = reading.text(path + ".contentType", fields.get("contentType"));
    if (content != null && !content.equals("json")) {
      reading.error(
          DiagnosticCode.API_CONTENT_INVALID,
          path + ".contentType",
          fields,
          "only json is supported");
    }
    String url = required(path, fields, "urlTemplate");
    reading.cap(Limit.URL_CHARS, url.length(), path + ".urlTemplate", fields);
    values.template(path + ".urlTemplate", url, fields);
    String body = reading.text(path + ".bodyTemplate", fields.get("bodyTemplate"));
    if (body != null) {
      reading.cap(Limit.BODY_CHARS, body.length(), path + ".bodyTemplate", fields);
      values.template(path + ".bodyTemplate", body, fields);
    }
    return new Call(
        name,
        method,
        url,
        body == null ? "" : body,
        headers(path + ".headers", fields.get("headers")),
        timeout(path + ".timeoutMs", fields.get("timeoutMs")),
        extracts(path + ".extractMap", fields.get("extractMap")));
  }

  private TreeMap<String, String> headers(String path, @Nullable Json json) {
    TreeMap<String, String> headers = new TreeMap<>();
    Json.Fields fields = reading.fields(path, json);
    if (fields != null) {
      fields
          .entries()
          .forEach((name, entry) -> {
            String value = reading.text(path + "." + name, entry);
            if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
                || FRAMING.contains(name.toLowerCase(java.util.Locale.ROOT))
                || (value != null && value.chars().anyMatch(c -> c < ' ' || c == 127))) {
              reading.error(
                  DiagnosticCode.API_HEADER_INVALID,
                  path + "." + name,
                  entry,
                  "the header cannot be sent");
            } else if (value != null) {
              values.template(path + "." + name, value, entry);
              headers.put(name, value);
            }
          });
    }
    return headers;
  }

  private long timeout(String path, @Nullable Json json) {
    if (json == null) {
      return TIMEOUT_MAX;
    }
    long millis = json instanceof Json.Numeral numeral ? numeral.whole().orElse(-1) : -1;
    if (millis < 1) {
      reading.error(
          DiagnosticCode.API_TIMEOUT_INVALID, path, json, "a timeout must be a positive integer");
    }
    return Math.min(Math.max(1, millis), TIMEOUT_MAX);
  }

  private Map<String, Extract> extracts(String path, @Nullable Json json) {
    Map<String, Extract> extracts = new LinkedHashMap<>();
    Json.Fields fields = reading.fields(path, json);
    if (fields == null) {
      return extracts;
    }
    reading.cap(Limit.EXTRACTS, fields.entries().size(), path, fields);
    fields
        .entries()
        .forEach((alias, entry) -> {
          String place = path + "." + alias;
          name(DiagnosticCode.EXTRACTMAP_KEY_INVALID, place, alias, entry);
          alias(DiagnosticCode.EXTRACTMAP_ALIAS_REPEATED, place, alias, entry);
          requireOwn(place, alias, entry);
          Json.Fields extract = reading.fields(place, entry);
          if (extract == null) {
            return;
          }
          reading.known(place, extract, "type", "value", "expr", "default", "save");
          ValueType type = values.type(place, extract);
          Json value = values.either(DiagnosticCode.EXTRACTMAP_VALUE_INVALID, place, extract);
          String text = reading.text(place + ".value", value);
          boolean save = !(extract.get("save") instanceof Json.Flag(var at, var flag)) || flag;
          if (type != null && text != null) {
            values.expression(DiagnosticCode.EXTRACTMAP_VALUE_INVALID, place, text, extract);
            extracts.put(
                alias, new Extract(type, text, values.fallback(place, type, extract), save));
          }
        });
    return extracts;
  }

  private List<Rule> rules(@Nullable Json json) {
    List<Rule> rules = new ArrayList<>();
    List<Json> items = reading.items("rules", json);
    if (json != null) {
      reading.cap(Limit.RULES, items.size(), "rules", json);
    }
    for (int i = 0; i < items.size(); i++) {
      Rule rule = rule("rules[" + i + "]", items.get(i));
      if (rule != null) {
        rules.add(rule);
      }
    }
    return rules;
  }

  private @Nullable Rule rule(String path, Json json) {
    String text = json instanceof Json.Text(var at, var value) ? value : null;
    Kind kind = Kind.VALIDATE;
    if (json instanceof Json.Fields fields) {
      String type = reading.text(path + ".type", fields.get("type"));
      Kind named = kind(type == null ? "validate" : type);
      if (named == null) {
        reading.error(
            DiagnosticCode.RULE_TYPE_INVALID,
            path + ".type",
            json,
            "the type of a rule must be validate, abortStep or cancelSession, got " + type);
      } else {
        kind = named;
      }
      text = fields.get("expression") instanceof Json.Text(var at, var value) ? value : null;
      if (!Set.of("expression", "type").containsAll(fields.entries().keySet())) {
        reading.error(
            DiagnosticCode.RULE_EXPR_INVALID,
            path,
            json,
            "a rule object has an 'expression' and optionally a 'type'");
        return null;
      }
    }
    if (text == null || text.isBlank()) {
      reading.error(
          DiagnosticCode.RULE_EXPR_INVALID,
          path,
          json,
          "a rule must be a string or have an 'expression'");
      return null;
    }
    values.expression(DiagnosticCode.RULE_EXPR_INVALID, path, text, json);
    if (RuleText.isProse(text)) {
      reading.warning(
          DiagnosticCode.RULE_WEAK_PROSE,
          path,
          json,
          "this looks like a sentence, not a condition");
    }
    return new Rule(text, kind);
  }

  private static @Nullable Kind kind(String word) {
    return switch (word) {
      case "validate" -> Kind.VALIDATE;
      case "abortStep" -> Kind.ABORT_STEP;
      case "cancelSession" -> Kind.CANCEL_SESSION;
      default -> null;
    };
  }
}
