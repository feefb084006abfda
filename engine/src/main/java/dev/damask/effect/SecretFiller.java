package dev.damask.effect;

import dev.damask.task.Secrets;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Fills in the secrets at the call, in the handler's own thread, so that they are stored nowhere.
/// Results and errors are searched for them: whatever the handler returns or throws is stored with
/// a mask in the place of each secret.
public record SecretFiller(EffectHandler handler, UnaryOperator<String> secrets)
    implements ForwardingHandler {
  public static final String MASK = "•••";

  /// Shorter ones would be found everywhere.
  private static final int MASKED_MIN = 4;

  /// A secret that a response may contain as a number.
  private static final Pattern NUMBER = Pattern.compile("[+-]?\\d{1,1000}(\\.\\d{1,1000})?");

  /// What `toString` returns for the numbers of the JDK.
  private static final Pattern NUMBER_WRITTEN =
      Pattern.compile("-?\\d+(\\.\\d+)?(E[+-]?\\d{1,9})?");

  @Override
  public @Nullable Object call(EffectCall call) throws Exception {
    Set<String> used = longestFirst();
    EffectCall filled = fill(call, used);
    if (used.isEmpty()) {
      return handler.call(filled);
    }
    try {
      return masked(handler.call(filled), used);
    } catch (EffectNotSent e) {
      throw new EffectNotSent(masked(String.valueOf(e.getMessage()), used));
    } catch (EffectException e) {
      throw new EffectException(
          masked(e.reason(), used), masked(String.valueOf(e.getMessage()), used), null, e.hint());
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) { // whatever the handler throws must not carry a secret out
      throw new EffectException(EffectResult.EXCEPTION, masked(EffectResult.text(e), used));
    }
  }

  /// A secret may contain another one; masking the short one first would leave the rest.
  private static Set<String> longestFirst() {
    return new TreeSet<>(
        Comparator.comparingInt(String::length)
            .reversed()
            .thenComparing(Comparator.naturalOrder()));
  }

  @Override
  public void cancel(EffectCall call) {
    handler.cancel(fill(call, longestFirst()));
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
    return with[0] == call.with() ? call : call.withPayload(with[0]);
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

  /// Bytes are searched for the secrets in UTF-8.
  private static Bytes masked(Bytes bytes, Set<String> secrets) {
    String text = new String(bytes.toArray(), StandardCharsets.ISO_8859_1);
    String masked = text;
    for (String secret : secrets) {
      if (secret.length() >= MASKED_MIN) {
        masked = masked.replace(latin(secret), latin(MASK));
      }
    }
    return masked.equals(text) ? bytes : Bytes.of(masked.getBytes(StandardCharsets.ISO_8859_1));
  }

  /// A text whose characters are the bytes of another in UTF-8.
  private static String latin(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /// Whether a number has the digits of a secret: a JSON response may have it without quotes. The
  /// sign and zeros that do not change the number are not compared.
  private static boolean isSecret(Number number, Set<String> secrets) {
    for (String secret : secrets) {
      if (secret.length() >= MASKED_MIN && NUMBER.matcher(secret).matches()) {
        boolean isFound =
            switch (number) {
              case Double rounded -> Math.abs(rounded) == Math.abs(Double.parseDouble(secret));
              case Float rounded -> Math.abs(rounded) == Math.abs(Float.parseFloat(secret));
              default -> isSame(number.toString(), secret);
            };
        if (isFound) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isSame(String number, String secret) {
    return NUMBER_WRITTEN.matcher(number).matches()
        && new BigDecimal(number).abs().compareTo(new BigDecimal(secret).abs()) == 0;
  }

  private static @Nullable Object masked(@Nullable Object value, Set<String> secrets) {
    return switch (value) {
      case String text -> masked(text, secrets);
      case Collection<?> items -> {
        List<@Nullable Object> masked = new ArrayList<>(items.size());
        items.forEach(each -> masked.add(masked(each, secrets)));
        yield masked;
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> masked = new LinkedHashMap<>();
        map.forEach(
            (key, each) -> masked.put(masked(String.valueOf(key), secrets), masked(each, secrets)));
        yield masked;
      }
      case Context context -> masked(context.toMap(), secrets);
      case JoiningHandler.Finished done -> done.with(masked(done.value(), secrets));
      case Record record -> masked(Records.plain(record), secrets);
      case byte[] bytes -> masked(Bytes.of(bytes), secrets);
      case Bytes bytes -> masked(bytes, secrets);
      case CharSequence text -> masked(text.toString(), secrets);
      case Number number when isSecret(number, secrets) -> MASK;
      case null, default -> value;
    };
  }
}
