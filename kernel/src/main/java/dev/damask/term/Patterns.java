package dev.damask.term;

import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.term.JoinPolicy.Rest;
import dev.damask.term.Term.Choice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The 43 control-flow patterns of Russell, ter Hofstede, van der Aalst and Mulyar, one method
/// each, named after the pattern. Every method returns an ordinary term.
public final class Patterns {
  private Patterns() {}

  /// WCP-1: a part is enabled when the one before it has completed.
  public static Term sequence(Term... parts) {
    return new Term.Seq(List.of(parts));
  }

  /// WCP-2: one thread becomes several, all enabled at the same moment; no join waits for them.
  public static Term parallelSplit(Term... branches) {
    return Flow.join(JoinPolicy.detach(), branches);
  }

  /// WCP-3: the flow continues when every branch of the split has arrived.
  public static Term synchronization(Term... branches) {
    return Flow.par(branches);
  }

  /// WCP-4: exactly one branch gets the thread, decided by data at that moment.
  public static Term exclusiveChoice(Choice... choices) {
    return Flow.xor(choices);
  }

  /// WCP-5: alternative branches meet without synchronisation.
  public static Term simpleMerge(Term then, Choice... choices) {
    return Flow.seq(Flow.xor(choices), then);
  }

  /// WCP-6: any non-empty subset of the branches gets the thread; no join waits for them.
  public static Term multiChoice(Choice... branches) {
    return Flow.join(JoinPolicy.detach(), branches);
  }

  /// WCP-7: joins exactly the branches that its own multi-choice started.
  public static Term structuredSynchronizingMerge(Choice... branches) {
    return Flow.join(JoinPolicy.syncMerge(), branches);
  }

  /// WCP-8: every arrival starts the continuation again, also while earlier ones are running.
  public static Term multiMerge(Term then, Term... branches) {
    List<Node> nodes = threads("merge", branches);
    nodes.add(Flow.node("merge", then, Flow.to(Node.END)));
    return net(start(branches.length), nodes);
  }

  /// WCP-9: the first branch starts the continuation; the others are awaited but have no effect.
  public static Term structuredDiscriminator(Term... branches) {
    return Flow.join(JoinPolicy.partial(1), branches);
  }

  /// WCP-10: cycles with several entries or exits.
  public static Term arbitraryCycles(Split start, Node... nodes) {
    return Flow.graph(start, nodes);
  }

  /// WCP-11: a sub-process ends when there is nothing left to do in it.
  public static Term implicitTermination(Term... threads) {
    return net(start(threads.length), threads(Node.END, threads));
  }

  /// WCP-12: several instances are started and no join waits for them.
  public static Term multipleInstancesWithoutSynchronization(
      String name, Expression count, Term body) {
    return new Term.Mi(name, InstancePolicy.of(count).need(0), body);
  }

  /// WCP-13: a number of instances fixed in the text, all synchronised.
  public static Term multipleInstancesWithDesignTimeKnowledge(String name, int count, Term body) {
    return new Term.Mi(name, InstancePolicy.fixed(count), body);
  }

  /// WCP-14: the number is computed when the activity starts, and is fixed from then on.
  public static Term multipleInstancesWithRunTimeKnowledge(
      String name, Expression count, Term body) {
    return new Term.Mi(name, InstancePolicy.of(count), body);
  }

  /// WCP-15: instances may be added while others are running; all are synchronised.
  public static Term multipleInstancesWithoutRunTimeKnowledge(
      String name, Expression count, Term body) {
    return new Term.Mi(name, InstancePolicy.of(count).opened(), body);
  }

  /// WCP-16: several branches are offered and the first event from outside decides.
  public static Term deferredChoice(Alternative... alternatives) {
    return Flow.defer(alternatives);
  }

  /// WCP-17: sequences of tasks interleave, one task at a time, each in its own order. The place
  /// must be a mutex.
  public static Term interleavedParallelRouting(String mutex, List<List<Term>> sequences) {
    Term[] branches = new Term[sequences.size()];
    for (int i = 0; i < branches.length; i++) {
      List<Term> parts = new ArrayList<>();
      for (int k = 0; k < sequences.get(i).size(); k++) {
        parts.add(Flow.holding(mutex + " " + i + "." + k, mutex, sequences.get(i).get(k)));
      }
      branches[i] = new Term.Seq(parts);
    }
    return Flow.par(branches);
  }

  /// WCP-18: a task is enabled only while a place is marked; once that has passed for good, the
  /// other term runs. [Flow#milestone] marks a place while a scope is open.
  public static Term milestone(String place, Term task, Term expired) {
    return Flow.defer(Flow.testing(place, task), Flow.expired(expired));
  }

  /// WCP-19: a task that can be cancelled by its name.
  public static Term cancelTask(Term.Task task) {
    return Flow.scope(task.name(), task);
  }

  /// WCP-20: removes the whole case and records it as unsuccessful.
  public static Term cancelCase() {
    return Flow.kill("case");
  }

  /// WCP-21: repeats a term while a condition holds.
  public static Term structuredLoop(Guard guard, Term body) {
    return Flow.repeatWhile(guard, body);
  }

  /// WCP-22: a term that invokes a definition, perhaps the one it is in.
  public static Term recursion(String definition) {
    return Flow.call(definition);
  }

  /// WCP-23: waits for a signal that is lost if no token waits for it; the place must be a trigger.
  public static Term transientTrigger(String trigger, Term then) {
    return Flow.seq(Flow.take(trigger), then);
  }

  /// WCP-24: waits for a signal that is kept until it is used; the place must be persistent.
  public static Term persistentTrigger(String place, Term then) {
    return Flow.seq(Flow.take(place), then);
  }

  /// WCP-25: disables everything in the parts of the text that carry the name.
  public static Term cancelRegion(String region) {
    return Flow.kill(region);
  }

  /// WCP-26: cancels the unfinished instances of a set; nothing follows.
  public static Term cancelMultipleInstances(String name) {
    return Flow.kill(name);
  }

  /// WCP-27: ends a set of instances early but successfully.
  public static Term completeMultipleInstances(String name) {
    return Flow.complete(name);
  }

  /// WCP-28: as the discriminator, where a branch may deliver again before the reset: it waits.
  public static Node blockingDiscriminator(String id, List<String> sources, Term body, Split then) {
    return blockingPartialJoin(id, 1, sources, body, then);
  }

  /// WCP-29: the first branch starts the continuation, the others are cancelled.
  public static Term cancellingDiscriminator(Term... branches) {
    return Flow.join(JoinPolicy.firstComplete(), branches);
  }

  /// WCP-30: the n-th branch starts the continuation; the others are awaited without effect.
  public static Term structuredPartialJoin(int n, Term... branches) {
    return Flow.join(JoinPolicy.partial(n), branches);
  }

  /// WCP-31: fires on n distinct arcs; a second token on an arc waits for the next round.
  public static Node blockingPartialJoin(
      String id, int n, List<String> sources, Term body, Split then) {
    return Flow.node(id, new Node.Join.Blocking(n, sources, false), body, then);
  }

  /// WCP-32: the n-th branch starts the continuation, the others are cancelled.
  public static Term cancellingPartialJoin(int n, Term... branches) {
    return Flow.join(JoinPolicy.firstN(n), branches);
  }

  /// WCP-33: takes one token from each arc, as often as every arc holds one.
  public static Node generalisedAndJoin(String id, List<String> sources, Term body, Split then) {
    Map<String, Integer> weights = new LinkedHashMap<>();
    sources.forEach(source -> weights.put(source, 1));
    return Flow.node(id, new Node.Join.And(weights, false), body, then);
  }

  /// WCP-34: the flow continues after n of the instances; the others keep running.
  public static Term staticPartialJoinForMultipleInstances(
      String name, Expression count, int n, Term body) {
    return new Term.Mi(name, InstancePolicy.of(count).need(n), body);
  }

  /// WCP-35: the flow continues after n of the instances; the others are cancelled.
  public static Term cancellingPartialJoinForMultipleInstances(
      String name, Expression count, int n, Term body) {
    return new Term.Mi(name, InstancePolicy.of(count).need(n).rest(Rest.CANCEL), body);
  }

  /// WCP-36: instances may be added, and a condition decides when to continue.
  public static Term dynamicPartialJoinForMultipleInstances(
      String name, Expression count, InstancePolicy.Need need, Term body) {
    return new Term.Mi(name, InstancePolicy.of(count).opened().need(need), body);
  }

  /// WCP-37: an OR-join in an unstructured but acyclic part of a graph.
  public static Node localSynchronizingMerge(
      String id, List<String> sources, Term body, Split then) {
    return generalSynchronizingMerge(id, sources, body, then);
  }

  /// WCP-38: the OR-join in any graph: it waits as long as a further token can still come.
  public static Node generalSynchronizingMerge(
      String id, List<String> sources, Term body, Split then) {
    return Flow.node(id, new Node.Join.Or(sources, false), body, then);
  }

  /// WCP-39: parts of a process that are never active at the same time. The place must be a mutex.
  public static Term criticalSection(String name, String mutex, Term... parts) {
    return Flow.holding(name, mutex, parts);
  }

  /// WCP-40: each task of a set once, in any order, one at a time. The place must be a mutex.
  public static Term interleavedRouting(String mutex, Term... tasks) {
    List<List<Term>> sequences = new ArrayList<>();
    for (Term task : tasks) {
      sequences.add(List.of(task));
    }
    return interleavedParallelRouting(mutex, sequences);
  }

  /// WCP-41: a fixed number of threads on one branch become one.
  public static Node threadMerge(String id, String source, int threads, Term body, Split then) {
    Map<String, Integer> weights = new LinkedHashMap<>();
    weights.put(source, threads);
    return Flow.node(id, new Node.Join.And(weights, false), body, then);
  }

  /// WCP-42: one thread becomes n threads on the same branch.
  public static Split threadSplit(int threads, String target) {
    return new Split.Copies(threads, target);
  }

  /// WCP-43: a sub-process ends successfully with the first of its threads; the rest is cancelled.
  public static Term explicitTermination(Term... threads) {
    return new Term.Graph(
        Mode.EXPLICIT, Merge.Standard.NEWEST, start(threads.length), threads(Node.END, threads));
  }

  private static List<Node> threads(String target, Term[] bodies) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < bodies.length; i++) {
      nodes.add(Flow.node("thread " + (i + 1), bodies[i], Flow.to(target)));
    }
    return nodes;
  }

  private static Split start(int threads) {
    List<String> ids = new ArrayList<>();
    for (int i = 1; i <= threads; i++) {
      ids.add("thread " + i);
    }
    return threads == 1 ? Flow.to(ids.getFirst()) : new Split.And(ids);
  }

  private static Term net(Split start, List<Node> nodes) {
    return new Term.Graph(Mode.IMPLICIT, Merge.Standard.NEWEST, start, nodes);
  }
}
