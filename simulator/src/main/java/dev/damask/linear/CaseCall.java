package dev.damask.linear;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// What a client may ask of one case of [CaseModel#workflow()].
public sealed interface CaseCall {
  /// Starts the case.
  record Start() implements CaseCall {}

  /// Puts a token on the place.
  ///
  /// @param messageId null when the client sends none
  record Signal(String by, @Nullable String messageId) implements CaseCall {}

  /// Answers the task in the middle, whether it waits or not.
  record Answer(String answer) implements CaseCall {}

  /// Cancels the case.
  record Cancel() implements CaseCall {}

  /// Reads the view of the case.
  record Look() implements CaseCall {}

  /// Waits for the end, longer than it takes to tell of one that has come.
  record Await() implements CaseCall {}

  /// One line without a blank at either end, from which [#parse] makes the same call.
  default String text() {
    return switch (this) {
      case Start() -> "start";
      case Signal(var by, var messageId) ->
          "signal " + by + (messageId == null ? "" : " " + messageId);
      case Answer(var answer) -> "answer " + answer;
      case Cancel() -> "cancel";
      case Look() -> "look";
      case Await() -> "await";
    };
  }

  /// A call as a client may make it at any time.
  ///
  /// @param client the content of its signals and answers, different for each client
  /// @param hasEnded whether the client knows it: an earlier wait for the end could last for ever
  static CaseCall random(RandomGenerator random, String client, boolean hasEnded) {
    @Nullable String messageId = random.nextInt(3) == 0 ? null : "m" + random.nextInt(3);
    return switch (random.nextInt(12)) {
      case 0, 1 -> new Start();
      case 2, 3, 4, 5 -> new Signal(client + "." + random.nextInt(100), messageId);
      case 6, 7 -> new Answer("a" + client);
      case 8 -> random.nextInt(3) == 0 ? new Cancel() : new Look();
      default -> hasEnded ? new Await() : new Look();
    };
  }

  /// Returns the call that [#text] wrote. Throws `IllegalArgumentException` for any other string.
  static CaseCall parse(String text) {
    String[] words = text.split(" ", -1);
    return switch (words[0]) {
      case "start" -> new Start();
      case "signal" -> new Signal(words[1], words.length > 2 ? words[2] : null);
      case "answer" -> new Answer(words[1]);
      case "cancel" -> new Cancel();
      case "look" -> new Look();
      case "await" -> new Await();
      default -> throw new IllegalArgumentException("no such call: " + text);
    };
  }
}
