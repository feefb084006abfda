package dev.damask.plan;

import dev.damask.check.Nearest;
import dev.damask.registry.Orchestration;
import dev.damask.session.SessionKey;
import dev.damask.source.Rejected;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Resolves the references in a plan: `$session.id:NAME`, `$session.owner:NAME`,
/// `$actor.address:NAME`, and `$contract.address:plan:NAME` or `$contract.address:GRAPH:NAME`.
///
/// References to actors and contracts are resolved when the plan is read. A session gets its number
/// when it is started, so references to it are resolved then.
///
/// @param actors addresses by name
/// @param contracts addresses by alias
record PlanReferences(Map<String, String> actors, Map<String, String> contracts) {
  private static final String SESSION_ID = "$session.id:";
  private static final String SESSION_OWNER = "$session.owner:";
  private static final String ACTOR = "$actor.address:";
  private static final String CONTRACT = "$contract.address:";
  private static final String PLAN = "plan:";
  private static final List<String> FORMS =
      List.of(SESSION_ID, SESSION_OWNER, ACTOR, CONTRACT + PLAN);

  /// A string that is meant as a reference, valid or not. Any other string with a dollar sign, such
  /// as a price, is literal.
  private static final Pattern MEANT = Pattern.compile("\\$(session|actor|contract)\\b.*");

  private static final Pattern NAME = Pattern.compile("(\\$[a-z.]+:)(.*)");

  /// Returns the value of a string.
  @FunctionalInterface
  interface Texts {
    @Nullable Object of(String path, String text);
  }

  /// Reads the definitions of a plan. A rule of the plan is a contract under its key and its alias,
  /// each with and without the name of its graph.
  static PlanReferences read(PlanFields plan, Map<String, Orchestration> graphs) {
    Map<String, String> contracts = new TreeMap<>();
    graphs.forEach((graph, each) ->
        each.aliases()
            .forEach((alias, key) -> {
              contracts.putIfAbsent(alias, key);
              contracts.put(graph + ":" + alias, key);
            }));
    contracts.putAll(addresses(plan.child("contracts")));
    return new PlanReferences(addresses(plan.child("actors")), contracts);
  }

  private static Map<String, String> addresses(PlanFields fields) {
    Map<String, String> addresses = new TreeMap<>();
    for (String name : fields.fields().keySet()) {
      String address = fields.text(name);
      if (MEANT.matcher(address).matches()) {
        throw fields.wrong(
            name, "an address must be a string without references, found " + address);
      }
      addresses.put(name, address);
    }
    return addresses;
  }

  /// Replaces the strings of a value, at any depth.
  static @Nullable Object replace(String path, @Nullable Object value, Texts texts) {
    return switch (value) {
      case String text -> MEANT.matcher(text).matches() ? texts.of(path, text) : text;
      case Map<?, ?> map -> replaceAll(path + ".", map, texts);
      case List<?> items -> {
        List<@Nullable Object> all = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
          all.add(replace(path + "[" + i + "]", items.get(i), texts));
        }
        yield all;
      }
      case null, default -> value;
    };
  }

  /// Replaces the strings of a map, at any depth.
  ///
  /// @param path the prefix of the path of each value
  static Map<String, @Nullable Object> replaceAll(String path, Map<?, ?> map, Texts texts) {
    Map<String, @Nullable Object> all = new TreeMap<>();
    map.forEach((key, value) -> all.put(String.valueOf(key), replace(path + key, value, texts)));
    return all;
  }

  /// A field of an object of the plan, resolved.
  ///
  /// @param sessions the sessions that were started before
  Map<String, @Nullable Object> map(PlanFields fields, String field, Set<String> sessions) {
    return replaceAll(
        field + ".", fields.map(field), (path, text) -> known(fields, path, text, sessions));
  }

  @Nullable Object value(PlanFields fields, String field, Set<String> sessions) {
    return replace(
        field, fields.fields().get(field), (path, text) -> known(fields, path, text, sessions));
  }

  /// A field that names an actor, resolved.
  String text(PlanFields fields, String field, String missing, Set<String> sessions) {
    String text = fields.text(field, missing);
    if (text.startsWith(SESSION_ID)) {
      throw fields.wrong(field, text + " is a number; " + SESSION_OWNER + "NAME is its owner");
    }
    return MEANT.matcher(text).matches() ? known(fields, field, text, sessions) : text;
  }

  /// Resolves a reference to an actor or a contract. Returns a reference to a session unchanged.
  private String known(PlanFields fields, String path, String text, Set<String> sessions) {
    Matcher parts = NAME.matcher(text);
    String form = parts.matches() ? parts.group(1) : "";
    String name = parts.matches() ? parts.group(2) : "";
    return switch (form) {
      case SESSION_ID, SESSION_OWNER -> {
        require(fields, path, "session", name, sessions);
        yield text;
      }
      case ACTOR -> require(fields, path, "actor", name, actors);
      case CONTRACT -> {
        if (!name.contains(":")) {
          throw noReference(fields, path, text);
        }
        String own = name.startsWith(PLAN) ? name.substring(PLAN.length()) : name;
        yield require(fields, path, "contract", own, contracts);
      }
      default -> throw noReference(fields, path, text);
    };
  }

  private static Rejected noReference(PlanFields fields, String path, String text) {
    return fields.wrong(
        path,
        "'%s' is not a reference; use one of %s"
            .formatted(text, String.join("NAME, ", FORMS) + "NAME"));
  }

  private static String require(
      PlanFields fields, String path, String kind, String name, Map<String, String> known) {
    require(fields, path, kind, name, known.keySet());
    return String.valueOf(known.get(name));
  }

  private static void require(
      PlanFields fields, String path, String kind, String name, Collection<String> known) {
    if (!known.contains(name)) {
      String where =
          known.isEmpty()
              ? kind.equals("session")
                  ? "no session has been started yet"
                  : "the plan has no '" + kind + "s: {" + name + ": …}'"
              : Nearest.hint(name, new TreeSet<>(known));
      throw fields.wrong(path, "there is no %s '%s', %s".formatted(kind, name, where));
    }
  }

  /// Resolves a string after the sessions were started.
  static Object filled(String text, Map<String, SessionKey> sessions) {
    boolean isId = text.startsWith(SESSION_ID);
    SessionKey key = sessions.get(text.substring((isId ? SESSION_ID : SESSION_OWNER).length()));
    if (key == null) {
      throw new IllegalStateException("no session for " + text);
    }
    return isId ? (Object) key.number() : key.owner();
  }
}
