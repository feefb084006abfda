package dev.damask.intake;

import dev.damask.value.Context;
import java.util.Map;
import java.util.Objects;

/// Reads the bodies of messages. A part that is missing is a `NullPointerException` that names it.
final class MessageBody {
  private MessageBody() {}

  static Object require(Context body, String key) {
    return Objects.requireNonNull(body.get(key), () -> "the message has no " + key);
  }

  static Object require(Map<?, ?> body, String key) {
    return Objects.requireNonNull(body.get(key), () -> "the message has no " + key);
  }

  static String text(Context body, String key) {
    return String.valueOf(require(body, key));
  }

  static Context context(Context body, String key) {
    Context read = Context.empty();
    for (Map.Entry<?, ?> entry : ((Map<?, ?>) require(body, key)).entrySet()) {
      read = read.with(String.valueOf(entry.getKey()), entry.getValue());
    }
    return read;
  }
}
