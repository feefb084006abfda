package dev.damask.verify;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// A net whose markings are packed into words: one field of bits for each place.
///
/// Firing adds one number per word. A field of one bit is tested with a mask; a wider field counts
/// tokens that cannot be told apart. Bit 63 of the last word is always set, so that no marking is
/// zero and a table of words needs no second array to know which slots are free.
final class PackedNet {
  static final long ALWAYS = 1L << 63;
  private static final int WORD_BITS = 63;

  final int places;
  final int transitions;

  /// The first so many transitions are steps of the machine; those behind them are events from
  /// outside, which come only when the machine stands still.
  final int internals;

  final int words;
  final long[] initial;

  /// Which field of which word belongs to a place.
  final int[] word;

  final int[] shift;
  final int[] capacity;

  /// Arcs as pairs of place and weight.
  final int[][] inputs;

  final int[][] outputs;

  /// For transition `t` and word `w` at `t * words + w`: bits that must be set, bits that must not
  /// be set before a token is added, and what firing adds.
  final long[] need;

  final long[] gain;
  final long[] delta;

  /// Places that must be empty: as bits, as places, and for each place who forbids it.
  final long[] forbidden;

  final int[][] forbids;
  final int[][] forbidders;

  /// Arcs of wide fields as pairs of place and weight; empty for most transitions.
  final int[][] countedInputs;

  final int[][] countedGains;

  /// The fields of all places that something can take a token from.
  final long[] unfinished;

  /// For each place the transitions that take from it, and those that give to it.
  final int[][] takers;

  final int[][] givers;

  /// Transitions without input places; for each place those it is the first input of; and for each
  /// bit the place it belongs to.
  private final int[] sources;

  private final int[][] triggered;

  /// The words a transition looks at before it fires, and those in which it sets bits.
  private final int[][] tested;

  private final int[][] gained;
  private final int[] placeOf;

  /// A place to be: its bound decides how many bits it gets.
  record PlaceSpec(int tokens, int capacity) {}

  /// A transition to be: pairs of place and weight, and places that must be empty.
  @SuppressWarnings("ArrayRecordComponent") // a draft that nobody compares
  record TransitionSpec(int[] inputs, int[] outputs, int[] forbids) {}

  /// A net in which all transitions are alike.
  PackedNet(List<PlaceSpec> placeSpecs, List<TransitionSpec> transitionSpecs) {
    this(placeSpecs, transitionSpecs, transitionSpecs.size());
  }

  PackedNet(List<PlaceSpec> placeSpecs, List<TransitionSpec> transitionSpecs, int internals) {
    this.internals = internals;
    places = placeSpecs.size();
    transitions = transitionSpecs.size();
    word = new int[places];
    shift = new int[places];
    capacity = new int[places];
    words = layOut(placeSpecs);
    initial = new long[words];
    initial[words - 1] = ALWAYS;
    inputs = new int[transitions][];
    outputs = new int[transitions][];
    need = new long[transitions * words];
    gain = new long[transitions * words];
    delta = new long[transitions * words];
    forbidden = new long[transitions * words];
    forbids = new int[transitions][];
    countedInputs = new int[transitions][];
    countedGains = new int[transitions][];
    unfinished = new long[words];
    for (int place = 0; place < places; place++) {
      initial[word[place]] += (long) placeSpecs.get(place).tokens() << shift[place];
    }
    for (int t = 0; t < transitions; t++) {
      add(t, transitionSpecs.get(t));
    }
    tested = new int[transitions][];
    gained = new int[transitions][];
    for (int t = 0; t < transitions; t++) {
      int base = t * words;
      tested[t] =
          IntStream.range(0, words)
              .filter(w -> (need[base + w] | forbidden[base + w]) != 0)
              .toArray();
      gained[t] = IntStream.range(0, words).filter(w -> gain[base + w] != 0).toArray();
    }
    takers = index(inputs);
    givers = index(outputs);
    int[][] doubled = new int[transitions][];
    Arrays.setAll(
        doubled, t -> Arrays.stream(forbids[t]).flatMap(p -> IntStream.of(p, 1)).toArray());
    forbidders = index(doubled);
    int[][] firsts = new int[transitions][];
    Arrays.setAll(firsts, t -> Arrays.copyOf(inputs[t], Math.min(2, inputs[t].length)));
    triggered = index(firsts);
    sources = IntStream.range(0, transitions).filter(t -> inputs[t].length == 0).toArray();
    placeOf = new int[words * WORD_BITS];
    for (int place = 0; place < places; place++) {
      for (int bit = 0; bit < bits(capacity[place]); bit++) {
        placeOf[word[place] * WORD_BITS + shift[place] + bit] = place;
      }
    }
  }

  private static int bits(int capacity) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(capacity);
  }

  private int layOut(List<PlaceSpec> specs) {
    int at = 0;
    int used = 0;
    for (int place = 0; place < places; place++) {
      capacity[place] = specs.get(place).capacity();
      int bits = bits(capacity[place]);
      if (used + bits > WORD_BITS) {
        at++;
        used = 0;
      }
      word[place] = at;
      shift[place] = used;
      used += bits;
    }
    return at + 1;
  }

  private void add(int t, TransitionSpec spec) {
    inputs[t] = spec.inputs();
    outputs[t] = spec.outputs();
    forbids[t] = spec.forbids();
    for (int place : spec.forbids()) {
      forbidden[t * words + word[place]] |= field(place);
    }
    SortedMap<Integer, Integer> change = new TreeMap<>();
    List<Integer> wideInputs = new ArrayList<>();
    List<Integer> wideGains = new ArrayList<>();
    for (int i = 0; i < spec.inputs().length; i += 2) {
      int place = spec.inputs()[i];
      int weight = spec.inputs()[i + 1];
      change.merge(place, -weight, Integer::sum);
      unfinished[word[place]] |= field(place);
      if (capacity[place] == 1 && weight == 1) {
        need[t * words + word[place]] |= field(place);
      } else {
        wideInputs.addAll(List.of(place, weight));
      }
    }
    for (int i = 0; i < spec.outputs().length; i += 2) {
      change.merge(spec.outputs()[i], spec.outputs()[i + 1], Integer::sum);
    }
    for (var entry : change.entrySet()) {
      int place = entry.getKey();
      int amount = entry.getValue();
      delta[t * words + word[place]] += (long) amount << shift[place];
      if (amount == 1 && capacity[place] == 1) {
        gain[t * words + word[place]] |= field(place);
      } else if (amount > 0) {
        wideGains.addAll(List.of(place, amount));
      }
    }
    countedInputs[t] = wideInputs.stream().mapToInt(Integer::intValue).toArray();
    countedGains[t] = wideGains.stream().mapToInt(Integer::intValue).toArray();
  }

  private int[][] index(int[][] arcs) {
    int[] counts = new int[places];
    for (int[] pairs : arcs) {
      for (int i = 0; i < pairs.length; i += 2) {
        counts[pairs[i]]++;
      }
    }
    int[][] index = new int[places][];
    Arrays.setAll(index, place -> new int[counts[place]]);
    for (int t = 0; t < arcs.length; t++) {
      for (int i = 0; i < arcs[t].length; i += 2) {
        index[arcs[t][i]][--counts[arcs[t][i]]] = t;
      }
    }
    return index;
  }

  private long field(int place) {
    return ((1L << bits(capacity[place])) - 1) << shift[place];
  }

  /// How many tokens a place holds in the marking that starts at an index of an array.
  int tokens(long[] markings, int at, int place) {
    long field = field(place) >>> shift[place];
    return (int) (markings[at + word[place]] >>> shift[place] & field);
  }

  /// Writes the enabled transitions into an array, in order, and says how many there are. Only
  /// those are looked at whose first input place holds a token.
  int enabled(long[] markings, int at, int[] result) {
    int found = 0;
    for (int t : sources) {
      if (isEnabled(markings, at, t)) {
        result[found++] = t;
      }
    }
    for (int w = 0; w < words; w++) {
      long bits = w == words - 1 ? markings[at + w] & ~ALWAYS : markings[at + w];
      while (bits != 0) {
        int place = placeOf[w * WORD_BITS + Long.numberOfTrailingZeros(bits)];
        bits &= ~field(place);
        for (int t : triggered[place]) {
          if (isEnabled(markings, at, t)) {
            result[found++] = t;
          }
        }
      }
    }
    Arrays.sort(result, 0, found);
    return found;
  }

  boolean isEnabled(long[] markings, int at, int t) {
    int base = t * words;
    for (int w : tested[t]) {
      if ((markings[at + w] & (need[base + w] | forbidden[base + w])) != need[base + w]) {
        return false;
      }
    }
    int[] counted = countedInputs[t];
    for (int i = 0; i < counted.length; i += 2) {
      if (tokens(markings, at, counted[i]) < counted[i + 1]) {
        return false;
      }
    }
    return true;
  }

  /// The place that would hold more than it can if an enabled transition fired; -1 if none would.
  int overflow(long[] markings, int at, int t) {
    int base = t * words;
    for (int w : gained[t]) {
      if ((markings[at + w] & gain[base + w]) != 0) {
        return clash(w, markings[at + w] & gain[base + w]);
      }
    }
    int[] counted = countedGains[t];
    for (int i = 0; i < counted.length; i += 2) {
      if (tokens(markings, at, counted[i]) + counted[i + 1] > capacity[counted[i]]) {
        return counted[i];
      }
    }
    return -1;
  }

  private int clash(int w, long bits) {
    for (int place = 0; place < places; place++) {
      if (word[place] == w && (field(place) & bits) != 0) {
        return place;
      }
    }
    throw new IllegalStateException("no place has these bits");
  }

  void fire(long[] markings, int at, int t, long[] result, int to) {
    for (int w = 0; w < words; w++) {
      result[to + w] = markings[at + w] + delta[t * words + w];
    }
  }

  /// Whether at least one token is there and nothing can ever take one.
  boolean isFinal(long[] markings, int at) {
    long rest = 0;
    for (int w = 0; w < words; w++) {
      if ((markings[at + w] & unfinished[w]) != 0) {
        return false;
      }
      rest |= markings[at + w] & ~ALWAYS;
    }
    return rest != 0;
  }

  /// Whether a transition can fire without any token.
  boolean hasSources() {
    return sources.length > 0;
  }

  /// Whether no token can ever come back to where it was: then every run ends.
  boolean isAcyclic() {
    int[] missing = new int[transitions];
    int[] open = new int[transitions];
    int count = 0;
    int done = 0;
    int[] feeding = new int[places];
    for (int place = 0; place < places; place++) {
      feeding[place] = givers[place].length;
    }
    for (int t = 0; t < transitions; t++) {
      for (int i = 0; i < inputs[t].length; i += 2) {
        missing[t] += feeding[inputs[t][i]] > 0 ? 1 : 0;
      }
      if (missing[t] == 0) {
        open[count++] = t;
      }
    }
    while (done < count) {
      int t = open[done++];
      for (int i = 0; i < outputs[t].length; i += 2) {
        int place = outputs[t][i];
        if (--feeding[place] == 0) {
          for (int taker : takers[place]) {
            if (--missing[taker] == 0) {
              open[count++] = taker;
            }
          }
        }
      }
    }
    return done == transitions && !hasSources();
  }
}
