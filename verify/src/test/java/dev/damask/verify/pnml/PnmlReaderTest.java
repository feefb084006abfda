package dev.damask.verify.pnml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class PnmlReaderTest {
  private static PetriNet read(String text) {
    return PnmlReader.read("net", text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void pages_namespaces_names_weights_and_references_are_understood() {
    PetriNet net =
        read(
            """
            <?xml version="1.0"?>
            <pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
              <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
                <name><text>order</text></name>
                <page id="one">
                  <place id="p"><name><text>start</text></name>
                    <initialMarking><text>2</text></initialMarking>
                    <toolspecific tool="x" version="1"><place id="ignored"/></toolspecific>
                    <graphics><position x="1" y="2"/></graphics>
                  </place>
                  <transition id="t"/>
                  <arc id="a" source="p" target="t"><inscription><text>2</text></inscription></arc>
                  <page id="two">
                    <referenceTransition id="rt" ref="t"/>
                    <place id="q"/>
                    <arc id="b" source="rt" target="q"/>
                  </page>
                </page>
              </net>
            </pnml>
            """);

    assertThat(net.name()).isEqualTo("order");
    assertThat(net.places()).extracting(PetriNet.Place::name).containsExactly("start", "q");
    assertThat(net.places().getFirst().tokens()).isEqualTo(2);
    assertThat(net.transitions().getFirst().inputs()).containsExactly(new PetriNet.Arc(0, 2));
    assertThat(net.transitions().getFirst().outputs()).containsExactly(new PetriNet.Arc(1, 1));
  }

  @Test
  void a_net_without_a_marking_starts_at_its_source() {
    PetriNet net =
        read(
            "<pnml><net id='n'><place id='p'/><place id='q'/><transition id='t'/><arc id='a'"
                + " source='p' target='t'/><arc id='b' source='t' target='q'/></net></pnml>");

    assertThat(net.places()).extracting(PetriNet.Place::tokens).containsExactly(1, 0);
  }

  @Test
  void document_types_and_entities_are_refused() {
    assertThatThrownBy(() -> read("<!DOCTYPE pnml [<!ENTITY x 'y'>]><pnml><net id='n'/></pnml>"))
        .isInstanceOf(PnmlProblem.class);
    assertThatThrownBy(() ->
            read(
                "<!DOCTYPE pnml [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>"
                    + "<pnml><net id='n'><name><text>&x;</text></name></net></pnml>"))
        .isInstanceOf(PnmlProblem.class);
  }

  @Test
  void what_is_wrong_comes_as_one_line() {
    assertThatThrownBy(() -> read("<pnml>"))
        .isInstanceOf(PnmlProblem.class)
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() -> read("<pnml/>")).hasMessageContaining("no <net>");
    assertThatThrownBy(() ->
            read(
                "<pnml><net id='n'><place id='p'/><arc id='a' source='p' target='x'/>"
                    + "</net></pnml>"))
        .hasMessageContaining("does not connect a place and a transition");
    assertThatThrownBy(() -> read("<pnml><net id='n'><place id='p'/><place id='p'/></net></pnml>"))
        .hasMessageContaining("duplicate node id 'p'");
  }

  private static PetriNet readNet(String inside) {
    return read("<pnml><net id='n'>" + inside + "</net></pnml>");
  }

  private static final String PLAIN =
      "<place id='p'/><place id='q'/><transition id='t'/>" + "<arc id='b' source='t' target='q'/>";

  @Test
  void final_markings_of_other_tools_are_passed_over() {
    PetriNet net =
        readNet(
            PLAIN
                + "<arc id='a' source='p' target='t'><arctype><text>normal</text></arctype></arc>"
                + "<finalmarkings><marking><place idref='q'><text>1</text></place></marking>"
                + "</finalmarkings>");

    assertThat(net.places()).hasSize(2);
  }

  @Test
  void what_changes_the_meaning_of_a_net_is_refused() {
    String arc = "<arc id='a' source='p' target='t'>%s</arc>";
    assertThatThrownBy(() -> readNet(PLAIN + arc.formatted("<type value='inhibitor'/>")))
        .hasMessageContaining("an arc has the type 'inhibitor'; only ordinary arcs are supported");
    assertThatThrownBy(
            () -> readNet(PLAIN + arc.formatted("<arctype><text>reset</text></arctype>")))
        .hasMessageContaining("an arc has the type 'reset'");
    assertThatThrownBy(() -> readNet(PLAIN + arc.formatted("<hlinscription/>")))
        .hasMessageContaining("only place/transition nets are supported");
    assertThatThrownBy(() ->
            read(
                "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'/>"
                    + "</pnml>"))
        .hasMessageContaining("only place/transition nets are supported");
    assertThatThrownBy(
            () -> readNet("<place id='p'><initialMarking>Default,1,red,2</initialMarking></place>"))
        .hasMessageContaining("expected an integer");
    assertThatThrownBy(() -> readNet("<transition id='t'/>")).hasMessageContaining("no place");
  }

  @Test
  void texts_parted_by_comments_and_values_without_a_wrapper_are_read_whole() {
    PetriNet net =
        readNet(
            "<place id='p'><name><text>a<!-- x -->b</text></name>"
                + "<initialMarking><value>Default,<!-- y -->2</value></initialMarking></place>"
                + "<place id='q'><initialMarking>1</initialMarking></place>");

    assertThat(net.places()).extracting(PetriNet.Place::name).containsExactly("ab", "q");
    assertThat(net.places()).extracting(PetriNet.Place::tokens).containsExactly(2, 1);
  }

  @Test
  void several_nets_of_one_file_are_read_apart() {
    byte[] bytes =
        ("<pnml><net id='a'><name>one</name><page id='g'><name>page</name><place id='p'/></page>"
                + "</net><net id='b'><place id='p'/></net></pnml>")
            .getBytes(StandardCharsets.UTF_8);

    assertThat(PnmlReader.readAll("nets", bytes))
        .extracting(PetriNet::name)
        .containsExactly("one", "");
    assertThatThrownBy(() -> PnmlReader.read("nets", bytes))
        .hasMessage("nets: expected one net, found 2");
  }

  @Test
  void nesting_and_references_have_an_end() {
    assertThatThrownBy(() -> readNet("<page id='a'>".repeat(300)))
        .isInstanceOf(PnmlProblem.class)
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() ->
            readNet(
                PLAIN
                    + "<referencePlace id='r' ref='s'/><referencePlace id='s' ref='r'/>"
                    + "<arc id='a' source='r' target='t'/>"))
        .hasMessageContaining("refers to itself");
  }
}
