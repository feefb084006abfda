package dev.damask.term;

import java.time.Duration;
import java.util.List;

/// One thing a `defer` waits for, and what follows.
public sealed interface Alternative {
  /// Returns the term that runs when the alternative is taken.
  Term then();

  /// All places hold a token; one is removed from each, and their payloads enter the context.
  ///
  /// @param external whether the places are declared here as external and persistent
  record Take(List<String> places, boolean external, Term then) implements Alternative {
    public Take {
      places = requirePlaces("take", places);
    }
  }

  /// All places hold a token; nothing is removed.
  record Test(List<String> places, Term then) implements Alternative {
    public Test {
      places = requirePlaces("test", places);
    }
  }

  /// A time has passed since the wait began.
  record After(Duration duration, Term then) implements Alternative {
    public After {
      if (duration.isNegative()) {
        throw new IllegalArgumentException(
            "after: the duration must not be negative, got " + duration);
      }
    }
  }

  /// No place alternative can ever be enabled any more.
  record Expired(Term then) implements Alternative {}

  private static List<String> requirePlaces(String what, List<String> places) {
    List<String> copy = List.copyOf(places);
    if (copy.isEmpty()) {
      throw new IllegalArgumentException(what + " needs a place");
    }
    copy.forEach(place -> Names.require(what, place));
    if (copy.stream().distinct().count() != copy.size()) {
      throw new IllegalArgumentException(what + " names a place twice: " + copy);
    }
    return copy;
  }
}
