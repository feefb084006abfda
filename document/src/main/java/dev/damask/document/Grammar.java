package dev.damask.document;

import dev.damask.document.ValueRule.Anything;
import dev.damask.document.ValueRule.Either;
import dev.damask.document.ValueRule.Flag;
import dev.damask.document.ValueRule.Formula;
import dev.damask.document.ValueRule.ListOf;
import dev.damask.document.ValueRule.MapOf;
import dev.damask.document.ValueRule.Name;
import dev.damask.document.ValueRule.Numeral;
import dev.damask.document.ValueRule.Shaped;
import dev.damask.document.ValueRule.TermOr;
import dev.damask.document.ValueRule.TermRule;
import dev.damask.document.ValueRule.Text;
import dev.damask.document.ValueRule.Time;
import dev.damask.document.ValueRule.Whole;
import dev.damask.document.ValueRule.Words;
import dev.damask.document.ValueRule.Yes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The one table of everything that may be written in a document. The reader checks against it and
/// the JSON Schema is generated from it, so the two cannot disagree.
final class Grammar {
  private static final ValueRule NAME = new Name();
  private static final ValueRule TEXT = new Text();
  private static final ValueRule FORMULA = new Formula();
  private static final ValueRule TIME = new Time();
  private static final ValueRule FLAG = new Flag();
  private static final ValueRule TERM = new TermRule();
  private static final ValueRule ANY = new Anything();
  private static final ValueRule NAMES = new ListOf(NAME, 1);
  private static final ValueRule FORMULAS = new MapOf(FORMULA);
  private static final ValueRule VALUES = new MapOf(ANY);
  private static final ValueRule MODE = words("implicit", "explicit");
  private static final ValueRule NAME_OR_NAMES = either(NAME, NAMES);

  private Grammar() {}

  private static ValueRule words(String... words) {
    return new Words(List.of(words));
  }

  private static ValueRule either(ValueRule... rules) {
    return new Either(List.of(rules));
  }

  private static ValueRule whole(long min) {
    return new Whole(min, Integer.MAX_VALUE);
  }

  private static final Shape EFFECT =
      Shape.of("effect", "What is asked of the outside.")
          .may("type", NAME, "Which handler; the task's name by default.")
          .may("with", VALUES, "The payload; texts may hold ${EXPR}.");

  private static final Shape RETRY =
      Shape.of("retry", "How often a failing effect is tried.")
          .must("max", whole(1), "The number of attempts, the first included.")
          .may("delay", TIME, "The wait before the second attempt.")
          .may("backoff", new Numeral(), "What the wait is multiplied with each time.")
          .may("jitter", new Numeral(), "The part of the wait, 0 to 1, spread by chance.");

  static final Shape BRANCH =
      Shape.of("branch", "One branch of a choice.")
          .may("when", FORMULA, "The condition.")
          .may("do", TERM, "What to do.")
          .may("else", TERM, "What to do when no condition is true.")
          .exactlyOne("do", "else");

  private static final Shape JOIN_POLICY =
      Shape.of("joinPolicy", "When the join goes on.")
          .may("need", either(new Whole(0, 10_000), words("all", "sync")), "How many branches.")
          .may("rest", words("drain", "cancel"), "What happens to the other branches.")
          .may("short", words("abort", "shrink"), "What happens when too few are left.")
          .may("merge", words("last", "first", "fail", "collect", "overlay"), "How data meets.")
          .may(
              "policy",
              either(
                  words("all", "sync_merge", "first_complete"),
                  new Shaped(
                      Shape.of("namedPolicy", "A policy with numbers.")
                          .may("first_n", whole(1), "The first n branches.")
                          .may("n_of_m", new ListOf(whole(1), 2), "n of exactly m branches.")
                          .exactlyOne("first_n", "n_of_m"))),
              "A name for a set of parameters.");

  private static final Shape LOOP_POLICY =
      Shape.of("loopPolicy", "When the loop goes round again.")
          .may("while", FORMULA, "Tested before the body.")
          .may("until", FORMULA, "Tested after the body.")
          .may("count", FORMULA, "How many rounds.")
          .exactlyOne("while", "until", "count");

  private static final Shape ALTERNATIVE =
      Shape.of("alternative", "Something to wait for.")
          .may("take", NAME_OR_NAMES, "The places that must hold a token, which is removed.")
          .may("test", NAME_OR_NAMES, "The places that must hold a token, which stays.")
          .may("after", TIME, "The time that must pass.")
          .may("expired", TERM, "What to do when nothing waited for can come.")
          .may("do", TERM, "What to do then.")
          .exactlyOne("take", "test", "after", "expired");

  private static final Shape ARC =
      Shape.of("arc", "A guarded way to a node.")
          .may("when", FORMULA, "The condition.")
          .may("to", NAME, "The node, or end.")
          .may("else", NAME, "The node when no condition is true.")
          .exactlyOne("to", "else");

  private static final ValueRule ARCS = new ListOf(new Shaped(ARC), 1);

  private static final ValueRule SPLIT =
      either(
          NAME,
          new Shaped(
              Shape.of("split", "Where tokens go.")
                  .may("and", new ListOf(NAME, 2), "One token to each.")
                  .may("xor", ARCS, "Along the first arc whose condition is true.")
                  .may("or", ARCS, "Along every arc whose condition is true.")
                  .may("copies", new Whole(1, 10_000), "How many tokens.")
                  .may("to", NAME, "Where the copies go.")
                  .exactlyOne("and", "xor", "or", "copies")));

  private static final Shape NODE_JOIN =
      Shape.of("nodeJoin", "How arriving tokens become one.")
          .may("and", either(NAMES, new MapOf(whole(1))), "One token, or a number, of each source.")
          .may("or", NAMES, "One of every source that can still deliver.")
          .may("kof", whole(1), "From how many of the sources.")
          .may("from", NAMES, "The sources of kof.")
          .may("block", FLAG, "Resets only when every source has delivered.")
          .may("cancel", new ListOf(NAME, 0), "The nodes to withdraw when it fires.")
          .may("short", words("abort"), "Gives the join up when it cannot be met.")
          .exactlyOne("and", "or", "kof");

  private static final Shape NODE =
      Shape.of("node", "A node of a graph.")
          .may("join", new Shaped(NODE_JOIN), "Absent: every token runs the body on its own.")
          .may("do", TERM, "The body; absent: does nothing.")
          .must("then", SPLIT, "Where its tokens go.");

  private static final Shape NET =
      Shape.of("net", "Nodes and arcs.")
          .may("mode", MODE, "When the graph ends.")
          .may("merge", words("newest", "overlay"), "How data meets at joins.")
          .must("start", SPLIT, "Where the first tokens go.")
          .must("nodes", new MapOf(new Shaped(NODE)), "The nodes by id.");

  /// The shapes of terms by their leading key, in the order in which keys are looked for.
  static final Map<String, Shape> TERMS = terms();

  private static Map<String, Shape> terms() {
    Map<String, Shape> terms = new LinkedHashMap<>();
    for (Shape shape :
        List.of(
            Shape.of("task", "A task: an effect, or with set a pure one.")
                .must("task", NAME, "Its name.")
                .may("set", FORMULAS, "Keys and their new values; makes the task pure.")
                .may("effect", new Shaped(EFFECT), "What is asked of the outside.")
                .may("key", FORMULA, "The idempotency key.")
                .may("delivery", words("keyed", "atMostOnce", "read"), "How often it may happen.")
                .may("timeout", TIME, "How long one attempt may take.")
                .may("retry", new Shaped(RETRY), "What happens when it fails.")
                .may("undo", TERM, "What takes it back.")
                .may("result", NAME, "The key that gets the whole result.")
                .may("cost", new Numeral(), "What it costs.")
                .may("description", TEXT, "For people."),
            Shape.of("set", "Writes keys.")
                .must("set", FORMULAS, "Keys and their new values.")
                .may("description", TEXT, "For people."),
            Shape.of("skip", "Does nothing.").must("skip", new Yes(), "Always true."),
            Shape.of("fail", "Fails.").must("fail", NAME, "The reason."),
            Shape.of("seq", "One after another.").must("seq", new ListOf(TERM, 1), "The parts."),
            Shape.of("par", "All at once; waits for all.")
                .must("par", new ListOf(TERM, 2), "The branches.")
                .may(
                    "merge",
                    words("last", "first", "fail", "collect", "overlay"),
                    "How data meets."),
            Shape.of("xor", "Takes one branch.")
                .must("xor", new ListOf(new Shaped(BRANCH), 1), "The branches."),
            Shape.of("join", "Starts branches and goes on when enough are done.")
                .must("join", new Shaped(JOIN_POLICY), "When it goes on.")
                .must("branches", new ListOf(new TermOr(BRANCH), 1), "The branches."),
            Shape.of("loop", "Repeats.")
                .must("loop", new Shaped(LOOP_POLICY), "When it goes round again.")
                .must("do", TERM, "The body."),
            Shape.of("defer", "Waits for the first of several things.")
                .must("defer", new ListOf(new Shaped(ALTERNATIVE), 1), "What to wait for."),
            Shape.of("take", "Waits for a token.").must("take", NAME_OR_NAMES, "The place."),
            Shape.of("cancel", "A scope that can be cancelled.")
                .must("cancel", NAME, "Its name.")
                .may("holding", NAMES, "The places of which it owns a token while it runs.")
                .may("timeout", TIME, "How long it may be open.")
                .may("onTimeout", TERM, "What follows a time-out.")
                .may("catch", TERM, "What follows a failure.")
                .may("undo", FLAG, "Whether completed tasks are undone.")
                .may("allow", new ListOf(NAME, 0), "The effect types allowed inside.")
                .must("do", TERM, "The body."),
            Shape.of("mi", "Several instances of a body.")
                .must("mi", NAME, "Its name.")
                .must("count", FORMULA, "How many, or the list of items.")
                .may("min", whole(0), "The smallest number allowed.")
                .may("max", whole(0), "The largest number allowed.")
                .may("open", FLAG, "Whether instances may be added.")
                .may("need", FORMULA, "All, a number, or a condition on done, total, results.")
                .may("rest", words("drain", "cancel"), "What happens to the others.")
                .may("collect", NAME, "The key whose values are gathered.")
                .must("do", TERM, "The body."),
            Shape.of("emit", "Puts a token on a place.")
                .must("emit", NAME, "The place, or m.add or m.close.")
                .may("with", FORMULAS, "The payload."),
            Shape.of("kill", "Ends a scope.")
                .must("kill", NAME, "The scope, or case.")
                .may("as", words("complete"), "As if it had completed."),
            Shape.of("call", "Runs a definition.").must("call", NAME, "Its name."),
            Shape.of("graph", "A net of nodes.").must("graph", new Shaped(NET), "The net."))) {
      terms.put(shape.name(), shape);
    }
    return terms;
  }

  private static final Shape PLACE =
      Shape.of("place", "A queue of tokens.")
          .may("external", FLAG, "Whether signals are accepted.")
          .may("lifetime", words("persistent", "transient"), "Whether unclaimed tokens stay.")
          .may("init", new Whole(0, 1_000), "How many tokens it holds at first.");

  private static final ValueRule PLACES = new MapOf(new Shaped(PLACE));

  static final Shape DEFINITION =
      Shape.of("definition", "A body with places of its own.")
          .may("places", PLACES, "Its places.")
          .must("do", TERM, "Its body.");

  static final Shape LIMITS =
      Shape.of("limits", "Bounds of a case.")
          .may("nodes", whole(1), "Nodes of the term.")
          .may("branches", whole(1), "Branches of a fork.")
          .may("callDepth", whole(1), "Depth of calls.")
          .may("instances", whole(1), "Instances of one mi.")
          .may("openEffects", whole(1), "Effects open at once.")
          .may("placeTokens", whole(1), "Tokens on one place.")
          .may("contextBytes", whole(1), "Size of a context, encoded.")
          .may("steps", new Whole(1, Long.MAX_VALUE), "Steps of one case.")
          .may("quantum", whole(1), "Steps before another case has its turn.")
          .may("time", TIME, "How long a case may take.");

  private static final ValueRule PAIR = new ListOf(NAME, 2);

  private static final Shape ASSERTION =
      Shape.of("assertion", "A property that is proved.")
          .may("neverBefore", PAIR, "The first never happens before the second.")
          .may("atMostOnce", NAME, "It happens once at most.")
          .may("leadsTo", PAIR, "After the first the second follows.")
          .may("neverTogether", PAIR, "They never run at the same time.")
          .exactlyOne("neverBefore", "atMostOnce", "leadsTo", "neverTogether");

  static final Shape WORKFLOW =
      Shape.of("workflow", "A workflow.")
          .must("workflow", NAME, "Its name.")
          .may("version", either(TEXT, new Numeral()), "For people.")
          .may("description", TEXT, "For people.")
          .may("mode", MODE, "When a case ends.")
          .may("input", either(VALUES, FLAG), "A JSON Schema for the context of a start.")
          .may("context", VALUES, "The initial context.")
          .may("places", PLACES, "The places.")
          .may("definitions", new MapOf(new TermOr(DEFINITION)), "Bodies for call.")
          .may("limits", new Shaped(LIMITS), "Bounds of a case.")
          .may("assert", new ListOf(new Shaped(ASSERTION), 0), "Properties that are proved.")
          .must("do", TERM, "The body.");

  static final Shape STEP =
      Shape.of("step", "An event from outside and what must be seen.")
          .may("start", new Yes(), "The case starts.")
          .may("done", NAME, "A task is done.")
          .may("fail", NAME, "A task fails.")
          .may("reason", TEXT, "Why it fails.")
          .may("signal", NAME, "A token for an external place.")
          .may("cancel", NAME, "Withdraws a scope, or case.")
          .may("complete", NAME, "Completes a scope, or case.")
          .may("cancelTask", NAME, "Withdraws one task.")
          .may("add", NAME, "One more instance.")
          .may("item", ANY, "The item of the added instance.")
          .may("close", NAME, "No more instances.")
          .may("advance", TIME, "Time passes.")
          .may("set", VALUES, "The data that comes with done or signal.")
          .may(
              "choices",
              new ListOf(new ListOf(whole(0), 1), 1),
              "The way the case goes: the number of a token that moves, then its answers.")
          .may("see", new ListOf(TEXT, 0), "What must be observed.")
          .may(
              "reply",
              words("lost", "buffered", "rejected", "late", "noSuchRegion", "caseEnded"),
              "What the engine must answer.")
          .exactlyOne(
              "start",
              "done",
              "fail",
              "signal",
              "cancel",
              "complete",
              "cancelTask",
              "add",
              "close",
              "advance");

  private static final Shape END =
      Shape.of("end", "What must be true at the end.")
          .may(
              "status",
              words("completed", "cancelled", "failed", "waiting", "deadlocked"),
              "The status.")
          .may("reason", TEXT, "Why it failed.")
          .may("never", new ListOf(NAME, 0), "Tasks that never ran.")
          .may("count", new MapOf(whole(0)), "How often tasks ran.")
          .may("context", VALUES, "Keys and their values.");

  static final Shape SCENARIO =
      Shape.of("scenario", "A test of a workflow.")
          .must("scenario", NAME, "Its name.")
          .may("title", TEXT, "What is shown.")
          .must("workflow", either(NAME, new Shaped(WORKFLOW)), "The workflow, or its file.")
          .may("with", VALUES, "The caller's context.")
          .may("order", words("strict"), "Compares observations as lists.")
          .must("steps", new ListOf(new Shaped(STEP), 1), "What happens.")
          .may("end", new Shaped(END), "What must be true at the end.");

  static final ValueRule EVENTS = new ListOf(new Shaped(STEP), 0);
}
