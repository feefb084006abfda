package dev.damask.check;

import static dev.damask.check.KeyTable.EVERY;

import dev.damask.check.BodyKeys.Added;
import dev.damask.check.KeyAccess.Writes;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.Merge;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The facts of the whole workflow about keys: the payloads of places, the scopes that are killed,
/// and the keys that definitions add.
final class KeyFacts {
  final KeyAccess access;
  final KeyTable keys = new KeyTable();

  /// The scopes that some `kill … as complete` ends: they may complete with their entry context.
  final Set<String> completed = new HashSet<>();

  /// The scopes that some `kill` cancels.
  final Set<String> withdrawn = new HashSet<>();

  /// The number of terms and nodes visited, for the test that it grows linearly.
  long visits;

  private final Set<String> external = new HashSet<>();
  private final Map<String, Added> payloads = new HashMap<>();
  private final Map<String, Added> definitions = new HashMap<>();
  private final Map<Writes, Added> writes = new HashMap<>();

  KeyFacts(KeyAccess access, WorkflowDefinition workflow) {
    this.access = access;
    workflow.places().forEach(this::place);
    for (Definition each : workflow.definitions()) {
      each.places().forEach(this::place);
    }
  }

  private void place(Place place) {
    if (place.external()) {
      external.add(place.name());
    }
    if (place.init() > 0) {
      carry(place.name(), Added.NOTHING);
    }
  }

  /// Notes the facts of a term about the others.
  void collect(Term term) {
    switch (term) {
      case Term.Kill(var name, var outcome) -> {
        if (outcome != Term.Kill.Outcome.BREAK) {
          (outcome == Term.Kill.Outcome.COMPLETE ? completed : withdrawn).add(name);
        }
      }
      case Term.Emit(var place, var payload) ->
          carry(place, added(new Writes(payload.keySet(), Collections.emptySet(), false)));
      case Term.Defer(var alternatives) -> {
        for (Alternative each : alternatives) {
          if (each instanceof Alternative.Take(var places, var isExternal, _) && isExternal) {
            external.addAll(places);
          }
        }
      }
      default -> {}
    }
  }

  private void carry(String place, Added payload) {
    payloads.merge(
        place,
        payload,
        (one, other) ->
            Added.of(
                KeyTable.meet(one.always(), other.always()),
                KeyTable.plus(one.possible(), other.possible())));
  }

  Added added(Writes known) {
    return writes.computeIfAbsent(
        known,
        each -> {
          BitSet always = keys.always(each);
          boolean isExact = each.sometimes().isEmpty() && !each.others();
          return Added.of(always, isExact ? always : keys.possible(each));
        });
  }

  /// Returns the payload that the tokens of a place can carry. Empty for `m.add` without one.
  private Added payload(String place) {
    Added emitted = payloads.get(place);
    if (!external.contains(place)) {
      // A token that never comes has no keys: the wait does not end this way.
      return emitted == null ? Added.NOTHING : emitted;
    }
    Added signalled = added(access.payload(place));
    return emitted == null
        ? signalled
        : Added.of(
            KeyTable.meet(emitted.always(), signalled.always()),
            KeyTable.plus(emitted.possible(), signalled.possible()));
  }

  /// Returns the keys that an alternative writes before its body.
  Added taken(Alternative alternative) {
    if (!(alternative instanceof Alternative.Take(var places, _, _))) {
      return Added.NOTHING;
    }
    BitSet always = new BitSet();
    BitSet possible = new BitSet();
    for (String place : places) {
      Added payload = payload(place);
      always.or(payload.always());
      possible.or(payload.possible());
    }
    return Added.of(always, possible);
  }

  /// Returns the keys that an instance has besides those on entry of its set.
  Added instance(Term.Mi mi) {
    Added own = added(access.instance(mi));
    Added more = payloads.get(mi.name() + ".add");
    return more == null
        ? own
        : Added.of(own.always(), KeyTable.plus(own.possible(), more.possible()));
  }

  /// Returns the keys that a merge always writes.
  BitSet merged(Merge merge) {
    return merge instanceof Merge.Collect(var named) ? keys.set(named) : new BitSet();
  }

  /// Returns the keys that a call adds.
  Added called(Term.Call call) {
    Added body = definitions.getOrDefault(call.definition(), Added.NOTHING);
    if (call.result() == null) {
      return body;
    }
    Added whole = added(Writes.of(call.result()));
    // A break leaves as if the call returned: with its whole result under the key.
    Map<String, BitSet> exits = new HashMap<>();
    body.exits().forEach((name, keys) -> exits.put(name, whole.always()));
    return new Added(
        body.completes() ? whole.always() : EVERY, whole.possible(), exits, body.isWithdrawn());
  }

  /// Sets the keys that a definition adds and returns whether they differ from before.
  boolean define(String name, Added added) {
    Added before = definitions.put(name, added);
    return before == null
        || !KeyTable.isSame(before.always(), added.always())
        || !before.equals(added);
  }

  /// Returns the keys that exist when some k of the branches have delivered.
  static BitSet atLeast(int k, List<BitSet> delivered, int size) {
    long complete = delivered.stream().filter(each -> each != EVERY).count();
    if (complete < k) {
      return EVERY;
    }
    long needed = complete - k + 1;
    BitSet result = new BitSet();
    if (needed == 1) {
      delivered.stream().filter(each -> each != EVERY).forEach(result::or);
      return result;
    }
    int[] counts = new int[size];
    for (BitSet each : delivered) {
      if (each != EVERY) {
        each.stream().forEach(key -> counts[key]++);
      }
    }
    for (int key = 0; key < size; key++) {
      result.set(key, counts[key] >= needed);
    }
    return result;
  }
}
