package dev.damask.cli.sessions;

import dev.damask.api.Cursor;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.ServerProblem;
import dev.damask.registry.RegistryEntry;
import dev.damask.session.SessionKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The sessions of a server.
record ServerSessions(ServerClient server, String owner) implements SessionBook {
  private String path(String rest) {
    return "/v1/owners/" + ServerClient.segment(owner) + "/" + rest;
  }

  private static <T> T refused(Supplier<T> action) {
    try {
      return action.get();
    } catch (ServerProblem e) {
      throw e.refusal();
    }
  }

  private List<Map<String, @Nullable Object>> owned(String word, Map<String, String> query) {
    Map<String, String> asked = new LinkedHashMap<>(query);
    asked.put("owner", owner);
    return Fields.objects(refused(() -> server.get("/v1/owned/" + word, asked)), "items");
  }

  /// Runs a request about a session.
  private <T> T about(long session, Supplier<T> action) {
    try {
      return action.get();
    } catch (ServerProblem e) {
      boolean isMissing =
          e.status() == 404 && String.valueOf(e.getMessage()).contains("no session");
      throw isMissing
          ? new Refusal("there is no session " + SessionKey.of(owner, session))
          : e.refusal();
    }
  }

  private Map<String, @Nullable Object> act(
      long session, String action, Map<String, @Nullable Object> body) {
    String id = String.valueOf(Cursor.of(String.valueOf(session), owner));
    return about(session, () -> server.post("/v1/sessions/" + id + "/" + action, body));
  }

  private static Map<String, String> limit(int most) {
    return Map.of("limit", String.valueOf(Math.min(most, 100_000)));
  }

  @Override
  public List<Map<String, @Nullable Object>> sessions(int most) {
    return owned("sessions", limit(most));
  }

  @Override
  public List<Map<String, @Nullable Object>> processes(long session, long parent, int most) {
    Map<String, String> query = new LinkedHashMap<>(limit(most));
    if (session != 0) {
      query.put("session", String.valueOf(session));
    }
    if (parent != 0) {
      query.put("parent", String.valueOf(parent));
    }
    return owned("processes", query);
  }

  @Override
  public List<Map<String, @Nullable Object>> targets(int most) {
    return owned("targets", limit(most));
  }

  @Override
  public Map<String, @Nullable Object> view(long session) {
    return about(session, () -> server.get(path("sessions/" + session), Map.of()));
  }

  @Override
  public List<String> log(long session, @Nullable String step) {
    Map<String, String> query = step == null ? Map.of() : Map.of("step", step);
    String log = path("sessions/" + session + "/log");
    return Fields.texts(about(session, () -> server.get(log, query)), "items");
  }

  @Override
  public long kill(long session) {
    return Fields.whole(act(session, "kill", Map.of()), "killed");
  }

  @Override
  public void pause(long session) {
    act(session, "pause", Map.of());
  }

  @Override
  public void resume(long session) {
    act(session, "resume", Map.of());
  }

  @Override
  public long wake(long session, Wake wake) {
    if (!wake.caller().equals(owner)) {
      throw new Refusal(
          "wake: --as does not work over HTTP; run it where the store is, while no process holds"
              + " it");
    }
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    if (wake.step() == null) {
      body.put("process", wake.process());
    } else {
      body.put("step", wake.step());
    }
    body.put("payload", wake.payload());
    return Fields.whole(act(session, "wake", body), "woken");
  }

  private static Entry entry(Map<String, @Nullable Object> entry) {
    return new Entry(
        Fields.text(entry, "key"),
        Fields.whole(entry, "version"),
        Fields.text(entry, "hash"),
        Fields.text(entry, "owner"));
  }

  @Override
  public List<Entry> entries(RegistryEntry.Kind kind) {
    String list = kind == RegistryEntry.Kind.GRAPH ? "/v1/graphs" : "/v1/rules";
    Map<String, @Nullable Object> found = refused(() -> server.get(list, Map.of()));
    return Fields.objects(found, "items").stream().map(ServerSessions::entry).toList();
  }

  @Override
  public Entry putGraph(String text) {
    return entry(refused(() -> server.putJson("/v1/graphs", Map.of("owner", owner), text)));
  }

  @Override
  public Entry putRule(String key, String text) {
    Map<String, String> query = Map.of("owner", owner, "key", key);
    return entry(refused(() -> server.putJson("/v1/rules", query, text)));
  }

  @Override
  public void close() {
    server.close();
  }
}
