package dev.damask.rule;

import dev.damask.json.Json;
import dev.damask.rule.RuleDocument.Branch;
import dev.damask.rule.RuleDocument.Execution;
import dev.damask.rule.RuleDocument.Grant;
import dev.damask.rule.RuleDocument.TypedValue;
import dev.damask.rule.RuleDocument.WakeUp;
import dev.damask.source.DiagnosticCode;
import dev.damask.source.Limit;
import dev.damask.source.Reading;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads the branch of a rule document for one outcome.
final class BranchReader {
  private static final int RIGHTS_MAX = 7;
  private static final int DAYS_MAX = 36_500;

  private final Reading reading;
  private final ValueReader values;

  BranchReader(Reading reading, ValueReader values) {
    this.reading = reading;
    this.values = values;
  }

  Branch branch(String path, @Nullable Json json) {
    Json.Fields fields = reading.fields(path, json);
    if (fields == null) {
      return Branch.EMPTY;
    }
    reading.known(
        path,
        fields,
        "payload",
        "execution",
        "grants",
        "wakeUps",
        "logExpireDays",
        "waitSec",
        "waitUntilMs",
        "encryptLogs");
    if (fields.get("encryptLogs") instanceof Json.Flag(var at, var flag) && flag) {
      reading.error(
          DiagnosticCode.ENCRYPT_LOGS_UNSUPPORTED,
          path + ".encryptLogs",
          fields,
          "encrypted logs are not supported; remove encryptLogs or set it to false");
    }
    Json days = fields.get("logExpireDays");
    return new Branch(
        payload(path + ".payload", fields.get("payload")),
        execution(path + ".execution", fields.get("execution")),
        grants(path + ".grants", fields.get("grants")),
        wakeUps(path + ".wakeUps", fields.get("wakeUps")),
        days == null ? null : whole(path + ".logExpireDays", days, DAYS_MAX),
        wait(path + ".waitSec", fields.get("waitSec")),
        wait(path + ".waitUntilMs", fields.get("waitUntilMs")));
  }

  private Map<String, Json> payload(String path, @Nullable Json json) {
    Json.Fields fields = reading.fields(path, json);
    if (fields == null) {
      return Map.of();
    }
    reading.cap(Limit.OUTCOME_KEYS, fields.entries().size(), path, fields);
    Map<String, Json> payload = new LinkedHashMap<>();
    fields
        .entries()
        .forEach((name, entry) -> {
          String place = path + "." + name;
          boolean named = reading.cap(Limit.FIELD_NAME, name.length(), place, entry);
          if (named && !RuleReader.NAME.matcher(name).matches()) {
            reading.error(
                DiagnosticCode.BRANCH_PAYLOAD_SCHEMA_INVALID,
                place,
                entry,
                "not a valid key: '" + name + "'");
          } else if (name.startsWith("__")) {
            reading.error(
                DiagnosticCode.BRANCH_PAYLOAD_SCHEMA_INVALID,
                place,
                entry,
                "names that begin with __ are reserved for the engine");
          }
          if (entry instanceof Json.Text(var at, var text)) {
            values.mixed(place, text, entry);
          }
          payload.put(name, entry);
        });
    return payload;
  }

  private @Nullable Execution execution(String path, @Nullable Json json) {
    Json.Fields fields = reading.fields(path, json);
    if (fields == null) {
      return null;
    }
    reading.known(path, fields, "to", "function", "args", "value", "gas", "extras");
    String to = reading.text(path + ".to", fields.get("to"));
    if (to == null || to.isBlank()) {
      return null; // without a target the step only reports what it found
    }
    values.mixed(path + ".to", to, fields);
    String function = reading.text(path + ".function", fields.get("function"));
    Json value = fields.get("value");
    TypedValue amount = value == null ? null : values.typedValue(path + ".value", value);
    Json.Fields gas = reading.fields(path + ".gas", fields.get("gas"));
    long limit = 0;
    if (gas != null) {
      reading.known(path + ".gas", gas, "limit");
      Json number = gas.get("limit");
      limit = number == null ? 0 : whole(path + ".gas.limit", number, Integer.MAX_VALUE);
    }
    return new Execution(
        to,
        function == null ? "" : function,
        values.typedValues(path + ".args", fields.get("args"), fields, Limit.EXECUTION_ARGS),
        amount,
        limit,
        fields.get("extras"));
  }

  private List<Grant> grants(String path, @Nullable Json json) {
    List<Grant> grants = new ArrayList<>();
    List<Json> items = reading.items(path, json);
    if (json != null) {
      reading.cap(Limit.GRANTS, items.size(), path, json);
    }
    for (int i = 0; i < items.size(); i++) {
      String place = path + "[" + i + "]";
      Json.Fields fields = reading.fields(place, items.get(i));
      if (fields == null) {
        continue;
      }
      reading.known(place, fields, "address", "rights", "expireDays");
      String address = reading.text(place + ".address", fields.get("address"));
      Json rights = fields.get("rights");
      int mask = rights == null ? 0 : whole(place + ".rights", rights, RIGHTS_MAX);
      if (address == null || address.isBlank() || mask < 1) {
        reading.error(
            DiagnosticCode.GRANT_INVALID,
            place,
            fields,
            "a grant needs an address, and rights between 1 and 7");
        continue;
      }
      Json days = fields.get("expireDays");
      grants.add(
          new Grant(
              address, mask, days == null ? 0 : whole(place + ".expireDays", days, DAYS_MAX)));
    }
    return grants;
  }

  private int whole(String path, Json json, int max) {
    long number = json instanceof Json.Numeral numeral ? numeral.whole().orElse(-1) : -1;
    if (number < 0 || number > max) {
      reading.error(
          DiagnosticCode.NUMBER_INVALID, path, json, "expected an integer between 0 and " + max);
      return 0;
    }
    return (int) number;
  }

  private List<WakeUp> wakeUps(String path, @Nullable Json json) {
    List<WakeUp> wakeUps = new ArrayList<>();
    List<Json> items = reading.items(path, json);
    for (int i = 0; i < items.size(); i++) {
      String place = path + "[" + i + "]";
      Json.Fields fields = reading.fields(place, items.get(i));
      if (fields == null) {
        continue;
      }
      reading.known(place, fields, "runner", "sessionId", "stepId", "payload");
      String runner = reading.text(place + ".runner", fields.get("runner"));
      Json session = fields.get("sessionId");
      String step = reading.text(place + ".stepId", fields.get("stepId"));
      boolean sound = session instanceof Json.Text || isPositive(session);
      if (runner == null || session == null || step == null || !sound) {
        reading.error(
            DiagnosticCode.WAKEUP_INVALID,
            place,
            fields,
            "a wake-up needs a runner, a positive sessionId and a stepId");
        continue;
      }
      wakeUps.add(
          new WakeUp(runner, session, step, payload(place + ".payload", fields.get("payload"))));
    }
    return wakeUps;
  }

  private static boolean isPositive(@Nullable Json json) {
    return json instanceof Json.Numeral numeral && numeral.whole().orElse(0) > 0;
  }

  /// A non-negative integer, or an expression.
  private @Nullable Json wait(String path, @Nullable Json json) {
    switch (json) {
      case null -> {}
      case Json.Text(var at, var text) ->
          values.expression(DiagnosticCode.WAIT_INVALID, path, text, json);
      case Json.Numeral numeral when numeral.whole().orElse(-1) >= 0 -> {}
      default ->
          reading.error(
              DiagnosticCode.WAIT_INVALID,
              path,
              json,
              "a wait must be a non-negative integer or an expression");
    }
    return json;
  }
}
