package dev.damask.drawing;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The style sheet of every diagram, in light and dark colours.
///
/// Each colour is written twice, as a constant and as a variable. Programs without support for
/// variables, such as many converters, use the constant light colours.
final class Style {
  /// Name, light colour, dark colour.
  private static final String[][] COLOURS = {
    {"paper", "#ffffff", "#14181f"},
    {"ink", "#1b2430", "#e6e9ee"},
    {"muted", "#5d6878", "#9aa5b4"},
    {"rail", "#6b7686", "#8a95a5"},
    {"bar", "#2b3544", "#ccd3dc"},
    {"effect", "#dce8fb", "#1d3557"},
    {"effect-edge", "#3867b7", "#6f9fe8"},
    {"pure", "#f5f7fa", "#1e242d"},
    {"pure-edge", "#b3bdca", "#4d5866"},
    {"gate", "#fff3d6", "#43361a"},
    {"gate-edge", "#b9821f", "#dcae55"},
    {"event", "#efe9fb", "#30274a"},
    {"event-edge", "#7654b8", "#ab8fe6"},
    {"frame", "#fafbfd", "#191e27"},
    {"frame-edge", "#98a4b5", "#5f6c7d"},
    {"mi", "#f3faf8", "#162523"},
    {"mi-edge", "#3d8f84", "#5bb5a8"},
    {"bad", "#fde8e6", "#46211f"},
    {"bad-edge", "#c0403a", "#ee837c"},
    {"good-edge", "#2f8a4c", "#67c285"},
    {"busy-edge", "#c77700", "#f0a94a"},
    {"way", "#c2185b", "#ff6fa5"},
  };

  private static final String RULES =
      """
      text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
      text{font-size:11px;fill:$ink}
      .title{font-size:19px;font-weight:600}
      .name{font-size:13px;font-weight:500}
      .small{fill:$muted}
      .code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
      .sign{font-weight:700;fill:$gate-edge}
      .note{font-style:italic;fill:$muted}
      .paper{fill:$paper}
      .rail,.side{fill:none;stroke:$rail;stroke-width:1.5}
      .side{stroke-dasharray:5 4}
      .rail-tip,.side-tip{fill:$rail}
      .bar{fill:$bar}
      .start{fill:$bar}
      .end{fill:none;stroke:$bar;stroke-width:2}
      .end-core{fill:$bar}
      .box{fill:$pure;stroke:$pure-edge}
      .edge{fill:none;stroke:$effect-edge;stroke-width:1.5}
      .effect>.box,.call>.box{fill:$effect;stroke:$effect-edge;stroke-width:1.5}
      .call>.box{fill:$paper}
      .fail>.box,.missing>.box{fill:$bad;stroke:$bad-edge;stroke-width:1.5}
      .hidden>.box{stroke-dasharray:3 3}
      .diamond,.gate{fill:$gate;stroke:$gate-edge;stroke-width:1.5;stroke-linejoin:round}
      .event,.sent{fill:$event;stroke:$event-edge;stroke-width:1.5}
      .icon{fill:none;stroke:$event-edge;stroke-width:1.3;stroke-linejoin:round}
      .icon{stroke-linecap:round}
      .inner{fill:none;stroke:$gate-edge;stroke-width:1.8}
      .sent{fill:$event-edge}
      .emit>.icon{stroke:$paper}
      .emit>text{fill:$paper}
      .ring{fill:$bad;stroke:$bad-edge;stroke-width:1.5}
      .kill>.icon{stroke:$bad-edge;stroke-width:2}
      .undo>.icon{stroke:$muted}
      .frame{fill:$frame;stroke:$frame-edge;stroke-width:1.3}
      .scope>.frame{stroke-dasharray:7 4}
      .mi>.frame{fill:$mi;stroke:$mi-edge}
      .badge{fill:$paper;stroke:$frame-edge}
      .done>.box{stroke:$good-edge;stroke-width:2}
      .failed>.box{stroke:$bad-edge;stroke-width:2}
      .running>.box,.waiting>.box{stroke:$busy-edge;stroke-width:2}
      .way>.box,.way>.frame,.way>.ring,.way>.sent{stroke:$way;stroke-width:2.5}
      .way>.gateway>.diamond,.way>.gateway>.event,.way>.wait>.event{stroke:$way;stroke-width:2.5}
      .way>.bar{fill:$way}
      .taken{fill:none;stroke:$way;stroke-width:2.5}
      .taken-tip{fill:$way}
      .stuck{fill:$bad-edge}
      .state{fill:$paper;stroke:$busy-edge;stroke-width:1.5}
      .state-icon{fill:none;stroke:$busy-edge;stroke-width:1.8;stroke-linecap:round}
      .done-mark{stroke:$good-edge}
      .failed-mark{stroke:$bad-edge}
      .token{fill:$bar}
      .step{fill:$way}
      .token-text,.step-text{fill:$paper;font-weight:700}
      """;

  /// In the order of the themes.
  private static final List<String> SCHEMES = List.of("light dark", "light", "dark");

  private static final Map<Theme, String> SHEETS = new EnumMap<>(Theme.class);

  static {
    for (Theme each : Theme.values()) {
      SHEETS.put(each, make(each));
    }
  }

  private Style() {}

  static String sheet(Theme theme) {
    return SHEETS.getOrDefault(theme, "");
  }

  private static String make(Theme theme) {
    StringBuilder sheet = new StringBuilder();
    Map<String, String> plain = new TreeMap<>();
    StringBuilder dark = new StringBuilder();
    int column = theme == Theme.DARK ? 2 : 1;
    sheet.append("svg.damask{color-scheme:").append(SCHEMES.get(theme.ordinal()));
    for (String[] colour : COLOURS) {
      plain.put(colour[0], colour[column]);
      sheet.append(";--dk-").append(colour[0]).append(':').append(colour[column]);
      dark.append(";--dk-").append(colour[0]).append(':').append(colour[2]);
    }
    sheet.append("}\n");
    if (theme == Theme.AUTO) {
      sheet.append("@media (prefers-color-scheme:dark){svg.damask{");
      sheet.append(dark, 1, dark.length()).append("}}\n");
    }
    RULES.lines().forEach(rule -> rule(sheet, rule, plain));
    return sheet.toString();
  }

  private static void rule(StringBuilder sheet, String rule, Map<String, String> light) {
    int brace = rule.indexOf('{');
    String selectors = rule.substring(0, brace).replace(",", ",.damask ").replace("> ", ">");
    sheet.append(".damask ").append(selectors).append('{');
    String separator = "";
    for (String part : rule.substring(brace + 1, rule.length() - 1).split(";", -1)) {
      int dollar = part.indexOf('$');
      sheet.append(separator);
      if (dollar < 0) {
        sheet.append(part);
      } else {
        String property = part.substring(0, dollar);
        String name = part.substring(dollar + 1);
        sheet.append(property).append(light.getOrDefault(name, "#000")).append(';');
        sheet.append(property).append("var(--dk-").append(name).append(")");
      }
      separator = ";";
    }
    sheet.append("}\n");
  }
}
