package dev.damask.cli.check;

import dev.damask.verify.Ending;
import dev.damask.verify.Endings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Reports how a workflow itself can end a case other than completed.
final class EndingReport {
  /// How many tasks a line names.
  private static final int NAMES_MAX = 8;

  private EndingReport() {}

  /// Ends that only data make possible, one line each.
  ///
  /// @param where the place in the file, by the path of the term
  static List<String> warnings(Endings endings, Function<String, String> where) {
    return endings.warnings().stream()
        .map(each ->
            "%s: %s; %s"
                .formatted(where.apply(each.ending().where()), each.sentence(), remedy(each)))
        .toList();
  }

  private static String remedy(Endings.Warning warning) {
    String declare = "add assert: [{mayEnd: [" + warning.ending().word() + "]}]";
    return warning.ending().cause() == Ending.Cause.NO_BRANCH
        ? "add an else, or " + declare
        : "if this is intended, " + declare;
  }

  /// Ends that are meant, one line for each kind.
  ///
  /// @param line the line in the file, by the path of the term
  static List<String> intended(Endings endings, Function<String, String> line) {
    List<String> tasks = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (Ending ending : endings.intended()) {
      if (ending.cause() == Ending.Cause.EFFECT) {
        if (!tasks.contains(ending.subject())) {
          tasks.add(ending.subject());
        }
      } else {
        String at = line.apply(ending.where());
        lines.add("  may end " + ending.word() + " " + ending.how() + at);
      }
    }
    if (!tasks.isEmpty()) {
      int more = tasks.size() - NAMES_MAX;
      String shown = String.join(", ", tasks.subList(0, Math.min(tasks.size(), NAMES_MAX)));
      String rest = more > 0 ? " and " + more + " more" : "";
      lines.add("  may end failed where a task fails: " + shown + rest);
    }
    return lines;
  }

  /// The same as data.
  static void json(
      Map<String, @Nullable Object> object, Endings endings, UnaryOperator<String> where) {
    if (!endings.warnings().isEmpty()) {
      List<Object> warnings = new ArrayList<>();
      for (Endings.Warning each : endings.warnings()) {
        Map<String, @Nullable Object> warning = ending(each.ending(), where);
        warning.put("text", each.sentence());
        warnings.add(warning);
      }
      object.put("warnings", warnings);
    }
    if (!endings.intended().isEmpty()) {
      object.put("mayEnd", endings.intended().stream().map(each -> ending(each, where)).toList());
    }
  }

  private static Map<String, @Nullable Object> ending(Ending ending, UnaryOperator<String> where) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("status", ending.word());
    map.put("cause", ending.cause().name().toLowerCase(Locale.ROOT));
    if (!ending.subject().isEmpty()) {
      map.put("subject", ending.subject());
    }
    map.put("where", where.apply(ending.where()));
    return map;
  }
}
