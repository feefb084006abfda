package dev.damask.verify.pnml;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.MissingResourceException;
import java.util.Set;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/// Reads place/transition nets from PNML.
///
/// Elements are identified by their local name in any namespace. Pages and modules may nest, and
/// reference nodes are resolved. Graphics, tool-specific parts and final markings are ignored; the
/// check defines the final markings. A net without tokens starts with one token in each place
/// without incoming arcs. Elements that change the meaning of a net, such as inhibitor arcs or
/// colours, are rejected.
///
/// Untrusted files are safe to read: document types and entities are rejected, and every size is
/// limited.
public final class PnmlReader {
  static final int BYTES_MAX = 64 << 20;
  static final int DEPTH_MAX = 256;
  static final int ELEMENTS_MAX = 2_000_000;
  static final int NODES_MAX = 200_000;
  static final int NUMBER_MAX = 1_000_000;
  static final int NAME_MAX = 4_096;

  /// The type names that tools use for ordinary arcs.
  private static final Set<String> PLAIN = Set.of("normal", "ordinary", "regular", "arc");

  private final String source;
  private final XMLStreamReader xml;
  private final Map<String, Draft> nodes = new HashMap<>();
  private final List<Draft> order = new ArrayList<>();
  private final Map<String, String> references = new HashMap<>();
  private final List<ArcDraft> arcs = new ArrayList<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final List<PetriNet> nets = new ArrayList<>();
  private final StringBuilder label = new StringBuilder();
  private String netName = "";
  private int elements;

  /// The current node or arc; null outside.
  private @Nullable Draft node;

  private @Nullable ArcDraft arc;

  private static final class Draft {
    final String id;
    final boolean isPlace;
    String name = "";
    int tokens;

    Draft(String id, boolean isPlace) {
      this.id = id;
      this.isPlace = isPlace;
    }
  }

  private static final class ArcDraft {
    final String from;
    final String to;
    int weight = 1;

    ArcDraft(String from, String to) {
      this.from = from;
      this.to = to;
    }
  }

  private PnmlReader(String source, XMLStreamReader xml) {
    this.source = source;
    this.xml = xml;
  }

  /// Reads a file that contains one net.
  public static PetriNet read(Path file) {
    return only(file.toString(), readAll(file));
  }

  /// Reads a string that contains one net. The name appears in messages.
  public static PetriNet read(String name, byte[] bytes) {
    return only(name, readAll(name, bytes));
  }

  private static PetriNet only(String name, List<PetriNet> nets) {
    if (nets.size() > 1) {
      throw new PnmlProblem(name + ": expected one net, found " + nets.size());
    }
    return nets.getFirst();
  }

  /// Reads all nets of a file. There is at least one.
  public static List<PetriNet> readAll(Path file) {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new PnmlProblem(file + ": a net must have at most " + BYTES_MAX + " bytes");
      }
      return readAll(file.toString(), Files.readAllBytes(file));
    } catch (IOException e) {
      throw new PnmlProblem(file + ": cannot read the file: " + e.getMessage());
    }
  }

  /// Reads all nets of a string. There is at least one.
  public static List<PetriNet> readAll(String name, byte[] bytes) {
    if (bytes.length > BYTES_MAX) {
      throw new PnmlProblem(name + ": a net must have at most " + BYTES_MAX + " bytes");
    }
    try {
      XMLStreamReader xml = factory().createXMLStreamReader(new ByteArrayInputStream(bytes));
      List<PetriNet> nets = new PnmlReader(name, xml).run();
      if (nets.isEmpty()) {
        throw new PnmlProblem(name + ": no <net> element found");
      }
      return nets;
    } catch (XMLStreamException e) {
      // The first line of the message is the location, which is written like everywhere else.
      String message = String.valueOf(e.getMessage()).lines().reduce((_, last) -> last).orElse("");
      Location at = e.getLocation();
      String where = at == null ? "" : ":" + at.getLineNumber() + ":" + at.getColumnNumber();
      throw new PnmlProblem(
          name + where + ": not well-formed XML: " + message.replaceFirst("^Message: ", ""));
    } catch (MissingResourceException e) {
      // The platform's parser has no message for some of its errors.
      throw new PnmlProblem(name + ": not well-formed XML: " + e.getKey());
    }
  }

  private static XMLInputFactory factory() {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    return factory;
  }

  private List<PetriNet> run() throws XMLStreamException {
    while (xml.hasNext()) {
      switch (xml.next()) {
        case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
            throw problem("document types and entities are not allowed");
        case XMLStreamConstants.START_ELEMENT -> start();
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> characters();
        case XMLStreamConstants.END_ELEMENT -> end();
        default -> {}
      }
    }
    return List.copyOf(nets);
  }

  /// Collects text until its label ends, because a comment may split it.
  private void characters() {
    String text = xml.getText();
    if (label.length() < NAME_MAX) {
      label.append(text, 0, Math.min(text.length(), NAME_MAX));
    }
  }

  private void start() throws XMLStreamException {
    if (++elements > ELEMENTS_MAX) {
      throw problem("more than " + ELEMENTS_MAX + " elements");
    }
    if (open.size() >= DEPTH_MAX) {
      throw problem("elements nest more than " + DEPTH_MAX + " levels deep");
    }
    String element = xml.getLocalName();
    switch (element) {
      case "toolspecific", "graphics", "finalmarkings" -> {
        skip();
        return;
      }
      case "net" -> net();
      case "initialMarking", "inscription", "multiplicity", "name", "arctype" -> label.setLength(0);
      case "type" -> {
        label.setLength(0);
        String value = xml.getAttributeValue(null, "value");
        label.append(value == null ? "" : value);
      }
      case "hlinitialMarking", "hlinscription", "condition" ->
          throw problem(
              "<"
                  + element
                  + "> requires a coloured net; only place/transition nets are supported");
      case "place", "transition" -> node(element.equals("place"));
      case "referencePlace", "referenceTransition" ->
          references.put(attribute("id"), attribute("ref"));
      case "arc" -> {
        arc = new ArcDraft(attribute("source"), attribute("target"));
        arcs.add(arc);
      }
      default -> {}
    }
    open.push(element);
  }

  private void net() {
    if (open.contains("net")) {
      throw problem("<net> elements must not be nested");
    }
    String type = xml.getAttributeValue(null, "type");
    String lower = type == null ? "" : type.toLowerCase(Locale.ROOT);
    for (String coloured : List.of("symmetric", "highlevel", "hlpng", "hlcore")) {
      if (lower.contains(coloured)) {
        throw problem(
            "a net of the type '"
                + type
                + "' is coloured; only place/transition nets are supported");
      }
    }
    nodes.clear();
    order.clear();
    references.clear();
    arcs.clear();
    netName = "";
  }

  private void node(boolean isPlace) {
    Draft draft = new Draft(attribute("id"), isPlace);
    if (nodes.putIfAbsent(draft.id, draft) != null) {
      throw problem("duplicate node id '" + draft.id + "'");
    }
    order.add(draft);
    if (order.size() > NODES_MAX) {
      throw problem("more than " + NODES_MAX + " places and transitions");
    }
    node = draft;
  }

  private void skip() throws XMLStreamException {
    int depth = 1;
    while (depth > 0) {
      int event = xml.next();
      if (event == XMLStreamConstants.START_ELEMENT) {
        depth++;
        if (++elements > ELEMENTS_MAX) {
          throw problem("more than " + ELEMENTS_MAX + " elements");
        }
      } else if (event == XMLStreamConstants.END_ELEMENT) {
        depth--;
      } else if (event == XMLStreamConstants.ENTITY_REFERENCE) {
        throw problem("document types and entities are not allowed");
      }
    }
  }

  private String attribute(String name) {
    String value = xml.getAttributeValue(null, name);
    if (value == null || value.isBlank()) {
      throw problem("<" + xml.getLocalName() + "> has no attribute '" + name + "'");
    }
    if (value.length() > NAME_MAX) {
      throw problem("an attribute has more than " + NAME_MAX + " characters");
    }
    return value;
  }

  /// Reads the text of a label, with or without `<text>` or `<value>`.
  private void text(String element) {
    String content = label.toString().strip();
    label.setLength(0);
    if (content.isEmpty()) {
      return;
    }
    switch (element) {
      case "initialMarking" -> {
        if (node != null && node.isPlace) {
          node.tokens = number(content, 0);
        }
      }
      case "inscription", "multiplicity" -> {
        if (arc != null) {
          arc.weight = number(content, 1);
        }
      }
      case "type", "arctype" -> {
        if (arc != null && !PLAIN.contains(content.toLowerCase(Locale.ROOT))) {
          throw problem("an arc has the type '" + content + "'; only ordinary arcs are supported");
        }
      }
      case "name" -> {
        String name = content.length() > NAME_MAX ? content.substring(0, NAME_MAX) : content;
        if (node != null) {
          node.name = name;
        } else if ("net".equals(open.peek())) {
          netName = name;
        }
      }
      default -> {}
    }
  }

  /// Parses a number. Some tools write `Default,3` for three tokens of the only colour.
  private int number(String content, int least) {
    String digits = content.substring(content.indexOf(',') + 1).strip();
    try {
      int value = Integer.parseInt(digits);
      if (value < least || value > NUMBER_MAX) {
        throw problem(
            "a number must be between " + least + " and " + NUMBER_MAX + ", got " + value);
      }
      return value;
    } catch (NumberFormatException e) {
      throw problem("expected an integer, got '" + digits + "'");
    }
  }

  private void end() {
    String element = open.pop();
    switch (element) {
      case "initialMarking", "inscription", "multiplicity", "name", "type", "arctype" ->
          text(element);
      case "net" -> nets.add(finish());
      default -> {}
    }
    if (element.equals("place") || element.equals("transition")) {
      node = null;
    } else if (element.equals("arc")) {
      arc = null;
    }
  }

  private PetriNet finish() {
    if (order.stream().noneMatch(draft -> draft.isPlace)) {
      throw problem("the net has no place");
    }
    Map<String, Integer> placeIndex = new HashMap<>();
    Map<String, Integer> transitionIndex = new HashMap<>();
    order.forEach(draft -> {
      Map<String, Integer> index = draft.isPlace ? placeIndex : transitionIndex;
      index.put(draft.id, index.size());
    });
    List<Map<Integer, Integer>> inputs = maps(transitionIndex.size());
    List<Map<Integer, Integer>> outputs = maps(transitionIndex.size());
    boolean[] fed = new boolean[placeIndex.size()];
    for (ArcDraft each : arcs) {
      String from = resolve(each.from);
      String to = resolve(each.to);
      Integer fromPlace = placeIndex.get(from);
      Integer toPlace = placeIndex.get(to);
      Integer fromTransition = transitionIndex.get(from);
      Integer toTransition = transitionIndex.get(to);
      if (fromPlace != null && toTransition != null) {
        inputs.get(toTransition).merge(fromPlace, each.weight, Math::addExact);
      } else if (fromTransition != null && toPlace != null) {
        outputs.get(fromTransition).merge(toPlace, each.weight, Math::addExact);
        fed[toPlace] = true;
      } else {
        throw new PnmlProblem(
            "%s: the arc from '%s' to '%s' does not connect a place and a transition"
                .formatted(source, each.from, each.to));
      }
    }
    return new PetriNet(netName, places(fed), transitions(inputs, outputs));
  }

  private static List<Map<Integer, Integer>> maps(int count) {
    List<Map<Integer, Integer>> maps = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      maps.add(new HashMap<>());
    }
    return maps;
  }

  private String resolve(String id) {
    String at = id;
    for (int hops = 0; references.containsKey(at); hops++) {
      at = references.getOrDefault(at, at);
      if (hops > references.size()) {
        throw new PnmlProblem(source + ": reference '" + id + "' refers to itself");
      }
    }
    return at;
  }

  private List<PetriNet.Place> places(boolean[] fed) {
    boolean unmarked = order.stream().noneMatch(draft -> draft.isPlace && draft.tokens > 0);
    List<PetriNet.Place> places = new ArrayList<>();
    for (Draft draft : order) {
      if (draft.isPlace) {
        int tokens = unmarked && !fed[places.size()] ? 1 : draft.tokens;
        String name = draft.name.isEmpty() ? draft.id : draft.name;
        places.add(new PetriNet.Place(draft.id, name, tokens));
      }
    }
    return places;
  }

  private List<PetriNet.Transition> transitions(
      List<Map<Integer, Integer>> inputs, List<Map<Integer, Integer>> outputs) {
    List<PetriNet.Transition> transitions = new ArrayList<>();
    for (Draft draft : order) {
      if (!draft.isPlace) {
        int index = transitions.size();
        String name = draft.name.isEmpty() ? draft.id : draft.name;
        transitions.add(
            new PetriNet.Transition(
                draft.id, name, arcs(inputs.get(index)), arcs(outputs.get(index))));
      }
    }
    return transitions;
  }

  private static List<PetriNet.Arc> arcs(Map<Integer, Integer> weights) {
    return weights.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> new PetriNet.Arc(entry.getKey(), entry.getValue()))
        .toList();
  }

  private PnmlProblem problem(String what) {
    var at = xml.getLocation();
    return new PnmlProblem("%s:%d: %s".formatted(source, at.getLineNumber(), what));
  }
}
