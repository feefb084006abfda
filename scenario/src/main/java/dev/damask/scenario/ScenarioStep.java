package dev.damask.scenario;

import dev.damask.json.Position;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One event of a scenario and the expected observations after it.
///
/// @param choices in a guided scenario, the steps of the machine after the event: the number of the
///   token that moves, then its answers; otherwise empty
/// @param see the observations; null if the step does not specify them
public record ScenarioStep(
    ScenarioEvent event,
    List<List<Integer>> choices,
    @Nullable List<Observation> see,
    Reply reply,
    Position position) {
  /// The engine's reply to an event.
  public enum Reply {
    ACCEPTED,
    LOST,
    BUFFERED,
    REJECTED,
    LATE,
    NO_SUCH_REGION,
    CASE_ENDED;

    /// Returns the word in documents.
    public String text() {
      return switch (this) {
        case NO_SUCH_REGION -> "noSuchRegion";
        case CASE_ENDED -> "caseEnded";
        default -> name().toLowerCase(Locale.ROOT);
      };
    }

    static Reply of(String text) {
      for (Reply reply : values()) {
        if (reply.text().equals(text)) {
          return reply;
        }
      }
      throw new IllegalArgumentException("unknown reply: " + text);
    }
  }

  public ScenarioStep {
    choices = choices.stream().map(List::copyOf).toList();
    see = see == null ? null : List.copyOf(see);
  }
}
