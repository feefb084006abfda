package dev.damask.exec;

import dev.damask.state.Frame;
import dev.damask.state.PartMarks.Entries;
import dev.damask.state.PlaceState;
import dev.damask.state.Token;
import java.util.ArrayList;
import java.util.List;

/// Visits all parts of a state in the order in which a base has them.
final class StateWalk {
  private StateWalk() {}

  /// Lets every part of a state set marks from now on.
  static void adopt(ExecState state) {
    for (Frame frame : frames(state)) {
      frame.adopt();
    }
    for (Token token : tokens(state)) {
      if (token.wait != null) {
        token.wait.owner = token;
      }
    }
    if (state.places != null) {
      state.setPlaces(state.places);
    }
    state.root.marks.turnOn();
  }

  /// The open frames in the order of their ids, parents first.
  static List<Frame> frames(ExecState state) {
    return Numbering.Own.of(state).frames();
  }

  static List<Token> tokens(ExecState state) {
    return Numbering.Own.of(state).tokens();
  }

  /// The entries of a frame, in order.
  static long[] entries(Frame frame) {
    List<Long> keys = new ArrayList<>();
    if (frame.join != null) {
      for (int i = 0; i < frame.join.got.length; i++) {
        add(keys, frame.join.got[i] != null, Entries.GOT, i);
      }
    }
    if (frame.set != null) {
      frame.set.got.keySet().forEach(number -> add(keys, true, Entries.GOT, number));
    }
    if (frame.places != null) {
      places(frame.places, keys);
    }
    int log = frame.scope == null || frame.scope.undoLog == null ? 0 : frame.scope.undoLog.size();
    for (int i = 0; i < log; i++) {
      add(keys, true, Entries.UNDO, i);
    }
    int rest = frame.undoing == null ? 0 : frame.undoing.rest.size();
    for (int i = 0; i < rest; i++) {
      add(keys, true, Entries.REST, i);
    }
    if (frame.net != null) {
      for (int node = 0; node < frame.net.joins.length; node++) {
        add(keys, frame.net.joins[node] != null, Entries.NODE, node);
      }
    }
    return toArray(keys);
  }

  /// The entries of the case itself, in order.
  static long[] entries(ExecState state) {
    List<Long> keys = new ArrayList<>();
    if (state.places != null) {
      places(state.places, keys);
    }
    if (state.executions != null) {
      state.executions.entries().forEach(number -> add(keys, true, Entries.COUNT, number));
    }
    add(keys, state.cancelled != null, Entries.CANCELLED, 0);
    int late = state.late == null ? 0 : state.late.size();
    for (int i = 0; i < late; i++) {
      add(keys, true, Entries.LATE, i);
    }
    return toArray(keys);
  }

  private static void places(PlaceState[] places, List<Long> keys) {
    for (int i = 0; i < places.length; i++) {
      for (int k = 0; k < places[i].tokens.size(); k++) {
        add(keys, true, Entries.PLACE, Entries.token(i, places[i].first + k));
      }
    }
  }

  private static void add(List<Long> keys, boolean isThere, int kind, long number) {
    if (isThere) {
      keys.add(Entries.key(kind, number));
    }
  }

  private static long[] toArray(List<Long> keys) {
    long[] all = new long[keys.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = keys.get(i);
    }
    return all;
  }
}
