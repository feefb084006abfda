package dev.damask.session;

import dev.damask.cases.Engine;
import dev.damask.json.JsonWriter;
import dev.damask.source.Address;
import dev.damask.step.StepScope;
import dev.damask.value.Context;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Sends orders to running sessions.
final class SessionControl {
  static final String WAKE = "process.wake";

  /// Changes nothing but the trace.
  static final String DENY = "process.deny";

  private final Engine engine;
  private final SessionReader reader;

  SessionControl(Engine engine, SessionReader reader) {
    this.engine = engine;
    this.reader = reader;
  }

  void requireOwner(String caller, SessionKey key) {
    reader.requireThere(key);
    if (!Address.same(caller, key.owner())) {
      throw new IllegalStateException(caller + " is not the owner of session " + key);
    }
  }

  WakeUpList allowList(SessionKey key) {
    return new WakeUpList(engine.status(key.caseId()).context().get(StepScope.WAKE_UP));
  }

  void send(SessionKey key, String order) {
    engine.signal(key.caseId(), order, Map.of());
  }

  /// Wakes processes and returns how many.
  int wake(SessionKey key, Context which, Map<String, ? extends @Nullable Object> payload) {
    String tag = UUID.randomUUID().toString();
    return wake(key, which.with("tag", tag), payload, tag);
  }

  /// The same for a step, once for each message id however often it is asked.
  int wakeOnce(
      SessionKey key,
      String step,
      Map<String, ? extends @Nullable Object> payload,
      String messageId) {
    return wake(key, Context.of("step", step, "tag", messageId), payload, messageId);
  }

  private int wake(
      SessionKey key,
      Context which,
      Map<String, ? extends @Nullable Object> payload,
      String messageId) {
    Map<String, @Nullable Object> message = new TreeMap<>(which.toMap());
    message.put("payload", new TreeMap<String, @Nullable Object>(payload));
    engine.signal(key.caseId(), WAKE, message, messageId);
    return reader.woken(key, messageId);
  }

  /// Records in the log of a session that a wake-up of one of its steps was denied.
  void deny(SessionKey key, String step, String caller, String rule, String messageId) {
    Map<String, @Nullable Object> message = new TreeMap<>();
    message.put("tag", JsonWriter.canonical(Map.of("caller", caller, "rule", rule, "step", step)));
    engine.signal(key.caseId(), DENY, message, messageId);
  }
}
