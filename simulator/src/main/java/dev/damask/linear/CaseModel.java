package dev.damask.linear;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.task;

import dev.damask.event.Reply;
import dev.damask.linear.CaseModel.State;
import dev.damask.term.Flow;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// One case as its clients see it, one call after the other: it waits for a signal, then for a task
/// that a client answers, then for another signal, and ends. Signals that come while no token waits
/// are kept. Nothing happens by itself, so every answer follows from the calls before.
public final class CaseModel implements SequentialModel<State, CaseCall, String> {
  static final String PLACE = "add";
  static final String TASK = "ask";
  static final String NO_CASE = "no case";
  static final String MADE = "made";
  static final String KNOWN = "known";
  static final String NOT_YET = "not yet";
  static final String CANCELLED = "cancelled";
  static final String COMPLETED = "completed ";
  static final String RUNNING = "RUNNING";

  private static final WorkflowDefinition WORKFLOW =
      Flow.workflow(
          "asking",
          defer(on(PLACE, task("first", c -> c.with("one", c.get("by"))))),
          effect(TASK),
          defer(on(PLACE, task("second", c -> c.with("two", c.get("by"))))));

  /// Where a case stands.
  public enum Stage {
    ABSENT,
    /// It exists and has not moved yet; only a look can tell.
    STARTED,
    FIRST,
    ASKED,
    SECOND,
    COMPLETED,
    CANCELLED
  }

  /// Everything that decides about answers to come.
  ///
  /// @param kept signals that no token has consumed
  /// @param said what was signalled and answered, in the order in which it was taken
  /// @param messages the answers to the messages with an id
  public record State(
      Stage stage, List<String> kept, List<String> said, SortedMap<String, String> messages) {
    public State {
      kept = List.copyOf(kept);
      said = List.copyOf(said);
      messages = Collections.unmodifiableSortedMap(new TreeMap<>(messages));
    }

    boolean isEnded() {
      return stage.compareTo(Stage.COMPLETED) >= 0;
    }

    private State at(Stage next) {
      return new State(next, kept, said, messages);
    }

    private State taking(String word, Stage next) {
      return new State(next, kept, plus(said, word), messages);
    }

    private State keeping(String word) {
      return new State(stage, plus(kept, word), said, messages);
    }

    private State answering(String messageId, String reply) {
      SortedMap<String, String> all = new TreeMap<>(messages);
      all.put(messageId, reply);
      return new State(stage, kept, said, all);
    }

    private static List<String> plus(List<String> list, String word) {
      List<String> all = new ArrayList<>(list);
      all.add(word);
      return all;
    }
  }

  /// The workflow whose cases behave like this.
  public static WorkflowDefinition workflow() {
    return WORKFLOW;
  }

  @Override
  public State initial() {
    return new State(Stage.ABSENT, List.of(), List.of(), new TreeMap<>());
  }

  @Override
  public List<Step<State, String>> steps(State state, CaseCall call) {
    if (state.stage() == Stage.ABSENT && !(call instanceof CaseCall.Start)) {
      return List.of(new Step<>(state, NO_CASE));
    }
    if (state.stage() == Stage.STARTED) {
      List<Step<State, String>> steps = new ArrayList<>(steps(state.at(Stage.FIRST), call));
      if (call instanceof CaseCall.Look) {
        steps.add(new Step<>(state, RUNNING));
      }
      return steps;
    }
    return List.of(
        switch (call) {
          case CaseCall.Start() ->
              state.stage() == Stage.ABSENT
                  ? new Step<>(state.at(Stage.STARTED), MADE)
                  : new Step<>(state, KNOWN);
          case CaseCall.Signal signal -> signal(state, signal);
          case CaseCall.Answer(var answer) -> answer(state, answer);
          case CaseCall.Cancel() ->
              state.isEnded()
                  ? new Step<>(state, Reply.CASE_ENDED.name())
                  : new Step<>(state.at(Stage.CANCELLED), Reply.ACCEPTED.name());
          case CaseCall.Look() -> new Step<>(state, look(state));
          case CaseCall.Await() -> new Step<>(state, state.isEnded() ? look(state) : NOT_YET);
        });
  }

  private static Step<State, String> signal(State state, CaseCall.Signal signal) {
    String id = signal.messageId();
    if (id == null) {
      return signal(state, signal.by());
    }
    String before = state.messages().get(id);
    if (before != null) {
      return new Step<>(state, before);
    }
    Step<State, String> step = signal(state, signal.by());
    return new Step<>(step.after().answering(id, step.answer()), step.answer());
  }

  private static Step<State, String> signal(State state, String by) {
    return switch (state.stage()) {
      case FIRST -> new Step<>(state.taking(by, Stage.ASKED), Reply.ACCEPTED.name());
      case SECOND -> new Step<>(state.taking(by, Stage.COMPLETED), Reply.ACCEPTED.name());
      case ABSENT, STARTED, ASKED -> new Step<>(state.keeping(by), Reply.BUFFERED.name());
      case COMPLETED, CANCELLED -> new Step<>(state, Reply.CASE_ENDED.name());
    };
  }

  private static Step<State, String> answer(State state, String answer) {
    if (state.isEnded()) {
      return new Step<>(state, Reply.CASE_ENDED.name());
    }
    if (state.stage() != Stage.ASKED) {
      return new Step<>(state, Reply.LATE.name());
    }
    State answered = state.taking(answer, Stage.SECOND);
    return new Step<>(
        answered.kept().isEmpty()
            ? answered
            : answered.taking(answered.kept().getFirst(), Stage.COMPLETED),
        Reply.ACCEPTED.name());
  }

  private static String look(State state) {
    return switch (state.stage()) {
      case ABSENT -> NO_CASE;
      case STARTED -> RUNNING;
      case FIRST, SECOND -> "waits for " + PLACE;
      case ASKED -> "waits for " + TASK;
      case COMPLETED -> completed(state.said());
      case CANCELLED -> CANCELLED;
    };
  }

  /// Whether an answer reports that the case has ended, so that no client has to wait for the end.
  public static boolean tellsEnd(String answer) {
    return answer.equals(Reply.CASE_ENDED.name())
        || answer.equals(CANCELLED)
        || answer.startsWith(COMPLETED);
  }

  static String completed(List<String> said) {
    return COMPLETED + String.join(" ", said);
  }
}
