package dev.damask.document;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One event of a scenario and what must be observed after it.
///
/// @param choices in a guided scenario the steps the machine takes behind the event: the number of
///   the token that moves, then the answers it gets; empty elsewhere
/// @param see the observations; null when the step does not say
public record ScenarioStep(
    ScenarioEvent event,
    List<List<Integer>> choices,
    @Nullable List<Observation> see,
    Reply reply,
    Position position) {
  /// What the engine answers to an event.
  public enum Reply {
    ACCEPTED,
    LOST,
    BUFFERED,
    REJECTED,
    LATE,
    NO_SUCH_REGION,
    CASE_ENDED;

    /// The word in documents.
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
      throw new IllegalArgumentException("no reply: " + text);
    }
  }

  public ScenarioStep {
    choices = choices.stream().map(List::copyOf).toList();
    see = see == null ? null : List.copyOf(see);
  }
}
