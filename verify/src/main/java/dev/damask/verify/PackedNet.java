package dev.damask.verify;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// A net whose markings are packed into words: one bit field per place.
///
/// Firing adds one number per word. A field of one bit is tested with a mask; a wider field counts
/// indistinguishable tokens. Bit 63 of the last word is always set, so that no marking is zero and
/// a table of words can use zero for free slots.
final class PackedNet {
  static final long ALWAYS = 1L << 63;
  private static final int WORD_BITS = 63;

  final int places;
  final int transitions;

  /// The number of transitions that are steps of the machine. The transitions after them are
  /// external events, which occur only when the machine is idle.
  final int internals;

  final int words;
  final long[] initial;

  /// The word and the field of each place.
  final int[] word;

  final int[] shift;
  final int[] capacity;

  /// Arcs as pairs of place and weight.
  final int[][] inputs;

  final int[][] outputs;

  /// For each transition: the bits that must be set, those that must be clear because their places
  /// must be empty, those that must be clear before a token is added, and the number that firing
  /// adds.
  private final Masks[] need;

  private final Masks[] forbidden;
  private final Masks[] gain;
  private final Masks[] delta;

  /// The places that must be empty for each transition, and for each place the transitions that
  /// require it to be empty.
  final int[][] forbids;

  final int[][] forbidders;

  /// Arcs of wide fields as pairs of place and weight; empty for most transitions.
  final int[][] countedInputs;

  final int[][] countedGains;

  /// The fields of all places that have a consumer.
  final long[] unfinished;

  /// For each place the transitions that consume from it and those that produce to it.
  final int[][] takers;

  final int[][] givers;

  /// The transitions without input places; for each place the transitions whose first input it is;
  /// for each bit its place.
  private final int[] sources;

  private final int[][] triggered;

  private final int[] placeOf;

  /// Bits in some words of a marking.
  private static final class Masks {
    private static final Masks NONE = new Masks();

    private int[] words = new int[0];
    private long[] bits = new long[0];

    /// Returns masks with an amount added to a word; may be another object.
    Masks plus(int word, long amount) {
      for (int i = 0; i < words.length; i++) {
        if (words[i] == word) {
          bits[i] += amount;
          return this;
        }
      }
      Masks result = this == NONE ? new Masks() : this;
      int last = words.length;
      result.words = Arrays.copyOf(words, last + 1);
      result.bits = Arrays.copyOf(bits, last + 1);
      result.words[last] = word;
      result.bits[last] = amount;
      return result;
    }

    boolean areSet(long[] markings, int at) {
      for (int i = 0; i < words.length; i++) {
        if ((markings[at + words[i]] & bits[i]) != bits[i]) {
          return false;
        }
      }
      return true;
    }

    boolean areClear(long[] markings, int at) {
      for (int i = 0; i < words.length; i++) {
        if ((markings[at + words[i]] & bits[i]) != 0) {
          return false;
        }
      }
      return true;
    }

    long first() {
      return bits.length == 0 ? 0 : bits[0];
    }
  }

  /// The specification of a place. Its capacity determines the number of bits.
  record PlaceSpec(int tokens, int capacity) {}

  /// The specification of a transition: pairs of place and weight, and places that must be empty.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record TransitionSpec(int[] inputs, int[] outputs, int[] forbids) {}

  /// Creates a net in which all transitions are steps of the machine.
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
    need = none(transitions);
    gain = none(transitions);
    delta = none(transitions);
    forbidden = none(transitions);
    forbids = new int[transitions][];
    countedInputs = new int[transitions][];
    countedGains = new int[transitions][];
    unfinished = new long[words];
    for (int place = 0; place < places; place++) {
      initial[word[place]] += (long) placeSpecs.get(place).tokens() << shift[place];
    }
    int[] change = new int[places];
    for (int t = 0; t < transitions; t++) {
      add(t, transitionSpecs.get(t), change);
    }
    takers = index(inputs);
    givers = index(outputs);
    int[][] pairs = new int[transitions][];
    Arrays.setAll(pairs, t -> pairs(forbids[t]));
    forbidders = index(pairs);
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

  private static Masks[] none(int count) {
    Masks[] masks = new Masks[count];
    Arrays.fill(masks, Masks.NONE);
    return masks;
  }

  private static int[] pairs(int[] places) {
    int[] pairs = new int[2 * places.length];
    for (int i = 0; i < places.length; i++) {
      pairs[2 * i] = places[i];
      pairs[2 * i + 1] = 1;
    }
    return pairs;
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

  /// @param change zero for every place, before and after
  private void add(int t, TransitionSpec spec, int[] change) {
    inputs[t] = spec.inputs();
    outputs[t] = spec.outputs();
    forbids[t] = spec.forbids();
    for (int place : spec.forbids()) {
      forbidden[t] = forbidden[t].plus(word[place], field(place));
    }
    List<Integer> wideInputs = List.of();
    for (int i = 0; i < inputs[t].length; i += 2) {
      int place = inputs[t][i];
      int weight = inputs[t][i + 1];
      change[place] -= weight;
      unfinished[word[place]] |= field(place);
      if (capacity[place] == 1 && weight == 1) {
        need[t] = need[t].plus(word[place], field(place));
      } else {
        wideInputs = plus(wideInputs, place, weight);
      }
    }
    for (int i = 0; i < outputs[t].length; i += 2) {
      change[outputs[t][i]] += outputs[t][i + 1];
    }
    List<Integer> wideGains = List.of();
    for (int[] arcs : List.of(inputs[t], outputs[t])) {
      for (int i = 0; i < arcs.length; i += 2) {
        int place = arcs[i];
        int amount = change[place];
        change[place] = 0;
        if (amount != 0) {
          delta[t] = delta[t].plus(word[place], (long) amount << shift[place]);
        }
        if (amount == 1 && capacity[place] == 1) {
          gain[t] = gain[t].plus(word[place], field(place));
        } else if (amount > 0) {
          wideGains = plus(wideGains, place, amount);
        }
      }
    }
    countedInputs[t] = ints(wideInputs);
    countedGains[t] = ints(wideGains);
  }

  private static List<Integer> plus(List<Integer> pairs, int place, int weight) {
    List<Integer> more = new ArrayList<>(pairs);
    more.add(place);
    more.add(weight);
    return more;
  }

  private static int[] ints(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).toArray();
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

  /// Returns the number of tokens of a place in the marking at an index of an array.
  int tokens(long[] markings, int at, int place) {
    long field = field(place) >>> shift[place];
    return (int) (markings[at + word[place]] >>> shift[place] & field);
  }

  /// Writes the enabled transitions into an array in order and returns their number. Only
  /// transitions whose first input place has a token are tested.
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
    if (!need[t].areSet(markings, at) || !forbidden[t].areClear(markings, at)) {
      return false;
    }
    int[] counted = countedInputs[t];
    for (int i = 0; i < counted.length; i += 2) {
      if (tokens(markings, at, counted[i]) < counted[i + 1]) {
        return false;
      }
    }
    return true;
  }

  /// Returns the place that would exceed its capacity if an enabled transition fired; -1 if there
  /// is none.
  int overflow(long[] markings, int at, int t) {
    int[] gained = gain[t].words;
    for (int i = 0; i < gained.length; i++) {
      long both = markings[at + gained[i]] & gain[t].bits[i];
      if (both != 0) {
        return clash(gained[i], both);
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
    System.arraycopy(markings, at, result, to, words);
    int[] changed = delta[t].words;
    for (int i = 0; i < changed.length; i++) {
      result[to + changed[i]] += delta[t].bits[i];
    }
  }

  /// Returns the bits that a transition requires, in a net of one word.
  long need(int t) {
    return need[t].first();
  }

  /// Returns the bits that a transition sets, in a net of one word.
  long gain(int t) {
    return gain[t].first();
  }

  /// Returns the number that a transition adds, in a net of one word.
  long delta(int t) {
    return delta[t].first();
  }

  /// Returns whether there is at least one token and none can be consumed.
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

  /// Returns whether a transition can fire without any token.
  boolean hasSources() {
    return sources.length > 0;
  }

  /// Returns whether tokens can never return to a previous place, so that every run ends.
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
