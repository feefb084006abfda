package dev.damask.effect;

import dev.damask.value.Context;
import java.util.Locale;
import java.util.function.BiConsumer;

/// `log {message, level}`: one line for the log. Levels are trace, debug, info (the default),
/// warning and error.
///
/// Whatever the message holds, it stays one line and cannot move the reader's cursor: line breaks,
/// control characters and the marks that reorder text are shown as `\n` or as their number. Secrets
/// are not filled in: a log is read by many.
public final class LogEffect implements EffectHandler {
  private static final int MESSAGE_MAX = 8_192;

  private final BiConsumer<System.Logger.Level, String> sink;

  /// To the logger `dev.damask.log`.
  public LogEffect() {
    this((level, line) -> System.getLogger("dev.damask.log").log(level, () -> line));
  }

  public LogEffect(BiConsumer<System.Logger.Level, String> sink) {
    this.sink = sink;
  }

  @Override
  public Context call(EffectCall call) throws EffectException {
    Payload payload = new Payload("log", call.with());
    payload.requireOnly("message", "level");
    String name = payload.text("level", "info");
    System.Logger.Level level =
        switch (name.toLowerCase(Locale.ROOT)) {
          case "trace" -> System.Logger.Level.TRACE;
          case "debug" -> System.Logger.Level.DEBUG;
          case "info" -> System.Logger.Level.INFO;
          case "warn", "warning" -> System.Logger.Level.WARNING;
          case "error" -> System.Logger.Level.ERROR;
          default ->
              throw payload.problem(
                  "'level' is trace, debug, info, warning or error, found '" + oneLine(name) + "'");
        };
    Object message = call.with().has("message") ? call.with().get("message") : "";
    sink.accept(level, oneLine(String.valueOf(message)));
    return Context.empty();
  }

  @Override
  public boolean takesSecrets() {
    return false;
  }

  /// Returns a string as one line without control characters.
  public static String oneLine(String text) {
    StringBuilder line = new StringBuilder();
    int end = Math.min(text.length(), MESSAGE_MAX);
    for (int i = 0; i < end; ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      switch (c) {
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\t' -> line.append("\\t");
        default -> {
          if (isHarmless(c)) {
            line.appendCodePoint(c);
          } else {
            line.append("\\u{%x}".formatted(c));
          }
        }
      }
    }
    return text.length() > MESSAGE_MAX ? line.append('…').toString() : line.toString();
  }

  private static boolean isHarmless(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
