package dev.damask.drawing;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/// A picture read back as XML, so that tests can look at what is in it and where.
final class Svg {
  /// What is drawn for one leaf and must not be covered by another.
  private static final Set<String> SOLID = Set.of("box", "event", "sent", "ring", "gate");

  private final Document document;

  private Svg(Document document) {
    this.document = document;
  }

  record Area(String what, int x, int y, int width, int height) {
    boolean overlaps(Area other) {
      return x < other.x + other.width
          && other.x < x + width
          && y < other.y + other.height
          && other.y < y + height;
    }

    boolean isInside(Area outer) {
      return x >= outer.x
          && y >= outer.y
          && x + width <= outer.x + outer.width
          && y + height <= outer.y + outer.height;
    }
  }

  static Svg parse(String text) {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_DTD, "");
      factory.setNamespaceAware(true);
      return new Svg(factory.newDocumentBuilder().parse(new InputSource(new StringReader(text))));
    } catch (Exception problem) {
      throw new AssertionError("not well-formed: " + problem.getMessage(), problem);
    }
  }

  Area view() {
    Element root = document.getDocumentElement();
    return new Area("view", 0, 0, number(root, "width"), number(root, "height"));
  }

  /// The boxes, capsules and circles that stand for single things.
  List<Area> solids() {
    return areas().stream().filter(area -> SOLID.contains(area.what())).toList();
  }

  /// Everything with an extent of its own: shapes, texts by their estimated width, ends of lines.
  List<Area> areas() {
    List<Area> areas = new ArrayList<>();
    for (Element element : elements("rect")) {
      areas.add(
          new Area(
              element.getAttribute("class"),
              number(element, "x"),
              number(element, "y"),
              number(element, "width"),
              number(element, "height")));
    }
    for (Element element : elements("circle")) {
      int radius = number(element, "r");
      int x = number(element, "cx") - radius;
      int y = number(element, "cy") - radius;
      areas.add(new Area(element.getAttribute("class"), x, y, 2 * radius, 2 * radius));
    }
    elements("text").forEach(element -> areas.add(text(element)));
    for (Element element : elements("path")) {
      if (!element.hasAttribute("transform")) {
        points(element).forEach(areas::add);
      }
    }
    return areas;
  }

  List<Area> texts() {
    return elements("text").stream().map(Svg::text).toList();
  }

  List<String> paths() {
    return elements("g").stream()
        .map(element -> element.getAttribute("data-path"))
        .filter(path -> !path.isEmpty())
        .toList();
  }

  Element group(String path) {
    return elements("g").stream()
        .filter(element -> element.getAttribute("data-path").equals(path))
        .findFirst()
        .orElseThrow(() -> new AssertionError("nothing drawn for " + path));
  }

  String words() {
    return document.getDocumentElement().getTextContent();
  }

  List<Element> elements(String name) {
    NodeList nodes = document.getElementsByTagName(name);
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      elements.add((Element) nodes.item(i));
    }
    return elements;
  }

  private static Area text(Element element) {
    String shown = element.getLastChild().getTextContent();
    String style = element.getAttribute("class");
    Label.Font font =
        switch (style) {
          case "name" -> Label.Font.NAME;
          case "code" -> Label.Font.CODE;
          case "title" -> Label.Font.TITLE;
          default -> Label.Font.SMALL;
        };
    int width = Label.of(shown, font, 10_000).width();
    int x = number(element, "x");
    x -=
        switch (element.getAttribute("text-anchor")) {
          case "middle" -> width / 2;
          case "end" -> width;
          default -> 0;
        };
    return new Area("text " + shown, x, number(element, "y") - font.size, width, font.size);
  }

  private static List<Area> points(Element path) {
    List<Area> points = new ArrayList<>();
    String[] numbers = path.getAttribute("d").replaceAll("[A-Z]", " ").trim().split(" +", -1);
    for (int i = 0; i + 1 < numbers.length; i += 2) {
      int x = Integer.parseInt(numbers[i]);
      int y = Integer.parseInt(numbers[i + 1]);
      points.add(new Area("point of " + path.getAttribute("class"), x, y, 0, 0));
    }
    return points;
  }

  private static int number(Element element, String attribute) {
    return Integer.parseInt(element.getAttribute(attribute));
  }
}
