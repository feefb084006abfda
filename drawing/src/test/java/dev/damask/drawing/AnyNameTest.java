package dev.damask.drawing;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.term.InstancePolicy;
import dev.damask.term.WorkflowDefinition;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/// A diagram is well-formed XML in UTF-8 whatever the names in it are.
final class AnyNameTest {
  private static final String[] PARTS = {
    "<",
    "&",
    "]]>",
    "\"",
    "'",
    "\ud83d\ude00",
    "\ud800",
    "\udc00",
    "\u202e",
    "\ufffe",
    "\u0301",
    "\u200d",
    "ﷺ",
    "\u2028",
    "-->",
    "${x}",
    "%s",
    "{0}",
    "\\",
    "a",
    " ",
    "漢",
    "\u00ad",
    "\ufdd0",
    "\udbff\udfff"
  };

  private static String name(SplittableRandom random) {
    StringBuilder name = new StringBuilder();
    int parts = 1 + random.nextInt(30);
    for (int i = 0; i < parts; i++) {
      String part = PARTS[random.nextInt(PARTS.length)];
      if ((name + part).getBytes(StandardCharsets.UTF_8).length <= 128) {
        name.append(part);
      }
    }
    return name.isEmpty() ? "n" : name.toString();
  }

  /// With room for one more character.
  private static String shorter(SplittableRandom random) {
    String name = name(random);
    return name.substring(0, name.length() / 2);
  }

  @Test
  void a_diagram_is_well_formed_for_any_names() throws Exception {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      String one = "1" + shorter(random);
      String two = "2" + shorter(random);
      WorkflowDefinition workflow =
          workflow(
              name(random),
              par(effect(name(random)), scope(name(random), effect(name(random)))),
              instances(name(random), InstancePolicy.fixed(2), effect(name(random))),
              take(name(random)),
              graph(
                  toAll(one, two),
                  node(one, effect(name(random)), to(two)),
                  node(two, effect(name(random)), to("end"))));

      String svg = Drawing.svg(workflow);

      assertThat(new String(svg.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
          .as("seed %d", seed)
          .isEqualTo(svg);
      DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new InputSource(new StringReader(svg)));
    }
  }
}
