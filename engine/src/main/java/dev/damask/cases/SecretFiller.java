package dev.damask.cases;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectFailed;
import dev.damask.effect.EffectHandler;
import dev.damask.task.Context;
import dev.damask.task.Secrets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Fills in the secrets at the call, in the handler's own thread, so that they are stored nowhere.
/// What comes back is searched for them: an answer or an error that repeats a secret is written
/// down with a mask in its place.
record SecretFiller(EffectHandler handler, UnaryOperator<String> secrets) implements EffectHandler {
  static final String MASK = "•••";

  /// Shorter ones would be found everywhere.
  private static final int MASKED_MIN = 4;

  @Override
  public @Nullable Object call(EffectCall call) throws Exception {
    Set<String> used = new TreeSet<>();
    EffectCall filled = fill(call, used);
    if (used.isEmpty()) {
      return handler.call(filled);
    }
    try {
      return masked(handler.call(filled), used);
    } catch (EffectFailed e) {
      throw new EffectFailed(e.reason(), masked(String.valueOf(e.getMessage()), used));
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) { // whatever the handler says must not carry a secret out
      throw new EffectFailed("exception", masked(e.toString(), used));
    }
  }

  @Override
  public void cancel(EffectCall call) {
    handler.cancel(fill(call, new TreeSet<>()));
  }

  private EffectCall fill(EffectCall call, Set<String> used) {
    UnaryOperator<String> noting =
        name -> {
          if (!handler.takesSecrets()) {
            return Secrets.marker(name);
          }
          String secret = secrets.apply(name);
          used.add(secret);
          return secret;
        };
    Context[] with = {call.with()};
    call.with().forEach((key, value) -> with[0] = with[0].with(key, Secrets.fill(value, noting)));
    return with[0] == call.with()
        ? call
        : new EffectCall(
            call.caseId(),
            call.id(),
            call.task(),
            call.type(),
            call.key(),
            call.attempt(),
            call.delivery(),
            with[0],
            call.context());
  }

  private static String masked(String text, Set<String> secrets) {
    String masked = text;
    for (String secret : secrets) {
      if (secret.length() >= MASKED_MIN) {
        masked = masked.replace(secret, MASK);
      }
    }
    return masked;
  }

  private static @Nullable Object masked(@Nullable Object value, Set<String> secrets) {
    return switch (value) {
      case String text -> masked(text, secrets);
      case List<?> list -> list.stream().map(each -> masked(each, secrets)).toList();
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> masked = new LinkedHashMap<>();
        map.forEach(
            (key, each) -> masked.put(masked(String.valueOf(key), secrets), masked(each, secrets)));
        yield masked;
      }
      case Context context -> masked(context.toMap(), secrets);
      case null, default -> value;
    };
  }
}
