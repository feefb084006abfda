package dev.damask.session;

import dev.damask.effect.EffectCall;
import dev.damask.source.Address;
import dev.damask.step.StepTask;
import dev.damask.store.Store;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Sends the wake-ups that rules declare. A wake-up that is not permitted, or of a step at which no
/// process waits, wakes no process. The sender receives only the number; the target session records
/// a denial in its log.
///
/// @param spelling returns the key as the store spells it
record WakeUps(Store store, SessionControl control, UnaryOperator<SessionKey> spelling) {
  /// Sends all wake-ups of one branch, in order, and returns how many processes each has woken. The
  /// message ids are derived from the key of the effect, so a repeated call wakes no process twice.
  Map<String, ?> send(EffectCall call) {
    Context with = call.with();
    if (!(with.get(StepTask.WAKE_UPS) instanceof List<?> all)) {
      return Map.of("woken", (long) send(with.toMap(), with, call.key())); // of an older version
    }
    List<Object> sent = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      Map<?, ?> each = all.get(i) instanceof Map<?, ?> map ? map : Map.of();
      Map<String, @Nullable Object> line = new TreeMap<>();
      line.put("runner", each.get("runner"));
      line.put("sessionId", each.get("session"));
      line.put("stepId", each.get("step"));
      line.put("woken", (long) send(each, with, call.key() + ":" + i));
      sent.add(line);
    }
    return Map.of(StepTask.WAKE_UPS, sent);
  }

  /// @param with what the wake-ups of the branch have in common
  private int send(Map<?, ?> wakeUp, Context with, String messageId) {
    SessionKey key =
        spelling.apply(
            SessionKey.of(
                String.valueOf(wakeUp.get("runner")),
                wakeUp.get("session") instanceof Long number ? number : 0));
    String step = String.valueOf(wakeUp.get("step"));
    String caller = String.valueOf(with.get("caller"));
    String rule = String.valueOf(with.get("rule"));
    if (store.record(key.caseId()).isEmpty()) {
      return 0;
    }
    if (!Address.same(caller, key.owner())
        && !control.allowList(key).allowsRule(step, caller, rule)) {
      control.deny(key, step, caller, rule, messageId);
      return 0;
    }
    Map<String, @Nullable Object> payload = new TreeMap<>();
    putAll(with.get("base"), payload);
    putAll(wakeUp.get("payload"), payload);
    return control.wakeOnce(key, step, payload, messageId);
  }

  private static void putAll(@Nullable Object entries, Map<String, @Nullable Object> payload) {
    if (entries instanceof Map<?, ?> map) {
      map.forEach((name, value) -> {
        if (!String.valueOf(name).startsWith("_")) {
          payload.put(String.valueOf(name), value);
        }
      });
    }
  }
}
