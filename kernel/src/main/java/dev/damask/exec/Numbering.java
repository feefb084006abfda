package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.state.Frame;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.state.GroupState;
import dev.damask.state.InstanceSet;
import dev.damask.state.JoinCounter;
import dev.damask.state.Token;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;

/// The numbers and the data with which [StateWriter] writes a state.
interface Numbering {
  /// Whether data and the past are written. A canonical form has neither.
  boolean isComplete();

  /// All open frames in the order they are written, parents first.
  List<Frame> frames();

  /// All tokens in the order they are written.
  List<Token> tokens();

  int id(Frame frame);

  int id(Token token);

  int lastId();

  /// The number of the wait of a token.
  int wait(Token token);

  /// The number of the wait of a scope for its time.
  int wait(Frame frame);

  int lastWait();

  /// The branch, instance or index in a pool of a frame.
  int spec(Frame frame);

  /// The ids of the tokens of a queue.
  List<Integer> queue(Collection<Token> queue);

  /// How many steps the case has made; at least the number of entries in its undo logs.
  long steps();

  long undoOrder(UndoEntry entry);

  /// The counts of a set of instances.
  SetShape shape(Frame frame);

  /// What the instances of a set have delivered, by their numbers.
  SortedMap<Integer, Context> delivered(Frame frame);

  /// A number that only the past decides.
  long past(long number);

  /// A text that only data or the past decides.
  String past(String text);

  Context data(Context context);

  Failure data(Failure failure);

  /// Whether what a join has got does not matter any more.
  boolean forgets(JoinCounter join);

  /// Whether what a group has got does not matter any more.
  boolean forgets(GroupState group);

  /// How long a timer still runs.
  long left(long due);

  int attempt(int attempt);

  /// How many tokens have reached the end of a net.
  int ended(int tokens);

  /// The counts of a set of instances.
  record SetShape(int made, int got, int dead) {}

  /// Keeps every number and all data of a state.
  record Own(ExecState state, List<Frame> frames, List<Token> tokens) implements Numbering {
    static Own of(ExecState state) {
      List<Frame> frames = new ArrayList<>();
      if (!state.root.closed) {
        frames.add(state.root);
      }
      for (int i = 0; i < frames.size(); i++) {
        frames.addAll(frames.get(i).childList());
      }
      frames.sort(Comparator.comparingInt(frame -> frame.id)); // parents come first
      List<Token> tokens = new ArrayList<>();
      for (Frame frame : frames) {
        for (Token token = frame.firstToken; token != null; token = token.next) {
          tokens.add(token);
        }
      }
      tokens.sort(Comparator.comparingInt(token -> token.id));
      return new Own(state, frames, tokens);
    }

    @Override
    public boolean isComplete() {
      return true;
    }

    @Override
    public int id(Frame frame) {
      return frame.id;
    }

    @Override
    public int id(Token token) {
      return token.id;
    }

    @Override
    public int lastId() {
      return state.lastId;
    }

    @Override
    public int wait(Token token) {
      return Objects.requireNonNull(token.wait).number;
    }

    @Override
    public int wait(Frame frame) {
      return Objects.requireNonNull(frame.scope).dueOrder;
    }

    @Override
    public int lastWait() {
      return state.lastWait;
    }

    @Override
    public int spec(Frame frame) {
      return frame.spec;
    }

    @Override
    public List<Integer> queue(Collection<Token> queue) {
      return queue.stream().map(token -> token.id).toList();
    }

    @Override
    public long steps() {
      return state.steps;
    }

    @Override
    public long undoOrder(UndoEntry entry) {
      return entry.order();
    }

    @Override
    public SetShape shape(Frame frame) {
      InstanceSet set = Objects.requireNonNull(frame.set);
      return new SetShape(set.made, set.got.size(), set.dead);
    }

    @Override
    public SortedMap<Integer, Context> delivered(Frame frame) {
      return Objects.requireNonNull(frame.set).got;
    }

    @Override
    public long past(long number) {
      return number;
    }

    @Override
    public String past(String text) {
      return text;
    }

    @Override
    public Context data(Context context) {
      return context;
    }

    @Override
    public Failure data(Failure failure) {
      return failure;
    }

    @Override
    public boolean forgets(JoinCounter join) {
      return false;
    }

    @Override
    public boolean forgets(GroupState group) {
      return false;
    }

    @Override
    public long left(long due) {
      return due - state.clock;
    }

    @Override
    public int attempt(int attempt) {
      return attempt;
    }

    @Override
    public int ended(int tokens) {
      return tokens;
    }
  }
}
