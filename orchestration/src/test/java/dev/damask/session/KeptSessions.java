package dev.damask.session;

import dev.damask.cases.EngineOptions;
import dev.damask.registry.RegistryEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A program that runs sessions on a folder until they have ended, and may be killed at any time.
/// Each execution leaves a line in a file that is named after its key.
final class KeptSessions implements AutoCloseable {
  static final int COUNT = 12;

  private static final String OWNER = "eve";

  private static final String GRAPH =
      """
      {"id": "kept", "structure": {
        "A": {"rule": "work", "onValid": {"spawns": ["G", "H", "I"], "join": {"joinid": "J",
              "mode": "all", "from": [{"node": "G"}, {"node": "H"}, {"node": "I"}]}}},
        "G": {"rule": "work"}, "H": {"rule": "work"}, "I": {"rule": "work"},
        "J": {"rule": "round", "onValid": {"spawns": ["A"]}}}}
      """;

  /// The steps of one session: two rounds.
  static final int STEPS = 10;

  private static final String WORK =
      """
      {"payload": {"n": {"type": "int64", "default": 0}},
       "onValid": {"payload": {"n": "[n]"},
                   "execution": {"to": "box", "function": "put(int64)",
                                 "args": [{"type": "int64", "value": "[n]"}]}}}
      """;

  private static final String ROUND =
      WORK.replace("\"onValid\"", "\"rules\": [\"[n] < 1\"], \"onValid\"")
              .replace("{\"n\": \"[n]\"}", "{\"n\": \"([n] + 1)\"}")
              .stripTrailing()
              .replaceAll("}$", ", ")
          + WORK.substring(WORK.indexOf("\"onValid\"")).replace("onValid", "onInvalid");

  final Sessions sessions;

  KeptSessions(Path folder) throws IOException {
    Path done = Files.createDirectories(folder.resolve("done"));
    SessionOptions options =
        SessionOptions.defaults()
            .withEngine(EngineOptions.defaults().withShards(2))
            .withExecutor(request -> {
              Thread.sleep(5); // so that a kill meets some that are under way
              Files.writeString(
                  done.resolve(request.key().replaceAll("[^A-Za-z0-9]", "_")),
                  "done\n",
                  StandardOpenOption.CREATE,
                  StandardOpenOption.APPEND);
              return Map.of("box", request.args().getFirst());
            });
    sessions = Sessions.open(options, folder.resolve("store"));
    if (sessions.registry().find(RegistryEntry.Kind.GRAPH, "kept").isEmpty()) {
      sessions.registry().putRule(OWNER, "work", WORK);
      sessions.registry().putRule(OWNER, "round", ROUND);
      sessions.registry().putGraph(OWNER, GRAPH);
    }
  }

  /// Starts what was not started yet, and gives all.
  List<SessionKey> start() {
    List<SessionKey> keys = new ArrayList<>();
    for (long number = 1; number <= COUNT; number++) {
      keys.add(
          number < sessions.nextNumber(OWNER)
              ? SessionKey.of(OWNER, number)
              : sessions.start(SessionStart.of(OWNER, "kept", "A", Map.of())));
    }
    return keys;
  }

  @Override
  public void close() {
    sessions.close();
  }

  public static void main(String[] folder) throws Exception {
    try (KeptSessions kept = new KeptSessions(Path.of(folder[0]))) {
      for (SessionKey key : kept.start()) {
        if (kept.sessions.await(key, Duration.ofMinutes(2)).isEmpty()) {
          throw new IllegalStateException(key + " has not ended");
        }
      }
    }
  }
}
